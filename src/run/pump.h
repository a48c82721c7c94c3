/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hot loop of a worker: keep iodepth requests in flight from the round's begin to its end,
 * account for every completion, then drain. Called by the worker's own thread only.
 */
#ifndef CUPEL_RUN_PUMP_H
#define CUPEL_RUN_PUMP_H

#include "run/worker.h"

/* Runs until order->end_ticks, a fatal error (w->error) or w->halt, and until nothing is in flight.
 */
void pump_round(struct worker *w);

#endif
