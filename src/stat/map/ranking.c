/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks the levels of a factor by their response. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/basic/distribution.h"
#include "stat/map/analysis.h"
#include "stat/map/internal.h"

/* Sums over a level. */
struct level_sum {
    double count, mean, squares; /* `squares`: sum of squared deviations from the mean */
};

static void add_value(struct level_sum *s, double value)
{
    double step = value - s->mean;
    s->count++;
    s->mean += step / s->count;
    s->squares += step * (value - s->mean);
}

/*
 * Removes the effect of the other factors. A block holds the configurations that differ only in
 * this factor. The block's mean is subtracted from each response, and the mean of all responses is
 * added. The values of a block become NaN if one of its configurations was not measured. Returns
 * true if at least two blocks are complete.
 */
static bool take_blocks_out(double value[], const struct configurations *c, size_t factor,
                            const size_t block[], size_t blocks, double room[])
{
    double *sum = room, *count = room + blocks, mean = 0, whole = 0;
    memset(room, 0, 2 * blocks * sizeof *room);
    for (size_t i = 0; i < c->n; i++) {
        sum[block[i]] += value[i];
        count[block[i]]++;
    }
    for (size_t k = 0; k < blocks; k++)
        if (count[k] == (double)c->factors[factor].level_count) {
            mean += sum[k] / count[k];
            whole++;
        }
    for (size_t i = 0; i < c->n; i++) {
        bool is_whole = count[block[i]] == (double)c->factors[factor].level_count;
        value[i] =
            is_whole ? value[i] - sum[block[i]] / count[block[i]] + mean / whole : (double)NAN;
    }
    return whole >= 2;
}

struct keyed {
    const uint32_t *level;
    size_t stride, factor, number;
};

/* Compares the levels of all factors except those of the ranked factor. */
static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    for (size_t f = 0; f < x->stride; f++)
        if (f != x->factor && x->level[f] != y->level[f])
            return x->level[f] < y->level[f] ? -1 : 1;
    return 0;
}

static size_t number_blocks(size_t block[], const struct configurations *c, size_t factor,
                            struct keyed keys[])
{
    size_t blocks = 0;
    for (size_t i = 0; i < c->n; i++)
        keys[i] = (struct keyed){c->level + i * c->stride, c->stride, factor, i};
    qsort(keys, c->n, sizeof *keys, compare_keyed);
    for (size_t i = 0; i < c->n; i++) {
        blocks += i == 0 || compare_keyed(&keys[i - 1], &keys[i]) != 0;
        block[keys[i].number] = blocks - 1;
    }
    return blocks;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct map_rank *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static void fill_ranks(struct map_ranking *r, const struct configurations *c, size_t factor,
                       const double value[], struct level_sum sums[])
{
    for (size_t i = 0; i < c->n; i++)
        if (!isnan(value[i]))
            add_value(&sums[c->level[i * c->stride + factor]], value[i]);
    for (size_t k = 0; k < c->factors[factor].level_count; k++) {
        const struct level_sum *s = &sums[k];
        double arm = NAN; /* NaN: a single configuration gives no interval */
        if (s->count > 1)
            arm = student_t_quantile((1 + r->confidence) / 2, s->count - 1) *
                  sqrt(s->squares / (s->count - 1) / s->count);
        double low = s->mean - arm, high = s->mean + arm;
        r->ranks[r->count++] = (struct map_rank){.level = c->factors[factor].words[k],
                                                 .count = (size_t)s->count,
                                                 .value = r->logarithmic ? exp(s->mean) : s->mean,
                                                 .low = r->logarithmic ? exp(low) : low,
                                                 .high = r->logarithmic ? exp(high) : high};
    }
    qsort(r->ranks, r->count, sizeof *r->ranks, compare_ranks);
}

int ranking_make(struct map_ranking *r, const struct configurations *c, const char *factor,
                 double confidence, struct err *e)
{
    size_t place = configurations_factor(c, span_of(factor), e);
    *r = (struct map_ranking){.response = c->response.name,
                              .confidence = confidence,
                              .logarithmic = true,
                              .notes = c->notes.data ? c->notes.data : ""};
    if (place == SIZE_MAX)
        return -1;
    size_t levels = c->factors[place].level_count;
    double *value = calloc(c->n, sizeof *value), *room = calloc(2 * c->n, sizeof *room);
    size_t *block = calloc(c->n, sizeof *block);
    struct keyed *keys = calloc(c->n, sizeof *keys);
    struct level_sum *sums = calloc(levels, sizeof *sums);
    r->factor = c->factors[place].name;
    r->ranks = calloc(levels, sizeof *r->ranks);
    int status = 0;
    if (!value || !room || !block || !keys || !sums || !r->ranks) {
        status = err_no_memory(e, "%zu configurations", c->n);
    } else {
        for (size_t i = 0; i < c->n; i++)
            r->logarithmic = r->logarithmic && c->value[i] > 0;
        for (size_t i = 0; i < c->n; i++)
            value[i] = r->logarithmic ? log(c->value[i]) : c->value[i];
        size_t blocks = number_blocks(block, c, place, keys);
        r->blocked = take_blocks_out(value, c, place, block, blocks, room);
        for (size_t i = 0; i < c->n && !r->blocked; i++)
            value[i] = r->logarithmic ? log(c->value[i]) : c->value[i];
        fill_ranks(r, c, place, value, sums);
    }
    free(value);
    free(room);
    free(block);
    free(keys);
    free(sums);
    if (status)
        ranking_free(r);
    return status;
}

void ranking_free(struct map_ranking *r)
{
    free(r->ranks);
    *r = (struct map_ranking){0};
}
