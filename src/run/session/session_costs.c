/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes how long the rounds take that measure the cost of measuring (overhead.c), after a
   precise result. */
#include "run/session/internal.h"

double session_costs_seconds(const struct session *s)
{
    const struct plan *plan = &s->contents.plan;
    bool compares = s->watching && !s->watch_compared && !plan->monitor_rate;
    return (plan->measure_overhead ? RECORDING_COST_SECONDS : 0) +
           (plan->measure_overhead && s->trace ? RECORDING_COST_SECONDS : 0) +
           (compares ? WATCHING_COST_SECONDS : 0);
}
