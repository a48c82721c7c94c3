/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Racks with known truth: machines with drives of one model that differ as real ones do and are
 * measured with noise, and of which some are slowed down. For the unit test with fixed seeds, and
 * for the bench with fresh ones.
 */
#ifndef TESTS_UNIT_SIMULATED_RACK_H
#define TESTS_UNIT_SIMULATED_RACK_H

#include "simulated.h"
#include "stat/outlier/odd_ones.h"

#define RACK_DRIVES 512
#define RACK_TESTS  3 /* read, randread, and its p99 */

enum rack_shape {
    RACK_NORMAL,       /* rates are lognormal: their logarithms are normal */
    RACK_SKEWED,       /* the time is lognormal with a skewness of 1.75: a tail of slow drives */
    RACK_LAPLACE,      /* exponential tails */
    RACK_T5,           /* Student's t with 5 degrees of freedom: the fourth moment just exists */
    RACK_T3,           /* with 3 degrees: hardly a variance; no promise is made for it */
    RACK_CONTAMINATED, /* normal; one in ten has three times the standard deviation */
    RACK_SHAPES
};

static const char *const rack_shape_names[] = {"normal", "skewed", "Laplace",
                                               "t(5)",   "t(3)",   "contaminated"};

struct rack {
    enum rack_shape shape;
    double sd;    /* relative, between drives */
    double noise; /* relative standard error of each measurement */
    bool common;  /* true: a drive deviates equally in all tests; false: independently in each */
    int machines, drives;
    int slow_drives;   /* number of slow drives, on different machines; or ... */
    bool slow_machine; /* all of machine 0 */
    double slowed;     /* by this share */
    int firmwares;     /* 2: every other machine has a firmware that is a tenth slower */
};

static inline double rack_gamma_normal(uint64_t *s, int df)
{
    double squares = 0;
    for (int i = 0; i < df; i++) {
        double z = simulated_normal(s);
        squares += z * z;
    }
    return simulated_normal(s) / sqrt(squares / df) / sqrt(df / (df - 2.0));
}

/* Returns a deviation with mean 0 and standard deviation 1; larger is slower. */
static inline double rack_deviation(enum rack_shape shape, uint64_t *s)
{
    const double tau = 0.5;
    double u;
    switch (shape) {
    case RACK_SKEWED:
        return (exp(tau * simulated_normal(s)) - exp(tau * tau / 2)) /
               sqrt((exp(tau * tau) - 1) * exp(tau * tau));
    case RACK_LAPLACE:
        u = simulated_uniform(s) - 0.5;
        return copysign(log(1 - 2 * fabs(u)), -u) / sqrt(2);
    case RACK_T5:
        return rack_gamma_normal(s, 5);
    case RACK_T3:
        return rack_gamma_normal(s, 3);
    case RACK_CONTAMINATED:
        return simulated_normal(s) * (simulated_uniform(s) < 0.1 ? 3 : 1) / sqrt(0.9 + 0.1 * 9);
    default:
        return simulated_normal(s);
    }
}

static inline bool rack_is_slow(const struct rack *rack, int drive)
{
    if (rack->slow_machine)
        return drive / rack->drives == 0;
    return drive % rack->drives == 0 && drive / rack->drives < rack->slow_drives;
}

static inline void rack_make(const struct rack *rack, struct odd_drive drives[], uint64_t *s)
{
    for (int i = 0; i < rack->machines * rack->drives; i++) {
        double common = rack_deviation(rack->shape, s);
        drives[i].machine = i / rack->drives;
        for (int t = 0; t < RACK_TESTS; t++) {
            double own = rack->common ? common : rack_deviation(rack->shape, s);
            double wide = t == 2 ? 2 : 1; /* tail latencies vary more */
            bool other = rack->firmwares == 2 && drives[i].machine % 2;
            double x = wide * (rack->sd * own + rack->noise * simulated_normal(s));
            x += rack_is_slow(rack, i) ? -log(1 - rack->slowed) : 0;
            x += other ? -log(0.9) : 0;
            drives[i].tests[t] =
                (struct odd_value){.x = x, .se = wide * rack->noise, .group = other};
        }
    }
}

struct rack_outcome {
    bool all_slow_named, false_name, undecided;
};

static inline struct rack_outcome rack_judge(const struct rack *rack,
                                             const struct odd_drive drives[])
{
    static const struct odd_test tests[RACK_TESTS] = {
        {0.0513, true}, {0.0513, true}, {0.2231, false}}; /* 5 % and 20 % */
    struct rack_outcome outcome = {true, false, false};
    static bool named[RACK_DRIVES];
    struct odd_ones found;
    int count = rack->machines * rack->drives;
    for (int i = 0; i < count; i++)
        named[i] = false;
    if (!odd_ones_find(&found, drives, (size_t)count, (size_t)rack->machines, tests, RACK_TESTS))
        return (struct rack_outcome){false, true, false};
    for (size_t i = 0; i < found.count; i++) {
        const struct odd_one *o = &found.all[i];
        outcome.undecided |= o->is_hidden;
        if (!o->named)
            continue;
        if (o->kind != ODD_MACHINE)
            named[o->unit] = true;
        else
            for (int d = 0; d < rack->drives; d++)
                named[o->unit * rack->drives + d] = true;
    }
    free(found.all);
    for (int i = 0; i < count; i++) {
        outcome.all_slow_named &= named[i] || !rack_is_slow(rack, i);
        outcome.false_name |= named[i] && !rack_is_slow(rack, i);
    }
    return outcome;
}

#endif
