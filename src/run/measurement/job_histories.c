/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the latencies of single jobs over time, in the same periods as those of all jobs. */
#include "run/measurement/measurement.h"

size_t job_histories_bytes(unsigned jobs, unsigned operations)
{
    return arena_bytes(jobs, sizeof(struct latency_history)) +
           jobs * latency_history_bytes(HISTORY_PERIODS, operations) +
           arena_bytes((size_t)jobs * OPERATIONS, sizeof(struct interval_histogram));
}

static void clear_open(struct job_histories *j)
{
    for (unsigned i = 0; i < j->count * OPERATIONS; i++)
        interval_histogram_clear(&j->open[i]);
    j->begin_ns = j->middle_ns = j->end_ns = 0;
}

int job_histories_init(struct job_histories *j, unsigned jobs, unsigned operations,
                       struct arena *arena)
{
    *j = (struct job_histories){0};
    j->histories = arena_alloc(arena, jobs, sizeof *j->histories);
    j->open = arena_alloc(arena, (size_t)jobs * OPERATIONS, sizeof *j->open);
    for (unsigned i = 0; i < jobs && j->histories; i++)
        if (latency_history_init(&j->histories[i], HISTORY_PERIODS, operations, arena))
            return -1;
    if (!j->histories || !j->open)
        return -1;
    j->count = jobs;
    clear_open(j);
    return 0;
}

bool job_histories_ended(const struct job_histories *j, const struct latency_history *all,
                         const struct batch *batch, uint64_t batch_ns)
{
    return j->end_ns && all->length_ns &&
           (batch->wall_ns + batch_ns / 2) / all->length_ns != j->middle_ns / all->length_ns;
}

void job_histories_add(struct job_histories *j, const struct batch *batch, uint64_t batch_ns)
{
    if (!j->end_ns) {
        j->begin_ns = batch->wall_ns;
        j->middle_ns = batch->wall_ns + batch_ns / 2;
    }
    j->end_ns = batch->wall_ns + batch_ns;
    for (unsigned i = 0; i < j->count && i < batch->job_count; i++)
        for (unsigned op = 0; op < OPERATIONS; op++)
            interval_histogram_add(&j->open[i * OPERATIONS + op],
                                   &batch->jobs[i * OPERATIONS + op]);
}

/* Lengthens the periods of a job's history until they are as long as those of all jobs together. */
static void follow(struct latency_history *h, const struct latency_history *all)
{
    if (!h->length_ns)
        h->length_ns = all->length_ns;
    while (h->length_ns < all->length_ns)
        latency_history_lengthen(h);
}

void job_histories_take(struct job_histories *j, const struct latency_history *all, unsigned job,
                        uint64_t begin_ns, uint64_t length_ns,
                        const struct interval_histogram latency[OPERATIONS])
{
    if (!all->length_ns)
        return;
    follow(&j->histories[job], all);
    latency_history_add(&j->histories[job], begin_ns, length_ns, latency);
}

void job_histories_end(struct job_histories *j, const struct latency_history *all)
{
    for (unsigned i = 0; i < j->count; i++) {
        if (j->end_ns)
            job_histories_take(j, all, i, j->begin_ns, j->end_ns - j->begin_ns,
                               &j->open[i * OPERATIONS]);
        else
            follow(&j->histories[i], all);
    }
    clear_open(j);
}
