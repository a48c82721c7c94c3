/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives that share a part of the machine: which drives share one, how much speed each loses by it,
 * and which part is the cause. All functions except shared_measure are pure; any one thread at a
 * time may call them.
 */
#ifndef CUPEL_MACHINE_QUALIFY_SHARED_SHARED_H
#define CUPEL_MACHINE_QUALIFY_SHARED_SHARED_H

#include <signal.h>

#include "base/arena.h"
#include "base/err.h"
#include "facts/disk_sharing.h"
#include "facts/inventory.h"
#include "facts/labels.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/sysroot.h"
#include "run/session/session.h"

/* ---- parts_of_disks.c ---- */

/* Adds a drive that is not yet measured. Returns -1 if the array of drives is full. */
int shared_add_drive(struct sharing *s, const char *name, int device);

/*
 * Finds the parts that the data paths of several drives have in common, those with fewer drives
 * first; paths[i] is the path of drive i. Neighbouring parts with the same drives count as one
 * part, which has the smallest limit among them, and the name of the part with that limit or, if no
 * limit is known, of the part nearest to the drives. The functions of one PCI Express card share
 * the link below their port. Drives whose path is not completely known (in a virtual machine, or a
 * path without parts) may share anything: they have one part without a name in common.
 */
void shared_find_parts(struct sharing *s, const struct inventory *v,
                       const struct data_path paths[]);

/*
 * Divides the drives into groups and slots. A part may slow its drives if the sum of their limits
 * exceeds its own limit, or if one of these limits is not known. Drives that such a part connects,
 * directly or through other parts, form a group, and only one drive of a group is measured alone at
 * a time. Sockets, host bridges and the machine connect no drives, although they have no known
 * limit: two drives come nowhere near to using all of one. The load of all drives together on them
 * is measured.
 */
void shared_find_groups(struct sharing *s);

/* ---- shared_schedule.c ---- */

/*
 * Plans the number and length of the rounds. For each load, all rounds of one drive alone keep
 * within `limit_seconds`, and so do all rounds together. Sets max_rounds, round_seconds and
 * planned_seconds. `around`: seconds that a measurement takes in addition to measuring.
 */
void shared_plan_rounds(struct sharing *s, double limit_seconds, double around);

/* Returns the slot that is measured in a step of a round; `slots` stands for all drives together.
   That step comes last in even rounds and first in odd rounds, so that a drift affects both alike.
   */
unsigned shared_step(const struct sharing *s, unsigned round, unsigned step);

/* Returns whether the ratios are judged after this number of rounds; shared_looks returns how often
   they are judged in all. After other numbers of rounds the measurement goes on in any case. */
bool shared_is_look(const struct sharing *s, unsigned rounds);
unsigned shared_looks(const struct sharing *s);

/* ---- shared_blame.c ---- */

/*
 * Finds the part that makes drives lose speed.
 *
 * A part is full if its drives together reach SHARED_FULL of its limit. A full part explains the
 * loss of every drive below it that has no nearer full part.
 *
 * If no part on the path of a losing drive is full, the suspect is the part with the most losing
 * drives; among parts with the same losing drives, the nearest. A part is no suspect if a drive
 * below it keeps its speed at a higher rate than a losing drive has left. The limit of a suspect is
 * not known, or is not what the machine reports, or the cause lies above it, which cannot be
 * distinguished when all drives of the machine lose. No part explains a drive that loses alone.
 */
#define SHARED_FULL 0.85

void shared_find_blame(struct sharing *s, enum sharing_load load);

/* ---- shared_rounds.c ---- */

/*
 * Judges the ratios of all drives and the sums of all parts in this load, from whole rounds. The
 * chance of a wrong verdict, 1 - confidence, is divided equally among all drives, both loads, and
 * all the times at which the ratios are judged within max_rounds (Bonferroni). Each interval comes
 * from Student's t of pairs. Drives that failed are not measured and are in no sum. `scratch` has
 * shared_scratch_bytes.
 */
void shared_judge_ratios(struct sharing *s, enum sharing_load load, struct arena *scratch);
size_t shared_scratch_bytes(void);

/* Returns whether each drive that is measured has its verdict. */
bool shared_is_decided(const struct sharing *s, enum sharing_load load);

/* What shared_measure needs. The callbacks are described in machine/qualify/qualify.h. */
struct shared_request {
    const struct sysroot *root;
    const char *(*path)(const void *owner, int device); /* returns the path to open */
    const void *owner;                                  /* first argument of path */
    const struct labels *labels;
    bool allow_unwritten;
    const volatile sig_atomic_t *stop; /* never NULL */
    struct session_observer observer;
    void (*overall)(void *context, const char *words); /* may be NULL */
    void (*stage)(void *context, const char *text);    /* may be NULL */
    void *context;                                     /* first argument of overall and stage */
};

/* Writes "8 disks, of which 2 at a time share nothing: ... at most 12 rounds ... up to about 2
   min". */
char *shared_announce(const struct sharing *s, char *to, size_t size);

/*
 * Measures both loads, read only, round after round until each drive has its verdict, the rounds
 * are used up, or the announced time is over. A drive that fails is not measured any more. The
 * round in which it failed does not count, nor do earlier rounds of this load, because the other
 * drives now have more for themselves. Returns -1 if there is no memory, no plan could be made, or
 * a round could not begin although each of its drives can be opened; the ratios of whole rounds
 * remain. An end that the user requested is no error.
 */
int shared_measure(struct sharing *s, const struct shared_request *request, struct err *e);

#endif
