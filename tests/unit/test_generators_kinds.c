/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed loops, transactions and their logs, on a simulated target. */
#include "generator_fixture.h"
#include "goodness.h"

#define REGION ((uint64_t)1 << 30)
enum { MANY = 100000 };

/* --- closed loops --- */

struct closed_check {
    int in_flight[4], most[4];
    uint64_t issued[4];
    uint64_t idle_since[4]; /* since when a slot of a stream with one request at a time is idle */
    double thinks[MANY];
    size_t think_count;
};

static void closed_issued(void *context, const struct generated_request *request, uint64_t now_ns)
{
    struct closed_check *c = context;
    uint16_t s = request->stream;
    c->issued[s]++;
    c->in_flight[s]++;
    c->most[s] = c->in_flight[s] > c->most[s] ? c->in_flight[s] : c->most[s];
    CHECK_INT(now_ns, request->due_ns); /* there is always a slot */
    if (s == 2 && c->think_count < MANY) {
        c->thinks[c->think_count++] = (double)(request->due_ns - c->idle_since[s]) / 5e5;
    }
    CHECK(s != 3 || request->due_ns - c->idle_since[s] == (c->issued[s] == 1 ? 0 : 250000));
}

static void closed_completed(void *context, const struct generated_request *request,
                             uint64_t now_ns, int error)
{
    struct closed_check *c = context;
    (void)error;
    c->in_flight[request->stream]--;
    c->idle_since[request->stream] = now_ns;
}

static double exponential_cdf(double x)
{
    return -expm1(-x);
}

static void test_closed(void)
{
    static struct target_simulated t;
    static struct closed_check c;
    struct generator_fixture *f = fixture_open("[stream a]\nkind closed\nconcurrency 13\n"
                                               "[stream b]\nkind closed\nconcurrency 40\n"
                                               "think uniform:2ms\n"
                                               "[stream c]\nkind closed\nthink exponential:500us\n",
                                               REGION, 4);
    t = (struct target_simulated){.g = f->g,
                                  .slots = 64,
                                  .min_ns = 1000000,
                                  .error_every = 97,
                                  .issued = closed_issued,
                                  .completed = closed_completed,
                                  .context = &c};
    CHECK(target_run(&t, 20 * SECOND));
    CHECK_INT(c.most[0], 13);
    CHECK(c.most[1] <= 40 && c.most[1] > 20);
    CHECK_INT(c.most[2], 1);
    CHECK_NEAR((double)c.issued[0], 13 * 20000, .001); /* 1 ms each, also for failed ones */
    CHECK_NEAR((double)c.issued[1], 40 * 10000, .01);  /* 1 ms plus 1 ms of think time */
    CHECK_NEAR((double)c.issued[2], 20000 / 1.5, .03);
    CHECK(kolmogorov(c.thinks, c.think_count, exponential_cdf) < KOLMOGOROV_LIMIT);
    fixture_close(f);
}

/* Copies share the concurrency, whatever its value. */
static void test_closed_copies(void)
{
    int all = 0;
    for (unsigned worker = 0; worker < 3; worker++) {
        struct generator_fixture *f = calloc(1, sizeof *f);
        struct err e = {0};
        struct generated_request request;
        const struct generators_setup setup = {
            .region = REGION, .copies = 3, .first = worker, .step = 3};
        CHECK_INT(fixture_init(f, "[stream a]\nkind closed\nconcurrency 2", &setup, &e), 0);
        int own = 0;
        while (generators_peek(f->g, 0, &request) == GENERATORS_REQUEST) {
            generators_take(f->g);
            own++;
        }
        CHECK(own <= 1);
        CHECK_INT(generators_peek(f->g, 0, &request),
                  own > 0 ? GENERATORS_WAITING : GENERATORS_ENDED);
        CHECK_INT(request.due_ns, UINT64_MAX);
        all += own;
        fixture_close(f);
    }
    CHECK_INT(all, 2);
}

/* --- transactions and their log --- */

#define TAGS 1024

/* The message to the log comes between the second and the third request. */
static const char *const bank = "rate 8k\n"
                                "[stream t]\n"
                                "kind transaction\n"
                                "region 0%-50%\n"
                                "size 4k:8k\n"
                                "step read random\n"
                                "step read zipf:1 region 50%-60% size 16k think 100us\n"
                                "step tell log think exponential:200us\n"
                                "step write same:1\n"
                                "step write same:2 think uniform:50us\n"
                                "[stream log]\n"
                                "kind log\n"
                                "record 512\n"
                                "align 512\n"
                                "size 8k\n"
                                "region 90%-100%\n";

struct bank_check {
    struct {
        unsigned step; /* requests issued */
        uint64_t done_ns, told_at_least_ns;
        struct generated_request first, second;
    } open[TAGS];
    uint64_t begun, finished, failed;
    bool log_busy;
    uint64_t log_writes, log_records, log_position, log_max;
    uint64_t log_begun_ns, log_ended_ns;
    bool log_failed;
};

static void check_log_write(struct bank_check *c, const struct generated_request *r,
                            uint64_t now_ns)
{
    uint64_t begin = (uint64_t)((double)REGION * .9) / 512 * 512, end = REGION;
    CHECK(!c->log_busy && r->command == 1);
    CHECK(r->length % 512 == 0 && r->length >= 512 && r->length <= 8192);
    CHECK(r->offset >= begin && r->offset + r->length <= end);
    CHECK(c->log_writes == 0 || r->offset == c->log_position || r->offset == begin);
    c->log_position = r->offset + r->length;
    c->log_busy = true;
    c->log_writes++;
    c->log_records += r->length / 512;
    c->log_max = r->length > c->log_max ? r->length : c->log_max;
    c->log_begun_ns = now_ns;
}

static void bank_issued(void *context, const struct generated_request *r, uint64_t now_ns)
{
    struct bank_check *c = context;
    CHECK(r->due_ns <= now_ns);
    if (r->stream == 1) {
        check_log_write(c, r, now_ns);
        return;
    }
    CHECK(r->stream == 0 && r->tag < TAGS);
    switch (c->open[r->tag].step++) {
    case 0:
        CHECK(r->command == 0 && r->offset + r->length <= REGION / 2);
        CHECK(r->length == 4096 || r->length == 8192);
        c->open[r->tag].first = *r;
        c->begun++;
        break;
    case 1:
        CHECK(r->command == 0 && r->length == 16384 && r->offset >= REGION / 2 - 16384);
        CHECK_INT(r->due_ns, c->open[r->tag].done_ns + 100000);
        c->open[r->tag].second = *r;
        break;
    /* sent after the second request completed; since then a log write must have begun and ended */
    case 2:
        CHECK(r->command == 1 && r->offset == c->open[r->tag].first.offset);
        CHECK(r->length == c->open[r->tag].first.length);
        CHECK(r->due_ns >= c->log_ended_ns || now_ns > r->due_ns);
        CHECK(r->due_ns > c->open[r->tag].done_ns);
        break;
    case 3:
        CHECK(r->command == 1 && r->offset == c->open[r->tag].second.offset && r->length == 16384);
        CHECK(r->due_ns >= c->open[r->tag].done_ns);
        CHECK(r->due_ns <= c->open[r->tag].done_ns + 50000);
        break;
    default:
        CHECK(!"a transaction has four requests");
    }
}

static void bank_completed(void *context, const struct generated_request *r, uint64_t now_ns,
                           int error)
{
    struct bank_check *c = context;
    if (r->stream == 1) {
        CHECK(c->log_busy);
        c->log_busy = false;
        c->log_ended_ns = now_ns;
        c->log_failed = c->log_failed || error;
        return;
    }
    c->open[r->tag].done_ns = now_ns;
    if (error || c->open[r->tag].step == 4) {
        c->failed += error != 0;
        c->finished += error == 0;
        c->open[r->tag].step = 0;
    }
}

static struct target_simulated bank_target(struct generator_fixture *f, struct bank_check *c)
{
    return (struct target_simulated){.g = f->g,
                                     .slots = 512,
                                     .min_ns = 50000,
                                     .spread_ns = 400000,
                                     .issued = bank_issued,
                                     .completed = bank_completed,
                                     .context = c};
}

static void test_transactions(void)
{
    static struct target_simulated t;
    static struct bank_check c;
    struct generator_fixture *f = fixture_open(bank, REGION, 12);
    t = bank_target(f, &c);
    CHECK(target_run(&t, 10 * SECOND));
    /* 8k requests/s are 2k transactions; each sent one message to the log and got an answer. */
    CHECK(fabs((double)c.begun - 20000) < 4 * sqrt(20000));
    CHECK(c.begun - c.finished < 100);
    CHECK(c.log_records >= c.finished && c.log_records <= c.begun);
    /* group commit: 250 us per write, 500 us between messages */
    CHECK(c.log_writes < c.log_records);
    CHECK(c.log_max > 512);
    fixture_close(f);
}

/* Times exact to the ns: a message is sent at its time, a write begins when the log gets a message
   or becomes free, and the sender continues when the write has ended. */
struct times_check {
    uint64_t told[64], answered_ns, log_free_ns;
    uint64_t reads, tells, writes;
};

static void times_issued(void *context, const struct generated_request *r, uint64_t now_ns)
{
    struct times_check *c = context;
    CHECK_INT(r->due_ns, now_ns);
    if (r->stream == 1) {
        uint64_t oldest = c->told[c->tells % 64];
        CHECK_INT(r->due_ns, oldest > c->log_free_ns ? oldest : c->log_free_ns);
        uint64_t waiting = 0;
        while (c->tells + waiting < c->reads && c->told[(c->tells + waiting) % 64] <= now_ns) {
            waiting++;
        }
        CHECK_INT(r->length, waiting * 512);
        c->tells += r->length / 512;
    } else if (r->command == 1) {
        CHECK_INT(r->due_ns, c->answered_ns);
        c->writes++;
    }
}

static void times_completed(void *context, const struct generated_request *r, uint64_t now_ns,
                            int error)
{
    struct times_check *c = context;
    (void)error;
    if (r->stream == 1) {
        c->answered_ns = c->log_free_ns = now_ns;
    } else if (r->command == 0) {
        c->told[c->reads++ % 64] = now_ns + 300000;
    }
}

static void test_times(void)
{
    static const uint64_t services_ns[] = {100000, 900001, 1500001, 7000001};
    for (size_t i = 0; i < sizeof services_ns / sizeof *services_ns; i++) {
        static struct target_simulated t;
        struct times_check c = {0};
        struct generator_fixture *f = fixture_open("rate 2k:1s\n[stream t]\nkind transaction\n"
                                                   "arrival uniform\n"
                                                   "step read random\n"
                                                   "step tell l think 300us\n"
                                                   "step write random\n"
                                                   "[stream l]\nkind log\nrecord 512\nalign 512",
                                                   REGION, 2);
        t = (struct target_simulated){.g = f->g,
                                      .slots = 64,
                                      .min_ns = services_ns[i],
                                      .spread_ns = services_ns[i] / 3,
                                      .issued = times_issued,
                                      .completed = times_completed,
                                      .context = &c};
        CHECK(!target_run(&t, 100 * SECOND));
        CHECK(c.reads == 1000 && c.tells == 1000 && c.writes == 1000);
        fixture_close(f);
    }
}

/* After the last phase, every transaction that has begun ends, and each message is a record. */
static void test_conservation(void)
{
    static struct target_simulated t;
    static struct bank_check c;
    char text[1000];
    snprintf(text, sizeof text, "rate 200k:1s\n%s", strchr(bank, '[')); /* full groups */
    struct generator_fixture *f = fixture_open(text, REGION, 13);
    memset(&c, 0, sizeof c);
    t = bank_target(f, &c);
    CHECK(!target_run(&t, 100 * SECOND));
    CHECK_INT(c.finished, c.begun);
    CHECK_INT(c.log_records, c.begun);
    CHECK_INT(c.log_max, 8192);
    CHECK(c.begun > 49000);
    fixture_close(f);
}

/* Failed requests and failed log writes end their own transactions and no others. */
static void test_failures(void)
{
    static struct target_simulated t;
    static struct bank_check c;
    char text[1000];
    snprintf(text, sizeof text, "rate 8k:5s\n%s", strchr(bank, '['));
    struct generator_fixture *f = fixture_open(text, REGION, 14);
    memset(&c, 0, sizeof c);
    t = bank_target(f, &c);
    t.error_every = 1000;
    /* The end of a transaction whose log write failed is not reported; its slot becomes free. */
    t.issued = NULL;
    t.completed = NULL;
    CHECK(!target_run(&t, 100 * SECOND));
    fixture_close(f);

    f = fixture_open("rate 3k:5s\n[stream t]\nkind transaction\nstep read random\n"
                     "step write random\nstep write random",
                     REGION, 15);
    memset(&c, 0, sizeof c);
    t = bank_target(f, &c);
    t.error_every = 1; /* each one fails, so no second step begins */
    t.issued = NULL;
    CHECK(!target_run(&t, 100 * SECOND));
    CHECK_INT(c.finished, 0);
    CHECK_NEAR((double)c.failed, 5000, .06);
    fixture_close(f);
}

/* A target that is much too slow: transactions wait for a slot, their due times are those of their
   arrival, and none is lost. */
static void test_full(void)
{
    static struct target_simulated t;
    struct generator_fixture *f = fixture_open("rate 40k\n[stream t]\nkind transaction\n"
                                               "step read random\nstep read random",
                                               REGION, 16);
    struct generated_request next;
    bool at_least;
    t = (struct target_simulated){.g = f->g, .slots = 4, .min_ns = SECOND / 1000};
    CHECK(target_run(&t, SECOND));
    CHECK_INT(generators_peek(f->g, SECOND, &next), GENERATORS_REQUEST);
    CHECK(next.due_ns < SECOND / 2);
    CHECK(generators_backlog(f->g, SECOND, &at_least) >= 1000 && at_least);
    fixture_close(f);
}

struct sequence {
    uint64_t hash, n;
};

static void hash_issued(void *context, const struct generated_request *r, uint64_t now_ns)
{
    struct sequence *s = context;
    (void)now_ns;
    s->hash = (s->hash ^ r->due_ns ^ r->offset << 1 ^ r->command) * 0x9e3779b97f4a7c15u;
    s->n++;
}

static void test_same_seed(void)
{
    struct sequence sequences[3] = {{0}};
    for (unsigned i = 0; i < 3; i++) {
        static struct target_simulated t;
        struct generator_fixture *f = fixture_open(bank, REGION, i < 2 ? 20 : 21);
        t = (struct target_simulated){.g = f->g,
                                      .slots = 64,
                                      .min_ns = 80000,
                                      .issued = hash_issued,
                                      .context = &sequences[i]};
        CHECK(target_run(&t, SECOND));
        fixture_close(f);
    }
    CHECK(sequences[0].hash == sequences[1].hash && sequences[0].n == sequences[1].n);
    CHECK(sequences[0].hash != sequences[2].hash && sequences[0].n > 1000);
}

/* A new round begins in the middle of transactions: all slots are free again. */
static void test_rounds(void)
{
    static struct target_simulated t;
    struct generator_fixture *f = fixture_open(bank, REGION, 17);
    for (int round = 0; round < 50; round++) {
        static struct bank_check c;
        memset(&c, 0, sizeof c);
        t = bank_target(f, &c);
        CHECK(target_run(&t, SECOND / 20));
        CHECK(c.begun > 50 && c.finished > 30);
        while (t.in_flight) {
            target_complete(&t, target_next(&t));
        }
        generators_begin(f->g);
    }
    fixture_close(f);
}

/* Built-in profiles, unchanged. */
static void test_builtins(void)
{
    for (const struct profile_builtin *p = profile_builtins; p->name != NULL; p++) {
        static struct target_simulated t;
        struct sequence s = {0};
        struct generator_fixture *f = fixture_open(p->text, (uint64_t)64 << 30, 30);
        t = (struct target_simulated){.g = f->g,
                                      .slots = 256,
                                      .min_ns = 100000,
                                      .spread_ns = 100000,
                                      .issued = hash_issued,
                                      .context = &s};
        CHECK(target_run(&t, 2 * SECOND));
        CHECK(s.n > 50);
        fixture_close(f);
    }
}

int main(void)
{
    test_closed();
    test_closed_copies();
    test_transactions();
    test_times();
    test_conservation();
    test_failures();
    test_full();
    test_same_seed();
    test_rounds();
    test_builtins();
    return check_result();
}
