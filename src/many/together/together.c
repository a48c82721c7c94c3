/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the sessions of several targets at the same time, each in its thread. */
#include "many/together/together.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "run/launch/session_meeting.h"
#include "run/loop/processor_carrier.h"

/* The default stack of 128 KiB is too small for a session. All of the stack is locked in memory. */
#define STACK_BYTES ((size_t)1 << 20)
/* Maximum number of files that a session opens: its target, rings of its workers, the counters that
   it watches. */
#define FILES_EACH 192

struct together;

struct member {
    struct together *all;
    size_t number;
    pthread_t thread;
    bool started;
    struct session_shared *shared;
    bool owns_share;
    struct session_observer observer;
    int status;
    struct err error;
};

struct together {
    const struct together_request *r;
    struct session **sessions;
    struct meeting meeting;
    pthread_mutex_t shown; /* held during each call of the observer */
    struct member members[TOGETHER_MAX];
};

static void show(void *context, const struct session_progress *progress)
{
    const struct member *member = context;
    const struct together_observer *o = member->all->r->observer;
    pthread_mutex_lock(&member->all->shown);
    o->progress(o->context, member->number, progress);
    pthread_mutex_unlock(&member->all->shown);
}

static void notice(void *context, const char *words)
{
    const struct member *member = context;
    const struct together_observer *o = member->all->r->observer;
    pthread_mutex_lock(&member->all->shown);
    o->notice(o->context, member->number, words);
    pthread_mutex_unlock(&member->all->shown);
}

static void *run_member(void *context)
{
    struct member *member = context;
    const struct together *all = member->all;
    const struct together_request *r = all->r;
    const size_t i = member->number;
    member->status = session_run_shared(
        &all->sessions[i], r->plans[i], r->root, r->record_paths ? r->record_paths[i] : NULL,
        r->stop, r->observer ? &member->observer : NULL, member->shared, &member->error);
    /* session_run_shared does this, too, but not if it had no memory for a session */
    if (member->status)
        meeting_break(&member->all->meeting, i);
    return NULL;
}

static int prepare(struct together *all, struct err *e)
{
    const struct together_request *r = all->r;
    const struct together_observer *o = r->observer;
    meeting_init(&all->meeting, r->count);
    all->meeting.carriers = carriers_new(); /* without memory, each worker has its own thread */
    for (size_t i = 0; i < r->count; i++) {
        struct member *member = &all->members[i];
        member->all = all;
        member->number = i;
        member->shared = r->shares ? r->shares[i] : NULL;
        member->owns_share = !member->shared;
        if (o)
            member->observer = (struct session_observer){.progress = o->progress ? show : NULL,
                                                         .context = member,
                                                         .notice = o->notice ? notice : NULL,
                                                         .live = o->live,
                                                         .exposes = o->exposes};
        if (member->owns_share && !(member->shared = session_shared_new()))
            return err_no_memory(e, "%zu sessions", r->count);
        all->meeting.members[i].shared = member->shared;
        session_shared_meet(member->shared, &all->meeting, i, all->members[0].shared);
    }
    return 0;
}

static void start(struct together *all)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (size_t i = 0; i < all->r->count; i++) {
        struct member *member = &all->members[i];
        int error = pthread_create(&member->thread, &attributes, run_member, member);
        member->started = !error;
        if (!error)
            continue;
        member->status =
            err_set(&member->error, ERR_MACHINE, "cannot start a thread: %s", strerror(error));
        meeting_break(&all->meeting, i);
    }
    pthread_attr_destroy(&attributes);
}

/*
 * Reports the member that could not begin. The other members did not begin either and leave no
 * sessions.
 */
static int name_culprit(struct together *all, struct err *e)
{
    const struct together_request *r = all->r;
    const size_t culprit = all->meeting.broken_by;
    if (culprit == r->count)
        return 0;
    for (size_t i = 0; i < r->count; i++) {
        if (all->members[i].status)
            continue;
        session_free(all->sessions[i]);
        all->sessions[i] = NULL;
        if (r->record_paths && r->record_paths[i])
            unlink(r->record_paths[i]);
    }
    *e = all->members[culprit].error;
    return -1;
}

/* Ends the state that sessions of each target share. That of the first target has the machine's
   settings. */
static int end_shares(struct together *all, int status, struct err *e)
{
    for (size_t i = 0; i < all->r->count; i++) {
        struct member *member = &all->members[i];
        struct err error = {0};
        if (!member->shared)
            continue;
        session_shared_meet(member->shared, NULL, 0, NULL);
        if (member->owns_share && session_shared_end(member->shared, &error) && !status) {
            *e = error;
            status = -1;
        }
    }
    return status;
}

int together_run(struct session **sessions, const struct together_request *r, struct err *e)
{
    for (size_t i = 0; i < r->count; i++)
        sessions[i] = NULL;
    if (!r->count || r->count > TOGETHER_MAX)
        return err_set(e, ERR_USAGE, "%zu targets: 1 to %d can be measured at once", r->count,
                       TOGETHER_MAX);
    struct together *all = calloc(1, sizeof *all);
    if (!all)
        return err_no_memory(e, "%zu sessions", r->count);
    all->r = r;
    all->sessions = sessions;
    pthread_mutex_init(&all->shown, NULL);
    int status = prepare(all, e);
    if (!status) {
        files_permit(r->count * FILES_EACH);
        start(all);
        for (size_t i = 0; i < r->count; i++)
            if (all->members[i].started)
                pthread_join(all->members[i].thread, NULL);
        status = name_culprit(all, e);
    }
    status = end_shares(all, status, e);
    carriers_free(all->meeting.carriers);
    free(all);
    return status;
}
