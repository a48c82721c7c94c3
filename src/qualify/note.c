/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks with words. */
#include "qualify/internal.h"

#include <stdarg.h>
#include <stdio.h>

static struct qualification_check *add(struct qualification *q, int device, enum grade grade,
                                       const char *what, const char *found, const char *format,
                                       va_list args)
{
    struct qualification_check *check = qualification_add(q, device, grade, what);
    if (!check)
        return NULL;
    vsnprintf(check->note, sizeof check->note, format, args);
    snprintf(check->found, sizeof check->found, "%s", found);
    return check;
}

void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(q, device, grade, what, found, format, args);
    va_end(args);
}

void note_replaceable(struct qualification *q, int device, enum grade grade, const char *what,
                      const char *found, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct qualification_check *check = add(q, device, grade, what, found, format, args);
    va_end(args);
    if (check)
        check->replaceable = true;
}
