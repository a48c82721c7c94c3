/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates that change: the integral, its inverse, and the resulting arrivals. */
#include "check.h"
#include "goodness.h"
#include "source/generator/internal.h"
#include "source/generator/workload_spec_text.h"

#define SECOND ((uint64_t)1000000000)

static struct phases phases_of(const char *text)
{
    struct phases phases;
    struct err e = {0};
    CHECK_INT(phases_parse(text, &phases, &e), 0);
    CHECK_STR(e.msg, "");
    return phases;
}

/* Returns the rate at a time, including on/off times, and 0 after the end: the function that is
   integrated. */
static double rate_at(const struct phases *phases, uint64_t at_ns)
{
    for (unsigned i = 0; i < phases->count; i++) {
        const struct phase_spec *p = &phases->phase[i];
        if (p->length_ns && at_ns >= p->length_ns) {
            at_ns -= p->length_ns;
            continue;
        }
        if (p->on_ns)
            return at_ns % (p->on_ns + p->off_ns) < p->on_ns ? p->rate_begin : 0;
        if (!p->length_ns)
            return p->rate_begin;
        return p->rate_begin +
               (p->rate_end - p->rate_begin) * ((double)at_ns / (double)p->length_ns);
    }
    return 0;
}

static void test_rates(void)
{
    struct phases p = phases_of("100:10s,100-300:20s,50/1s/3s:8s,0:5s,20");
    CHECK_INT(phases_length(&p), 0);
    CHECK_NEAR(rate_at(&p, 0), 100, 0);
    CHECK_NEAR(rate_at(&p, 10 * SECOND), 100, 0);
    CHECK_NEAR(rate_at(&p, 20 * SECOND), 200, 1e-12);
    CHECK_NEAR(rate_at(&p, 30 * SECOND), 50, 0);
    CHECK_NEAR(rate_at(&p, 31 * SECOND), 0, 0);
    CHECK_NEAR(rate_at(&p, 34 * SECOND), 50, 0);
    CHECK_NEAR(rate_at(&p, 40 * SECOND), 0, 0);
    CHECK_NEAR(rate_at(&p, 1000 * SECOND), 20, 0);
    CHECK_NEAR(phases_requests(&p, 0, 10 * SECOND), 1000, 1e-12);
    CHECK_NEAR(phases_requests(&p, 10 * SECOND, 20 * SECOND), 1500, 1e-12);
    CHECK_NEAR(phases_requests(&p, 30 * SECOND, 38 * SECOND), 100, 1e-12);
    CHECK_NEAR(phases_requests(&p, 43 * SECOND, 53 * SECOND), 200, 1e-12);
    CHECK_NEAR(phases_requests(&p, 53 * SECOND, 43 * SECOND), 0, 0);

    p = phases_of("1k:1s,2k:1s");
    CHECK_INT(phases_length(&p), 2 * SECOND);
    CHECK_NEAR(rate_at(&p, 2 * SECOND), 0, 0);
    CHECK_NEAR(phases_requests(&p, 0, 9 * SECOND), 3000, 1e-12);
}

/* Request number n is due where the integral is n, exact to the ns. */
static void test_inverse(void)
{
    static const char *const texts[] = {
        "1k:10s,1k-5k:10s,5k-0:10s,0-700:10s,800/250ms/750ms:8s,0:1s,1234", "1-1m:1m,1m-1:1m",
        "777/1ns/1ns:1us,1m", "3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct phases p = phases_of(texts[i]);
        struct phase_walk walk;
        uint64_t at, before = 0;
        double step = i == 1 ? 977.25 : 1.75, done = 0;
        phase_walk_begin(&walk, &p);
        for (int k = 0; k < 20000 && phase_walk_on(&walk, step, &at); k++) {
            done += step;
            CHECK(at >= before);
            before = at;
            double within = 1e-9 * (rate_at(&p, at) + 1) + done * 1e-12;
            CHECK(fabs(phases_requests(&p, 0, at) - done) <= within + 1e-6);
        }
        CHECK(done > 1000);
    }
}

static void test_equal_gaps(void)
{
    struct phases p = phases_of("8:1s,4:1s");
    struct phase_walk walk;
    uint64_t at;
    phase_walk_begin(&walk, &p);
    CHECK(phase_walk_on(&walk, .5, &at) && at == SECOND / 16);
    for (int i = 1; i < 8; i++) {
        CHECK(phase_walk_on(&walk, 1, &at) && at == SECOND / 16 + (uint64_t)i * SECOND / 8);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(phase_walk_on(&walk, 1, &at) && at == SECOND + SECOND / 8 + (uint64_t)i * SECOND / 4);
    }
    CHECK(!phase_walk_on(&walk, 1, &at));
    CHECK(!phase_walk_on(&walk, 1, &at));
}

/* Poisson arrivals with a changing rate, counted in equal intervals: independent Poisson numbers
   whose means are the integral of the rate. */
static void test_counts(void)
{
    enum { CELLS = 40 };
    struct phases p = phases_of("0-2k:10s,2k:5s,1k/400ms/600ms:15s,3k-1k:10s");
    double seen[CELLS] = {0}, expected[CELLS];
    uint64_t length = phases_length(&p), at;
    struct arrival gaps;
    struct phase_walk walk;
    struct random random;
    const struct arrival_spec poisson = {.kind = ARRIVAL_POISSON};
    CHECK_INT(length, 40 * SECOND);
    arrival_init(&gaps, &poisson);
    random_seed(&random, 6, 0);
    phase_walk_begin(&walk, &p);
    while (phase_walk_on(&walk, arrival_gap(&gaps, &random), &at)) {
        CHECK(at <= length);
        seen[at / SECOND < CELLS ? at / SECOND : CELLS - 1]++;
        double rate = rate_at(&p, at);
        CHECK(rate > 0 || at == length);
    }
    for (uint64_t i = 0; i < CELLS; i++) {
        expected[i] = phases_requests(&p, i * SECOND, (i + 1) * SECOND);
    }
    CHECK(pearson(seen, expected, CELLS) < PEARSON_LIMIT);
}

static void test_zero_rates(void)
{
    struct phases p = {.count = 2};
    p.phase[0] = (struct phase_spec){.length_ns = SECOND};
    struct phase_walk walk;
    uint64_t at;
    phase_walk_begin(&walk, &p);
    CHECK(!phase_walk_on(&walk, 1, &at));
}

/* Times beyond the clock's range are never due. */
static void test_never(void)
{
    struct phases p = phases_of("0.0000000000001");
    struct phase_walk walk;
    uint64_t at;
    phase_walk_begin(&walk, &p);
    CHECK(!phase_walk_on(&walk, 1, &at));
    p = phases_of("0.001/1ns/24000h");
    phase_walk_begin(&walk, &p);
    CHECK(!phase_walk_on(&walk, 1, &at));
}

int main(void)
{
    test_rates();
    test_inverse();
    test_equal_gaps();
    test_counts();
    test_zero_rates();
    test_never();
    return check_result();
}
