/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several targets measured at the same time, each by a session of its own in a thread of this
 * process.
 *
 * Every target is opened and examined before anything is written over any of them. Then all have
 * their trial rounds, and the first measured rounds begin at one instant. A session that has
 * measured all it was asked for keeps its load on its target until the last one has ended, so that
 * every reading was taken under the load of all; with plan.runtime_seconds each measures exactly so
 * long. A replay or phases, which go through once, end when they end.
 *
 * A target that fails while it is measured ends its own session alone, whose result says so; from
 * then on the others are without its load, which theirs say. The settings of the machine that the
 * plans ask for (they ask for the same ones) are set once and given back once. Workers of different
 * targets have different processors while there are enough, of each target's own NUMA node
 * (run/loop/processor_spread.h). What measuring costs is not measured: others would take part in
 * it.
 *
 * What is the process's own is raised before it begins: how many files may be open.
 */
#ifndef CUPEL_RUN_TOGETHER_TOGETHER_H
#define CUPEL_RUN_TOGETHER_TOGETHER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/targets.h"
#include "hw/sysroot/sysroot.h"
#include "run/plan/plan.h"
#include "run/session/session.h"

#define TOGETHER_MAX 64 /* targets */

/* As struct session_observer, with the number of the target. One call at a time, by any thread. */
struct together_observer {
    void (*progress)(void *context, size_t target, const struct session_progress *progress);
    void (*notice)(void *context, size_t target, const char *words); /* or NULL */
    void *context;
    bool live, exposes;
};

struct together_request {
    size_t count; /* of all the following; 1 to TOGETHER_MAX */
    const struct plan *const *plans;
    const char *const *record_paths; /* or NULL, as any of them: none is kept */
    /*
     * Or NULL: what sessions that follow each other have in common (session_shared_new), one for
     * each target. They stay the caller's. All of one call's settings are in the first of them.
     */
    struct session_shared *const *shares;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    const struct together_observer *observer; /* or NULL */
};

/*
 * Run them all; `sessions` has room for r->count. 0: each holds what was measured, also of a target
 * that failed midway (session_result says so). -1: one could not begin, which the error names, and
 * so none did: there are no sessions and no records. ERR_MACHINE "...": a setting could not be
 * given back; then the sessions are there all the same, and the caller frees them (each is not
 * NULL).
 */
int together_run(struct session **sessions, const struct together_request *r, struct err *e);

/* ---- distinct.c: two names of one disk would be measured against each other ---- */

/*
 * Names that lead to the same file or device, and devices of which one holds bytes of the other:
 * a disk and its partition, another path to it (same wwid), dm, md or a loop device on it, a file
 * and the loop device on it or the disk that holds its filesystem (not btrfs), the generic device
 * of an NVMe namespace beside its block device. Those that do not exist yet differ by their names.
 * `root`: "" for this machine, a folder for tests. -1: ERR_UNSAFE if they are to be written, else
 * ERR_USAGE, with both names and why.
 */
int together_distinct(const char *root, const char *const names[], size_t count, bool writes,
                      struct err *e);

/* ---- shared_parts.c: the data paths as one graph, each part that several share once; pure ---- */

/*
 * From the targets' results into t->shared, the one in use most first. Targets on the same disks
 * (files of one filesystem) are seen by the same counters, and what these say counts once.
 */
void shared_parts_find(struct result_targets *t);

#endif
