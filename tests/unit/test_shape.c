/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of small samples: intervals of SDs and Shapiro-Wilk compared with R 4.2, and how often
   the test for one mode is right. */
#include "base/random.h"
#include "check.h"
#include "stat/basic/distribution.h"
#include "stat/shape/shape.h"

#define VALUES_MAX 64

/* R: shapiro.test(x), sd(x), and Bonett's interval by its formula with mean(x, trim). */
static const struct series {
    const char *name;
    size_t n;
    double w, p, sd, low, high; /* low 0: no interval */
    double x[VALUES_MAX];       /* zeros: see fill */
} list[] = {
    {"three", 3, 0.9642857143, 0.636886845, 1.527525232, 0, 0, {1, 2, 4}},
    {"five",
     5,
     0.7223741427,
     0.01618085049,
     0.7854934755,
     0.1299279317,
     7.810411477,
     {3.1, 2.9, 3.3, 4.8, 3.0}},
    {"six",
     6,
     0.8667664481,
     0.2136172169,
     0.8612007122,
     0.2940223171,
     3.746230354,
     {3.1, 2.9, 3.3, 4.8, 3.0, 2.2}},
    {"eleven",
     11,
     0.7888146948,
     0.006703814057,
     24.95195383,
     10.50739749,
     72.10020162,
     {148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236}},
    {"twelve",
     12,
     0.6024528366,
     0.0001124443244,
     1.793100202,
     0.6377084905,
     6.026052276,
     {2.5, 2.7, 1.1, 8.4, 2.6, 2.9, 2.4, 2.2, 3.1, 2.0, 2.8, 2.75}},
    {"ramp", 40, 0.9562112673, 0.1241385685, 11.69045194, 10.27459361, 13.9867567, {0}},
    {"two", 40, 0.7137018854, 1.645659656e-07, 3.557888349, 3.458732473, 3.848457819, {0}},
    {"squares", 25, 0.9032484956, 0.02160578322, 197.1272854, 157.9259763, 266.9910895, {0}},
};

static void fill(const struct series *s, double x[])
{
    memcpy(x, s->x, sizeof s->x);
    for (size_t i = 0; i < s->n; i++) {
        double k = (double)i;
        if (!strcmp(s->name, "ramp"))
            x[i] = k + 1;
        if (!strcmp(s->name, "two"))
            x[i] = i < 20 ? 1 + k / 19 : 8 + (k - 20) / 19;
        if (!strcmp(s->name, "squares"))
            x[i] = (k + 1) * (k + 1);
    }
}

static void beside_r(void)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const struct series *s = &list[i];
        double x[VALUES_MAX], room[VALUES_MAX];
        fill(s, x);
        struct deviation d = deviation_of(x, s->n, 0.95);
        CHECK_NEAR(d.sd, s->sd, 1e-8);
        if (s->low > 0) {
            CHECK_NEAR(d.low, s->low, 1e-8);
            CHECK_NEAR(d.high, s->high, 1e-8);
        } else {
            CHECK(isnan(d.low) && isnan(d.high));
        }
        struct normality n = normality_of(x, s->n, room);
        CHECK_NEAR(n.w, s->w, 1e-6);
        CHECK_NEAR(n.p, s->p, 1e-4);
    }
}

/* Samples too small for any statement. */
static void too_little(void)
{
    double alike[VALUES_MAX] = {0}, room[2 * VALUES_MAX], two[] = {1, 2};
    CHECK(isnan(deviation_of(alike, 1, 0.95).sd));
    CHECK(isnan(deviation_of(alike, 0, 0.95).sd));
    CHECK_NEAR(deviation_of(alike, 20, 0.95).sd, 0, 0);
    CHECK(isnan(deviation_of(alike, 20, 0.95).high));
    CHECK(isnan(normality_of(two, 2, room).p));
    CHECK(isnan(normality_of(alike, 20, room).p));
    CHECK(isnan(one_mode_p(alike, 20, room)));
    CHECK(isnan(one_mode_p(two, 2, room)));
}

static double normal_value(struct random *r)
{
    return normal_quantile(random_unit(r) + 0x1p-54);
}

/* Returns the share of samples from two normals, `apart` SDs apart, that are taken for more than
   one mode. */
static double found(double apart, size_t n, unsigned samples)
{
    double x[VALUES_MAX], room[2 * VALUES_MAX];
    struct random r;
    unsigned count = 0;
    random_seed(&r, 7, n);
    for (unsigned k = 0; k < samples; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = normal_value(&r) + (random_unit(&r) < 0.5 ? apart : 0);
        count += one_mode_p(x, n, room) < 0.1;
    }
    return count / (double)samples;
}

static void modes(void)
{
    CHECK(found(0, 20, 30) <= 0.1);
    CHECK(found(0, 40, 30) <= 0.1);
    CHECK(found(5, 40, 30) >= 0.8);
    CHECK(found(6, 20, 30) >= 0.7);
}

/* For skewed data Bonett's interval contains the SD less often than 95 %, but far more often than
   the chi-squared interval (0.7). */
static void coverage(void)
{
    double x[40];
    struct random r;
    unsigned held = 0, samples = 2000;
    random_seed(&r, 3, 0);
    for (unsigned k = 0; k < samples; k++) {
        for (size_t i = 0; i < 40; i++)
            x[i] = -log(1 - random_unit(&r)); /* exponential, whose SD is 1 */
        struct deviation d = deviation_of(x, 40, 0.95);
        held += d.low <= 1 && d.high >= 1;
    }
    CHECK(held / (double)samples > 0.87);
}

int main(void)
{
    beside_r();
    too_little();
    modes();
    coverage();
    return check_result();
}
