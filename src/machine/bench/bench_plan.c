/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the plan of a session that measures a part of this machine. */
#include "machine/bench/bench_plan.h"

void machine_bench_plan(const struct machine_bench *bench, const struct plan *plan,
                        struct exec_plan *to)
{
    *to = (struct exec_plan){.program = {.command = bench->words,
                                         .measure = bench->round,
                                         .measure_context = bench->context,
                                         .indices = bench->indices,
                                         .index_count = bench->index_count,
                                         .duration_column = -1},
                             .config = plan_judge_config(plan, false),
                             .minimum_seconds = plan->ending.minimum_seconds,
                             .limit_seconds = plan->ending.limit_seconds,
                             .failures = 1,
                             .monitor_cost = plan->watch.cost,
                             .labels = plan->labels};
    to->config.minimum_readings = plan->statistics.minimum_subsessions;
}
