/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a session from begin to end: the order of the steps, and the memory they need. */
#include "run/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/launch/start_instant.h"
#include "run/result/session_judgement.h"
#include "run/session/memory_need.h"
#include "run/session/running.h"
#include "run/watch/kept_inventory.h"

/* Keeps the load of a session on its target until the other targets are measured as well. */

/* Length of a round that keeps the load; it ends earlier, once all sessions are done. */
#define KEEP_SECONDS 3600.0
/* If a member failed less than this time before the end of another member, its failure did not
   change that member's result. */
#define LOST_NS INT64_C(100000000)

static void on_pause(void *context, double elapsed_seconds)
{
    (void)elapsed_seconds;
    session_end_punctuality(context);
    session_show(context, "loaded until the others are done");
}

/* Notes that another session failed before this one had measured everything, because since then
   this session had more of the shared resources. */
static void note_lost(struct session *s)
{
    struct meeting_member lost;
    const int64_t begun_ns = s->begin.common.begun_ns;
    if (!begun_ns || !meeting_lost(s->meeting, s->member, start_instant_now() - LOST_NS, &lost))
        return;
    const double after = fmax((double)(lost.ended_ns - begun_ns) * 1e-9, 0);
    contents_note(&s->contents, true,
                  "%s failed %.3g s after the common start: the rest was measured without its load",
                  lost.name, after);
}

/* Keeps the load on the target until the last session has measured everything. Called after this
   session has measured everything, or has failed. */
static void session_keep_load(struct session *s)
{
    struct contents *c = &s->contents;
    struct meeting *m = s->meeting;
    if (!m)
        return;
    note_lost(s);
    const bool failed = c->verdict == VERDICT_FAILED;
    meeting_end(m, s->member, failed);
    if (failed || s->stuck || plan_is_one_pass(&c->plan) || !s->begin.common.begun_ns)
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

#define CALIBRATION_MS 40

static void show_survey(void *session, double share)
{
    session_show_share(session, "looking through the trace", share);
}

/* Completes the plan with values that only the workload or the trace has: the longest request, and
   whether it writes. */
static int complete_plan(struct session *s, struct plan *plan, struct err *e)
{
    if (!plan_is_timed(plan))
        return 0;
    if (plan->filament)
        return plan_check(plan, e);
    if (!plan_is_replay(plan))
        return plan_workload(plan, &s->workload, e) || plan_check(plan, e) ? -1 : 0;
    const struct replay_watch watch = {s->stop, show_survey, s};
    if (replay_open(&s->replay, plan, &watch, e))
        return -1;
    s->progress.done_share = NAN;
    plan->block_size = replay_largest(s->replay);
    plan->write_share = replay_writes(s->replay) ? 0.5 : 0;
    plan->trims = replay_discards(s->replay) ? TRIMS_OF_TRACE : TRIMS_NONE;
    return plan_check(plan, e);
}

static const struct session_part *const parts[SESSION_PARTS] = {
#define ROW(upper, lower) [SESSION_PART_##upper] = &part_##lower,
    SESSION_PART_ROWS(ROW)
#undef ROW
};

/* Reserves memory for two groups, because the cost of the loop is measured with a second group. */
static int reserve(struct session *s, const struct plan *plan, struct err *e)
{
    const bool timed = plan_is_timed(plan);
    const unsigned operations = plan_operations(plan);
    size_t bytes = (plan_is_replay(plan) ? fidelity_bytes() : 0) +
                   contents_bytes(operations, timed) +
                   contents_jobs_bytes(jobs_kept(plan), operations) + monitor_bytes() +
                   2 * group_bytes(plan) + RECORD_BUFFER + (1 << 20);
    struct memory_room room = memory_room_find("");
    /* the sessions of the meeting (which run at the same time) take their memory at the same time,
       so each may use only its share */
    if (s->meeting)
        room.bytes /= s->meeting->count;
    char words[sizeof s->contents.notes[0].text];
    if (memory_need_check(bytes + session_parts_bytes(parts), plan, &room, words, sizeof words,
                          e) ||
        arena_init(&s->arena, bytes, e) ||
        contents_init(&s->contents, operations, timed, &s->arena, e) ||
        contents_keep_jobs(&s->contents, jobs_kept(plan), operations, &s->arena, e))
        return -1;
    if (*words && s->observer && s->observer->notice)
        s->observer->notice(s->observer->context, words);
    if (*words)
        contents_note(&s->contents, false, "%s", words);
    return 0;
}

/* Checks that clauses about an efficiency have a limit to compare with. */
static int check_path_limits(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct watch *watch = &s->contents.watch;
    struct clauses limits = {0};
    if (plan->ending.sla[0] && clauses_parse_limits(&limits, plan->ending.sla, e))
        return -1;
    for (size_t i = 0; i < limits.count; i++) {
        const struct clause *c = &limits.clause[i];
        bool writes = c->op[0] ? !strcmp(c->op, "write") : plan->write_share > 0;
        if (c->subject == CLAUSE_EFFICIENCY &&
            !((writes ? watch->limit_write : watch->limit_read) > 0))
            return err_set(e, ERR_USAGE,
                           "--sla %s: the limit of the data path to %.100s is not known here; "
                           "judge its bandwidth, as in %s.bandwidth>500MB/s",
                           c->text, s->target.path, writes ? "write" : "read");
    }
    return 0;
}

static int see_machine(struct session *s, struct err *e)
{
    struct contents *c = &s->contents;
    session_show(s, "looking at the machine");
    /* A program that uses the library does not want a report of the machine, and its environment
       and locale must not change, which libsensors does for a moment. */
    s->path_begin.device = s->target.device;
    s->path_begin.file = s->target.fd >= 0 ? s->target.path : NULL;
    if (!c->plan.filament && hardware_see(s->shared ? s->shared->seen : NULL, &c->hardware,
                                          &s->path, s->root, &s->path_begin, &s->remote, e))
        return -1;
    if (s->root->prefix[0])
        contents_note(c, true,
                      "what the machine is was read below %.100s: it is not the one that measured",
                      s->root->prefix);
    if (components_join(&s->components, &c->hardware, &s->path, e))
        return -1;
    watch_path(&c->watch, &c->hardware, &s->path);
    return 0;
}

/* Goes from the plan to workers that wait for their first round. Returns -1 if nothing can be
   measured. */
static int prepare(struct session *s, struct err *e)
{
    if (session_parts_prepare(s, AT_PLAN, e) || session_open_target(s, e) ||
        session_find_region(s, e) || session_choose_backend(s, e) ||
        session_parts_prepare(s, AT_TARGET, e) || see_machine(s, e) || session_arrange(s, e) ||
        check_path_limits(s, e) || session_parts_prepare(s, AT_MACHINE, e) || session_meet(s, e))
        return -1;
    return session_parts_prepare(s, AT_BEGIN, e) || session_parts_prepare(s, AT_WORKERS, e) ? -1
                                                                                            : 0;
}

static void measure(struct session *s)
{
    struct contents *c = &s->contents;
    session_show(s, "warming up");
    session_parts_call(s, ON_START);
    session_settings_of_statistics(s);
    record_facts(&s->record, c);
    record_flush(&s->record);
    session_measure(s);
    session_keep_load(s);
    if (s->meeting) /* the load of other members would affect these measurements */
        return;
    if (session_compares(s))
        session_progress_ending(s, session_parts_compare_seconds(s));
    session_parts_call(s, ON_COMPARE);
}

/* Prepares and measures. Returns -1 if there is nothing to report. */
static int run(struct session *s, struct err *e)
{
    if (!prepare(s, e)) {
        measure(s);
    } else {
        if (e->code != ERR_UNDECIDED)
            return -1;
        /* a session that was stopped early also has an end and a record */
        s->contents.verdict = VERDICT_INTERRUPTED;
    }
    session_progress_ending(s, NAN);
    session_show(s, "looking at the machine again");
    return 0;
}

static struct session *new_session(const struct plan *plan, const struct sysroot *root,
                                   const volatile sig_atomic_t *stop, struct err *e)
{
    struct session *s = calloc(1, sizeof *s);
    void *own = calloc(1, session_parts_bytes(parts));
    if (!s || !own) {
        free(s);
        free(own);
        err_no_memory(e, "a session");
        return NULL;
    }
    session_parts_attach(s, parts, own);
    s->record.fd = -1;
    s->root = root;
    s->stop = stop;
    s->numa_node = -1;
    clock_calibrate(&s->clock, CALIBRATION_MS, plan->clock_gettime);
    s->began_ticks = clock_ticks(&s->clock);
    s->progress = session_progress_unknown();
    s->progress.mean_unit = *plan_rate_title(plan) ? plan_rate_title(plan) : NULL;
    s->progress.limit_seconds = plan->ending.limit_seconds;
    s->progress.target_share = plan_has_precision(plan) ? plan->statistics.target_width : NAN;
    return s;
}

/* Runs a session from the plan until everything is measured and the target is closed. Returns -1 if
   nothing was measured; the session is then freed. */
static int run_whole(struct session *s, const struct plan *plan, const char *record_path,
                     struct err *e)
{
    struct plan complete = *plan;
    s->record_path = record_path;
    int failed = complete_plan(s, &complete, e) || reserve(s, &complete, e);
    if (!failed) {
        contents_set_plan(&s->contents, &complete);
        failed = run(s, e);
    }
    if (!failed)
        session_show(s, "closing the target");
    session_parts_end(s, !failed);
    if (s->shared)
        s->shared->stuck |= s->stuck;
    s->group_started = s->target_open = false;
    if (failed)
        session_free(s);
    return failed ? -1 : 0;
}

int session_run(struct session **session, const struct plan *plan, const struct sysroot *root,
                const char *record_path, const volatile sig_atomic_t *stop,
                const struct session_observer *observer, struct err *e)
{
    return session_run_shared(session, plan, root, record_path, stop, observer, NULL, e);
}

int session_run_shared(struct session **session, const struct plan *plan,
                       const struct sysroot *root, const char *record_path,
                       const volatile sig_atomic_t *stop, const struct session_observer *observer,
                       struct session_shared *shared, struct err *e)
{
    struct session *s = new_session(plan, root, stop, e);
    if (!s)
        return -1;
    s->observer = observer;
    s->shared = shared;
    s->start = shared ? shared->start : NULL;
    s->meeting = shared ? shared->meeting : NULL;
    s->member = shared ? shared->member : 0;
    if (run_whole(s, plan, record_path, e))
        return -1;
    *session = s;
    return 0;
}

int session_run_started(struct session **session, const struct plan *plan,
                        const struct sysroot *root, const char *record_path,
                        const volatile sig_atomic_t *stop, const struct session_observer *observer,
                        const struct session_launch *launch, struct err *e)
{
    struct session *s = new_session(plan, root, stop, e);
    if (!s)
        return -1;
    s->observer = observer;
    s->start = launch->start;
    s->before = launch->before;
    if (run_whole(s, plan, record_path, e))
        return -1;
    *session = s;
    return 0;
}

int session_run_workload(struct session **session, const struct plan *plan,
                         const struct workload_spec *workload, const struct sysroot *root,
                         const volatile sig_atomic_t *stop, struct err *e)
{
    struct session *s = new_session(plan, root, stop, e);
    if (!s)
        return -1;
    s->workload = *workload;
    if (run_whole(s, plan, NULL, e))
        return -1;
    *session = s;
    return 0;
}

const struct plan *session_plan(const struct session *s)
{
    return &s->contents.plan;
}

double session_length(const struct session *s)
{
    /* rounded, because a record holds whole ns */
    return round(s->contents.elapsed_seconds * 1e9) * 1e-9;
}

struct inventory session_take_hardware(struct session *s)
{
    struct inventory hardware = s->contents.hardware;
    s->contents.hardware = (struct inventory){0};
    return hardware;
}

void session_result(struct session *s, struct result *result)
{
    summary_of_contents(&s->contents, &s->judged, &s->arena, result);
}

void session_free(struct session *s)
{
    /* A worker that waits for a dead device may still wake up and use its memory, and so may the
       writer of the trace. So nothing is freed. */
    if (!s || s->stuck || s->trace_hangs)
        return;
    contents_free(&s->contents);
    arena_free(&s->arena);
    free(s->own[0]); /* the begin of the states of all parts */
    free(s);
}
