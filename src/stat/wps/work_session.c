/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rounds of different work amounts: the amount of the next, and the line through all of them. */
#include "stat/wps/work_session.h"

#include <stdlib.h>

#define ROUNDS_FIRST 256
#define ROUNDS_A_FIT 50

void work_session_begin(struct work_session *w, const struct work_limits *limits)
{
    work_plan_start(&w->plan, limits);
}

void work_session_free(struct work_session *w)
{
    free(w->rounds);
    free(w->used);
    arena_free(&w->scratch);
    *w = (struct work_session){0};
}

static int reserve(struct work_session *w, struct err *e)
{
    if (w->count < w->capacity)
        return 0;
    size_t more = w->capacity ? 2 * w->capacity : ROUNDS_FIRST;
    struct arena scratch;
    void *rounds = realloc(w->rounds, more * sizeof *w->rounds);
    if (rounds)
        w->rounds = rounds;
    void *used = realloc(w->used, more * sizeof *w->used);
    if (used)
        w->used = used;
    if (!rounds || !used)
        return err_no_memory(e, "the rounds");
    if (arena_init_untouched(&scratch, work_rate_scratch_bytes(more), e))
        return -1;
    arena_free(&w->scratch);
    w->scratch = scratch;
    w->capacity = more;
    return 0;
}

/* The line of the rounds that count as the range of work amounts stands. */
static struct work_rate fit(struct work_session *w, double confidence)
{
    w->used_count = 0;
    for (size_t i = 0; i < w->count; i++)
        if (work_plan_uses(&w->plan, &w->rounds[i]))
            w->used[w->used_count++] = w->rounds[i];
    return work_rate_of(w->used, w->used_count, confidence, &w->scratch);
}

int work_session_add(struct work_session *w, const struct work_round *round, double confidence,
                     struct err *e)
{
    if (reserve(w, e))
        return -1;
    w->rounds[w->count++] = *round;
    if (w->count >= w->fit_at) {
        w->planned = fit(w, confidence);
        w->fit_at = w->count + 1 + w->count / ROUNDS_A_FIT;
    }
    work_plan_add(&w->plan, round->seconds, &w->planned);
    return 0;
}

void work_session_judge(struct work_session *w, double confidence)
{
    w->rate = fit(w, confidence);
    w->left = work_plan_forecast(&w->plan, &w->rate);
    w->enough = work_plan_enough(&w->plan, &w->rate);
}
