/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures several targets at the same time, each by its own session in a thread of this process.
 *
 * Every target is opened and examined before anything is written over any of them. Then all have
 * their trial rounds, and the first measured rounds begin at one instant. A session that has
 * measured everything keeps its load on its target until the last one has ended, so that every
 * reading is taken under the load of all. With plan.runtime_seconds each session measures for
 * exactly that time. A replay or phases, which run once, end at their own time.
 *
 * A target that fails during the measurement ends only its own session, whose result says so. The
 * others then lack its load, and their results say so. The machine's settings, which must be the
 * same in all plans, are changed once and restored once. Workers of different targets have
 * different processors as long as there are enough, on each target's own NUMA node
 * (run/loop/target_processors.h). The cost of measuring is not measured, because other targets
 * would affect it.
 *
 * The process's limit of open files is raised before the sessions begin.
 */
#ifndef CUPEL_MANY_TOGETHER_TOGETHER_H
#define CUPEL_MANY_TOGETHER_TOGETHER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/several_targets.h"
#include "hw/sysroot/sysroot.h"
#include "run/plan/plan.h"
#include "run/session/session.h"

#define TOGETHER_MAX 128 /* targets */

/*
 * Like struct session_observer, with the index of the target. Any thread makes a call, one at a
 * time.
 */
struct together_observer {
    void (*progress)(void *context, size_t target, const struct session_progress *progress);
    void (*notice)(void *context, size_t target, const char *words); /* may be NULL */
    void *context;
    bool live, exposes;
};

struct together_request {
    size_t count; /* length of the following arrays; 1 to TOGETHER_MAX */
    const struct plan *const *plans;
    const char *const *record_paths; /* NULL, or elements that are NULL: no record is kept */
    /* State that consecutive sessions share (session_shared_new), one for each target, or NULL. It
       belongs to the caller. That of the first target has the machine's settings, which all targets
       share. */
    struct session_shared *const *shares;
    const struct sysroot *root;
    const volatile sig_atomic_t *stop;
    const struct together_observer *observer; /* may be NULL */
};

/*
 * Runs all sessions; `sessions` has room for r->count of them. Returns 0 if each holds its
 * measurements, even if its target failed midway (see session_result). Returns -1 if a session
 * could not begin, which the error names; then no session began, and there are no sessions and no
 * records. -1 with ERR_MACHINE and sessions that are not NULL: a setting could not be restored; the
 * caller frees the sessions.
 */
int together_run(struct session **sessions, const struct together_request *r, struct err *e);

/* ---- same_target.c: two names of one disk must not be measured against each other ---- */

/*
 * Checks that the targets are distinct. Not distinct are names of the same file or device, and
 * devices that share bytes: a disk and its partition, another path to it (same wwid), dm, md or a
 * loop device on it, a file and the loop device on it or the disk with its filesystem (except
 * btrfs), and the generic device of an NVMe namespace and its block device. Paths that do not exist
 * yet are compared by name. `root`: "" for this machine, a folder for tests. Returns -1 with
 * ERR_UNSAFE if they will be written, else ERR_USAGE; the message has both names and the reason.
 */
int together_distinct(const char *root, const char *const names[], size_t count, bool writes,
                      struct err *e);

/* ---- parts_of_targets.c: combines the data paths, with each shared part once; pure ---- */

/* Fills t->shared from the targets' results, the most used part first. Targets on the same disks
   (files of one filesystem) are seen by the same counters, whose values count once. */
void shared_parts_find(struct result_targets *t);

#endif
