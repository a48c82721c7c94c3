/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed-loop streams beside each other: their distribution over workers, and streams that share a
   flow. */
#include "generator_fixture.h"

/* Streams with a flow share one loop: their requests have these proportions. */
struct flow_check {
    uint64_t reads, writes, in_flight;
};

static void flow_issued(void *context, const struct generated_request *request, uint64_t now_ns)
{
    struct flow_check *c = context;
    (void)now_ns;
    (request->command ? c->writes++ : c->reads++);
    CHECK_INT(request->length, request->command ? 8192 : 4096);
    CHECK(request->command ? request->offset >= 1 << 19 : request->offset < 1 << 19);
    CHECK(++c->in_flight <= 8);
}

static void flow_completed(void *context, const struct generated_request *request, uint64_t now_ns,
                           int error)
{
    struct flow_check *c = context;
    (void)request, (void)now_ns, (void)error;
    c->in_flight--;
}

static void test_flow(void)
{
    static struct target_simulated t;
    struct flow_check c = {0};
    struct generator_fixture *f =
        fixture_open("[stream a]\nkind closed\nconcurrency 4\nflow 1\nwrite 100%\nsize 8k\n"
                     "region 50%-100%\n[stream b]\nkind closed\nconcurrency 4\nflow 7\n"
                     "region 0%-50%\n",
                     1 << 20, 1);
    t = (struct target_simulated){.g = f->g,
                                  .slots = 64,
                                  .min_ns = 50000,
                                  .spread_ns = 100000,
                                  .issued = flow_issued,
                                  .completed = flow_completed,
                                  .context = &c};
    target_run(&t, SECOND);
    double share = (double)c.writes / (double)(c.reads + c.writes);
    CHECK(c.reads + c.writes > 50000 && share > .12 && share < .13);
    fixture_close(f);
}

/* Reads and writes with different sizes come from one queue, in the stream's proportions. */
struct size_check {
    uint64_t reads, small_writes, large_writes, in_flight;
};

static void size_issued(void *context, const struct generated_request *request, uint64_t now_ns)
{
    struct size_check *c = context;
    (void)now_ns;
    if (!request->command)
        c->reads++;
    else
        (request->length == 65536 ? c->small_writes++ : c->large_writes++);
    CHECK(request->command ? request->length >= 65536 : request->length == 4096);
    CHECK_INT(request->offset % request->length, 0);
    CHECK(++c->in_flight <= 4);
}

static void size_completed(void *context, const struct generated_request *request, uint64_t now_ns,
                           int error)
{
    struct size_check *c = context;
    (void)request, (void)now_ns, (void)error;
    c->in_flight--;
}

static void test_sizes(void)
{
    static struct target_simulated t;
    struct size_check c = {0};
    struct generator_fixture *f = fixture_open("[stream a]\nkind closed\nconcurrency 4\nwrite 40%\n"
                                               "size 4k,64k/25:128k/75\n",
                                               1 << 24, 1);
    t = (struct target_simulated){.g = f->g,
                                  .slots = 64,
                                  .min_ns = 50000,
                                  .spread_ns = 100000,
                                  .issued = size_issued,
                                  .completed = size_completed,
                                  .context = &c};
    target_run(&t, SECOND);
    const double writes = (double)(c.small_writes + c.large_writes);
    CHECK(c.reads > 10000);
    CHECK_NEAR(writes / (writes + (double)c.reads), .4, .04);
    CHECK_NEAR((double)c.small_writes / writes, .25, .06);
    fixture_close(f);
}

/* Streams with jobs use their copies in turn. */
static void test_jobs(void)
{
    for (unsigned copy = 0; copy < 3; copy++) {
        struct generator_fixture *f = calloc(1, sizeof *f);
        struct err e = {0};
        const struct generators_setup setup = {
            .region = 1 << 20, .seed = 1, .copies = 3, .first = copy, .step = 3};
        CHECK_INT(fixture_init(f,
                               "[stream a]\nkind closed\njobs 2\nconcurrency 2\n"
                               "[stream b]\nkind closed\njobs 1\nwrite 100%\n",
                               &setup, &e),
                  0);
        struct generated_request next;
        bool at_least;
        CHECK_INT(generators_peek(f->g, 0, &next), GENERATORS_REQUEST);
        CHECK_INT(next.command, copy == 2);
        CHECK_INT(generators_backlog(f->g, SECOND, &at_least), 1);
        CHECK(!at_least);
        generators_take(f->g);
        CHECK_INT(generators_peek(f->g, 0, &next), GENERATORS_WAITING);
        fixture_close(f);
    }
}

int main(void)
{
    test_flow();
    test_sizes();
    test_jobs();
    return check_result();
}
