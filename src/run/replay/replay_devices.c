/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads all of a trace and counts the requests and bytes of each device. */
#include "run/replay/replay_devices.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/replay/internal.h"

enum { BATCH = 256 };

/* A request is from the recorded program, or from others. */
enum { OWN, OTHERS, PROGRAMS };

struct tally {
    uint64_t requests, bytes, first_ns, discards;
};

struct look {
    struct trace *trace;
    struct trace_event events[BATCH];
    char name[TRACE_DEVICES_MAX]
             [sizeof((struct trace_device *)0)->name]; /* copied at the device's first event */
    struct tally tally[TRACE_DEVICES_MAX][LEVELS][PROGRAMS];
    uint64_t seen[LEVELS], own[LEVELS];
    bool discards; /* discards are issued, and count as requests */
};

static void see(struct look *look, const struct trace_event *event)
{
    struct tally *t = &look->tally[event->device][event->level][event->foreign ? OTHERS : OWN];
    char *name = look->name[event->device];
    if (!name[0])
        memcpy(name, trace_device(look->trace, event->device)->name, sizeof *look->name);
    if (event->op == OPERATION_TRIM) {
        t->discards++;
        if (!look->discards)
            return;
    }
    if (!t->requests++)
        t->first_ns = event->time_ns;
    t->bytes += operation_has_bytes(event->op) && event->op != OPERATION_TRIM ? event->length : 0;
    look->seen[event->level]++;
    look->own[event->level] += !event->foreign;
}

static int read_all(struct look *look, double limit_seconds, const struct replay_watch *watch,
                    struct err *e)
{
    const double begun = seconds_of_clock(CLOCK_MONOTONIC);
    int count;
    while ((count = trace_read(look->trace, look->events, BATCH, e)) > 0) {
        for (int i = 0; i < count; i++)
            see(look, &look->events[i]);
        if (seconds_of_clock(CLOCK_MONOTONIC) - begun > limit_seconds)
            return err_set(e, ERR_UNDECIDED, "the limit came before the trace had been looked at");
        if (!watch)
            continue;
        if (watch->stop && *watch->stop)
            return err_set(e, ERR_UNDECIDED, "stopped by a signal while the trace was looked at");
        const uint64_t total = trace_bytes_total(look->trace);
        if (watch->progress && total)
            watch->progress(watch->context, (double)trace_bytes_read(look->trace) / (double)total);
    }
    return count;
}

/* Returns the device of that name; a new one is added. */
static struct replay_device *device_of(struct replay_devices *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->device[i].name, name))
            return &found->device[i];
    struct replay_device *d = &found->device[found->count++];
    *d = (struct replay_device){.first_ns = UINT64_MAX};
    memcpy(d->name, name, sizeof d->name);
    return d;
}

static void sum_up(struct replay_devices *found, const struct look *look)
{
    const unsigned programs = found->own_only ? OWN + 1 : PROGRAMS;
    for (size_t i = 0; i < TRACE_DEVICES_MAX; i++)
        for (unsigned program = OWN; program < programs; program++) {
            const struct tally *t = &look->tally[i][found->level][program];
            if (!t->requests && !t->discards)
                continue;
            struct replay_device *d = device_of(found, look->name[i]);
            d->requests += t->requests;
            d->bytes += t->bytes;
            d->discards += t->discards;
            if (t->requests && t->first_ns < d->first_ns)
                d->first_ns = t->first_ns;
        }
}

static int look_at(struct look *look, struct replay_devices *found, const struct plan *plan,
                   const struct replay_watch *watch, struct err *e)
{
    unsigned level;
    look->discards = plan_replays_discards(plan);
    if (replay_trace_open(&look->trace, plan, e) ||
        read_all(look, plan->ending.limit_seconds, watch, e) ||
        replay_choose_level(&level, plan, look->seen, look->trace, "", e))
        return -1;
    found->level = (enum trace_level)level;
    found->own_only = !plan->replay.all_programs && look->own[level] > 0;
    sum_up(found, look);
    return 0;
}

int replay_devices_find(struct replay_devices *found, const struct plan *plan,
                        const struct replay_watch *watch, struct err *e)
{
    found->count = 0;
    if (!replay_is_file(plan->replay.trace))
        return err_set(e, ERR_USAGE,
                       "%s: it comes once, and its devices can be shared out only when all of it "
                       "was read: a file is needed",
                       plan->replay.trace);
    struct look *look = calloc(1, sizeof *look);
    if (!look)
        return err_no_memory(e, "looking at a trace");
    const int status = look_at(look, found, plan, watch, e);
    if (look->trace)
        trace_close(look->trace);
    free(look);
    return status;
}
