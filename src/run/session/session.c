/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a session from begin to end: the order of the steps, and the memory they need. */
#include "run/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "facts/unseen.h"
#include "run/result/session_judgement.h"
#include "run/session/internal.h"
#include "run/session/memory_need.h"
#include "run/verify/verify.h"

#define CALIBRATION_MS 40
#define MEMORY_PIECE   ((size_t)32 << 20)
#define MEMORY_PAGE    4096

static void show_survey(void *session, double share)
{
    session_show_share(session, "looking through the trace", share);
}

/* Completes the plan with values that only the workload or the trace has: the longest request, and
   whether it writes. Also reads the user's components, before anything is touched. */
static int complete_plan(struct session *s, struct plan *plan, struct err *e)
{
    if ((plan->graph[0] && components_load(&s->components, plan->graph, e)) ||
        remote_end_open(&s->remote, plan->remote, plan->remote_target, e))
        return -1;
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
    return plan_check(plan, e);
}

/* Reserves twice the group's memory: the cost of the loop is measured with a second group. */
static int reserve(struct session *s, const struct plan *plan, struct err *e)
{
    const bool timed = plan_is_timed(plan);
    const unsigned operations = plan_operations(plan);
    size_t bytes = (plan_is_replay(plan) ? fidelity_bytes() : 0) +
                   contents_bytes(operations, timed) +
                   contents_jobs_bytes(jobs_kept(plan), operations) + monitor_bytes() +
                   2 * group_bytes(plan) + RECORD_BUFFER + (1 << 20);
    struct memory_room room = memory_room_find("");
    if (s->meeting) /* each member takes its memory at the same time */
        room.bytes /= s->meeting->count;
    char words[sizeof s->contents.notes[0].text];
    if (memory_need_check(bytes, plan, &room, words, sizeof words, e) ||
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

/* Has the system allocate the workers' memory now, piece by piece: buffers of many GiB take
   seconds, in which a signal must end the session. ERR_UNDECIDED: a signal did. */
static int take_memory(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    size_t bytes = (plan_is_timed(plan) ? 1 : 2) * group_bytes(plan), piece;
    size_t left = s->arena.capacity - s->arena.used;
    unsigned char *at = s->arena.base + s->arena.used, *end = at + (bytes < left ? bytes : left);
    for (unsigned char *begin = at; at < end; at += piece) {
        piece = (size_t)(end - at) < MEMORY_PIECE ? (size_t)(end - at) : MEMORY_PIECE;
        for (size_t page = 0; page < piece; page += MEMORY_PAGE)
            ((volatile unsigned char *)at)[page] = 0;
        if (session_stopped(s))
            return err_set(e, ERR_UNDECIDED, "stopped while memory was set up");
        session_show_share(s, "setting up memory",
                           (double)(at + piece - begin) / (double)(end - begin));
    }
    s->progress.done_share = NAN;
    return 0;
}

/* Notes conditions that make the result hard to repeat. */
static void note_disturbances(struct session *s)
{
    struct inventory *v = &s->contents.hardware;
    struct load_sample after;
    load_take(s->root, &after);
    load_facts(&s->load_before, &after, session_seconds(s) - s->load_seconds, v);
    if (!(s->load_seconds > 0))
        return;
    struct load_of_others load = load_of_others(
        &s->load_before, &after, seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID) - s->own_cpu_before);
    char note[UNSEEN_NOTE_BYTES];
    unseen_note(v, !s->load_before.total_jiffies, note);
    if (note[0])
        contents_note(&s->contents, true, "%s", note);
    bool bypasses = s->ops && s->ops->bypasses_block_layer;
    double device = device_watch_others(&s->device_watch, bypasses);
    /* Files measured at the same time may be on one disk: their load is not from other programs. */
    if (s->meeting && s->target.kind != TARGET_BLOCK_DEVICE)
        device = NAN;
    int node = inventory_find(v, "load");
    if (!isnan(load.programs))
        inventory_addf(v, node, "processor_others", "%", "/proc/stat", "%.1f", 100 * load.programs);
    if (!isnan(device) && s->target.direct)
        inventory_addf(v, node, "device_others", "%", "the disk's statistics", "%.1f",
                       100 * device);
    if (s->overrun_seconds > s->contents.measurement.slice_seconds)
        contents_note(&s->contents, true,
                      "I/O that was late at the ends of rounds took %.2g s, which no reading holds",
                      s->overrun_seconds);
}

static void measure_with_costs(struct session *s)
{
    bool timed = plan_is_timed(&s->contents.plan);
    session_show(s, "warming up");
    session_settings_before(s);
    record_facts(&s->record, &s->contents);
    record_flush(&s->record);
    if (!timed)
        session_measure_loop_cost(s);
    session_load_before(s);
    if (s->target_open && !s->root->prefix[0])
        device_watch_open(&s->device_watch, s->target.device);
    session_measure(s);
    session_keep_load(s);
    if (s->meeting) /* other members would affect the cost */
        return;
    /* The rate of requests with due times is given, so costs do not show in it. */
    if (s->contents.verdict == VERDICT_PRECISE && !timed) {
        session_progress_ending(s, session_costs_seconds(s));
        session_compare_watching(s, false);
        session_measure_recording_cost(s);
        session_compare_block_layer(s);
    }
    if (!timed)
        session_measure_trace_cost(s);
}

static int run_recorded(struct session *s, const char *record_path, struct err *e)
{
    struct contents *c = &s->contents;
    if (record_create(&s->record, record_path, &s->arena, e) || session_trace_create(s, e))
        return -1;
    record_plan(&s->record, &c->plan);
    session_clock_begin(s);
    record_flush(&s->record);
    if (!session_use_policy(s, e) && !take_memory(s, e) && !session_prepare(s, e))
        measure_with_costs(s);
    else if (e->code == ERR_UNDECIDED) /* stopped early: the session still has an end and a
                                          record */
        c->verdict = VERDICT_INTERRUPTED;
    else
        return -1;

    /* Done before the record is closed: closing a backend flushes its writes, which may fail. */
    session_progress_ending(s, NAN);
    session_show(s, "looking at the machine again");
    if (s->group_started && !s->stuck)
        group_stop(&s->group);
    if (s->group_started)
        session_writeback_end(s);
    if (s->group_started)
        session_note_statuses(s);
    if (s->group_started && s->ops->connects)
        session_note_links(s);
    if (s->group_started && !s->stuck)
        session_zones_after(s);
    struct err size = {0};
    if (s->group_started && !s->stuck && target_restore_size(&s->target, s->ops->resizes, &size))
        contents_note(c, true, "the file could not be given its size and mark again: %.220s",
                      size.msg);
    session_note_trims(s);
    session_note_write_modes(s);
    session_trace_end(s);
    session_watch_end(s);
    session_verify(s);
    session_log_end(s);
    note_disturbances(s);
    heartbeat_stop(&s->heartbeat); /* the heartbeat reads the clock */
    clock_refine(&s->clock);
    session_settings_after(s);
    session_clock_end(s);
    c->elapsed_seconds = session_seconds(s);
    c->ended = true;

    record_facts(&s->record, c);
    record_own(&s->record, &c->watch);
    record_events(&s->record, &c->watch);
    record_kernel_log(&s->record, &c->kernel_log);
    record_slowest(&s->record, c);
    record_end(&s->record, c);
    record_close(&s->record);
    if (s->record.error.code)
        contents_note(c, true, "%s", s->record.error.msg);
    return 0;
}

static struct session *new_session(const struct plan *plan, const struct sysroot *root,
                                   const volatile sig_atomic_t *stop, struct err *e)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) {
        err_no_memory(e, "a session");
        return NULL;
    }
    s->record.fd = s->knobs.pipe = s->knobs.latency = s->device_watch.fd = s->log_reader.fd = -1;
    s->root = root;
    s->stop = stop;
    s->verify.contents = &s->contents;
    s->numa_node = -1;
    clock_calibrate(&s->clock, CALIBRATION_MS, plan->clock_gettime);
    s->began_ticks = clock_ticks(&s->clock);
    s->progress = session_progress_unknown();
    s->progress.mean_unit = *plan_rate_title(plan) ? plan_rate_title(plan) : NULL;
    s->progress.limit_seconds = plan->limit_seconds;
    s->progress.target_share = plan_has_precision(plan) ? plan->target_width : NAN;
    return s;
}

/* Runs a session from the plan until everything is measured and the target is closed. Returns -1 if
   nothing was measured; the session is then freed. */
static int run_whole(struct session *s, const struct plan *plan, const char *record_path,
                     struct err *e)
{
    struct plan complete = *plan;
    int failed = complete_plan(s, &complete, e) || reserve(s, &complete, e);
    if (!failed) {
        contents_set_plan(&s->contents, &complete);
        failed = run_recorded(s, record_path, e);
    }
    if (failed) {
        s->trace_hangs |= !completion_trace_remove(s->trace);
        record_remove(&s->record);
    }
    if (s->meeting && failed)
        meeting_break(s->meeting, s->member);
    else if (s->meeting)
        meeting_end(s->meeting, s->member, s->contents.verdict == VERDICT_FAILED);

    session_restore_knobs(s);
    if (s->group_started && !s->stuck)
        group_stop(&s->group);
    heartbeat_stop(&s->heartbeat);
    if (s->replay && !s->stuck) {
        replay_close(s->replay);
        s->replay = NULL;
    }
    device_watch_close(&s->device_watch);
    log_reader_close(&s->log_reader);
    component_sources_close(&s->component_sources);
    remote_end_close(&s->remote);
    bool held = s->shared && s->shared->target_open;
    if (s->shared)
        s->shared->stuck |= s->stuck;
    if (!s->stuck)
        session_writeback_close(s);
    if (!s->stuck)
        session_close_files(s);
    if (s->target_open && !held && !s->stuck)
        target_close(&s->target);
    record_close(&s->record);
    s->group_started = s->target_open = false;
    if (failed) {
        session_free(s);
        return -1;
    }
    return 0;
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
    s->verify.before = launch->before;
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
    return round(s->contents.elapsed_seconds * 1e9) * 1e-9; /* a record holds whole ns */
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
    /* A worker that waits for a dead device may still wake up, and so may the writer of the trace:
       their memory is left to the system. */
    if (!s || s->stuck || s->trace_hangs)
        return;
    knobs_free(&s->knobs);
    verify_free(&s->verify);
    contents_free(&s->contents);
    session_free_zones(s);
    arena_free(&s->generator_memory);
    arena_free(&s->arena);
    free(s);
}
