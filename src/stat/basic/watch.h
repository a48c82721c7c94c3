/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The observer of a long computation: it is called about once a second with the progress, may show
 * it to the user, and decides whether to give up. */
#ifndef CUPEL_STAT_BASIC_WATCH_H
#define CUPEL_STAT_BASIC_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct watch {
    bool (*stops)(void *context); /* called from the thread that computes */
    void *context;
};

/* NULL: nobody watches. */
static inline bool watch_stops(const struct watch *w)
{
    return w && w->stops(w->context);
}

#endif
