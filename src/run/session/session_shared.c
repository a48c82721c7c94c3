/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sessions that follow each other have in common: the target, the machine's settings. */
#include <stdlib.h>

#include "run/session/internal.h"

struct session_shared *session_shared_new(void)
{
    struct session_shared *shared = calloc(1, sizeof *shared);
    if (shared)
        shared->knobs.pipe = shared->knobs.latency = -1;
    return shared;
}

void session_shared_rank(struct session_shared *shared, const struct common_start *start)
{
    shared->start = start;
}

void session_shared_meet(struct session_shared *shared, struct meeting *meeting, size_t member,
                         struct session_shared *settings_of)
{
    shared->meeting = meeting;
    shared->member = member;
    shared->settings_of = meeting ? settings_of : NULL;
}

void session_shared_look_once(struct session_shared *shared)
{
    shared->seen = calloc(1, sizeof *shared->seen); /* without it each looks */
}

void session_shared_hold(struct session_shared *shared, const struct target *target)
{
    shared->target = *target;
    shared->target_open = true;
}

int session_shared_end(struct session_shared *shared, struct err *e)
{
    int status = knobs_restore(&shared->knobs, e);
    if (shared->target_open && !shared->stuck)
        target_close(&shared->target);
    knobs_free(&shared->knobs);
    if (shared->seen)
        inventory_free(&shared->seen->kept);
    free(shared->seen);
    free(shared);
    return status;
}
