/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often the nominal 95 % interval contains the true mean: simulated series with a known
 * mean go through the whole pipeline, at fixed lengths and at the time the stop rule fires. Prints
 * the shares. The seeds are fixed, so a failure is a change of the code and not bad luck. The
 * limits are those of all runs, which ./build.sh bench makes (simulations.h).
 *
 * Slow: hundreds of series, which sanitizers make ten times as slow.
 */
#include "base/random.h"
#include "stat/estimate/stop_rule.h"
#include "stat/judge.h"
#include "tables/presets.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

#define FIXED_RUNS    800
#define STOP_RUNS     300
#define BURST_RUNS    1000
#define COUNT_MAX     20000
#define LOOK_READINGS 100

#define MIN_AT_STOP 0.92 /* 300 runs: less than two standard errors below .94 */

enum kind { AUTOREGRESSIVE, LOGNORMAL, BIMODAL, BURSTS };

struct process {
    const char *name;
    enum kind kind;
    /* by process: autocorrelation; sd of the logarithm; probability to switch levels; to stall */
    double parameter;
    double spread; /* by process: sd of the readings; unused; sd of the noise about a level */
};

struct source {
    const struct process *process;
    struct random random;
    double state;
};

static struct arena arena;
static double x[COUNT_MAX];

static double normal(struct random *r)
{
    double radius = sqrt(-2 * log(1 - random_unit(r)));
    return radius * cos(6.283185307179586 * random_unit(r));
}

static void start(struct source *s, const struct process *p, uint64_t seed, uint64_t run)
{
    s->process = p;
    random_seed(&s->random, seed, run);
    if (p->kind == BURSTS) {
        s->state = random_unit(&s->random) < p->parameter / (p->parameter + 0.3) ? -50 : 0;
        return;
    }
    s->state = p->kind == BIMODAL ? (random_u64(&s->random) & 1 ? 10 : -10) : normal(&s->random);
}

/* Returns a reading about 100, or exp of a normal number. */
static double next(struct source *s)
{
    const struct process *p = s->process;
    double now = s->state;
    switch (p->kind) {
    case LOGNORMAL:
        return exp(p->parameter * normal(&s->random));
    case BIMODAL:
        if (random_unit(&s->random) < p->parameter)
            s->state = -now;
        return 100 + now + p->spread * normal(&s->random);
    case BURSTS: /* stalls at half the level, for 3 1/3 readings on average */
        s->state = random_unit(&s->random) < (now < 0 ? 0.7 : p->parameter) ? -50 : 0;
        return 100 + s->state + p->spread * normal(&s->random);
    default:
        s->state = p->parameter * now + sqrt(1 - p->parameter * p->parameter) * normal(&s->random);
        return 100 + p->spread * now;
    }
}

static double true_mean(const struct process *p)
{
    if (p->kind == BURSTS)
        return 100 - 50 * p->parameter / (p->parameter + 0.3);
    return p->kind == LOGNORMAL ? exp(p->parameter * p->parameter / 2) : 100;
}

/* Returns n times the variance of the mean of n readings, for large n. */
static double true_density(const struct process *p)
{
    double r = p->parameter, grow = exp(r * r);
    switch (p->kind) {
    case LOGNORMAL:
        return (grow - 1) * grow;
    case BURSTS: {
        double share = r / (r + 0.3), keep = 0.7 - r;
        return 2500 * share * (1 - share) * (1 + keep) / (1 - keep) + p->spread * p->spread;
    }
    case BIMODAL:
        return 100 * (1 - r) / r + p->spread * p->spread;
    default:
        return p->spread * p->spread * (1 + r) / (1 - r);
    }
}

static bool holds(const struct estimate *e, double mean)
{
    return e->low <= mean && mean <= e->high;
}

static struct judge_config config_of(const struct preset *preset, double target_width)
{
    return (struct judge_config){
        .changepoint = CHANGEPOINT_PELT,
        .estimate = {INTERVAL_SPECTRAL, 0.95, preset->autocorrelation_limit},
        .target_width = target_width,
        .minimum_subsessions = preset->minimum_subsessions,
        .higher_is_better = true};
}

/* Checks the share of the runs whose interval contains the mean, at one length. */
static void check_fixed(const struct process *p, size_t n, double least, double max_width)
{
    struct judge_config config = config_of(&presets[1], presets[1].target_width);
    const int runs = simulation_runs(FIXED_RUNS);
    int held = 0;
    double width = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        struct source s;
        start(&s, p, n, run);
        for (size_t i = 0; i < n; i++)
            x[i] = next(&s);
        struct judgement j = judge(x, n, &config, &arena);
        held += holds(&j.estimate, true_mean(p));
        width += (j.estimate.high - j.estimate.low) / runs;
    }
    double coverage = (double)held / runs;
    width /= 2 * 1.96 * sqrt(true_density(p) / (double)n);
    printf("n %5zu  %-16s coverage %.3f  width %.2f of the ideal\n", n, p->name, coverage, width);
    CHECK(coverage >= least - simulation_slack(least, runs));
    CHECK(coverage <= 0.985 + simulation_slack(0.985, runs));
    CHECK(width <= max_width + simulation_slack(0.5, runs));
}

static void test_fixed_length(void)
{
    static const struct process processes[] = {
        {"independent", AUTOREGRESSIVE, 0, 5}, {"AR(1) .5", AUTOREGRESSIVE, 0.5, 5},
        {"AR(1) .9", AUTOREGRESSIVE, 0.9, 5},  {"AR(1) -.5", AUTOREGRESSIVE, -0.5, 5},
        {"lognormal .5", LOGNORMAL, 0.5, 0},   {"lognormal 1", LOGNORMAL, 1, 0},
        {"two levels, .5", BIMODAL, 0.5, 2},   {"two levels, .1", BIMODAL, 0.1, 2},
        {"two levels, .03", BIMODAL, 0.03, 2},
    };
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
        check_fixed(&processes[i], 2000, 0.94, 1.25);
    /* Other seeds gave .925 and .951; .903 and .938 before the kurtosis was included (estimate.h).
     */
    static const struct process bursts = {"bursts, .01", BURSTS, 0.01, 5};
    check_fixed(&bursts, 1000, 0.897, 1.25); /* ten stalls on average: a skewed sum */
    check_fixed(&bursts, 2000, 0.928, 1.25);
    check_fixed(&bursts, 10000, 0.92, 1.25);
    static const struct process slow = {"two levels, .01", BIMODAL, 0.01, 2};
    check_fixed(&slow, 2000, 0.93, 2);
    check_fixed(&processes[0], 200, 0.94, 1.25);
    check_fixed(&processes[1], 200, 0.93, 1.35);
    check_fixed(&processes[2], 200, 0.92, 3);
    check_fixed(&processes[0], 20, 0.93, 1.6);
}

/* After a warm-up that approaches the level slowly: .85 if its tail is included, .91 without it. */
static void test_after_a_decay(void)
{
    static const struct process noise = {"decay", AUTOREGRESSIVE, 0, 2};
    struct judge_config config = config_of(&presets[1], presets[1].target_width);
    const int runs = simulation_runs(FIXED_RUNS);
    int held = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        struct source s;
        start(&s, &noise, 41, run);
        for (size_t i = 0; i < 600; i++)
            x[i] = next(&s) - 60 * exp(-(double)i / 40);
        struct judgement j = judge(x, 600, &config, &arena);
        held += holds(&j.estimate, 100);
    }
    double coverage = (double)held / runs;
    printf("n   600  after a decay    coverage %.3f\n", coverage);
    CHECK(coverage >= 0.885 - simulation_slack(0.885, runs));
}

/* Extends the series, by the given readings or (0) by a quarter to a half, until the rule fires.
   Returns true if the interval then contains the mean. */
static bool run_to_stop(const struct process *p, const struct judge_config *config, uint64_t run,
                        size_t step, double *readings, bool *held)
{
    struct source s;
    start(&s, p, 77, run);
    size_t n = 0, goal = config->minimum_subsessions;
    while (goal <= COUNT_MAX) {
        while (n < goal)
            x[n++] = next(&s);
        struct judgement j = judge(x, n, config, &arena);
        if (j.enough) {
            *held = holds(&j.estimate, true_mean(p));
            CHECK(relative_width(&j.estimate) <= config->target_width);
            *readings += (double)n;
            return true;
        }
        goal = n + (step ? step : n / 4 + (size_t)random_below(&s.random, n / 4) + 1);
    }
    return false;
}

/* Returns the number of runs whose interval contains the mean; checks that every run stops. */
static int check_stop(const struct process *p, const struct preset *preset, double target, int runs,
                      size_t step, double least)
{
    struct judge_config config = config_of(preset, target);
    config.stopping = true;
    int stopped = 0, held = 0;
    double readings = 0;
    for (int run = 0; run < runs; run++) {
        bool holds_mean = false;
        stopped += run_to_stop(p, &config, (uint64_t)run, step, &readings, &holds_mean);
        held += holds_mean;
    }
    double coverage = (double)held / runs;
    printf("%-6s to %2.0f %%  %-16s coverage %.3f  after %.0f readings\n", preset->name,
           100 * target, p->name, coverage, readings / runs);
    CHECK_INT(stopped, runs);
    CHECK(coverage >= least - simulation_slack(least, runs));
    return held;
}

static void test_at_stop(void)
{
    static const struct process processes[] = {
        {"independent", AUTOREGRESSIVE, 0, 30}, {"AR(1) .5", AUTOREGRESSIVE, 0.5, 30},
        {"AR(1) .9", AUTOREGRESSIVE, 0.9, 10},  {"lognormal .5", LOGNORMAL, 0.5, 0},
        {"two levels, .1", BIMODAL, 0.1, 2},
    };
    const int each = simulation_runs(STOP_RUNS);
    int runs = 0, held = 0;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++, runs += 3 * each) {
        for (size_t k = 0; k < 2; k++)
            held += check_stop(&processes[i], &presets[k], presets[k].target_width, each, 0,
                               MIN_AT_STOP);
        held += check_stop(&processes[i], &presets[1], 0.05, each, 0, MIN_AT_STOP);
    }
    held += check_stop(&processes[1], &presets[2], presets[2].target_width, each, 0, MIN_AT_STOP);
    runs += each;
    double coverage = (double)held / runs;
    printf("at stop, all   coverage %.4f of %d runs\n", coverage, runs);
    CHECK(coverage >= 0.945 - simulation_slack(0.945, runs));
}

/*
 * The rule is asked once a second, as during a round of a session. With 1000 to 2000 runs each,
 * after about 2000 readings: .952 to .965 when asked every 100 readings, .957 and .958 every 5;
 * .959 to .968 only at the ends of rounds.
 */
static void test_asked_often(void)
{
    static const struct process processes[] = {
        {"independent", AUTOREGRESSIVE, 0, 40}, {"AR(1) .5", AUTOREGRESSIVE, 0.5, 25},
        {"AR(1) .9", AUTOREGRESSIVE, 0.9, 10},  {"lognormal .5", LOGNORMAL, 0.5, 0},
        {"two levels, .1", BIMODAL, 0.1, 2},
    };
    const int each = simulation_runs(STOP_RUNS);
    int held = 0;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
        held += check_stop(&processes[i], &presets[1], 0.05, each, LOOK_READINGS, MIN_AT_STOP);
    CHECK((double)held / (5 * each) >= 0.94 - simulation_slack(0.94, 5 * each));
}

/*
 * Some ten stalls are too few to estimate their share. Other seeds gave .840 and .864 of 2000 runs;
 * the limits are three standard errors of these runs lower.
 */
static void test_bursts_at_stop(void)
{
    static const struct process bursts = {"bursts, .01", BURSTS, 0.01, 5};
    const int runs = simulation_runs(BURST_RUNS);
    check_stop(&bursts, &presets[0], presets[0].target_width, runs, 0, 0.805);
    check_stop(&bursts, &presets[1], presets[1].target_width, runs, 0, 0.831);
}

/* A ratio of sums, such as latency per I/O, where counts vary and latencies depend on them. */
static void test_ratio(void)
{
    static double count[300], sum[300];
    struct estimate_config config = {INTERVAL_SPECTRAL, 0.95, 0.1};
    static const struct process load = {"load", AUTOREGRESSIVE, 0.7, 20};
    const int runs = simulation_runs(FIXED_RUNS);
    int held = 0;
    for (uint64_t run = 0; run < (uint64_t)runs; run++) {
        struct source s;
        start(&s, &load, 99, run);
        for (size_t i = 0; i < 300; i++) {
            count[i] = fmax(1, next(&s));
            sum[i] = count[i] * (5 + 0.02 * (count[i] - 100) + normal(&s.random));
        }
        struct estimate e = estimate_ratio(sum, count, 300, &config, &arena);
        held +=
            holds(&e, 5 + 0.02 * 400 / 100); /* E(sum)/E(count), count of mean 100, variance 400 */
    }
    double coverage = (double)held / runs;
    printf("n   300  ratio of sums    coverage %.3f\n", coverage);
    CHECK(coverage >= 0.93 - simulation_slack(0.93, runs));
    CHECK(coverage <= 0.985 + simulation_slack(0.985, runs));
}

int main(void)
{
    CHECK_INT(arena_init(&arena, judge_scratch_bytes(COUNT_MAX), NULL), 0);
    test_fixed_length();
    test_after_a_decay();
    test_at_stop();
    test_asked_often();
    test_bursts_at_stop();
    test_ratio();
    arena_free(&arena);
    return check_result();
}
