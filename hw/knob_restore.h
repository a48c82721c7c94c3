/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restoring the knobs of a run: the work of the keeper, and of the run when the keeper was killed.
 *
 * Only a value that is still the one that the run set is replaced. Somebody who wrote another one
 * meant it: it stays, and so do the companions, which may be theirs as well. Nothing is allocated.
 */
#ifndef CUPEL_HW_KNOB_RESTORE_H
#define CUPEL_HW_KNOB_RESTORE_H

#include <stdbool.h>

#include "hw/knob.h"
#include "hw/knob_value.h"

#define KNOB_LATENCY_FILE "/dev/cpu_dma_latency" /* no file to restore: closing it does */

/* What came of restoring: how many files have not their old value, and the first of them. */
struct knob_restored {
    int failures;
    int setting;        /* index: of the changes, and from there on of their companions */
    int result;         /* as of knob_value_write */
    int foreign;        /* how many changes are somebody else's by now, */
    int foreign_change; /* the index of the first, */
    char foreign_value[KNOB_VALUE]; /* and its value */
};

/* Companions come after the changes, in rounds: they may depend on each other (a depth on the
   number of requests, a lower threshold on the upper one), and what was refused or reset by another
   in one round holds in the next. */
#define KNOB_ROUNDS 3

/* Restore and open the locks. To `undo` what was only begun, every value counts as the run's own:
   the kernel may have made another of what was written. */
struct knob_restored knobs_put_back(struct knobs *k, bool undo);

#endif
