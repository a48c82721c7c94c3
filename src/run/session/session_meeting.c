/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session among others of this process waits until they have got as far (run/launch/meeting.h).
 */
#include <stdio.h>
#include <time.h>

#include "run/session/internal.h"

/* A look at the others and at the stop flag while waiting. */
#define PAUSE_NS 20000000

static int wait_for(struct session *s, enum meeting_phase phase, const char *stage, struct err *e)
{
    while (!meeting_has_reached(s->meeting, phase)) {
        if (session_stopped(s))
            return err_set(e, ERR_UNDECIDED, "stopped while other targets were prepared");
        if (meeting_is_broken(s->meeting))
            break;
        session_show(s, stage);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return meeting_is_broken(s->meeting)
               ? err_set(e, ERR_UNSAFE, "another target cannot be measured; nothing was written")
               : 0;
}

/* What others need for their preparation is no time of this one's --limit. */
static int await_phase(struct session *s, enum meeting_phase phase, const char *stage,
                       struct err *e)
{
    const double began = session_seconds(s);
    const int status = wait_for(s, phase, stage, e);
    const double waited = session_seconds(s) - began;
    s->begin.waited_seconds += waited;
    s->progress.limit_seconds += waited;
    return status;
}

int session_meet(struct session *s, struct err *e)
{
    if (!s->meeting)
        return 0;
    struct meeting_member *self = &s->meeting->members[s->member];
    self->workers = s->arranged.jobs;
    self->numa_node = s->numa_node;
    snprintf(self->name, sizeof self->name, "%.*s", (int)sizeof self->name - 1, s->target.path);
    meeting_reach(s->meeting, s->member, MEETING_EXAMINED);
    return await_phase(s, MEETING_EXAMINED, "waiting for other targets", e);
}

int session_meet_settings(struct session *s, struct err *e)
{
    if (!s->meeting)
        return 0;
    meeting_reach(s->meeting, s->member, MEETING_SET);
    return await_phase(s, MEETING_SET, "waiting for settings of the machine", e);
}
