/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the response of a configuration from its runs, and its error due to their limited
   number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/random.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/sort.h"
#include "stat/map/internal.h"

static const struct {
    const char *name;
    struct response response;
} statistics[] = {
    {"mean", {RESPONSE_MEAN, 0, NULL}},         {"sd", {RESPONSE_SD, 0, NULL}},
    {"variance", {RESPONSE_VARIANCE, 0, NULL}}, {"cv", {RESPONSE_CV, 0, NULL}},
    {"min", {RESPONSE_PERCENTILE, 0, NULL}},    {"median", {RESPONSE_PERCENTILE, 50, NULL}},
    {"max", {RESPONSE_PERCENTILE, 100, NULL}},
};

bool response_parse(const char *name, struct response *r)
{
    double percentile;
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (!strcmp(statistics[i].name, name)) {
            *r = statistics[i].response;
            r->name = name;
            return true;
        }
    if (name[0] != 'p' || number_parse(name + 1, strlen(name + 1), &percentile) != NUMBER_OK ||
        !(percentile >= 0 && percentile <= 100))
        return false;
    *r = (struct response){RESPONSE_PERCENTILE, percentile, name};
    return true;
}

/* Returns a percentile of ascending runs, interpolated between order statistics (R's type 7). */
static double percentile_of(const double runs[], size_t n, double percentile)
{
    double place = percentile / 100 * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return runs[n - 1];
    return runs[below] + (place - (double)below) * (runs[below + 1] - runs[below]);
}

double response_of_runs(const struct response *r, const double runs[], size_t n)
{
    if (n == 0)
        return NAN;
    if (r->kind == RESPONSE_PERCENTILE)
        return percentile_of(runs, n, r->percentile);
    double mean = mean_of(runs, n), sd = standard_deviation_of(runs, n, mean);
    switch (r->kind) {
    case RESPONSE_SD:
        return sd;
    case RESPONSE_VARIANCE:
        return sd * sd;
    case RESPONSE_CV:
        return mean != 0 ? sd / fabs(mean) : (double)NAN;
    default:
        return mean;
    }
}

/* ---- noise ---- */

#define BOOTSTRAP_MIN  20
#define BOOTSTRAP_MAX  200
#define BOOTSTRAP_WORK 2e7 /* about this many runs are drawn in total */

struct spread {
    double error; /* relative standard error of the response */
    double are;   /* mean absolute relative error of the response */
};

/*
 * Computes the error of the response from samples drawn with replacement (Efron, 1979): such a
 * sample differs from the measured runs as the measured runs differ from the truth. `room` has 2 n
 * values.
 */
static struct spread bootstrap(const struct response *r, const double runs[], size_t n,
                               size_t samples, struct random *random, double room[])
{
    double value = response_of_runs(r, runs, n), squares = 0, errors = 0;
    size_t counted = 0;
    for (size_t b = 0; b < samples; b++) {
        for (size_t i = 0; i < n; i++)
            room[i] = runs[random_below(random, n)];
        if (r->kind == RESPONSE_PERCENTILE)
            sort_values(room, n, room + n);
        double other = response_of_runs(r, room, n);
        if (!isfinite(other) || other == 0)
            continue;
        counted++;
        squares += (other - value) * (other - value);
        errors += fabs((value - other) / other);
    }
    if (counted < samples / 2 || value == 0)
        return (struct spread){(double)NAN, (double)NAN};
    return (struct spread){sqrt(squares / (double)counted) / fabs(value), errors / (double)counted};
}

void response_compute(struct configurations *c, uint64_t seed, double room[])
{
    struct random random;
    double total = (double)c->run_begin[c->n], sum = 0;
    double samples = fmin(fmax(BOOTSTRAP_WORK / total, BOOTSTRAP_MIN), BOOTSTRAP_MAX);
    size_t counted = 0;
    random_seed(&random, seed, 0);
    for (size_t i = 0; i < c->n; i++) {
        double *runs = c->runs + c->run_begin[i];
        size_t n = c->run_begin[i + 1] - c->run_begin[i];
        sort_values(runs, n, room);
        c->run_count[i] = (double)n;
        c->value[i] = response_of_runs(&c->response, runs, n);
        struct spread s = {(double)NAN, (double)NAN};
        if (n > 1)
            s = bootstrap(&c->response, runs, n, (size_t)samples, &random, room);
        c->noise[i] = s.error;
        if (isfinite(s.are)) {
            sum += s.are;
            counted++;
        }
    }
    c->mean_noise = counted ? sum / (double)counted : (double)NAN;
}
