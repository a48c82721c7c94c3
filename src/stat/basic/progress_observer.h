/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The observer of a long computation: it is called about once a second with the progress, may show
 * it to the user, and decides whether to give up. */
#ifndef CUPEL_STAT_BASIC_PROGRESS_OBSERVER_H
#define CUPEL_STAT_BASIC_PROGRESS_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>

struct watch {
    /* returns true to give up; called from the thread that computes */
    bool (*stops)(void *context);
    void *context;
};

/* Returns true if the observer wants to give up. `w` may be NULL: there is no observer. */
static inline bool watch_stops(const struct watch *w)
{
    return w && w->stops(w->context);
}

#endif
