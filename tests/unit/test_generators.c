/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of generators and open-loop streams: due times, order, room, copies, rounds, ends. */
#include "generator_fixture.h"
#include "goodness.h"
#include "source/generator/phases.h"

#define REGION ((uint64_t)1 << 30)
enum { MANY = 100000 };

static struct generated_request taken[MANY];

/* Takes the next requests as fast as possible, whatever their due times. */
static size_t take_all(struct generators *g, size_t most)
{
    size_t n = 0;
    while (n < most &&
           generators_peek(g, n ? taken[n - 1].due_ns : 0, &taken[n]) == GENERATORS_REQUEST) {
        generators_take(g);
        n++;
    }
    return n;
}

static double exponential_cdf(double x)
{
    return -expm1(-x);
}

static void test_poisson(void)
{
    static double gaps[MANY];
    struct generator_fixture *f = fixture_open("rate 40k\n[stream s]\nsize 4k/50:8k/50", REGION, 1);
    CHECK_INT(take_all(f->g, MANY), MANY);
    uint64_t before = 0;
    for (size_t i = 0; i < MANY; i++) {
        CHECK(taken[i].due_ns >= before);
        CHECK(taken[i].offset + taken[i].length <= REGION && taken[i].command == 0);
        gaps[i] = (double)(taken[i].due_ns - before) * 4e-5;
        before = taken[i].due_ns;
    }
    CHECK_NEAR((double)before * 4e-5 / MANY, 1, 4 / sqrt(MANY));
    CHECK(kolmogorov(gaps, MANY, exponential_cdf) < KOLMOGOROV_LIMIT);
    CHECK_INT(taken[0].stream, 0);
    fixture_close(f);
}

static void test_equal_gaps(void)
{
    struct generator_fixture *f =
        fixture_open("rate 1k:2s\n[stream s]\narrival uniform", REGION, 1);
    CHECK_INT(take_all(f->g, MANY), 2000);
    for (size_t i = 0; i < 2000; i++) {
        CHECK_INT(taken[i].due_ns, 500000 + i * 1000000);
    }
    fixture_close(f);
}

/* Each stream has its share of the rate and its own kind of requests. */
static void test_weights(void)
{
    double seen[3] = {0}, expected[3] = {.5 * MANY, .3 * MANY, .2 * MANY}, writes = 0;
    struct generator_fixture *f = fixture_open("rate 10k\n"
                                               "[stream a]\nweight 5\nregion 0%-50%\nwrite 30%\n"
                                               "[stream b]\nweight 3\nregion 50%-75%\nwrite 100%\n"
                                               "[stream c]\nweight 2\nregion 75%-100%\nsize 64k\n",
                                               REGION, 7);
    CHECK_INT(take_all(f->g, MANY), MANY);
    for (size_t i = 0; i < MANY; i++) {
        const struct generated_request *r = &taken[i];
        uint64_t quarter = r->offset / (REGION / 4);
        CHECK(i == 0 || r->due_ns >= taken[i - 1].due_ns);
        CHECK(r->stream == (quarter < 2 ? 0 : quarter - 1));
        CHECK(r->length == (r->stream == 2 ? 65536u : 4096u) && r->offset % r->length == 0);
        CHECK(r->stream == 0 || r->command == (r->stream == 1));
        writes += r->stream == 0 && r->command == 1;
        seen[r->stream < 3 ? r->stream : 0]++;
    }
    CHECK(pearson(seen, expected, 3) < PEARSON_LIMIT);
    CHECK(fabs(writes / seen[0] - .3) < 4 * sqrt(.21 / seen[0]));
    fixture_close(f);
}

static const char *const mixed = "rate 2k-20k:10s,5k/100ms/100ms:5s,3k\n"
                                 "[stream a]\narrival pareto\naddress zipf:1.1\nwrite 20%\n"
                                 "[stream b]\narrival normal\naddress streams:3\nsequential 10%\n"
                                 "[stream c]\narrival burst:5\nsize 4k:16k:512\n"
                                 "[stream d]\narrival uniform\naddress walk\n";

static bool same_request(const struct generated_request *a, const struct generated_request *b)
{
    return a->due_ns == b->due_ns && a->offset == b->offset && a->length == b->length &&
           a->command == b->command && a->stream == b->stream;
}

struct comparison {
    size_t n, differ;
};

static void compare_issued(void *context, const struct generated_request *request, uint64_t now_ns)
{
    struct comparison *c = context;
    c->differ += c->n < MANY && !same_request(request, &taken[c->n]);
    CHECK(now_ns >= request->due_ns);
    c->n++;
}

/* However often the queue is read and however slow the target is: the same requests with the same
   due times. */
static void test_same_seed(void)
{
    struct generator_fixture *f = fixture_open(mixed, REGION, 42);
    CHECK_INT(take_all(f->g, MANY), MANY);
    fixture_close(f);

    static const struct {
        unsigned slots;
        uint64_t service_ns;
    } targets[] = {{64, 100000}, {1, 30000}, {3, 5000000}};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        static struct target_simulated t;
        struct comparison c = {0};
        f = fixture_open(mixed, REGION, 42);
        t = (struct target_simulated){.g = f->g,
                                      .slots = targets[i].slots,
                                      .min_ns = targets[i].service_ns,
                                      .spread_ns = targets[i].service_ns,
                                      .issued = compare_issued,
                                      .context = &c};
        CHECK(target_run(&t, 16 * SECOND));
        CHECK(c.n > 5000);
        CHECK_INT(c.differ, 0);
        fixture_close(f);
    }

    f = fixture_open(mixed, REGION, 43);
    struct generated_request other;
    CHECK_INT(generators_peek(f->g, 0, &other), GENERATORS_REQUEST);
    CHECK(!same_request(&other, &taken[0]));
    fixture_close(f);
}

/* Workers 0 and 1 of two run five copies together, which have the whole rate. */
static void test_copies(void)
{
    static const char *const profile = "rate 1k-9k:10s,4k:4s\n[stream s]\naddress sequential\n"
                                       "[stream u]\narrival uniform\nweight 2";
    double seen[14] = {0}, expected[14];
    uint64_t uniform_before[2] = {0};
    size_t begun_at = 0, uniforms = 0;
    for (unsigned worker = 0; worker < 2; worker++) {
        struct generator_fixture *f = calloc(1, sizeof *f);
        struct err e = {0};
        const struct generators_setup setup = {
            .region = REGION, .seed = 3, .copies = 5, .first = worker, .step = 2};
        CHECK_INT(fixture_init(f, profile, &setup, &e), 0);
        size_t n = take_all(f->g, MANY);
        bool begun[10] = {false};
        for (size_t i = 0; i < n; i++) {
            uint16_t stream = taken[i].stream;
            CHECK(stream < (worker == 0 ? 6 : 4));
            if (stream % 2 == 0 && !begun[stream]) { /* a copy's own place */
                begun[stream] = true;
                begun_at += taken[i].offset / (REGION / 5 / 4096 * 4096 - 4096);
            }
            uniforms += stream % 2;
            uniform_before[worker] = taken[i].due_ns;
            seen[taken[i].due_ns / SECOND]++;
        }
        fixture_close(f);
    }
    CHECK_INT(begun_at, 0 + 1 + 2 + 3 + 4);
    CHECK(uniform_before[0] < 14 * SECOND && uniform_before[1] < 14 * SECOND);
    struct generator_fixture *f = fixture_open(profile, REGION, 3);
    CHECK_NEAR((double)uniforms, phases_requests(&f->spec.phases, 0, 14 * SECOND) * 2 / 3, 1e-4);
    for (uint64_t i = 0; i < 14; i++) {
        expected[i] = phases_requests(&f->spec.phases, i * SECOND, (i + 1) * SECOND);
    }
    CHECK(pearson(seen, expected, 14) < PEARSON_LIMIT);
    fixture_close(f);
}

/* Equal gaps in several copies are equal gaps overall. */
static void test_copies_of_equal_gaps(void)
{
    unsigned char met[4000] = {0};
    for (unsigned worker = 0; worker < 3; worker++) {
        struct generator_fixture *f = calloc(1, sizeof *f);
        struct err e = {0};
        const struct generators_setup setup = {
            .region = REGION, .copies = 3, .first = worker, .step = 3};
        CHECK_INT(fixture_init(f, "rate 1k:4s\n[stream s]\narrival uniform", &setup, &e), 0);
        size_t n = take_all(f->g, MANY);
        for (size_t i = 0; i < n; i++) {
            uint64_t k = (taken[i].due_ns - 500000 + 500) / 1000000;
            CHECK(k < 4000);
            met[k < 4000 ? k : 0]++;
        }
        fixture_close(f);
    }
    for (size_t k = 0; k < 4000; k++) {
        CHECK_INT(met[k], 1);
    }
}

/* When nothing is taken for a while, the queue is full and says so, and no due time changes. */
static void test_backlog(void)
{
    const char *profile = "rate 100k\n[stream s]";
    struct generator_fixture *f = fixture_open(profile, REGION, 5);
    take_all(f->g, 5000);
    fixture_close(f);

    f = fixture_open(profile, REGION, 5);
    struct generated_request next;
    bool at_least;
    CHECK_INT(generators_backlog(f->g, 0, &at_least), 0);
    CHECK(!at_least);
    CHECK_INT(generators_backlog(f->g, taken[99].due_ns, &at_least), 100);
    CHECK(!at_least);
    for (uint64_t now = 0; now < SECOND; now += SECOND / 50) {
        CHECK_INT(generators_peek(f->g, now, &next), GENERATORS_REQUEST);
        CHECK(same_request(&next, &taken[0]));
    }
    uint64_t backlog = generators_backlog(f->g, SECOND, &at_least);
    CHECK(backlog >= 256 && at_least);
    CHECK_NEAR(phases_requests(&f->spec.phases, 0, SECOND), 100000, 1e-9);
    for (size_t i = 0; i < 5000; i++) {
        CHECK_INT(generators_peek(f->g, SECOND, &next), GENERATORS_REQUEST);
        CHECK(same_request(&next, &taken[i]));
        generators_take(f->g);
    }
    fixture_close(f);
}

/* When late, the queue is kept as full as possible: the backlog is counted up to its capacity. */
static void test_backlog_while_late(void)
{
    static struct target_simulated t;
    struct generator_fixture *f = fixture_open("rate 100k\n[stream s]", REGION, 5);
    bool at_least;
    t = (struct target_simulated){.g = f->g, .slots = 1, .min_ns = 20000}; /* half of the rate */
    CHECK(target_run(&t, SECOND));
    CHECK(generators_backlog(f->g, SECOND, &at_least) >= 250 && at_least);
    fixture_close(f);
}

/* Positions of a sequential stream continue after the end of a round; the same seed gives the same
   rounds, however many requests were generated ahead. */
static void test_rounds(void)
{
    static struct generated_request rounds[3][700];
    const char *profile = "rate 10k\n[stream s]\naddress sequential\nwrite 50%";
    struct generator_fixture *f = fixture_open(profile, REGION, 5);
    uint64_t position = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 700; i++) {
            CHECK_INT(generators_peek(f->g, 0, &rounds[round][i]), GENERATORS_REQUEST);
            CHECK_INT(rounds[round][i].offset, position);
            position += 4096;
            generators_take(f->g);
        }
        generators_begin(f->g);
    }
    CHECK(rounds[0][0].due_ns != rounds[1][0].due_ns);
    fixture_close(f);

    f = fixture_open(profile, REGION, 5);
    for (int round = 0; round < 3; round++) {
        uint64_t now = 0;
        for (int i = 0; i < 700; i++) {
            struct generated_request next = {0};
            for (int look = 0; look < 1 + i % 7; look++) {
                now = rounds[round][i].due_ns;
                CHECK_INT(generators_peek(f->g, now, &next), GENERATORS_REQUEST);
            }
            CHECK(same_request(&next, &rounds[round][i]));
            generators_take(f->g);
        }
        generators_begin(f->g);
    }
    fixture_close(f);
}

static void test_end(void)
{
    static struct target_simulated t;
    struct comparison c = {.n = MANY};
    struct generator_fixture *f = fixture_open("rate 1k:1s\n[stream s]\n"
                                               "[stream w]\nkind closed\nconcurrency 4\nthink 1ms",
                                               REGION, 5);
    t = (struct target_simulated){
        .g = f->g, .slots = 8, .min_ns = 3000000, .issued = compare_issued, .context = &c};
    CHECK(!target_run(&t, 100 * SECOND));
    CHECK(t.now_ns >= SECOND - 10000000 && t.now_ns < SECOND + 10000000);
    CHECK_NEAR((double)(c.n - MANY), 1000 + 1000, .1);
    fixture_close(f);
}

static void test_refusals(void)
{
    struct generator_fixture *f = calloc(1, sizeof *f);
    struct err e = {0};
    struct generators_setup setup = {.region = 4095, .copies = 1, .step = 1};
    CHECK_INT(fixture_init(f, "rate 1\n[stream tiny]", &setup, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "stream tiny: ") == e.msg);
    arena_free(&f->arena);

    setup.region = REGION;
    e = (struct err){0};
    CHECK_INT(fixture_init(f, "[stream s]", &setup, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "--rate_iops"));
    arena_free(&f->arena);

    /* Memory that is one byte too small is detected. */
    e = (struct err){0};
    CHECK_INT(fixture_init(f, "rate 1\n[stream s]", &setup, &e), 0);
    struct arena small = {.base = f->arena.base, .capacity = f->arena.used - 64};
    setup.spec = &f->spec;
    CHECK_INT(generators_init(&f->g, &setup, &small, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    fixture_close(f);
}

int main(void)
{
    test_poisson();
    test_equal_gaps();
    test_weights();
    test_same_seed();
    test_copies();
    test_copies_of_equal_gaps();
    test_backlog();
    test_backlog_while_late();
    test_rounds();
    test_end();
    test_refusals();
    return check_result();
}
