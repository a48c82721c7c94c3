/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The null backend: every request completes, and scripted delays have their distributions. */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/io.h"
#include "io/null/internal.h"

enum { DRAWS = 20000 };

static struct io_req request_in_slot(unsigned slot)
{
    return (struct io_req){.offset = slot * 4096ull,
                           .length = 4096,
                           .slot = (uint16_t)slot,
                           .command = slot & 1 ? REQUEST_WRITE : REQUEST_READ};
}

static void check_completions(const struct clock *clock, unsigned iodepth)
{
    struct io_setup setup = {.clock = clock, .fd = -1, .iodepth = iodepth};
    struct io_backend b = {0};
    struct io_req requests[64];
    struct io_done done[64];
    struct err e;
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    CHECK(b.ops == &io_null);
    CHECK_INT(b.ops->reap(&b, done, 0, 64, &e), 0);
    for (unsigned i = 0; i < 64; i++)
        requests[i] = request_in_slot(i % iodepth);

    for (int round = 0; round < 3; round++) {
        unsigned asked = iodepth < 64 ? iodepth + 1 : 64; /* one more than there is room for */
        if (iodepth == 1)
            asked = 1;
        int taken = b.ops->submit(&b, requests, asked, &e);
        CHECK_INT(taken, iodepth < asked ? iodepth : asked);
        unsigned half = iodepth > 1 ? iodepth / 2 : 1;
        int first = b.ops->reap(&b, done, 1, half, &e);
        CHECK_INT(first, half);
        int rest = b.ops->reap(&b, done + first, 0, 64, &e);
        CHECK_INT(first + rest, taken);
        for (int i = 0; i < taken; i++) {
            CHECK_INT(done[i].slot, i);
            CHECK_INT(done[i].op, i & 1);
            CHECK_INT(done[i].bytes, 4096);
            CHECK_INT(done[i].error, 0);
            CHECK(done[i].t_cpl >= done[i].t_sub);
        }
    }
    b.ops->close(&b);
}

struct moments {
    double mean, sd, lag1, least, most;
};

/* Draws delays of one script in us, all for the same time in it. */
static struct moments draw(const char *text, uint64_t elapsed_ns)
{
    static double x[DRAWS];
    struct null_script s;
    struct err e = {0};
    struct moments m = {.least = INFINITY};
    CHECK_INT(script_parse(&s, text, 42, &e), 0);
    for (int i = 0; i < DRAWS; i++) {
        x[i] = (double)script_next(&s, elapsed_ns).delay_ns / 1000;
        m.mean += x[i] / DRAWS;
        m.least = fmin(m.least, x[i]);
        m.most = fmax(m.most, x[i]);
    }
    double square = 0, product = 0;
    for (int i = 0; i < DRAWS; i++) {
        square += (x[i] - m.mean) * (x[i] - m.mean);
        if (i)
            product += (x[i] - m.mean) * (x[i - 1] - m.mean);
    }
    m.sd = sqrt(square / (DRAWS - 1));
    m.lag1 = square > 0 ? product / square : 0;
    return m;
}

static void check_distributions(void)
{
    struct moments m = draw("const:50us", 0);
    CHECK_NEAR(m.mean, 50, 1e-9);
    CHECK_NEAR(m.most, m.least, 1e-12);
    m = draw("uniform:100us,300us", 0);
    CHECK_NEAR(m.mean, 200, 0.01);
    CHECK_NEAR(m.sd, 200 / sqrt(12), 0.03);
    CHECK(m.least >= 100 && m.most <= 300);
    m = draw("normal:100us,10us", 0);
    CHECK_NEAR(m.mean, 100, 0.005);
    CHECK_NEAR(m.sd, 10, 0.03);
    CHECK(fabs(m.lag1) < 0.03);
    m = draw("lognormal:100us,0.5", 0);
    CHECK_NEAR(m.mean, 100 * exp(0.125), 0.02);
    CHECK_NEAR(m.sd, 100 * exp(0.125) * sqrt(exp(0.25) - 1), 0.06);
    m = draw("exp:80us", 0);
    CHECK_NEAR(m.mean, 80, 0.03);
    CHECK_NEAR(m.sd, 80, 0.05);
    m = draw("ar1:100us,10us,0.9", 0);
    CHECK_NEAR(m.mean, 100, 0.02);
    CHECK_NEAR(m.sd, 10, 0.1);
    CHECK_NEAR(m.lag1, 0.9, 0.02);
    m = draw("ar1:100us,10us,-0.5", 0);
    CHECK_NEAR(m.lag1, -0.5, 0.06);
    /* Two modes that are equally frequent; neighbours are equal except at changes: lag 1 is 1 - 2p.
     */
    m = draw("bimodal:80us,120us,0.05", 0);
    CHECK_NEAR(m.mean, 100, 0.03);
    CHECK_NEAR(m.sd, 20, 0.03);
    CHECK_NEAR(m.lag1, 0.9, 0.02);
    m = draw("const:100us + spike:1ms,0.01", 0);
    CHECK_NEAR(m.mean, 110, 0.03);
    CHECK_NEAR(m.most, 1100, 1e-9);
    m = draw("normal:1us,100us", 0); /* below 0 counts as 0 */
    CHECK_NEAR(m.least, 0, 1e-12);
}

/* One server of 100 us: a request that comes early waits for earlier ones, one that comes late does
   not wait. */
static void check_queue(void)
{
    static const uint64_t come[] = {0, 0, 50000, 400000, 450000, 1000000},
                          takes[] = {100000, 200000, 250000, 100000, 150000, 100000};
    struct null_script s;
    CHECK_INT(script_parse(&s, "queue:100us", 1, NULL), 0);
    for (size_t i = 0; i < sizeof come / sizeof *come; i++)
        CHECK_INT(script_next(&s, come[i]).delay_ns, takes[i]);
}

static void check_phases(void)
{
    static const char steps[] = "0.5s@const:200us; 1s @ ramp:200us,100us ; const:70us";
    CHECK_NEAR(draw(steps, 499999999).mean, 200, 1e-9);
    CHECK_NEAR(draw(steps, 500000000).mean, 200, 1e-9);
    CHECK_NEAR(draw(steps, 1000000000).mean, 150, 1e-6);
    CHECK_NEAR(draw(steps, 1500000000).mean, 70, 1e-9);
    CHECK_NEAR(draw(steps, 900000000000).mean, 70, 1e-9);
    static const char cycle[] = "0.5s@const:100us;0.5s@const:300us";
    CHECK_NEAR(draw(cycle, 100000000).mean, 100, 1e-9);
    CHECK_NEAR(draw(cycle, 700000000).mean, 300, 1e-9);
    CHECK_NEAR(draw(cycle, 5100000000).mean, 100, 1e-9);
    CHECK_NEAR(draw(cycle, 5700000000).mean, 300, 1e-9);
}

static void check_failures_and_seed(void)
{
    struct null_script s, same, other;
    int fails = 0, is_short = 0, differ = 0;
    static const char text[] = "exp:10us+fail:0.02+short:0.1";
    CHECK_INT(script_parse(&s, text, 1, NULL), 0);
    CHECK_INT(script_parse(&same, text, 1, NULL), 0);
    CHECK_INT(script_parse(&other, text, 2, NULL), 0);
    for (int i = 0; i < DRAWS; i++) {
        struct script_outcome o = script_next(&s, 0), p = script_next(&same, 0);
        CHECK_INT(o.delay_ns, p.delay_ns);
        differ += o.delay_ns != script_next(&other, 0).delay_ns;
        fails += o.fails;
        is_short += o.is_short;
    }
    CHECK(differ > DRAWS / 2);
    CHECK_NEAR(fails, 0.02 * DRAWS, 0.2);
    CHECK_NEAR(is_short, 0.1 * DRAWS, 0.1);
}

static void check_refused(const char *text, const char *position, const char *expected)
{
    struct null_script s;
    struct err e = {0};
    CHECK_INT(script_parse(&s, text, 1, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, position) != NULL);
    CHECK(strstr(e.msg, expected) != NULL);
}

/* A scripted delay ends at its time, or not at all if that is after the given instant. */
static void check_reap_until(const struct clock *clock)
{
    struct io_setup setup = {.clock = clock, .fd = -1, .iodepth = 4, .script = "const:30ms"};
    struct io_backend b = {0};
    struct io_req requests[2] = {request_in_slot(0), request_in_slot(1)};
    struct io_done done[2];
    struct err e;
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    CHECK_INT(io_null.submit(&b, requests, 2, &e), 2);
    uint64_t issued = b.handed_over, soon = issued + clock_ticks_of_ns(clock, 10000000);
    CHECK(issued > 0 && issued <= clock_ticks(clock));
    int n = io_null.reap_until(&b, done, 2, soon, &e);
    CHECK(clock_ticks(clock) >= soon);
    if (clock_ticks(clock) <
        issued + clock_ticks_of_ns(clock, 30000000)) /* no other request came in between */
        CHECK_INT(n, 0);
    uint64_t late = issued + clock_ticks_of_ns(clock, 60000000000);
    while (n < 2 && clock_ticks(clock) < late)
        n += io_null.reap_until(&b, done + n, (unsigned)(2 - n), late, &e);
    CHECK_INT(n, 2);
    CHECK_INT(done[1].t_sub, issued);
    CHECK(clock_ns(clock, done[0].t_cpl - done[0].t_sub) >= 29999000);
    CHECK(clock_ticks(clock) < late);
    io_null.close(&b);

    setup.script = NULL; /* without a script everything completes at once */
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    CHECK_INT(io_null.submit(&b, requests, 2, &e), 2);
    CHECK_INT(io_null.reap_until(&b, done, 2, late + late, &e), 2);
    uint64_t until = clock_ticks(clock) + clock_ticks_of_ns(clock, 5000000);
    CHECK_INT(io_null.reap_until(&b, done, 2, until, &e), 0);
    CHECK(clock_ticks(clock) >= until);
    io_null.close(&b);
}

static void check_bad_scripts(void)
{
    check_refused("", "position 1:", "const");
    check_refused("gauss:1us,2us", "position 1:", "normal");
    check_refused("const", "position 6:", "colon");
    check_refused("const:", "position 7:", "time");
    check_refused("const:abc", "position 7:", "time");
    check_refused("const:5h", "position 7:", "time");
    check_refused("normal:1us", "position 11:", "comma");
    check_refused("const:1us const:2us", "position 11:", "+");
    check_refused("const:1us;const:2us", "position 11:", "no duration");
    check_refused("ramp:1us,2us", "position 1:", "duration");
    check_refused("0s@const:1us", "position 1:", "duration");
    check_refused("fail:2", "position 6:", "probability");
    check_refused("fail:nan", "position 6:", "probability");
    check_refused("ar1:1us,1us,1", "position 13:", "correlation");
    check_refused("lognormal:1us,-1", "position 15:", "number");
    struct io_backend b = {0};
    struct clock clock = {0};
    struct io_setup setup = {.clock = &clock, .fd = -1, .iodepth = 1, .script = "const:x"};
    struct err e = {0};
    CHECK_INT(io_null.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
}

/* Through the backend: completions come in order of their due times and never early, and failures
   are reported. */
static void check_scripted_backend(const struct clock *clock)
{
    struct io_setup setup = {
        .clock = clock, .fd = -1, .iodepth = 16, .script = "uniform:1ms,5ms", .seed = 3};
    struct io_backend b = {0};
    struct io_req requests[16];
    struct io_done done[16];
    struct err e;
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    for (unsigned i = 0; i < 16; i++)
        requests[i] = request_in_slot(i);
    CHECK_INT(io_null.submit(&b, requests, 16, &e), 16);
    CHECK_INT(io_null.reap(&b, done, 0, 16, &e), 0); /* nothing can be due yet */
    int n = 0;
    while (n < 16)
        n += io_null.reap(&b, done + n, 1, (unsigned)(16 - n), &e);
    unsigned seen = 0;
    for (int i = 0; i < 16; i++) {
        CHECK(clock_ns(clock, done[i].t_cpl - done[i].t_sub) >= 999990);
        CHECK(!i || done[i].t_cpl >= done[i - 1].t_cpl);
        CHECK_INT(done[i].op, done[i].slot & 1);
        seen |= 1u << done[i].slot;
    }
    CHECK_INT(seen, 0xffff);
    io_null.close(&b);

    setup.script = "const:1us+fail:1";
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    CHECK_INT(io_null.submit(&b, requests, 1, &e), 1);
    CHECK_INT(io_null.reap(&b, done, 1, 1, &e), 1);
    CHECK_INT(done[0].error, EIO);
    CHECK_INT(done[0].bytes, 0);
    io_null.close(&b);

    setup.script = "const:1us+short:1";
    CHECK_INT(io_null.open(&b, &setup, &e), 0);
    CHECK_INT(io_null.submit(&b, requests, 1, &e), 1);
    CHECK_INT(io_null.reap(&b, done, 1, 1, &e), 1);
    CHECK_INT(done[0].error, 0);
    CHECK_INT(done[0].bytes, 2048);
    io_null.close(&b);
}

int main(void)
{
    struct clock clock, system;
    clock_calibrate(&clock, 20, false);
    clock_calibrate(&system, 1, true);
    CHECK(io_backend_by_name("null") == &io_null);
    CHECK(io_backend_by_name("libaio") == NULL);
    check_completions(&clock, 1);
    check_completions(&clock, 32);
    check_completions(&clock, 64);
    check_completions(&system, 1);
    check_distributions();
    check_queue();
    check_phases();
    check_failures_and_seed();
    check_bad_scripts();
    check_scripted_backend(&clock);
    check_scripted_backend(&system);
    check_reap_until(&clock);
    check_reap_until(&system);
    return check_result();
}
