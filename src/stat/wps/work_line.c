/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Solves generalised least squares for two or three columns. */
#include <float.h>
#include <math.h>

#include "stat/basic/descriptive.h"
#include "stat/estimate/autoregression.h"
#include "stat/estimate/long_memory.h"
#include "stat/estimate/mean_variance.h"
#include "stat/wps/internal.h"

#define MAX_ORDER 2
/* number of rounds that an autoregression needs for each coefficient */
#define ROUNDS_A_TERM   10
#define MAX_PERSISTENCE 0.98
/* A few rounds do not show persistence well: so the variance is raised by persistence times this
   number over the degrees of freedom. */
#define UNKNOWN_PERSISTENCE 6
/* number of times that the residuals and their autocorrelation are computed and the line is fitted
   again */
#define STEPS 2
/* minimum scale of a round's noise, as a share of the largest scale */
#define SMALLEST_SCALE 0.01
/* residuals below this share of the durations are not noise */
#define ROUNDING 1e-13
/* share of a column's length below which its remainder is a rounding error */
#define SAME 1e-12
/* confidence at which the models with and without memory are compared */
#define MEMORY_CONFIDENCE 0.95
/* excess kurtosis up to this many standard errors counts as chance */
#define CHANCE_ERRORS 2
/* minimum number of rounds that shows whether their noise grows */
#define PROPORTIONAL_ROUNDS 8
/* gain in the deviance at which the noise counts as proportional */
#define PROPORTIONAL_GAIN 4

/* A row of the regression: its columns and its seconds, first scaled and then filtered. */
struct row {
    double x[LINE_COLUMNS], y;
};

struct problem {
    const struct work_round *round;
    size_t n, columns;
    double bend, origin;
    /* unit of work, by which the amounts are divided so that the columns have similar sizes */
    double unit;
    double *scale;    /* [n], scale of each round's noise */
    double *residual; /* seconds over scale */
    struct row *row;
    struct autoregression model;
    struct arena *scratch;
};

size_t line_scratch_bytes(size_t n)
{
    size_t model = autoregression_scratch_bytes(n), memory = mean_variance_scratch_bytes(n);
    return 2 * arena_bytes(n, sizeof(double)) + arena_bytes(n, sizeof(struct row)) +
           (model > memory ? model : memory);
}

static struct row row_of(const struct problem *p, size_t i)
{
    double work = p->round[i].work, scale = p->scale[i];
    double below = work < p->bend ? work - p->bend : 0;
    return (struct row){{1 / scale, (work - p->origin) / p->unit / scale, below / p->unit / scale},
                        p->round[i].seconds / scale};
}

/*
 * Makes the rows without the autocorrelation of their noise: subtracts from each its prediction
 * from the rows before it. With an autoregression of order 1 the first row is kept (Prais,
 * Winsten); with other orders the first rows are lost. Returns the number of rows.
 */
static size_t filter_rows(const struct problem *p)
{
    size_t order = p->model.order, count = 0;
    for (size_t i = 0; i < p->n; i++) {
        struct row r = row_of(p, i);
        if (i < order && order > 1)
            continue;
        double first = i < order ? sqrt(1 - p->model.coefficient[0] * p->model.coefficient[0]) : 1;
        for (size_t c = 0; c < LINE_COLUMNS; c++)
            r.x[c] *= first;
        r.y *= first;
        for (size_t k = 0; k < order && i >= order; k++) {
            struct row before = row_of(p, i - 1 - k);
            for (size_t c = 0; c < LINE_COLUMNS; c++)
                r.x[c] -= p->model.coefficient[k] * before.x[c];
            r.y -= p->model.coefficient[k] * before.y;
        }
        p->row[count++] = r;
    }
    return count;
}

/* QR decomposition of the rows (modified Gram-Schmidt): `row` becomes Q, `inverse` is the inverse
   of R. */
struct triangle {
    double inverse[LINE_COLUMNS][LINE_COLUMNS];
};

static double product(const struct row row[], size_t count, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += row[i].x[a] * row[i].x[b];
    return sum;
}

/* Makes the columns orthonormal. Returns false if a column is a linear combination of those before
   it. */
static bool divide_rows(struct row row[], size_t count, size_t columns, struct triangle *t)
{
    double r[LINE_COLUMNS][LINE_COLUMNS] = {{0}};
    for (size_t b = 0; b < columns; b++) {
        double before = sqrt(product(row, count, b, b));
        for (size_t a = 0; a < b; a++) {
            r[a][b] = product(row, count, a, b);
            for (size_t i = 0; i < count; i++)
                row[i].x[b] -= r[a][b] * row[i].x[a];
        }
        r[b][b] = sqrt(product(row, count, b, b));
        if (!(r[b][b] > SAME * before))
            return false;
        for (size_t i = 0; i < count; i++)
            row[i].x[b] /= r[b][b];
    }
    for (size_t b = 0; b < columns; b++) {
        t->inverse[b][b] = 1 / r[b][b];
        for (size_t a = b; a-- > 0;) {
            double sum = 0;
            for (size_t k = a + 1; k <= b; k++)
                sum += r[a][k] * t->inverse[k][b];
            t->inverse[a][b] = -sum / r[a][a];
        }
    }
    return true;
}

/* Computes the component of y along each column of Q, and subtracts it: y then holds the errors. */
static void project(struct row row[], size_t count, size_t columns, double along[])
{
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < count; i++)
            along[c] += row[i].x[c] * row[i].y;
        for (size_t i = 0; i < count; i++)
            row[i].y -= along[c] * row[i].x[c];
    }
}

/* HC3: computes the variances of the coefficients when the size of the noise differs from row to
   row. */
static void sandwich(const struct row row[], size_t count, size_t columns, const struct triangle *t,
                     double variance[])
{
    for (size_t i = 0; i < count; i++) {
        const double *q = row[i].x;
        double leverage = 0;
        for (size_t c = 0; c < columns; c++)
            leverage += q[c] * q[c];
        double raised = row[i].y / fmax(1 - leverage, SAME);
        for (size_t c = 0; c < columns; c++) {
            double influence = 0;
            for (size_t k = c; k < columns; k++)
                influence += t->inverse[c][k] * q[k];
            variance[c] += influence * influence * raised * raised;
        }
    }
}

/*
 * Returns the number by which the degrees of freedom of a variance are divided because a few rounds
 * make up most of it: 1 + h / 2, with h the excess kurtosis of the errors beyond what chance
 * produces.
 */
static double tail_divisor(const struct row row[], size_t count, double squares)
{
    double fourth = 0;
    for (size_t i = 0; i < count; i++)
        fourth += pow(row[i].y, 4);
    double excess = (double)count * fourth / (squares * squares) - 3;
    return 1 + fmax(excess - CHANCE_ERRORS * sqrt(24 / (double)count), 0) / 2;
}

/* Computes the coefficients, their errors and the likelihood with the present scales and
   autoregression. */
static bool solve(const struct problem *p, bool weighted, struct line *out)
{
    size_t count = filter_rows(p), columns = p->columns;
    struct triangle t = {{{0}}};
    double along[LINE_COLUMNS] = {0}, robust[LINE_COLUMNS] = {0}, squares = 0, scales = 0;
    if (count < columns || !divide_rows(p->row, count, columns, &t))
        return false;
    project(p->row, count, columns, along);
    sandwich(p->row, count, columns, &t, robust);
    for (size_t i = 0; i < count; i++)
        squares += p->row[i].y * p->row[i].y;
    for (size_t i = 0; i < p->n; i++)
        scales += log(p->scale[i]);

    double left = (double)p->n - (double)columns - (double)p->model.order;
    double r = p->model.persistence;
    *out = (struct line){.columns = columns, .degrees = fmax(left, 0), .persistence = r};
    if (weighted && squares > 0 && left > 1) {
        double divisor = tail_divisor(p->row, count, squares);
        out->heavy_tailed = divisor > 1;
        out->degrees = fmax(left / divisor, 1);
    }
    out->independent = (double)p->n * (1 - r) / (1 + r);
    out->doubt = 1;
    out->deviance = (double)p->n * log(fmax(squares, DBL_MIN)) + 2 * scales;
    for (size_t c = 0; c < columns; c++) {
        double value = 0, length = 0;
        for (size_t k = c; k < columns; k++) {
            value += t.inverse[c][k] * along[k];
            length += t.inverse[c][k] * t.inverse[c][k];
        }
        double variance = length * squares / left;
        if (weighted)
            variance = fmax(variance, robust[c]) * (1 + UNKNOWN_PERSISTENCE * r / left);
        double unit = c == LINE_SETUP ? 1 : p->unit;
        out->value[c] = value / unit;
        out->error[c] = left > 0 ? sqrt(variance) / unit : INFINITY;
    }
    return true;
}

static double expected_seconds(const struct problem *p, const struct line *l, double work)
{
    double below = work < p->bend ? work - p->bend : 0;
    return l->value[LINE_SETUP] + l->value[LINE_SLOPE] * (work - p->origin) +
           l->value[LINE_EXTRA] * below;
}

/* Computes the residuals, divided by the scale of their noise. Returns false if the residuals are
   only rounding errors. */
static bool set_residuals(struct problem *p, const struct line *l)
{
    double largest = 0, duration = 0;
    for (size_t i = 0; i < p->n; i++) {
        double seconds = p->round[i].seconds;
        p->residual[i] = (seconds - expected_seconds(p, l, p->round[i].work)) / p->scale[i];
        largest = fmax(largest, fabs(p->residual[i]) * p->scale[i]);
        duration = fmax(duration, fabs(seconds));
    }
    return largest > ROUNDING * duration;
}

/* Fits the line, models the autocorrelation of the residuals, and fits again without it. */
static bool solve_in_steps(struct problem *p, struct line *out)
{
    p->model = (struct autoregression){0};
    if (!solve(p, true, out))
        return false;
    size_t max_order = p->n / ROUNDS_A_TERM < MAX_ORDER ? p->n / ROUNDS_A_TERM : MAX_ORDER;
    for (int step = 0; step < STEPS && max_order > 0; step++) {
        if (!set_residuals(p, out))
            return true;
        struct autoregression a = autoregression_fit(p->residual, p->n, 0, max_order, p->scratch);
        double r = a.persistence;
        /* a negative persistence would make the line more certain, which is not relied on */
        if (r <= 0)
            return true;
        double raised = fmin(r + (1 + r) * sqrt((double)a.order) / (double)p->n, MAX_PERSISTENCE);
        for (size_t k = 0; k < a.order; k++)
            a.coefficient[k] *= raised / r;
        a.persistence = raised;
        p->model = a;
        if (!solve(p, true, out))
            return false;
    }
    return true;
}

/*
 * Widens the errors by a factor: the interval of the residuals' mean that allows for memory,
 * divided by the interval that follows from the autoregression that was removed.
 */
static void allow_for_memory(struct problem *p, struct line *l)
{
    if (p->n < LONG_MEMORY_MIN_READINGS || !(l->degrees > 0) || !set_residuals(p, l))
        return;
    double squares = 0, rest = 1 - l->persistence;
    for (size_t i = 0; i < p->n; i++)
        squares += p->residual[i] * p->residual[i];
    /* the noise of an autoregression with persistence r has at most 1 - r^2 of the variance */
    double noise = squares * (1 - l->persistence * l->persistence) / (double)p->n;
    struct mean_variance v = {.value = noise / (rest * rest) / (double)p->n, .degrees = l->degrees};
    double before = mean_variance_half_width(&v, MEMORY_CONFIDENCE);
    mean_variance_allow_for_memory(&v, p->residual, p->n, MEMORY_CONFIDENCE, p->scratch);
    double wider = mean_variance_half_width(&v, MEMORY_CONFIDENCE) / before;
    for (size_t c = 0; c < l->columns; c++)
        l->error[c] *= wider;
    l->doubt = v.doubt;
    l->memory = v.memory;
}

bool line_fit(const struct work_round round[], size_t n, const struct line_options *options,
              struct line *out, struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    struct problem p = {.round = round,
                        .n = n,
                        .bend = options->bend,
                        .origin = options->origin,
                        .scratch = scratch};
    p.columns = options->bend > 0 ? 3 : 2;
    p.scale = arena_alloc(scratch, n, sizeof *p.scale);
    p.residual = arena_alloc(scratch, n, sizeof *p.residual);
    p.row = arena_alloc(scratch, n, sizeof *p.row);
    for (size_t i = 0; i < n; i++) {
        p.scale[i] = 1;
        p.unit = fmax(p.unit, round[i].work);
    }
    bool found = options->weighted ? solve_in_steps(&p, out) : solve(&p, false, out);
    if (found && options->weighted && n >= PROPORTIONAL_ROUNDS) {
        struct line other;
        double largest = 0;
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, expected_seconds(&p, out, round[i].work));
        for (size_t i = 0; i < n && largest > 0; i++)
            p.scale[i] = fmax(expected_seconds(&p, out, round[i].work) / largest, SMALLEST_SCALE);
        if (largest > 0 && solve_in_steps(&p, &other) &&
            other.deviance < out->deviance - PROPORTIONAL_GAIN) {
            *out = other;
            out->proportional = true;
        }
    }
    if (found && options->weighted) {
        for (size_t i = 0; i < n && !out->proportional; i++)
            p.scale[i] = 1;
        if (!options->brief)
            allow_for_memory(&p, out);
    }
    arena_reset(scratch, mark);
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += round[i].work / (double)n;
    out->mean_work = mean;
    out->spread = 0;
    for (size_t i = 0; i < n; i++)
        out->spread += (round[i].work - mean) * (round[i].work - mean);
    return found;
}
