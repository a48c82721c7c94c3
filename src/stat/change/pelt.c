/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds change points by optimal partitioning with functional pruning: keeps candidates for the
   last cut, and for each candidate the means for which it is best. */
#include "stat/change/internal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A last cut that is best for some mean m. Its cost there is base + squares + count (m -
   mean)^2. */
struct candidate {
    size_t cut;
    double base; /* least cost of all readings before the cut, plus the penalty */
    double count, mean, squares;
    /* the candidate costs less than the newest one at means from better_above to better_below */
    double better_above, better_below;
    bool owns_a_piece;
    size_t place; /* index in the list after candidates that are best for no mean are removed */
};

/* A range of means, low..high, for which one candidate is best. */
struct piece {
    double low, high;
    size_t owner;
};

struct race {
    struct candidate *candidates;
    size_t candidate_count;
    struct piece *pieces, *next_pieces;
    size_t piece_count;
};

/*
 * Series with noise need about 20 pieces. Smooth series could take thousands, all of nearly the
 * same cost. When all MAX_PIECES are used, the narrowest piece is given to the owner of a
 * neighbouring piece.
 */
#define MAX_PIECES 32

size_t pelt_scratch_bytes(size_t n, size_t minimum_segment)
{
    return arena_bytes(MAX_PIECES + 1, sizeof(struct candidate)) +
           2 * arena_bytes(MAX_PIECES, sizeof(struct piece)) +
           arena_bytes(n + 1, sizeof(uint32_t)) + arena_bytes(minimum_segment, sizeof(double));
}

/* These functions are for numbers other than NaN. fmax and fmin would be function calls, a billion
   of them in a long series. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void add_reading(struct candidate *c, double x)
{
    double deviation = x - c->mean;
    c->count++;
    c->mean += deviation / c->count;
    c->squares += deviation * (x - c->mean);
}

static struct candidate make_candidate(const double x[], size_t cut, size_t count, double base)
{
    struct candidate c = {.cut = cut, .base = base, .count = (double)count};
    for (size_t i = 0; i < count; i++)
        c.mean += x[cut + i];
    c.mean /= c.count;
    for (size_t i = 0; i < count; i++)
        c.squares += (x[cut + i] - c.mean) * (x[cut + i] - c.mean);
    return c;
}

/*
 * Computes the interval of means, perhaps empty, for which the older candidate costs less than the
 * newest. Only the readings between the two cuts matter; their mean and sum of squares follow from
 * those of the two candidates.
 */
static void compare_with_newest(struct candidate *old, const struct candidate *newest)
{
    double count = old->count - newest->count;
    double mean = old->mean + newest->count / count * (old->mean - newest->mean);
    double offset = mean - newest->mean;
    double squares =
        old->squares - newest->squares - count * newest->count / old->count * offset * offset;
    double gain = newest->base - old->base - larger(squares, 0);
    double half_width = gain > 0 ? sqrt(gain / count) : -1;
    old->better_above = half_width > 0 ? mean - half_width : DBL_MAX;
    old->better_below = half_width > 0 ? mean + half_width : -DBL_MAX;
}

static void give_away_narrowest(struct piece pieces[], size_t *count)
{
    size_t narrowest = 1;
    for (size_t i = 2; i < *count; i++)
        if (pieces[i].high - pieces[i].low < pieces[narrowest].high - pieces[narrowest].low)
            narrowest = i;
    pieces[narrowest - 1].high = pieces[narrowest].high;
    (*count)--;
    memmove(&pieces[narrowest], &pieces[narrowest + 1], (*count - narrowest) * sizeof pieces[0]);
}

static void append_piece(struct race *r, size_t *count, double low, double high, size_t owner)
{
    if (*count == MAX_PIECES)
        give_away_narrowest(r->next_pieces, count);
    if (*count > 0 && r->next_pieces[*count - 1].owner == owner)
        r->next_pieces[*count - 1].high = high;
    else
        r->next_pieces[(*count)++] = (struct piece){low, high, owner};
}

/* Gives the newest candidate, the last in the list, every mean for which it beats the present
   owner. */
static void share_with_newest(struct race *r)
{
    size_t newest = r->candidate_count - 1;
    for (size_t i = 0; i < newest; i++)
        compare_with_newest(&r->candidates[i], &r->candidates[newest]);
    size_t count = 0;
    for (size_t i = 0; i < r->piece_count; i++) {
        struct piece p = r->pieces[i];
        double low = larger(p.low, r->candidates[p.owner].better_above);
        double high = smaller(p.high, r->candidates[p.owner].better_below);
        if (low > high) {
            append_piece(r, &count, p.low, p.high, newest);
            continue;
        }
        if (p.low < low)
            append_piece(r, &count, p.low, low, newest);
        append_piece(r, &count, low, high, p.owner);
        if (high < p.high)
            append_piece(r, &count, high, p.high, newest);
    }
    struct piece *swap = r->pieces;
    r->pieces = r->next_pieces;
    r->next_pieces = swap;
    r->piece_count = count;
}

/* Removes the candidates that are best for no mean: they cannot become best again. */
static void drop_beaten(struct race *r)
{
    for (size_t i = 0; i < r->candidate_count; i++)
        r->candidates[i].owns_a_piece = false;
    for (size_t i = 0; i < r->piece_count; i++)
        r->candidates[r->pieces[i].owner].owns_a_piece = true;
    size_t kept = 0;
    for (size_t i = 0; i < r->candidate_count; i++) {
        r->candidates[i].place = kept;
        kept += r->candidates[i].owns_a_piece;
    }
    if (kept == r->candidate_count)
        return;
    for (size_t i = 0; i < r->piece_count; i++)
        r->pieces[i].owner = r->candidates[r->pieces[i].owner].place;
    for (size_t i = 0; i < r->candidate_count; i++)
        if (r->candidates[i].owns_a_piece)
            r->candidates[r->candidates[i].place] = r->candidates[i];
    r->candidate_count = kept;
}

/* Returns the least cost over all candidates and means, and sets *cut to the cut that gives it. */
static double best_cost(const struct race *r, uint32_t *cut)
{
    double best = DBL_MAX;
    for (size_t i = 0; i < r->candidate_count; i++) {
        double cost = r->candidates[i].base + r->candidates[i].squares;
        if (cost < best) {
            best = cost;
            *cut = (uint32_t)r->candidates[i].cut;
        }
    }
    return best;
}

static struct race start_race(const double x[], size_t n, size_t minimum_segment,
                              struct arena *scratch)
{
    struct race r = {0};
    r.candidates = arena_alloc(scratch, MAX_PIECES + 1, sizeof *r.candidates);
    r.pieces = arena_alloc(scratch, MAX_PIECES, sizeof *r.pieces);
    r.next_pieces = arena_alloc(scratch, MAX_PIECES, sizeof *r.next_pieces);
    double low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = smaller(low, x[i]);
        high = larger(high, x[i]);
    }
    r.pieces[0] = (struct piece){low, high, 0};
    r.piece_count = 1;
    r.candidates[0] = make_candidate(x, 0, minimum_segment, 0);
    r.candidate_count = 1;
    return r;
}

size_t pelt_mean(const double x[], size_t n, double penalty, size_t minimum_segment, size_t out[],
                 size_t capacity, struct arena *scratch)
{
    if (n < 2 * minimum_segment)
        return 0;
    size_t mark = arena_mark(scratch);
    struct race r = start_race(x, n, minimum_segment, scratch);
    uint32_t *last_cut = arena_alloc(scratch, n + 1, sizeof *last_cut);
    double *recent_cost = arena_alloc(scratch, minimum_segment, sizeof *recent_cost);

    for (size_t s = minimum_segment; s <= n; s++) {
        if (s > minimum_segment)
            for (size_t i = 0; i < r.candidate_count; i++)
                add_reading(&r.candidates[i], x[s - 1]);
        size_t entering = s - minimum_segment;
        /* contains the cost of x[0..entering) until it is replaced below */
        double *cost = &recent_cost[s % minimum_segment];
        if (entering >= minimum_segment) {
            r.candidates[r.candidate_count++] =
                make_candidate(x, entering, minimum_segment, *cost + penalty);
            share_with_newest(&r);
            drop_beaten(&r);
        }
        *cost = best_cost(&r, &last_cut[s]);
    }
    size_t count = cuts_collect(last_cut, n, out, capacity);
    arena_reset(scratch, mark);
    return count;
}
