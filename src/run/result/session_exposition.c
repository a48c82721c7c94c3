/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives a monitoring system what a session has measured so far. */
#include "run/result/internal.h"
#include "run/result/session_judgement.h"

static void add_latencies(const struct histogram *all, struct exposed_op *to)
{
    uint64_t below = 0;
    size_t bucket = 0;
    for (size_t bound = 0; bound < EXPOSED_BOUNDS; bound++) {
        for (size_t end = histogram_bucket(exposed_bound_ns(bound)); bucket < end; bucket++)
            below += all->count[bucket];
        to->below[bound] = below;
    }
    to->latencies = all->n;
}

/* Counts and sums cover whole rounds. Latencies cover their intervals, without the edges. */
size_t exposed_of_contents(struct contents *c, struct exposed_op ops[OPERATIONS])
{
    const struct measurement *m = &c->measurement;
    struct histogram *all = &c->latency[0];
    size_t count = 0;
    for (int op = 0; op < OPERATIONS; op++) {
        struct exposed_op *to = &ops[count];
        double latency_seconds = 0;
        *to = (struct exposed_op){.op = operation_names[op]};
        for (size_t i = 0; i < m->round_count; i++) {
            const struct slice_op *from = &m->rounds[i].total.op[op];
            if (m->rounds[i].trial)
                continue;
            to->ios += from->ios;
            to->bytes += from->bytes;
            to->errors += from->errors;
            latency_seconds += (double)from->latency_ns * 1e-9;
        }
        histogram_clear(all);
        for (size_t i = 0; i < m->history.count; i++)
            latency_add_interval(all, m->history.periods[i].latency[op]);
        add_latencies(all, to);
        if (to->ios)
            to->latency_seconds = latency_seconds * (double)to->latencies / (double)to->ios;
        count += to->ios || to->errors;
    }
    return count;
}
