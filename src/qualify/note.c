/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks with words. */
#include "qualify/note.h"

#include <stdarg.h>
#include <stdio.h>

void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...)
{
    struct qualification_check *check = qualification_add(q, device, grade, what);
    if (!check)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(check->note, sizeof check->note, format, args);
    va_end(args);
    snprintf(check->found, sizeof check->found, "%s", found);
}
