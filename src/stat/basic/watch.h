/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever looks after a long computation: asked every second or so, it shows the user how far that
 * came, and whether to give up. */
#ifndef CUPEL_STAT_BASIC_WATCH_H
#define CUPEL_STAT_BASIC_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct watch {
    bool (*stops)(void *context); /* from the thread that computes */
    void *context;
};

/* NULL: nobody watches. */
static inline bool watch_stops(const struct watch *w)
{
    return w && w->stops(w->context);
}

#endif
