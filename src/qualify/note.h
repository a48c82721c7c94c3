/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks with words. */
#ifndef CUPEL_QUALIFY_NOTE_H
#define CUPEL_QUALIFY_NOTE_H

#include "base/qualification.h"

#define NOTE_MOST sizeof(((struct qualification_check *)0)->note)

/* Append a check with what was found and why, in words ("" where there is nothing to say). */
void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Likewise, of what a site may expect otherwise: its expectation decides alone. */
void note_replaceable(struct qualification *q, int device, enum grade grade, const char *what,
                      const char *found, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
