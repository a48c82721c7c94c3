/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Change points, stable segment, interval, stop rule: one after the other. */
#include "stat/judge.h"

#include "stat/stop.h"

size_t judge_scratch_bytes(size_t n)
{
    size_t estimate = estimate_scratch_bytes(n);
    size_t most = estimate;
    for (int method = CHANGEPOINT_PELT; method <= CHANGEPOINT_NONE; method++) {
        size_t bytes = changepoint_scratch_bytes((enum changepoint_method)method, n);
        if (bytes > most)
            most = bytes;
    }
    return arena_bytes(n, sizeof(size_t)) + most;
}

struct judgement judge(const double x[], size_t n, const struct judge_config *config,
                       struct arena *scratch)
{
    struct judgement j = {0};
    size_t mark = arena_mark(scratch);
    size_t *cuts = arena_alloc(scratch, n, sizeof *cuts);
    size_t cut_count = changepoint_find(config->changepoint, x, n, cuts, n, scratch);
    while (j.changepoint_count < cut_count && j.changepoint_count < JUDGE_MAX_CHANGEPOINTS) {
        j.changepoints[j.changepoint_count] = cuts[j.changepoint_count];
        j.changepoint_count++;
    }

    struct segment_verdict stable =
        segment_judge(x, n, cuts, cut_count, config->higher_is_better, scratch);
    arena_reset(scratch, mark);
    j.stable_begin = stable.begin;
    j.stable_end = stable.end;
    j.phase = stable.phase;
    j.estimate =
        estimate_mean(x + stable.begin, stable.end - stable.begin, &config->estimate, scratch);

    struct stop_rule rule = {config->target_width, config->minimum_subsessions};
    j.required_n = stop_required_n(&j.estimate, &rule);
    j.enough = stable.phase != PHASE_NO_STEADY_STATE && stop_now(&j.estimate, &rule);
    if (j.enough)
        j.estimate = stop_widened(&j.estimate);
    return j;
}

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {
        [PHASE_FLAT] = "flat",
        [PHASE_WARMUP] = "warmup",
        [PHASE_SLOWDOWN] = "slowdown",
        [PHASE_NO_STEADY_STATE] = "no_steady_state",
    };
    return names[phase];
}
