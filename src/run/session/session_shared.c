/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps what consecutive sessions share: the target and the machine's settings. Also lets a session
   wait for the others of this process (run/launch/session_meeting.h). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "run/session/running.h"

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
    /* if this fails, each session examines the machine */
    shared->seen = calloc(1, sizeof *shared->seen);
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

/* ---- sessions at the same time ---- */

/* Interval at which a waiting session checks the others and the stop flag. */
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

/* Waits for a phase of all members. The time that others need for their preparation does not count
   for the --limit of this session. */
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

static void end(struct session *s)
{
    if (s->meeting && !s->contents.ended)
        meeting_break(s->meeting, s->member);
    else if (s->meeting)
        meeting_end(s->meeting, s->member, s->contents.verdict == VERDICT_FAILED);
}

const struct session_part part_meeting = {.end = end};
