/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives that share a part of the machine: which do, what each loses by it, and which part it is.
 * All but shared_measure is pure: any thread, one at a time.
 */
#ifndef CUPEL_MACHINE_QUALIFY_SHARED_SHARED_H
#define CUPEL_MACHINE_QUALIFY_SHARED_SHARED_H

#include <signal.h>

#include "base/arena.h"
#include "base/err.h"
#include "facts/inventory.h"
#include "facts/labels.h"
#include "facts/sharing.h"
#include "hw/path/data_path.h"
#include "hw/sysroot/sysroot.h"
#include "run/session/session.h"

/* ---- shared_parts.c ---- */

/* One more drive, which has not been measured. -1: there is no room. */
int shared_add_drive(struct sharing *s, const char *name, int device);

/*
 * The parts that several drives' ways to the machine have in common, those with fewer drives first;
 * paths[i] is that of drive i. Neighbouring parts with the same drives are one: it has the smallest
 * limit of them, and the name of the part with that limit, else of that nearest to the drives.
 * The functions of one PCI Express card share the link below their port. Drives whose path is not
 * known from end to end (a virtual machine's, a path without parts) may share anything: they have
 * one part without a name in common.
 */
void shared_find_parts(struct sharing *s, const struct inventory *v,
                       const struct data_path paths[]);

/*
 * Groups and slots. A part may slow its drives when their own limits add up to more than its limit,
 * or when one of these is not known. Drives that such a part connects, directly or over others, are
 * one group, and alone only one of them is measured at a time. Sockets, host bridges and the
 * machine do not connect: no part of the machine has a limit that is nearer to the processor, and
 * two drives that have all of it between them come nowhere near; what all drives together come to
 * is measured.
 */
void shared_find_groups(struct sharing *s);

/* ---- shared_schedule.c ---- */

/*
 * How many rounds of what length: all rounds of a drive alone, and all of them together, keep
 * within `limit_seconds` for each load. Sets max_rounds, round_seconds and planned_seconds.
 * `around` is what a measurement takes beside its time.
 */
void shared_plan_rounds(struct sharing *s, double limit_seconds, double around);

/* The measurements of a round in their order, as slots; `slots` stands for all together. It comes
   last in even rounds and first in odd ones, so that a drift adds to both alike. */
unsigned shared_step(const struct sharing *s, unsigned round, unsigned step);

/* Are the ratios looked at after so many rounds, and how often in all? After all others drives are
   measured whatever they show. */
bool shared_is_look(const struct sharing *s, unsigned rounds);
unsigned shared_looks(const struct sharing *s);

/* ---- shared_ratio.c ---- */

/*
 * Ratios of all drives and sums of all parts in this load, from its whole rounds. All drives, loads
 * and looks of max_rounds share 1 - confidence, in equal parts (Bonferroni): that is the interval's
 * of each, by Student's t of pairs. Drives that failed are not measured and in no sum. The scratch
 * is of shared_scratch_bytes.
 */
void shared_judge_ratios(struct sharing *s, enum sharing_load load, struct arena *scratch);
size_t shared_scratch_bytes(void);

/* Has each drive that is measured its verdict? */
bool shared_is_decided(const struct sharing *s, enum sharing_load load);

/* ---- shared_blame.c ---- */

/*
 * Which part takes it. A part is full when the sum of its drives comes to SHARED_FULL of its limit:
 * it explains the loss of every drive below it that has none nearer. Where no part on the way of a
 * losing drive is full, it is the one with the most losing drives below which no drive keeps more
 * than a losing one has left; of several with the same drives' loss the nearest. Its limit is not
 * known then, or not what the machine reports, or the cause lies above it: where all drives of the
 * machine lose, nothing can tell these apart. A drive that loses alone is explained by none.
 */
#define SHARED_FULL 0.85

void shared_find_blame(struct sharing *s, enum sharing_load load);

/* ---- shared_rounds.c ---- */

/* What its callbacks are is said in machine/qualify/qualify.h. */
struct shared_request {
    const struct sysroot *root;
    const char *(*path)(const void *owner, int device); /* what is opened */
    const void *owner;                                  /* of path */
    const struct labels *labels;
    bool allow_unwritten;
    const volatile sig_atomic_t *stop; /* never NULL */
    struct session_observer observer;
    void (*overall)(void *context, const char *words); /* or NULL */
    void (*stage)(void *context, const char *text);    /* or NULL */
    void *context;                                     /* of both */
};

/* "8 disks, of which 2 at a time share nothing: ... at most 12 rounds ... up to about 2 min". */
char *shared_announce(const struct sharing *s, char *to, size_t size);

/*
 * Both loads, read only, round after round until each drive has its verdict, the rounds are over or
 * the time that was announced is. A drive that fails is measured no more; the round in which it
 * failed does not count, nor do those of this load before it, for the others have more since then.
 * -1: no memory, no plan could be made, or a round could not begin although each of its drives can
 * be opened; the ratios of whole rounds stand. An end that the user asked for is no error.
 */
int shared_measure(struct sharing *s, const struct shared_request *request, struct err *e);

#endif
