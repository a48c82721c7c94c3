/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds EDM change points by a dynamic program over the last cut, with medians from a shrinking
   list. */
#include "stat/change/internal.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "stat/basic/descriptive.h"

/* The readings in order of their values, as a ring of indices; index n is its head. */
struct ordered_list {
    uint32_t *next, *previous;
};

struct search {
    const double *x;
    size_t n, delta;
    double *score;                /* F: best score of x[0..end), for each end */
    uint32_t *last_cut;           /* last cut of the division that has this score */
    uint32_t *cuts;               /* number of cuts of the division that has this score */
    struct ordered_list from_cut; /* the readings from the present cut t on */
    /* a copy of from_cut, from which one reading after another is removed */
    struct ordered_list shrinking;
    double *values; /* [n]: scratch for one median */
};

size_t edm_scratch_bytes(size_t n)
{
    return 2 * arena_bytes(n + 1, sizeof(double)) + 6 * arena_bytes(n + 1, sizeof(uint32_t));
}

/* Merges two ordered runs of indices into `target`. */
static void merge_runs(const double x[], const uint32_t source[], size_t begin, size_t middle,
                       size_t end, uint32_t target[])
{
    size_t left = begin, right = middle;
    for (size_t i = begin; i < end; i++) {
        bool take_left = left < middle && (right >= end || x[source[left]] <= x[source[right]]);
        target[i] = take_left ? source[left++] : source[right++];
    }
}

/* Links all readings in order of their values, equal values in order of their indices (a merge
   sort). */
static void link_in_order(struct search *s)
{
    size_t n = s->n;
    uint32_t *order = s->shrinking.next, *other = s->shrinking.previous;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t middle = begin + width < n ? begin + width : n;
            size_t end = middle + width < n ? middle + width : n;
            merge_runs(s->x, order, begin, middle, end, other);
        }
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    uint32_t before = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        s->from_cut.next[before] = order[i];
        s->from_cut.previous[order[i]] = before;
        before = order[i];
    }
    s->from_cut.next[before] = (uint32_t)n;
    s->from_cut.previous[n] = before;
}

static struct search start_search(const double x[], size_t n, size_t delta, struct arena *scratch)
{
    struct search s = {.x = x, .n = n, .delta = delta};
    s.score = arena_alloc(scratch, n + 1, sizeof(double));
    s.values = arena_alloc(scratch, n + 1, sizeof(double));
    s.last_cut = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    s.cuts = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    s.from_cut.next = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    s.from_cut.previous = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    s.shrinking.next = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    s.shrinking.previous = arena_alloc(scratch, n + 1, sizeof(uint32_t));
    link_in_order(&s);
    return s;
}

static void unlink_reading(struct ordered_list *list, size_t i)
{
    list->next[list->previous[i]] = list->next[i];
    list->previous[list->next[i]] = list->previous[i];
}

/* Returns the lower median after reading i is removed from a list of `count` readings whose lower
   median is `median`. The list itself is not changed. */
static size_t median_without(const struct search *s, size_t i, size_t count, size_t median)
{
    double value = s->x[i], middle = s->x[median];
    bool before = value < middle || (value == middle && i < median);
    bool after = value > middle || (value == middle && i > median);
    if (count % 2 == 1 && !before)
        return s->shrinking.previous[median];
    if (count % 2 == 0 && !after)
        return s->shrinking.next[median];
    return median;
}

/* Tries t as the last cut before each end from n down to t + delta. */
static void offer_cut(struct search *s, size_t t)
{
    size_t n = s->n;
    memcpy(s->shrinking.next, s->from_cut.next, (n + 1) * sizeof(uint32_t));
    memcpy(s->shrinking.previous, s->from_cut.previous, (n + 1) * sizeof(uint32_t));
    size_t begin = s->last_cut[t];
    memcpy(s->values, s->x + begin, (t - begin) * sizeof(double));
    double left = median_of(s->values, t - begin);
    size_t median = n;
    for (size_t rank = 0; rank <= (n - t - 1) / 2; rank++)
        median = s->shrinking.next[median];

    for (size_t end = n; end >= t + s->delta; end--) {
        double right = s->x[median];
        if ((end - t) % 2 == 0)
            right = (right + s->x[s->shrinking.next[median]]) / 2;
        /* score of x[0..end) when its last cut is t */
        double step = left - right, whole = (double)(end - begin);
        double weight = (double)((t - begin) * (end - t)) / (whole * whole);
        double score = s->score[t] + weight * (step * step);
        if (score > s->score[end]) {
            s->score[end] = score;
            s->last_cut[end] = (uint32_t)t;
            s->cuts[end] = s->cuts[t] + 1;
        }
        median = median_without(s, end - 1, end - t, median);
        unlink_reading(&s->shrinking, end - 1);
    }
}

/* EDM_percent: removes the last cut before `end` when it does not raise the score enough. */
static void take_back_weak_cut(struct search *s, size_t end, double percent, int degree)
{
    size_t cut = s->last_cut[end];
    if (cut == 0)
        return;
    double growth = degree == 1 ? 1 : degree == 2 ? 2 * (double)s->cuts[cut] + 1 : 0;
    if (s->score[end] - s->score[cut] < percent * growth * s->score[cut]) {
        s->cuts[end] = s->cuts[cut];
        s->score[end] = s->score[cut];
        s->last_cut[end] = s->last_cut[cut];
    }
}

size_t edm_percent(const double x[], size_t n, size_t delta, double percent, int degree,
                   size_t out[], size_t capacity, struct arena *scratch)
{
    if (n < 2 * delta)
        return 0;
    size_t mark = arena_mark(scratch);
    struct search s = start_search(x, n, delta, scratch);
    for (size_t t = 0; t + delta <= n; t++) {
        if (t >= delta) {
            take_back_weak_cut(&s, t, percent, degree);
            offer_cut(&s, t);
        }
        unlink_reading(&s.from_cut, t);
    }
    take_back_weak_cut(&s, n, percent, degree);
    size_t count = cuts_collect(s.last_cut, n, out, capacity);
    arena_reset(scratch, mark);
    return count;
}
