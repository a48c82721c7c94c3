/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Undoing \040 escapes. */
#include "base/octal_escape.h"

#include <stdbool.h>

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

char *octal_unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; to++) {
        if (p[0] == '\\' && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
            *to = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to = *p++;
        }
    }
    *to = '\0';
    return text;
}
