/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/component share. */
#ifndef CUPEL_HW_COMPONENT_INTERNAL_H
#define CUPEL_HW_COMPONENT_INTERNAL_H

#include <time.h>

#include "hw/component/component.h"

/* CLOCK_MONOTONIC, in seconds. */
static inline double component_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* component_number.c: the number in a text, times scale. False when there is no number; `why` has
   the reason. */
bool component_number(const struct component *component, const char *text, double *number,
                      char *why, size_t size);

#endif
