/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of hw/component share. */
#ifndef CUPEL_HW_COMPONENT_INTERNAL_H
#define CUPEL_HW_COMPONENT_INTERNAL_H

#include <time.h>

#include "hw/component/component.h"

#define COMPONENT_TEXT ((size_t)16 << 10) /* of a file or a command's output: what is looked at */

/* CLOCK_MONOTONIC, in seconds. */
static inline double component_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* component_number.c: the number in a text, times scale. False, and why: it is not there. */
bool component_number(const struct component *component, const char *text, double *number,
                      char *why, size_t size);

/* ---- component_command.c ---- */

/* *commands is to be stopped after -1 as well, unless it is NULL. */
int component_commands_start(struct component_commands **commands,
                             const struct component_watch *watch, struct err *e);
/* What the command of that component brought last; never waits. */
bool component_commands_take(struct component_commands *all, size_t component, double last_seconds,
                             struct component_reading *reading);
void component_commands_stop(struct component_commands *all);

#endif
