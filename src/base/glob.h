/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns for names, as in shells: `*` matches any text, `?` one byte, `[a-z0]` one of these
 * bytes, `[!a]` one of the others, and a backslash makes the next byte stand for itself. Slashes
 * and dots are not special. Any thread.
 */
#ifndef CUPEL_BASE_GLOB_H
#define CUPEL_BASE_GLOB_H

#include <stdbool.h>

bool glob_matches(const char *pattern, const char *text);

#endif
