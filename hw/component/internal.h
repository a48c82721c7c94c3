/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/component share. */
#ifndef CUPEL_HW_COMPONENT_INTERNAL_H
#define CUPEL_HW_COMPONENT_INTERNAL_H

#include <time.h>

#include "hw/component/component.h"

#define COMPONENT_TEXT ((size_t)16 << 10) /* the most bytes read of a file or an output */

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

/* ---- component_command.c ---- */

/* After -1, *commands must be stopped as well, unless it is NULL. */
int component_commands_start(struct component_commands **commands,
                             const struct component_watch *watch, struct err *e);
/* The last number of the component's command; never waits. */
bool component_commands_take(struct component_commands *all, size_t component, double last_seconds,
                             struct component_reading *reading);
void component_commands_stop(struct component_commands *all);

#endif
