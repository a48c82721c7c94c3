/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the highest rate that keeps a limit, on a simulated queue with a known answer:
 * Poisson arrivals, one server, a constant service time (M/D/1).
 */
#include "base/random.h"
#include "stat/estimate/exceedance.h"
#include "stat/estimate/rate_search.h"
#include "stat/estimate/sequential.h"
#include "tests/unit/check.h"
#include "tests/unit/simulations.h"

#define ALPHA 0.05

static struct arena arena;

/*
 * P(wait <= t) of an M/D/1 queue (Erlang, 1909), service time 1, utilisation rho:
 * (1 - rho) sum over k = 0 .. t of (-rho (t - k))^k / k! e^(rho (t - k)).
 */
static double wait_within(double t, double rho)
{
    double sum = 0;
    for (int k = 0; k <= (int)t; k++) {
        double x = rho * (t - k), term = exp(x);
        for (int i = 1; i <= k; i++)
            term *= -x / i;
        sum += term;
    }
    return (1 - rho) * sum;
}

/* Returns the utilisation at which the share `rare` of response times exceeds `limit` service
   times. */
static double true_rate(double limit, double rare)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (1 - wait_within(limit - 1, middle) > rare)
            high = middle;
        else
            low = middle;
    }
    return low;
}

enum { STRETCH = 500, STRETCHES_MAX = 4000, STRETCHES_MIN = 40, LONGEST = 200 };

/* The queue at one rate, observed in intervals of STRETCH service times and judged as it grows. */
struct probing {
    struct random random;
    double above[STRETCHES_MAX], count[STRETCHES_MAX];
    size_t stretches;
    unsigned slot[100 * LONGEST]; /* histogram of response times, in hundredths of a service time */
    double completions;
};

static struct probing probing;

static double quantile_of(const struct probing *p, double share)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof p->slot / sizeof *p->slot; i++)
        if ((sum += p->slot[i]) >= share * p->completions)
            return (double)(i + 1) / 100;
    return LONGEST;
}

static struct rate_probe probe_queue(double rho, double limit, double rare, double alpha,
                                     size_t stretches_max)
{
    struct probing *p = &probing;
    struct rate_probe probe = {.rate = rho, .margin = NAN};
    memset(p->slot, 0, sizeof p->slot);
    memset(p->above, 0, sizeof p->above);
    memset(p->count, 0, sizeof p->count);
    p->completions = 0;
    double now = 0, free = 0;
    for (size_t look = STRETCHES_MIN; look <= stretches_max; look += 1 + look / 4) {
        while (now < (double)look * STRETCH) {
            free = fmax(free, now) + 1;
            double response = free - now;
            size_t stretch = (size_t)(now / STRETCH);
            p->count[stretch]++;
            p->above[stretch] += response > limit;
            p->completions++;
            p->slot[response < LONGEST ? (size_t)(response * 100) : 100 * LONGEST - 1]++;
            now -= log(1 - random_unit(&p->random)) / rho;
        }
        if (free - now > 100 && rho >= 1) { /* it piles up */
            probe.verdict = RATE_FAILS;
            return probe;
        }
        struct exceedance x = exceedance_of(p->above, p->count, look, 1 - alpha, &arena);
        struct sequential e =
            sequential_share(x.effective_n * x.share, x.effective_n * (1 - x.share), rare);
        enum sequential_verdict verdict = sequential_decide(&e, alpha);
        probe.verdict = verdict == SEQUENTIAL_PASS   ? RATE_HOLDS
                        : verdict == SEQUENTIAL_FAIL ? RATE_FAILS
                                                     : RATE_UNDECIDED;
        probe.margin = log(quantile_of(p, 1 - rare) / limit);
        if (verdict)
            break;
    }
    return probe;
}

struct searches {
    int runs, hold, narrow, probes_most;
    double probes, completions;
};

static struct searches search_queue(double limit, double rare, double width, double saturation,
                                    int runs, size_t stretches_max)
{
    struct searches all = {.runs = runs};
    double truth = true_rate(limit, rare);
    for (int run = 0; run < runs; run++) {
        struct rate_search s = {.saturation = saturation, .width = width, .alpha = ALPHA};
        double rate;
        random_seed(&probing.random, 61, (uint64_t)run);
        while (rate_search_next(&s, &rate)) {
            CHECK(rate > 0 && isfinite(rate));
            struct rate_probe p =
                probe_queue(rate, limit, rare, rate_search_alpha(ALPHA, s.count), stretches_max);
            all.completions += probing.completions / runs;
            CHECK(rate_search_add(&s, &p));
        }
        struct rate_answer a = rate_search_answer(&s);
        all.hold += a.holds <= truth && truth <= a.fails;
        all.narrow += a.narrow;
        all.probes += (double)s.count / runs;
        all.probes_most = (int)s.count > all.probes_most ? (int)s.count : all.probes_most;
    }
    printf("limit %g, rare %g, width %g: truth %.4f held by %d, narrow %d of %d; probes %.1f, at "
           "most %d; %.0f completions\n",
           limit, rare, width, truth, all.hold, all.narrow, runs, all.probes, all.probes_most,
           all.completions);
    CHECK_COUNT(all.hold >= 0.95 * runs);
    CHECK_COUNT(all.narrow >= 0.95 * runs);
    CHECK(all.probes_most <= RATE_PROBES_MAX);
    return all;
}

static void test_known_series(void)
{
    CHECK_NEAR(wait_within(0, 0.5), 0.5, 1e-12);
    CHECK_NEAR(wait_within(1, 0.5), 0.5 * exp(0.5), 1e-12);
    CHECK_NEAR(wait_within(12, 0.5), 1, 1e-4);
    /* Pollaczek-Khinchine: the mean wait is rho / (2 (1 - rho)). */
    double mean = 0;
    for (int i = 0; i < 1500; i++)
        mean += (1 - wait_within((i + 0.5) / 100, 0.6)) / 100;
    CHECK_NEAR(mean, 0.6 / 0.8, 1e-3);
}

static void test_budget(void)
{
    double sum = 0;
    for (size_t i = 0; i < RATE_PROBES_MAX; i++)
        sum += rate_search_alpha(ALPHA, i);
    CHECK_NEAR(sum, ALPHA, 1e-12);
}

/* A target without randomness: every probe is decided by its side of the truth. */
static size_t search_exact(double truth, double saturation, double ceiling, struct rate_answer *a)
{
    struct rate_search s = {.saturation = saturation, .width = 0.1, .alpha = ALPHA};
    double rate;
    while (rate_search_next(&s, &rate)) {
        struct rate_probe p = {.rate = rate, .margin = NAN};
        p.verdict = rate > ceiling ? RATE_NOT_ISSUED : rate < truth ? RATE_HOLDS : RATE_FAILS;
        CHECK(rate_search_add(&s, &p));
    }
    *a = rate_search_answer(&s);
    return s.count;
}

static void test_without_curve(void)
{
    const double truths[] = {0.02, 0.1, 0.5, 0.9, 0.99, 1.5, 20};
    struct rate_answer a;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        size_t probes = search_exact(truths[i], 1, INFINITY, &a);
        printf("truth %g: %g to %g in %zu probes\n", truths[i], a.holds, a.fails, probes);
        CHECK(a.narrow && a.holds <= truths[i] && truths[i] <= a.fails);
    }
    search_exact(0, 1, INFINITY, &a);
    CHECK(a.none && !a.narrow && a.holds <= 0);
    search_exact(INFINITY, 1, 0.8, &a);
    CHECK(a.machine && !a.narrow && a.holds < 0.8 && a.ceiling > 0.8 && isinf(a.fails));
}

/* Undecided probes end the search; the interval is unchanged. */
static void test_undecided(void)
{
    struct rate_search s = {.saturation = 1, .width = 0.1, .alpha = ALPHA};
    double rate;
    while (rate_search_next(&s, &rate)) {
        double from = rate / 0.6;
        struct rate_probe p = {rate,
                               from < 0.8   ? RATE_HOLDS
                               : from > 1.3 ? RATE_FAILS
                                            : RATE_UNDECIDED,
                               log(from)};
        CHECK(rate_search_add(&s, &p));
    }
    struct rate_answer a = rate_search_answer(&s);
    CHECK(!a.narrow && a.holds < 0.6 && a.fails > 0.6);
}

int main(void)
{
    struct err e;
    CHECK_INT(arena_init(&arena, 2 * exceedance_scratch_bytes(STRETCHES_MAX), &e), 0);
    test_known_series();
    test_budget();
    test_without_curve();
    test_undecided();
    search_queue(10, 0.01, 0.1, 1, SIMULATED_RUNS(400), STRETCHES_MAX);
    search_queue(5, 0.1, 0.1, 0.9, SIMULATED_RUNS(40), STRETCHES_MAX);
    search_queue(30, 0.01, 0.2, 1.2, SIMULATED_RUNS(40), STRETCHES_MAX);
    arena_free(&arena);
    return check_result();
}
