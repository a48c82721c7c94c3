/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a recording: prepares, starts, takes events until the end, reports. */
#include "program/observe/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/version.h"
#include "program/observe/internal.h"
#include "program/observe/tracepoint/tracepoint.h"

/* ---- preparation ---- */

int recorder_reserve(struct recorder *r, struct err *e)
{
    size_t bytes = files_bytes() + flight_table_bytes(CALLS_IN_FLIGHT) +
                   flight_table_bytes(REQUESTS_IN_FLIGHT) + stretches_bytes() +
                   arena_bytes(SUBMITTERS, sizeof *r->submitters) +
                   arena_bytes(PROCESSES_MAX, sizeof *r->processes);
    if (arena_init(&r->arena, bytes, e) || files_init(&r->files, &r->arena, e) ||
        flight_table_init(&r->calls_in_flight, &r->arena, CALLS_IN_FLIGHT, e) ||
        flight_table_init(&r->requests_in_flight, &r->arena, REQUESTS_IN_FLIGHT, e))
        return -1;
    r->submitters = arena_alloc(&r->arena, SUBMITTERS, sizeof *r->submitters);
    r->processes = arena_alloc(&r->arena, PROCESSES_MAX, sizeof *r->processes);
    if (!r->submitters || !r->processes || stretches_init(&r->stretches, &r->arena))
        return err_no_memory(e, "a recording");
    level_init(&r->calls);
    r->devices.levels = r->device_levels;
    return 0;
}

/* Returns the buffer size of each processor: 4 MiB, but on a large machine less than 1/64 of its
   memory in all. */
static size_t buffer_bytes(const struct recording_plan *plan)
{
    const size_t max = 4 << 20, min = 64 << 10;
    struct sysinfo info;
    size_t bytes = max;
    if (plan->buffer_bytes)
        return plan->buffer_bytes;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (sysinfo(&info) == 0)
        while (bytes > min &&
               (double)bytes * (double)processors > (double)info.totalram * info.mem_unit / 64)
            bytes /= 2;
    return bytes;
}

/* Returns the steps for the processes that the plan names; NULL: it names a device, or all
   processes. */
static const struct recorded_kind *recorded_kind_of(const struct recording_plan *plan)
{
    if (plan->command)
        return &recorded_program;
    if (plan->cgroup)
        return &recorded_group;
    return plan->process.count > 0 ? &recorded_processes : NULL;
}

/* Gives the device the first row. Requests of all other devices are ignored. */
static int choose_device(struct recorder *r, struct err *e)
{
    if (device_look_up(r->plan->device, &r->device, e))
        return -1;
    struct device *row = &r->devices.rows[recorded_device(&r->devices, r->device.disk)];
    r->devices.closed = true;
    row->begin = r->device.begin * 512;
    row->size = (r->device.end - r->device.begin) * 512;
    const char *name = strrchr(r->plan->device, '/');
    strncpy(row->name, name ? name + 1 : r->plan->device, sizeof row->name - 1);
    return 0;
}

/* Blocks the signals and opens a descriptor for them, which shows who sent them and needs no
   handler. */
static int take_signals(struct recorder *r, struct err *e)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t taken;
    sigemptyset(&taken);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        bool ignored = sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!ignored || numbers[i] != SIGHUP) /* If SIGHUP is ignored (nohup), it stays ignored. */
            sigaddset(&taken, numbers[i]);
    }
    sigprocmask(SIG_BLOCK, &taken, &r->mask_before);
    r->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    if (r->signals >= 0)
        return 0;
    sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
    return err_set(e, ERR_MACHINE, "signals cannot be read: %s", strerror(errno));
}

static int prepare(struct recorder *r, struct err *e)
{
    const struct recording_plan *plan = r->plan;
    if (recorder_reserve(r, e) || (plan->device && choose_device(r, e)) ||
        (r->recorded && r->recorded->find && r->recorded->find(r, e)))
        return -1;

    r->buffer_bytes = buffer_bytes(plan);
    blocks_requests(plan->device ? &r->device : NULL, r->filter, sizeof r->filter, r->requests,
                    &r->request_count);
    const struct tracepoints_setup setup = {.requests = r->requests,
                                            .count = r->request_count,
                                            .outputs = !plan->device,
                                            .ring_bytes = r->buffer_bytes,
                                            .tracefs = plan->tracefs};
    if (tracepoints_open(&r->tracepoints, &setup, e))
        return -1;
    blocks_fields(r);
    if (!plan->device) {
        const struct io_calls_scope scope = {.of = plan->cgroup     ? IO_CALLS_OF_CGROUP
                                                   : plan->everyone ? IO_CALLS_OF_EVERYONE
                                                                    : IO_CALLS_OF_PROCESSES,
                                             .cgroup = r->group.number,
                                             .level = r->group.level};
        if (io_calls_attach(&r->io_calls, r->tracepoints, &scope, e))
            return -1;
        r->sees_rings = io_calls_see_rings(r->io_calls);
    }

    if (take_signals(r, e))
        return -1;
    if (plan->trace && trace_writer_create(&r->trace, plan->trace, e))
        return -1;
    trace_name_host(r);
    return r->recorded && r->recorded->prepare ? r->recorded->prepare(r, e) : 0;
}

/* ---- recording ---- */

static void take_event(struct recorder *r, const struct tracepoint_event *event)
{
    r->events++;
    if (event->tracepoint == TRACEPOINT_OUTPUT)
        calls_event(r, event);
    else
        blocks_event(r, event);
}

/* Returns true if the recording is over: because of a signal (for a program that was started, the
   second one), because the recorded processes have ended, or because its time is over. */
static bool is_over(struct recorder *r)
{
    /* a key press can arrive as several signals within this time */
    const uint64_t one_request_ns = 1000000000;
    struct signalfd_siginfo info;
    while (read(r->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        uint64_t now = clock_raw_ns();
        if (!r->plan->command)
            return r->interrupted = true;
        if (r->interrupted && now - r->signalled_ns > one_request_ns)
            return r->left_running = true;
        if (!r->interrupted)
            r->signalled_ns = now;
        r->interrupted = true;
        /* The terminal sends its signals to the program as well, so they are not passed on. A
           program that has been waited for has no process number any more. */
        if (info.ssi_code != SI_KERNEL && !r->child.ended)
            kill(r->child.process, (int)info.ssi_signo);
    }
    if (r->recorded && r->recorded->have_ended(r))
        return true;
    return r->plan->seconds > 0 && (double)(clock_raw_ns() - r->begin_ns) >= r->plan->seconds * 1e9;
}

/* Begins to see system calls. */
static int begin_calls(struct recorder *r, struct err *e)
{
    if (r->recorded)
        return r->recorded->begin(r, e);
    return r->plan->everyone ? io_calls_follow_scope(r->io_calls, e) : 0;
}

static int record(struct recorder *r, struct err *e)
{
    /* maximum number of events in one pass, after which the end is checked */
    const unsigned max_events = 100000;
    const int usual_ms = 20; /* a wait so short that the buffers do not overflow */
    static struct awake awake;
    struct tracepoint_event event;
    if (!r->plan->let_sleep)
        awake_begin(&awake);
    tracepoints_enable(r->tracepoints);
    r->begin_ns = clock_raw_ns();
    series_init(&r->series, r->begin_ns);
    r->stretches.begin_ns = r->begin_ns;
    trace_look_at_clock(r);
    int status = begin_calls(r, e);

    while (!status && !is_over(r)) {
        struct pollfd others[] = {{.fd = r->signals, .events = POLLIN},
                                  {.fd = r->child.descriptor, .events = POLLIN},
                                  {.fd = r->running.ended, .events = POLLIN}};
        int wait_ms = usual_ms;
        if (r->plan->seconds > 0) { /* waits no longer than the recording is to last */
            double left = r->plan->seconds * 1e3 - (double)(clock_raw_ns() - r->begin_ns) / 1e6;
            wait_ms = left < 1 ? 1 : left < usual_ms ? (int)left : usual_ms;
        }
        tracepoints_wait(r->tracepoints, others, sizeof others / sizeof *others, wait_ms);
        for (unsigned i = 0; i < max_events && tracepoints_next(r->tracepoints, false, &event); i++)
            take_event(r, &event);
        if (r->plan->progress)
            r->plan->progress(r->plan->context, (double)(clock_raw_ns() - r->begin_ns) * 1e-9);
    }
    if (!status) {
        r->end_ns = clock_raw_ns();
        tracepoints_disable(r->tracepoints);
        while (tracepoints_next(r->tracepoints, true, &event))
            /* Events after the end are dropped, because some processors no longer record any. */
            if (event.time_ns <= r->end_ns)
                take_event(r, &event);
        r->lost = tracepoints_lost(r->tracepoints);
    }
    if (!r->plan->let_sleep)
        awake_end(&awake);
    return status;
}

static void add_setting(struct result *r, const char *key, const char *value)
{
    facts_add(&r->settings, "recording", key, value, "", "", FACT_OK);
}

/* Adds to the result how the recording was made, once the trace is written. */
static void recorder_describe(struct recorder *rec)
{
    struct result *r = &rec->recording.result;
    char value[160], size[UNITS_BUFFER], date[40] = "";
    time_t now = time(NULL);
    struct tm utc;
    struct utsname name;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &utc);
    r->labels = rec->plan->labels;
    add_setting(r, "date", date);
    format_date_iso(r->key.date, sizeof r->key.date, date);
    if (!uname(&name)) {
        snprintf(value, sizeof value, "%s %s", name.sysname, name.release);
        add_setting(r, "host", name.nodename);
        add_setting(r, "kernel", value);
    }
    add_setting(r, "cupel", cupel_version);
    add_setting(r, recording_subject_name(rec->recording.subject), r->target);
    if (recording_has_calls(&rec->recording))
        add_setting(r, "system calls", "seen by a program in the kernel (BPF), with their files");
    add_setting(r, "block requests", "tracepoints of the block layer");
    snprintf(value, sizeof value, "%s for each processor",
             format_size(size, sizeof size, (double)rec->buffer_bytes));
    add_setting(r, "buffer", value);
    snprintf(value, sizeof value, "%" PRIu64 ", and %" PRIu64 " lost", rec->events, rec->lost);
    add_setting(r, "events", value);
    if (!rec->plan->trace)
        return;
    snprintf(value, sizeof value, "%.80s: %" PRIu64 " I/Os of %u files and devices",
             rec->plan->trace, rec->trace_events, rec->trace_devices);
    add_setting(r, "trace", value);
}

int recorder_run(struct recorder **r, const struct recording_plan *plan, struct err *e)
{
    struct recorder *made = *r = calloc(1, sizeof *made);
    if (!made)
        return err_no_memory(e, "a recording");
    made->plan = plan;
    made->signals = -1;
    made->recorded = recorded_kind_of(plan);
    made->running.ended = made->group.folder = -1;
    made->child = (struct child){.process = -1, .descriptor = -1, .go = -1, .failure = -1};
    if (prepare(made, e) || record(made, e)) {
        struct err ignored;
        if (made->trace) {
            trace_writer_remove(made->trace);
            trace_writer_close(made->trace, &ignored);
        }
        made->trace = NULL;
        return -1;
    }
    recorder_report(made);
    trace_finish(made);
    recorder_describe(made);
    return 0;
}

int recorder_status(const struct recorder *r, struct err *e)
{
    const struct recording *a = &r->recording;
    char now[UNITS_BUFFER];
    if (r->trace_fault.code != ERR_NONE) {
        *e = r->trace_fault;
        return -1;
    }
    if (recording_rates_known(a))
        return 0;
    /* Estimates the buffer size that would have held twice the data that came. */
    double wanted = 2 * (double)r->buffer_bytes / (1 - recording_lost_share(a) + 1e-9);
    uint64_t bytes = r->buffer_bytes;
    while (bytes < RECORDING_BUFFER_MAX && (double)bytes < wanted)
        bytes *= 2;
    format_size(now, sizeof now, (double)r->buffer_bytes);
    if (bytes > r->buffer_bytes)
        return err_set(e, ERR_UNDECIDED,
                       "%.3g %% of the events were lost, so no rate is known: record again with "
                       "--buffer %lluk (it is %s now), while less else is running",
                       100 * recording_lost_share(a), (unsigned long long)(bytes >> 10), now);
    return err_set(
        e, ERR_UNDECIDED,
        "%.3g %% of the events were lost, so no rate is known: record a shorter or slower "
        "part of the work, while less else is running",
        100 * recording_lost_share(a));
}

const struct recording *recording_of(const struct recorder *r)
{
    return &r->recording;
}

void recorder_free(struct recorder *r)
{
    if (!r)
        return;
    io_calls_detach(r->io_calls);
    tracepoints_close(r->tracepoints);
    if (r->recorded)
        r->recorded->release(r);
    if (r->signals >= 0) {
        close(r->signals);
        sigprocmask(SIG_SETMASK, &r->mask_before, NULL);
    }
    arena_free(&r->arena);
    free(r);
}
