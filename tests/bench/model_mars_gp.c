/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What MARS and the Gaussian process cost on a map of 810 configurations of 4 factors, a grid of
 * 15 x 9 x 6 with noise: processor time, and the memory of both together.
 */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
#include "stat/model/model.h"
#include "tests/bench/figure.h"

#define POINTS      810
#define PREDICTIONS 10000

static double at[POINTS][4], value[POINTS];

static double normal(struct random *r)
{
    return sqrt(-2 * log(1 - random_unit(r))) * cos(6.283185307179586 * random_unit(r));
}

static void make_map(void)
{
    static const double pairs[6][2] = {{64, 32},   {256, 32},   {256, 128},
                                       {1024, 32}, {1024, 128}, {1024, 512}};
    struct random r;
    random_seed(&r, 1, 0);
    for (size_t i = 0; i < POINTS; i++) {
        double frequency = 1.2 + 0.13 * (double)(i % 15), threads = exp2((double)(i / 15 % 9));
        const double *pair = pairs[i / 135];
        at[i][0] = frequency;
        at[i][1] = threads;
        at[i][2] = pair[0];
        at[i][3] = pair[1];
        value[i] = exp(10 + frequency / 3 + sin(log2(threads)) + 0.8 * log(pair[0]) -
                       0.3 * log(pair[1]) * log(threads) / 4 + 0.08 * normal(&r));
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int measure(const char *method, double fit_limit)
{
    static const bool logarithmic[] = {true, true, true, true};
    struct model_points points = {POINTS, 4, at[0], value, NULL, NULL};
    struct model_options options = {.log_factor = logarithmic, .log_response = true, .seed = 1};
    struct model *m = NULL;
    struct err e;
    struct random r;
    char name[64];
    double begin = seconds(), sum = 0;
    if (model_fit(&m, model_method_named(method, strlen(method)), &points, &options, &e)) {
        fprintf(stderr, "%s: %s\n", method, e.msg);
        return -1;
    }
    double fitted = seconds();
    random_seed(&r, 2, 0);
    for (size_t i = 0; i < PREDICTIONS; i++) {
        double place[] = {1.2 + 1.8 * random_unit(&r), 1 + 255 * random_unit(&r),
                          64 + 960 * random_unit(&r), 32 + 480 * random_unit(&r)};
        sum += model_answer(m, place).value;
    }
    double done = seconds();
    model_free(m);
    snprintf(name, sizeof name, "map %s, 810 points, fit", method);
    figure_limit(name, "s", 3, fitted - begin, fit_limit);
    snprintf(name, sizeof name, "map %s, 10k predictions", method);
    figure_limit(name, "s", 3, done - fitted, 2);
    return isfinite(sum) ? 0 : -1;
}

int main(void)
{
    struct rusage usage;
    make_map();
    if (measure("mars", 2) || measure("gp", 20))
        return 1;
    getrusage(RUSAGE_SELF, &usage);
    figure_limit("map mars and gp, memory", "MiB", 1, (double)usage.ru_maxrss / 1024, 200);
    return 0;
}
