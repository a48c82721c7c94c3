/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the spectral lines of a periodogram with the frequencies beside them. */
#include "stat/change/period.h"

#include <math.h>
#include <string.h>

#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "stat/basic/sort.h"
#include "stat/estimate/periodogram.h"

#define MIN_READINGS 250 /* with fewer readings a period is not reliable */
#define FIRST_CYCLES 3.0 /* minimum number of cycles; fewer may be a slow movement */
#define PHASES       16  /* number of parts of a period, and its minimum length in readings */
/* maximum number of frequencies on each side of a spectral line with which the line is compared */
#define BESIDE     8
#define CANDIDATES 3
/* the first spectral line of a period is present if its p-value is at most this */
#define FIRST_LINE  0.001
#define REFINEMENTS 2 /* refining steps on each side of a candidate */
#define THIRDS      3
#define KEPT_SHARE  (1.0 / 3)

struct series {
    const double *x; /* [n] */
    size_t n;
    double max_cycles;
};

/* Returns the number of frequencies of the rough search, in steps of half a cycle up to the last
   line of the shortest period. */
static size_t rough_count(size_t readings)
{
    return 2 * PERIOD_LINES * (readings / PHASES);
}

size_t period_scratch_bytes(size_t n)
{
    size_t readings = n < PERIOD_MAX_READINGS ? n : PERIOD_MAX_READINGS;
    return arena_bytes(readings, sizeof(double)) +
           3 * arena_bytes(rough_count(readings) + 1, sizeof(double));
}

/* Returns P(G > t) for the sum G of m independent exponential variables. */
static double sum_upper(double t, size_t m)
{
    double term = exp(-t), sum = term;
    for (size_t i = 1; i < m; i++) {
        term *= t / (double)i;
        sum += term;
    }
    return sum;
}

/* Spectral lines for a number of cycles in the series. `p`: smallest p-value over the first line,
   the first two lines and so on, multiplied by the number of these choices; `p_first`: p-value of
   the first line alone. */
struct lines {
    double cycles, p, p_first;
};

static struct lines lines_at(const struct series *s, double cycles)
{
    enum { AT_LINE = 1 + 2 * BESIDE };
    double cosine[PERIOD_LINES * AT_LINE], power[PERIOD_LINES * AT_LINE];
    const size_t half = (size_t)((cycles - 1) / 2), beside = half < BESIDE ? half : BESIDE;
    const size_t each = 1 + 2 * beside;
    for (size_t line = 0; line < PERIOD_LINES; line++)
        for (size_t k = 0; k < each; k++) {
            double off = k == 0 ? 0 : k <= beside ? (double)k : (double)beside - (double)k;
            cosine[line * each + k] =
                cos(2 * M_PI * ((double)(line + 1) * cycles + off) / (double)s->n);
        }
    periodogram_at(s->x, s->n, cosine, PERIOD_LINES * each, power);
    struct lines of = {cycles, 1, 1};
    double sum = 0;
    for (size_t line = 0; line < PERIOD_LINES; line++) {
        const double *at = power + line * each, around = mean_of(at + 1, 2 * beside);
        const double chance = around > 0 ? f_upper(at[0] / around, 2, 4 * (double)beside) : 1;
        sum -= log(fmax(chance, 1e-300));
        of.p = fmin(of.p, sum_upper(sum, line + 1) * PERIOD_LINES);
        of.p_first = line ? of.p_first : chance;
    }
    return of;
}

/* Returns a rough score of how much the lines of this number of cycles rise above their
   surroundings. above[k] is the power at k / 2 cycles divided by the mean power around it. */
static double rough_score(const double above[], double cycles)
{
    double score = 0;
    for (size_t line = 1; line <= PERIOD_LINES; line++)
        score += log1p(above[(size_t)lrint(2 * (double)line * cycles)]);
    return score;
}

/* Divides the power at k / 2 cycles, k = 0 .., by the mean power from half to one and a half times
   that frequency, without the frequencies less than a cycle away. */
static void divide_by_surroundings(const struct series *s, double above[], struct arena *scratch)
{
    const size_t count = rough_count(s->n) + 1, mark = arena_mark(scratch);
    double *power = arena_alloc(scratch, count, sizeof *power);
    double *sum = arena_alloc(scratch, count, sizeof *sum);
    for (size_t k = 0; k < count; k++)
        sum[k] = cos(M_PI * (double)k / (double)s->n);
    periodogram_at(s->x, s->n, sum, count, power);
    sum[0] = power[0];
    for (size_t k = 1; k < count; k++)
        sum[k] = sum[k - 1] + power[k];
    above[0] = above[1] = above[2] = above[3] = 0;
    for (size_t k = 4; k < count; k++) {
        const size_t begin = (k + 1) / 2, end = 3 * k / 2 < count - 1 ? 3 * k / 2 : count - 1;
        const size_t right = k + 1 < end ? k + 1 : end;
        const double around = sum[end] - sum[right] + sum[k - 2] - sum[begin - 1];
        const double others = (double)(end - right + k - 1 - begin);
        above[k] = around > 0 ? power[k] * others / around : 0;
    }
    arena_reset(scratch, mark);
}

/* Finds the numbers of cycles with the highest scores that are more than one cycle apart. Returns
   how many it found. */
static size_t find_candidates(const struct series *s, double candidates[CANDIDATES],
                              struct arena *scratch)
{
    const size_t mark = arena_mark(scratch);
    double *above = arena_alloc(scratch, rough_count(s->n) + 1, sizeof *above);
    double scores[CANDIDATES] = {0};
    size_t count = 0;
    divide_by_surroundings(s, above, scratch);
    const size_t steps = (size_t)((s->max_cycles - FIRST_CYCLES) * PERIOD_LINES);
    for (size_t step = 0; step <= steps; step++) {
        const double cycles = FIRST_CYCLES + (double)step / PERIOD_LINES;
        const double score = rough_score(above, cycles);
        size_t place = 0;
        while (place < count && fabs(candidates[place] - cycles) > 1)
            place++;
        if (place == count && count == CANDIDATES)
            for (size_t i = place = 0; i < count; i++)
                place = scores[i] < scores[place] ? i : place;
        if (place < count && scores[place] >= score)
            continue;
        candidates[place] = cycles;
        scores[place] = score;
        count += place == count;
    }
    arena_reset(scratch, mark);
    return count;
}

/* Returns the most significant lines at this number of cycles or near it. */
static struct lines lines_near(const struct series *s, double cycles)
{
    struct lines best = {cycles, 1, 1};
    for (int step = -REFINEMENTS; step <= REFINEMENTS; step++) {
        const double at = cycles + (double)step / (2 * REFINEMENTS * PERIOD_LINES);
        if (at < FIRST_CYCLES || at > s->max_cycles)
            continue;
        const struct lines l = lines_at(s, at);
        best = l.p < best.p ? l : best;
    }
    return best;
}

/* Returns the lines of the longest period whose first line is present, otherwise the most
   significant lines. The lines found may be every second or third line of a longer period. */
static struct lines find_lines(const struct series *s, double error, struct arena *scratch)
{
    double candidates[CANDIDATES];
    struct lines best = {FIRST_CYCLES, 1, 1};
    const size_t count = find_candidates(s, candidates, scratch);
    bool has_first = false;
    for (int times = 1; times <= 3; times++)
        for (size_t i = 0; i < count; i++) {
            const struct lines l = lines_near(s, candidates[i] / times);
            const bool first = l.p <= error && l.p_first <= FIRST_LINE;
            if (first ? !has_first || l.cycles < best.cycles : !has_first && l.p < best.p)
                best = l;
            has_first |= first;
        }
    return best;
}

static size_t phase_of(const struct series *s, const struct period *p, size_t i)
{
    const double place = (double)i * p->cycles / (double)s->n;
    const size_t phase = (size_t)((place - floor(place)) * PHASES);
    return phase < PHASES ? phase : PHASES - 1;
}

/* Returns true if each third of the series shows the repeated pattern. Fills in the levels of the
   parts of the mean period in *p. */
static bool is_everywhere(const struct series *s, struct period *p)
{
    double sum[THIRDS][PHASES] = {{0}}, count[THIRDS][PHASES] = {{0}}, mean[PHASES], sorted[PHASES];
    double room[PHASES], depth[THIRDS] = {0}, all = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t third = i * THIRDS / s->n, phase = phase_of(s, p, i);
        sum[third][phase] += s->x[i];
        count[third][phase]++;
    }
    for (size_t k = 0; k < PHASES; k++) {
        double of = 0, n = 0;
        for (size_t t = 0; t < THIRDS; t++) {
            of += sum[t][k];
            n += count[t][k];
        }
        sorted[k] = mean[k] = of / n;
    }
    sort_values(sorted, PHASES, room);
    p->low = sorted[0];
    p->high = sorted[PHASES - 1];
    p->middle = (sorted[PHASES / 2 - 1] + sorted[PHASES / 2]) / 2;
    double beyond = 0, partial = 0;
    for (size_t k = 0; k < PHASES; k++)
        beyond += (mean[k] - p->middle) / PHASES;
    p->shift = fabs(beyond);
    for (size_t k = 0; k < PHASES; k++) {
        partial += (mean[k] - p->middle - beyond) / PHASES;
        p->shift = fmax(p->shift, fabs(partial) / p->cycles);
    }
    const double border = (p->low + p->high) / 2;
    for (size_t t = 0; t < THIRDS; t++) {
        double part[2] = {0}, n[2] = {0};
        for (size_t k = 0; k < PHASES; k++) {
            part[mean[k] > border] += sum[t][k];
            n[mean[k] > border] += count[t][k];
        }
        depth[t] = part[1] / n[1] - part[0] / n[0];
        all += depth[t] / THIRDS;
    }
    for (size_t t = 0; t < THIRDS; t++)
        if (!(depth[t] >= KEPT_SHARE * all))
            return false;
    return true;
}

struct period period_of(const double x[], size_t n, struct arena *scratch)
{
    struct period p = {0};
    const size_t size = (n + PERIOD_MAX_READINGS - 1) / PERIOD_MAX_READINGS,
                 mark = arena_mark(scratch);
    if (n < MIN_READINGS || !(standard_deviation_of(x, n, mean_of(x, n)) > 0))
        return p;
    struct series s = {.x = x, .n = n / size};
    double *blocks = arena_alloc(scratch, s.n, sizeof *blocks);
    for (size_t i = 0; i < s.n && size > 1; i++)
        blocks[i] = mean_of(x + i * size, size);
    s.x = size > 1 ? blocks : x;
    s.max_cycles = floor((double)s.n / PHASES);

    const double tried = (s.max_cycles - FIRST_CYCLES + 1) * PERIOD_LINES * 2 *
                         REFINEMENTS; /* the number of steps that lines_near tries */
    const double error = PERIOD_ERROR / tried;
    const struct lines best = find_lines(&s, error, scratch);
    p.cycles = best.cycles;
    p.readings = (double)(s.n * size) / p.cycles;
    p.found = best.p <= error && is_everywhere(&s, &p);
    arena_reset(scratch, mark);
    return p;
}
