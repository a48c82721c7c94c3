/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session is asked for as one of many ranks: its place among them, and when it begins. */
#ifndef CUPEL_RUN_LAUNCH_COMMON_START_H
#define CUPEL_RUN_LAUNCH_COMMON_START_H

#include <stdbool.h>
#include <stdint.h>

#include "run/launch/launcher.h"

struct common_start {
    struct launcher launcher;
    int64_t at_ns;          /* of --start-at, by the wall clock; 0: none */
    char folder[1024];      /* of --start-together; "": none */
    double timeout_seconds; /* of the gathering there */
    int64_t process_began_ns;
};

/* Does the first measured round wait for others? Alone, a rank gathers with nobody. */
static inline bool common_start_waits(const struct common_start *start)
{
    return start && (start->at_ns || (start->folder[0] && launcher_is_of_many(&start->launcher)));
}

#endif
