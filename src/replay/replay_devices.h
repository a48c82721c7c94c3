/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The devices of a trace, and what a replay would issue to each: from a look at all of it, before
 * its devices are shared out among targets (Anderson et al., Buttress (2004): a trace of ten
 * logical units, replayed on ten).
 *
 * Each target then has a replay of its own, of a part of the trace (plan.trace_devices), and all of
 * them have the trace's clock: their instants count from plan.trace_begin_ns.
 */
#ifndef CUPEL_REPLAY_REPLAY_DEVICES_H
#define CUPEL_REPLAY_REPLAY_DEVICES_H

#include "base/text.h"
#include "replay/replay_source.h"

/* Devices of one name are one. */
struct replay_device {
    char name[sizeof((struct trace_device *)0)->name];
    uint64_t requests; /* reads, writes and flushes of the level; 0: it has discards alone */
    uint64_t bytes;
    uint64_t first_ns; /* of the trace's time; UINT64_MAX: there is no request */
    uint64_t discards; /* which are left out always */
};

struct replay_devices {
    struct replay_device device[TRACE_DEVICES_MAX]; /* in the order in which the trace has them */
    size_t count;
    enum trace_level level; /* that is replayed */
    bool own_only;          /* what the recorded program did not hand in is left out */
};

/*
 * Read the trace of the plan from its begin to its end. ERR_USAGE: it cannot be read, is no file,
 * or holds nothing to issue; with plan.strict also its first bad event. ERR_UNDECIDED: stopped, or
 * plan.limit_seconds are over.
 * `watch` may be NULL; its functions are called by this thread.
 */
int replay_devices_find(struct replay_devices *found, const struct plan *plan,
                        const struct replay_watch *watch, struct err *e);

/* Is the device one of the part, as plan.trace_devices has it? */
bool replay_part_has(const char *part, const char *name);

/* ---- replay_parts.c: the devices shared out among targets ---- */

#define REPLAY_PARTS_MAX 64

struct replay_parts {
    size_t count;
    const char *target[REPLAY_PARTS_MAX]; /* the caller's texts */
    char devices[REPLAY_PARTS_MAX][sizeof((struct plan *)0)->trace_devices]; /* of each */
    char left_out[sizeof((struct plan *)0)->trace_left_out]; /* in words; "": none */
    uint64_t begin_ns;                                       /* of the first request of any part */
};

/* What was typed: targets, and "DEV=TARGET" or "DEV=-", which leaves a device out. */
struct replay_wishes {
    const char *const *targets;
    size_t target_count;
    const char *const *maps;
    size_t map_count;
};

/*
 * Give every device a target: as the maps say, then those that are left, in their order, to the
 * targets that are left. A single target has all that are left. A device of discards alone is left
 * out. ERR_USAGE: the counts differ, with
 * the devices of the trace and an example; a device that the trace does not have, with those that
 * it has; a device or a target given twice; no target.
 */
int replay_parts_assign(struct replay_parts *p, const struct replay_devices *devices,
                        const struct replay_wishes *wishes, struct err *e);

/* A line for each device that has a target, and one for those that have none. */
void replay_parts_describe(const struct replay_parts *p, const struct replay_devices *devices,
                           struct text *out);

#endif
