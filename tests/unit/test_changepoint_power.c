/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts what the default change point method finds in simulated series: false alarms without
 * changes, the place of real changes, the verdict on drifts. Takes some seconds; a row that fails
 * is printed with its count.
 */
#include "stat/change/changepoint.h"

#include "stat/change/segment.h"
#include "tests/unit/cases.h"
#include "tests/unit/simulated.h"
#include "tests/unit/simulations.h"

#define COUNT_MAX 10000

static struct arena arena;
static uint64_t seed = 20240229;
static double x[COUNT_MAX];

static void normal(size_t n, double sd, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + sd * simulated_normal(&seed);
}

static void lognormal(size_t n, double sigma, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = exp(sigma * simulated_normal(&seed));
}

/* Two levels 50 apart, drawn independently. */
static void bimodal(size_t n, double share, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + (simulated_uniform(&seed) < share ? 50 : 0) + 4 * simulated_normal(&seed);
}

/* Two levels that alternate as a Markov chain. */
static void switching(size_t n, double probability, double distance)
{
    bool high = simulated_uniform(&seed) < 0.5;
    for (size_t i = 0; i < n; i++) {
        high ^= simulated_uniform(&seed) < probability;
        x[i] = 100 + (high ? distance : 0) + 4 * simulated_normal(&seed);
    }
}

/* Short stalls of a few readings: they begin with the given probability and end with probability
   .3. */
static void bursts(size_t n, double probability, double unused)
{
    (void)unused;
    bool stalled = false;
    for (size_t i = 0; i < n; i++) {
        stalled = simulated_uniform(&seed) < (stalled ? 0.7 : probability);
        x[i] = (stalled ? 50 : 100) + 5 * simulated_normal(&seed);
    }
}

/* An AR(1) series with .9 under white noise: ARMA(.9, -.7). */
static void hidden_ar1(size_t n, double unused, double unused_too)
{
    (void)unused;
    (void)unused_too;
    double y = 0, before = 0;
    for (size_t i = 0; i < n + 100; i++) {
        double noise = simulated_normal(&seed);
        y = 0.9 * y + noise - 0.7 * before;
        before = noise;
        if (i >= 100)
            x[i - 100] = y;
    }
}

static void ar1(size_t n, double rho, double unused)
{
    (void)unused;
    simulated_ar1(x, n, rho, &seed);
}

static void ones_and_zeros(size_t n, double share, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = simulated_uniform(&seed) < share;
}

static void poisson(size_t n, double mean, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++) {
        size_t events = 0;
        double product = simulated_uniform(&seed);
        for (; product > exp(-mean); events++)
            product *= simulated_uniform(&seed);
        x[i] = (double)events;
    }
}

static void rare_spikes(size_t n, double share, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = 10 + (simulated_uniform(&seed) < share ? 1000 * simulated_uniform(&seed) : 0);
}

/* A sharp dip of 40 readings every 200, as periodic garbage collection makes. */
static void dips(size_t n, double depth, double unused)
{
    (void)unused;
    for (size_t i = 0; i < n; i++)
        x[i] = 100 - (i % 200 < 40 ? depth : 0) + 4 * simulated_normal(&seed);
}

struct stationary {
    const char *name;
    void (*make)(size_t n, double parameter, double second);
    double parameter, second;
    size_t n, runs, max_cut; /* max_cut: the number of runs that may have a cut */
};

/* The limits are the target plus three standard errors of the count; measured shares are lower. */
static const struct stationary stationary[] = {
    {"normal", normal, 5, 0, 100, 400, 10},
    {"normal", normal, 5, 0, 500, 400, 10},
    {"normal", normal, 5, 0, 2000, 200, 6},
    {"normal", normal, 5, 0, 10000, 20, 1},
    {"lognormal .5", lognormal, 0.5, 0, 300, 400, 10},
    {"lognormal 1", lognormal, 1, 0, 300, 400, 10},
    {"lognormal 1", lognormal, 1, 0, 2000, 200, 6},
    {"lognormal 1.5", lognormal, 1.5, 0, 1000, 200, 6},
    {"bimodal 80/20", bimodal, 0.2, 0, 300, 400, 10},
    {"bimodal 80/20", bimodal, 0.2, 0, 2000, 200, 6},
    {"bimodal 50/50", bimodal, 0.5, 0, 300, 400, 10},
    {"bimodal 90/10", bimodal, 0.1, 0, 1000, 200, 6},
    {"AR(1) .3", ar1, 0.3, 0, 300, 200, 6},
    {"AR(1) .6", ar1, 0.6, 0, 200, 400, 20},
    {"AR(1) .6", ar1, 0.6, 0, 2000, 200, 10},
    {"AR(1) .9", ar1, 0.9, 0, 200, 400, 20},
    {"AR(1) .9", ar1, 0.9, 0, 60, 400, 32},
    {"AR(1) .9", ar1, 0.9, 0, 2000, 200, 10},
    {"AR(1) .95", ar1, 0.95, 0, 100, 400, 32},
    {"ARMA(.9, -.7)", hidden_ar1, 0, 0, 200, 400, 45},
    {"ARMA(.9, -.7)", hidden_ar1, 0, 0, 500, 400, 32},
    {"bursts .01", bursts, 0.01, 0, 300, 400, 32},
    {"bursts .01", bursts, 0.01, 0, 1000, 400, 32},
    {"bursts .01", bursts, 0.01, 0, 2000, 400, 20},
    {"bursts .003", bursts, 0.003, 0, 2000, 400, 32},
    {"bursts .01", bursts, 0.01, 0, 5000, 100, 5},
    {"zeros and ones", ones_and_zeros, 0.1, 0, 1000, 200, 6},
    {"Poisson 3", poisson, 3, 0, 500, 200, 6},
    {"Poisson .3", poisson, 0.3, 0, 1000, 200, 6},
    {"rare spikes", rare_spikes, 0.01, 0, 1000, 200, 0},
    {"switching .1", switching, 0.1, 50, 100, 400, 20},
    {"switching .1", switching, 0.1, 50, 200, 400, 8},
    {"switching .05", switching, 0.05, 50, 200, 400, 56},
    {"switching .02", switching, 0.02, 50, 2000, 200, 10},
    {"switching .05", switching, 0.05, 50, 2000, 200, 10},
    {"switching .1", switching, 0.1, 50, 1000, 200, 10},
    {"switching .2", switching, 0.2, 50, 500, 200, 10},
    {"switching .5", switching, 0.5, 50, 500, 200, 6},
    {"dips", dips, 40, 0, 2000, 50, 0},
};

static struct segment_verdict judge_series(size_t n, size_t *cut_count, bool higher_is_better)
{
    size_t cuts[COUNT_MAX / CHANGEPOINT_MINIMUM_SEGMENT];
    *cut_count =
        changepoint_find(CHANGEPOINT_PELT, x, n, cuts, sizeof cuts / sizeof cuts[0], &arena);
    return segment_judge(x, n, cuts, *cut_count, higher_is_better);
}

static void count_false_alarms(const struct stationary *s)
{
    size_t cut = 0, cut_count;
    for (size_t run = 0; run < SIMULATED_RUNS(s->runs); run++) {
        s->make(s->n, s->parameter, s->second);
        judge_series(s->n, &cut_count, true);
        cut += cut_count > 0;
    }
    char text[160];
    snprintf(text, sizeof text, "%s, n = %zu: %zu of %zu cut, at most %zu", s->name, s->n, cut,
             s->runs, s->max_cut);
    check_that(cut <= s->max_cut, "false alarms", 0, text);
}

struct phases {
    double warm, stable, cool, sd, rho;
    /* min_found: runs in which both ends are within `within` readings of the truth */
    size_t runs, min_found;
    size_t within;
    double strays, height; /* a share of the readings is higher by this much */
};

static const struct phases phases[] = {
    {50, 100, 70, 4, 0, 300, 297, 2, 0, 0},      {50, 100, 70, 4, 0.3, 300, 297, 2, 0, 0},
    {50, 100, 50, 4, 0, 100, 99, 2, 0, 0},       {100, 50, 70, 4, 0, 100, 99, 2, 0, 0},
    {80, 100, 90, 5, 0, 200, 196, 6, 0, 0},      {80, 100, 90, 5, 0.3, 200, 190, 8, 0, 0},
    {50, 100, 70, 4, 0.6, 200, 190, 2, 0, 0},    {50, 100, 70, 0, 0, 1, 1, 0, 0, 0},
    {50, 100, 70, 4, 0, 400, 388, 2, 0.01, 600}, {50, 100, 70, 4, 0, 400, 376, 2, 0.03, 600},
};

static bool is_within(size_t a, size_t b, size_t distance)
{
    return a + distance >= b && b + distance >= a;
}

static void count_found_ends(const struct phases *p)
{
    size_t found = 0, cut_count;
    for (size_t run = 0; run < SIMULATED_RUNS(p->runs); run++) {
        simulated_ar1(x, 400, p->rho, &seed);
        for (size_t i = 0; i < 400; i++)
            x[i] = p->sd * x[i] +
                   (i < 60    ? p->warm
                    : i < 360 ? p->stable
                              : p->cool) +
                   (p->strays > 0 && simulated_uniform(&seed) < p->strays ? p->height : 0);
        struct segment_verdict v = judge_series(400, &cut_count, true);
        found += is_within(v.begin, 60, p->within) && is_within(v.end, 360, p->within) &&
                 v.phase == PHASE_WARMUP;
    }
    char text[160];
    snprintf(text, sizeof text, "%g/%g/%g sd %g rho %g strays %g: %zu of %zu found, at least %zu",
             p->warm, p->stable, p->cool, p->sd, p->rho, p->strays, found, p->runs, p->min_found);
    check_that(COUNTED(found >= p->min_found), "warm, stable, cool", 0, text);
}

struct start {
    double slow, spread, rho; /* of 100 */
    size_t length, n, runs, min_found, within;
};

/* Starts that are shorter than a segment of the search. */
static const struct start starts[] = {
    {50, 5, 0, 5, 300, 400, 392, 2},   {50, 5, 0, 10, 300, 400, 396, 2},
    {50, 5, 0, 18, 300, 400, 392, 2},  {50, 5, 0.5, 10, 300, 400, 384, 2},
    {2, 20, 0, 18, 1000, 400, 340, 2}, {50, 5, 0, 25, 60, 400, 360, 2},
};

static void count_found_starts(const struct start *s)
{
    size_t found = 0, cut_count;
    for (size_t run = 0; run < SIMULATED_RUNS(s->runs); run++) {
        simulated_ar1(x, s->n, s->rho, &seed);
        for (size_t i = 0; i < s->n; i++)
            x[i] = i < s->length ? s->slow * (1 + 0.05 * x[i]) : 100 + s->spread * x[i];
        struct segment_verdict v = judge_series(s->n, &cut_count, true);
        found += is_within(v.begin, s->length, s->within) && v.end == s->n;
    }
    char text[160];
    snprintf(text, sizeof text, "%zu at %g of %zu, rho %g: %zu of %zu found, at least %zu",
             s->length, s->slow, s->n, s->rho, found, s->runs, s->min_found);
    check_that(COUNTED(found >= s->min_found), "short warm-up", 0, text);
}

static void linear_drift(size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + 10 * (double)i / (double)n + simulated_normal(&seed);
}

static void ramp_without_noise(size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i;
}

static void slow_decay(size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + 60 * exp(-(double)i / 100) + 2 * simulated_normal(&seed);
}

static void decay_then_stable(size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 100 + 60 * exp(-(double)i / 40) + 2 * simulated_normal(&seed);
}

static void late_step(size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (i < n - n / 3 ? 80 : 100) + 4 * simulated_normal(&seed);
}

/* A start at a lower level, then readings that alternate. */
static void start_then_switching(size_t n)
{
    switching(n, 0.2, 50);
    for (size_t i = 0; i < n / 6; i++)
        x[i] -= 60;
}

struct trend {
    const char *name;
    void (*make)(size_t n);
    size_t n, runs, least;
    enum phase phase; /* the phase if the readings are times, of which lower is better */
};

static const struct trend trends[] = {
    {"drift of 10 sd", linear_drift, 600, 100, 97, PHASE_NO_STEADY_STATE},
    {"ramp without noise", ramp_without_noise, 600, 1, 1, PHASE_NO_STEADY_STATE},
    {"decay over the whole series", slow_decay, 600, 100, 95, PHASE_NO_STEADY_STATE},
    {"decay, then stable", decay_then_stable, 600, 100, 97, PHASE_WARMUP},
    {"late step", late_step, 600, 100, 99, PHASE_SLOWDOWN},
    {"start, then switching", start_then_switching, 1800, 100, 95, PHASE_WARMUP},
};

static void count_verdicts(const struct trend *t)
{
    size_t right = 0, cut_count;
    for (size_t run = 0; run < SIMULATED_RUNS(t->runs); run++) {
        t->make(t->n);
        right += judge_series(t->n, &cut_count, false).phase == t->phase;
    }
    char text[160];
    snprintf(text, sizeof text, "%s: %zu of %zu, at least %zu", t->name, right, t->runs, t->least);
    check_that(COUNTED(right >= t->least), "verdicts", 0, text);
}

static void edges(void)
{
    size_t cut_count;
    for (size_t i = 0; i < 200; i++)
        x[i] = 7;
    CHECK_INT(judge_series(200, &cut_count, true).phase, PHASE_FLAT);
    CHECK_INT(judge_series(59, &cut_count, true).phase, PHASE_FLAT);
    CHECK_INT(judge_series(0, &cut_count, true).phase, PHASE_FLAT);
    for (size_t i = 0; i < 200; i++)
        x[i] = i < 60 ? 6 : 7;
    CHECK_INT(judge_series(200, &cut_count, true).begin, 60);
    for (size_t i = 0; i < 400; i++)
        x[i] = 1e9 + (i < 60 ? 0 : 2) + 0.25 * simulated_normal(&seed);
    CHECK(is_within(judge_series(400, &cut_count, true).begin, 60, 2));
}

/* Series with known change points: the default method finds them. */
static void check_case(struct cases *c, const char *name, const size_t expected[], size_t count)
{
    struct expected_row row = {0};
    size_t cuts[32];
    snprintf(row.name, sizeof row.name, "%s", name);
    if (!cases_load(c, &row))
        return;
    size_t found = changepoint_find(CHANGEPOINT_PELT, c->x, c->n, cuts, 32, &arena);
    CHECK_INT(found, count);
    for (size_t i = 0; i < found && i < count; i++)
        CHECK(is_within(cuts[i], expected[i], 1));
}

static void known_series(void)
{
    static struct cases c;
    const char *folder = cases_elsewhere();
    if (!folder || !cases_open(&c, folder))
        return;
    check_case(&c, "iid500", NULL, 0);
    check_case(&c, "ar1_05_2000", NULL, 0);
    check_case(&c, "varchange_100_200", NULL, 0);
    check_case(&c, "step_60_300_40", (const size_t[]){60, 360}, 2);
    check_case(&c, "const_30_130_30", (const size_t[]){30, 160}, 2);
    check_case(&c, "const_30_30", (const size_t[]){30}, 1);
    fclose(c.rows);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, changepoint_scratch_bytes(CHANGEPOINT_PELT, COUNT_MAX), &e), 0);
    for (size_t i = 0; i < sizeof stationary / sizeof stationary[0]; i++)
        count_false_alarms(&stationary[i]);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        count_found_ends(&phases[i]);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        count_found_starts(&starts[i]);
    for (size_t i = 0; i < sizeof trends / sizeof trends[0]; i++)
        count_verdicts(&trends[i]);
    edges();
    known_series();
    CHECK_INT(arena.used, 0);
    arena_free(&arena);
    return check_result();
}
