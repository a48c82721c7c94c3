/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The devices of a trace, and what a replay would issue to each. All of the trace is read for this,
 * before its devices are distributed to targets (Anderson et al., Buttress (2004): a trace of ten
 * logical units, replayed on ten).
 *
 * Each target then gets its own replay of a part of the trace (plan.replay.devices). All replays
 * share the trace's clock: their instants count from plan.replay.begin_ns.
 */
#ifndef CUPEL_RUN_REPLAY_REPLAY_DEVICES_H
#define CUPEL_RUN_REPLAY_REPLAY_DEVICES_H

#include "base/text.h"
#include "run/replay/replay_source.h"

/* A device of the trace. Devices of the same name are one device. */
struct replay_device {
    char name[sizeof((struct trace_device *)0)->name];
    /* number of reads, writes, flushes, and discards that are issued, at this level; 0: the device
       has only discards that are left out */
    uint64_t requests;
    uint64_t bytes;
    /* time of the first request in the trace; UINT64_MAX: there are no requests */
    uint64_t first_ns;
    uint64_t discards; /* number of discards, replayed or not */
};

struct replay_devices {
    struct replay_device device[TRACE_DEVICES_MAX]; /* in the order of their first events */
    size_t count;
    enum trace_level level; /* the level that is replayed */
    bool own_only;          /* requests of programs that were not recorded are left out */
};

/*
 * Reads the plan's trace from begin to end. ERR_USAGE: the trace cannot be read, is not a file, or
 * contains nothing to issue; with plan.replay.strict also at the first bad event. ERR_UNDECIDED:
 * the user stopped it, or plan.ending.limit_seconds have passed. `watch` may be NULL; its functions
 * are called by this thread.
 */
int replay_devices_find(struct replay_devices *found, const struct plan *plan,
                        const struct replay_watch *watch, struct err *e);

/* Returns true if the device is in the part, a list like plan.replay.devices. */
bool replay_part_has(const char *part, const char *name);

/* ---- replay_device_targets.c: distributes the devices to targets ---- */

#define REPLAY_PARTS_MAX 128

struct replay_parts {
    size_t count;
    /* names of the targets; they point into the caller's texts */
    const char *target[REPLAY_PARTS_MAX];
    char devices[REPLAY_PARTS_MAX]
                [sizeof((struct plan *)0)->replay.devices]; /* devices of each target */
    char
        left_out[sizeof((struct plan *)0)->replay.left_out]; /* description of the devices left out;
                                                               "": none */
    uint64_t begin_ns; /* time of the first request of all parts */
};

/*
 * The targets and maps from the command line: "DEV=TARGET", or "DEV=-", which leaves a device out.
 */
struct replay_wishes {
    const char *const *targets;
    size_t target_count;
    const char *const *maps;
    size_t map_count;
};

/*
 * Gives every device a target: first as the maps say, then the remaining devices to the remaining
 * targets, in their order. A single target gets all remaining devices. A device with only discards
 * is left out. ERR_USAGE: the counts differ (the message lists the trace's devices and an example),
 * a device is not in the trace (the message lists the devices), a device or a target is given
 * twice, or there is no target.
 */
int replay_parts_assign(struct replay_parts *p, const struct replay_devices *devices,
                        const struct replay_wishes *wishes, struct err *e);

/* Writes a line for each device that has a target, and one for the devices without a target. */
void replay_parts_describe(const struct replay_parts *p, const struct replay_devices *devices,
                           struct text *out);

#endif
