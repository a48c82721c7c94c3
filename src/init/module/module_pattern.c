/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns with wildcards, matched without recursion: only the last '*' is ever tried again. */
#include "init/module/internal.h"

#include <string.h>

/* Where the set that begins at '[' is closed; NULL when it is not. A ']' at its start belongs to
   it. */
static const char *set_end(const char *open)
{
    const char *first = open + 1;
    if (*first == '!' || *first == '^')
        first++;
    return *first != '\0' ? strchr(first + 1, ']') : NULL;
}

static bool set_has(const char *open, const char *end, char c)
{
    const char *p = open + 1;
    bool inverse = *p == '!' || *p == '^';
    bool has = false;
    for (p += inverse; p < end; p++) {
        bool range = p[1] == '-' && p + 2 < end;
        char last = range ? p[2] : *p;
        has = has ||
              ((unsigned char)*p <= (unsigned char)c && (unsigned char)c <= (unsigned char)last);
        p += range ? 2 : 0;
    }
    return has != inverse;
}

/* Does one character fit? *next becomes the pattern behind what it was compared with. */
static bool fits(const char *pattern, char c, const char **next)
{
    *next = pattern + 1;
    if (*pattern == '[') {
        const char *end = set_end(pattern);
        if (end != NULL) {
            *next = end + 1;
            return set_has(pattern, end, c);
        }
    }
    return *pattern == '?' || *pattern == c;
}

bool module_pattern_matches(const char *pattern, const char *text)
{
    const char *behind_star = NULL, *retry = NULL, *next;
    while (*text != '\0') {
        if (*pattern == '*') {
            behind_star = ++pattern;
            retry = text;
        } else if (*pattern != '\0' && fits(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (behind_star != NULL) {
            pattern = behind_star;
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
