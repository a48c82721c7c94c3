/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper: the child process that restores the knobs of a run, however the run ends.
 *
 * It is in a session of its own, takes no signal but SIGKILL and holds no file of the run but its
 * end of the pipe and the locks, which it opens. Should it be killed itself, the run restores.
 */
#ifndef CUPEL_HW_KNOB_KEEPER_H
#define CUPEL_HW_KNOB_KEEPER_H

#include "hw/knob.h"
#include "hw/knob_restore.h"

/* Returns once the child is ready, with k->pipe and k->keeper set. ERR_MACHINE: no child. */
int keeper_start(struct knobs *k, struct err *e);

/* Let it restore; after this it is gone. ERR_MACHINE when it has not answered for half a minute. */
int keeper_finish(struct knobs *k, struct knob_restored *restored, struct err *e);

#endif
