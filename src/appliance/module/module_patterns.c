/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of modules.alias, matched without recursion, because only the last '*' ever has to be
   tried again. */
#include "appliance/module/internal.h"

#include <string.h>

/* Returns the place where the set that begins at '[' is closed, or NULL. A ']' at its start belongs
   to the set. */
static const char *set_end(const char *open)
{
    const char *first = open + 1;
    if (*first == '!' || *first == '^')
        first++;
    return *first != '\0' ? strchr(first + 1, ']') : NULL;
}

/* Returns whether the first element of the pattern matches the character. *next becomes the rest of
   the pattern. */
static bool pattern_fits(const char *pattern, char c, const char **next)
{
    const char *end = *pattern == '[' ? set_end(pattern) : NULL;
    *next = pattern + 1;
    if (end == NULL)
        return *pattern == '?' || *pattern == c;
    *next = end + 1;
    const char *p = pattern + 1;
    bool inverse = *p == '!' || *p == '^', has = false;
    for (p += inverse; p < end; p++) {
        bool range = p[1] == '-' && p + 2 < end;
        char last = range ? p[2] : *p;
        has = has ||
              ((unsigned char)*p <= (unsigned char)c && (unsigned char)c <= (unsigned char)last);
        p += range ? 2 : 0;
    }
    return has != inverse;
}

bool module_pattern_matches(const char *pattern, const char *text)
{
    const char *after_star = NULL, *retry = NULL, *next;
    while (*text != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = text;
        } else if (*pattern != '\0' && pattern_fits(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (after_star != NULL) {
            pattern = after_star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

size_t module_pattern_literal(const char *pattern)
{
    return strcspn(pattern, "*?[");
}

void module_pattern_normalise(char *text)
{
    while (*text != '\0') {
        const char *end = *text == '[' ? set_end(text) : NULL;
        if (end != NULL) {
            text += end - text;
        } else if (*text == '-') {
            *text = '_';
        }
        text++;
    }
}
