/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records what else the machine does during the measurement: the load of other programs, and their
   I/O to the target's device. */
#include <math.h>

#include "base/units.h"
#include "facts/machine_unseen.h"
#include "hw/monitor/machine_load.h"
#include "run/session/running.h"
#include "run/watch/other_programs.h"

struct load {
    struct load_sample before;
    double seconds;        /* when `before` was taken, in s since the session began */
    double own_cpu_before; /* processor time of this process at `before` */
    struct device_watch device;
};

static struct load *load_of(const struct session *s)
{
    return s->own[SESSION_PART_LOAD];
}

static int prepare(struct session *s, struct err *e)
{
    (void)e;
    load_of(s)->device.fd = -1;
    return 0;
}

static void take_before(struct session *s)
{
    load_take(s->root, &load_of(s)->before);
    load_of(s)->seconds = session_seconds(s);
    load_of(s)->own_cpu_before = seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static void start(struct session *s)
{
    take_before(s);
    if (s->target_open && !s->root->prefix[0])
        device_watch_open(&load_of(s)->device, s->target.device);
}

static void begin_round(struct session *s)
{
    if (s->begin.awaited) /* other ranks or targets were waited for, so the load is read again */
        take_before(s);
    device_watch_begin(&load_of(s)->device);
}

static void end_round(struct session *s, const struct round_outcome *outcome)
{
    const struct slice_op *reads = &outcome->total.op[OPERATION_READ],
                          *writes = &outcome->total.op[OPERATION_WRITE];
    if (!outcome->stuck)
        device_watch_end(&load_of(s)->device,
                         (double)(reads->bytes + writes->bytes + outcome->void_bytes));
}

/* Returns true if the workers ran with priority over other programs. Workers that never sleep have
   given it back. */
static bool had_priority(const struct session *s)
{
    const struct worker *w = s->group.workers;
    return s->group_started && s->contents.plan.realtime && w->realtime_granted && !w->spins;
}

/* Notes conditions that make the result hard to repeat. */
static void note_disturbances(struct session *s)
{
    struct load *own = load_of(s);
    struct inventory *v = &s->contents.hardware;
    struct load_sample after;
    load_take(s->root, &after);
    load_facts(&own->before, &after, session_seconds(s) - own->seconds, v);
    if (!(own->seconds > 0))
        return;
    struct load_of_others load = load_of_others(
        &own->before, &after, seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID) - own->own_cpu_before);
    char note[UNSEEN_NOTE_BYTES];
    unseen_note(v, !own->before.total_jiffies, note);
    if (note[0])
        contents_note(&s->contents, true, "%s", note);
    bool bypasses = s->ops && s->ops->bypasses_block_layer;
    double device = device_watch_others(&own->device, bypasses);
    /* Files that are measured at the same time may be on one disk. The load of the other files
       would then count as that of other programs, so none is reported. */
    if (s->meeting && s->target.kind != TARGET_BLOCK_DEVICE)
        device = NAN;
    int node = inventory_find(v, "load");
    if (!isnan(load.programs))
        inventory_addf(v, node, "processor_others", "%", "/proc/stat", "%.1f", 100 * load.programs);
    if (load.programs > OTHERS_BUSY && had_priority(s))
        contents_note(&s->contents, true,
                      "the workers had real-time priority and did not wait for the other programs, "
                      "as fio's would; --realtime 0 compares like with like");
    if (!isnan(device) && s->target.direct)
        inventory_addf(v, node, "device_others", "%", "the disk's statistics", "%.1f",
                       100 * device);
    if (s->overrun_seconds > s->contents.measurement.slice_seconds)
        contents_note(&s->contents, true,
                      "I/O that was late at the ends of rounds took %.2g s, which no reading holds",
                      s->overrun_seconds);
}

static void end(struct session *s)
{
    device_watch_close(&load_of(s)->device);
}

const struct session_part part_load = {.bytes = sizeof(struct load),
                                       .prepare[AT_PLAN] = prepare,
                                       .on[ON_START] = start,
                                       .begin_round = begin_round,
                                       .end_round = end_round,
                                       .after = note_disturbances,
                                       .end = end};
