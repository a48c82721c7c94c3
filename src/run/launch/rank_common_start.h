/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of a session that is one of many ranks: its rank, and when it begins. */
#ifndef CUPEL_RUN_LAUNCH_RANK_COMMON_START_H
#define CUPEL_RUN_LAUNCH_RANK_COMMON_START_H

#include <stdbool.h>
#include <stdint.h>

#include "run/launch/launcher.h"

struct common_start {
    struct launcher launcher;
    int64_t at_ns;          /* instant of --start-at, on the wall clock; 0: none */
    char folder[1024];      /* folder of --start-together; "": none */
    double timeout_seconds; /* timeout of the gathering in the folder */
    int64_t process_began_ns;
};

/* Returns true if the first measured round waits for other ranks. A single rank does not wait. */
static inline bool common_start_waits(const struct common_start *start)
{
    return start && (start->at_ns || (start->folder[0] && launcher_is_of_many(&start->launcher)));
}

#endif
