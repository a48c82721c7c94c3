/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns for names. The C library's fnmatch is not used: it links in tables of all the world's
   letters. */
#include "base/glob.h"

#include <stddef.h>

/* Returns the place after the closing bracket of the set whose first byte is at `p`. Returns NULL
   if there is no closing bracket: the opening one is then an ordinary byte. */
static const char *set_end(const char *p)
{
    if (*p == '!' || *p == '^')
        p++;
    if (*p == ']')
        p++;
    while (*p && *p != ']')
        p++;
    return *p ? p + 1 : NULL;
}

/* Returns true if the set contains `c`. `end` is the place after the closing bracket. */
static bool set_holds(const char *p, const char *end, char c)
{
    bool others = *p == '!' || *p == '^', found = false;
    p += others;
    for (end--; p < end; p++) {
        if (p[1] == '-' && p + 2 < end) {
            found = found || ((unsigned char)p[0] <= (unsigned char)c &&
                              (unsigned char)c <= (unsigned char)p[2]);
            p += 2;
        } else {
            found = found || *p == c;
        }
    }
    return found != others;
}

/* Matches one byte: returns the place after the part of the pattern that matches `c`, or NULL when
   it does not match. */
static const char *take_one(const char *pattern, char c)
{
    const char *end;
    if (*pattern == '?')
        return pattern + 1;
    if (*pattern == '[' && (end = set_end(pattern + 1)))
        return set_holds(pattern + 1, end, c) ? end : NULL;
    if (*pattern == '\\' && pattern[1])
        pattern++;
    return *pattern && *pattern == c ? pattern + 1 : NULL;
}

/* Matches the pattern from left to right. After a mismatch only the last star must be tried again:
   the text before it has already matched. */
bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *star_text = NULL, *next;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if ((next = take_one(pattern, *text))) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
