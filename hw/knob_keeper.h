/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper: the child process that restores the knobs of a run, however the run ends.
 *
 * It is in a session of its own, takes no signal but SIGKILL and holds no file of the run but its
 * end of the pipe. Should it be killed itself, the run restores.
 */
#ifndef CUPEL_HW_KNOB_KEEPER_H
#define CUPEL_HW_KNOB_KEEPER_H

#include "hw/knob.h"

#define KNOB_LATENCY_FILE "/dev/cpu_dma_latency" /* no file to restore: closing it does */

/* What came of restoring: how many files have not their old value, and the first of them. */
struct knob_restored {
    int failures;
    int setting; /* index: of the changes, and from there on of their companions */
    int result;  /* as of knob_value_write */
};

/* Companions come after the changes, in rounds: they may depend on each other (a depth on the
   number of requests, a lower threshold on the upper one), and what was refused or reset by another
   in one round holds in the next. */
#define KNOB_ROUNDS 3

/* Returns once the child is ready, with k->pipe and k->keeper set. ERR_MACHINE: no child. */
int keeper_start(struct knobs *k, struct err *e);

/* Let it restore; after this it is gone. ERR_MACHINE when it has not answered for half a minute. */
int keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e);

#endif
