/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The patterns of modules.alias, which name the devices a module is for:
 * "pci:v00008086d*sv*sd*bc01sc06i01*". '*' is any text, '?' any character, "[0-9a]" and "[!0-9]"
 * one of a set; a '[' that nothing closes is itself. In patterns and modaliases '-' and '_' are the
 * same except in brackets: both are normalised once, and compared as they are then.
 */
#ifndef CUPEL_INIT_MODULE_PATTERN_H
#define CUPEL_INIT_MODULE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* '-' becomes '_' outside of brackets, in place. Also for modaliases and names of modules. */
void module_pattern_normalise(char *text);

/* How many characters at the beginning stand for themselves. */
size_t module_pattern_literal(const char *pattern);

/* Does the pattern match all of the text? */
bool module_pattern_matches(const char *pattern, const char *text);

#endif
