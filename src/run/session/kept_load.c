/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the load of a session on its target until the other targets are measured as well. */
#include <math.h>

#include "run/launch/start_instant.h"
#include "run/session/running.h"

/* Length of a round that keeps the load; it ends earlier, once all sessions are done. */
#define KEEP_SECONDS 3600.0
/* If it ends this much later than the others, it has a reason of its own. */
#define LOST_NS INT64_C(100000000)

static void on_pause(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_end_punctuality(context);
    session_show(context, "loaded until the others are done");
}

/* Another session failed before this one had measured everything: since then, this one had more of
   the resources that they share. */
static void note_lost(struct session *s)
{
    struct meeting_member lost;
    const int64_t begun_ns = s->begin.begun_ns;
    if (!begun_ns || !meeting_lost(s->meeting, s->member, start_instant_now() - LOST_NS, &lost))
        return;
    const double after = fmax((double)(lost.ended_ns - begun_ns) * 1e-9, 0);
    contents_note(&s->contents, true,
                  "%s failed %.3g s after the common start: the rest was measured without its load",
                  lost.name, after);
}

void session_keep_load(struct session *s)
{
    struct contents *c = &s->contents;
    struct meeting *m = s->meeting;
    if (!m)
        return;
    note_lost(s);
    const bool failed = c->verdict == VERDICT_FAILED;
    meeting_end(m, s->member, failed);
    if (failed || s->stuck || plan_is_one_pass(&c->plan) || !s->begin.begun_ns)
        return;
    session_progress_ending(s, NAN);
    while (!m->over && !session_stopped(s) && !s->stuck) {
        struct round_request request = {.seconds = KEEP_SECONDS,
                                        .slice_seconds = c->measurement.slice_seconds,
                                        .recording = true,
                                        .stop = &m->over,
                                        .on_pause = on_pause,
                                        .context = s};
        struct round_outcome outcome;
        struct err error = {0};
        int status = group_run_round(&s->group, &request, &outcome, &error);
        s->stuck = outcome.stuck;
        if (session_round_failed(s, status, &outcome, &error)) {
            meeting_fail(m, s->member);
            return;
        }
    }
}
