/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns for names, as shells have them: `*` is any text, `?` one byte, `[a-z0]` one of these
 * bytes, `[!a]` one of the others, and a backslash takes the next byte as it is. Nothing is special
 * about slashes and dots. Any thread.
 */
#ifndef CUPEL_BASE_GLOB_H
#define CUPEL_BASE_GLOB_H

#include <stdbool.h>

bool glob_matches(const char *pattern, const char *text);

#endif
