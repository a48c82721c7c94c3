/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans whose requests have due times: the effect of options, conflicts, the texts. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "run/plan/plan.h"
#include "source/generator/workload_spec_text.h"

static struct workload_spec spec;
static struct err e;

static struct plan plan_of(double rate, const char *phases)
{
    struct plan p;
    plan_init(&p);
    p.rate_iops = rate;
    snprintf(p.phases, sizeof p.phases, "%s", phases);
    return p;
}

static bool refused(struct plan p, const char *words)
{
    e = (struct err){0};
    int status = plan_check(&p, &e) || plan_workload(&p, &spec, &e) ? -1 : 0;
    bool is = status && e.code == ERR_USAGE && strstr(e.msg, words);
    if (!is)
        fprintf(stderr, "    \"%s\" instead of \"%s\"\n", e.msg, words);
    return is;
}

static void check_what_is_timed(void)
{
    struct plan p = plan_of(0, "");
    CHECK(!plan_is_timed(&p) && !plan_is_one_pass(&p) && !plan_is_replay(&p));
    p = plan_of(1000, "");
    CHECK(plan_is_timed(&p) && !plan_is_one_pass(&p));
    p = plan_of(0, "1k:1s");
    CHECK(plan_is_timed(&p) && plan_is_one_pass(&p));
    p = plan_of(0, "");
    snprintf(p.think, sizeof p.think, "1ms");
    CHECK(plan_is_timed(&p) && !plan_is_one_pass(&p));
    p = plan_of(0, "");
    snprintf(p.replay.trace, sizeof p.replay.trace, "x");
    CHECK(plan_is_timed(&p) && plan_is_one_pass(&p) && plan_is_replay(&p));
}

static void check_open(void)
{
    struct plan p = plan_of(20000, "");
    p.write_share = 0.3;
    p.random_share = 0.8;
    snprintf(p.arrival, sizeof p.arrival, "pareto:1.7");
    snprintf(p.sizes, sizeof p.sizes, "4k/75:128k/25");
    CHECK_INT(plan_workload(&p, &spec, &e), 0);
    CHECK_INT(spec.stream_count, 1);
    CHECK_INT(spec.streams[0].kind, STREAM_OPEN);
    CHECK_INT(spec.streams[0].arrival.kind, ARRIVAL_PARETO);
    CHECK_NEAR(spec.streams[0].arrival.parameter, 1.7, 1e-12);
    CHECK_NEAR(spec.streams[0].write_share, 0.3, 1e-12);
    CHECK_NEAR(spec.streams[0].sequential_share, 0.2, 1e-12);
    CHECK_INT(spec.streams[0].size_count, 2);
    CHECK_INT(spec.phases.count, 1);
    CHECK_NEAR(spec.phases.phase[0].rate_begin, 20000, 1e-12);
    CHECK_INT(p.block_size, 128 * 1024);
    CHECK_NEAR(p.write_share, 0.3, 1e-12);
}

/* Users are distributed over the jobs: 4 jobs of 8 are 32 in all. */
static void check_closed(void)
{
    struct plan p = plan_of(0, "");
    p.iodepth = 8;
    p.jobs = 4;
    snprintf(p.think, sizeof p.think, "exponential:2ms");
    CHECK_INT(plan_workload(&p, &spec, &e), 0);
    CHECK_INT(spec.streams[0].kind, STREAM_CLOSED);
    CHECK_INT(spec.streams[0].concurrency, 32);
    CHECK_INT(spec.phases.count, 0);
}

static void check_profile(void)
{
    struct plan p = plan_of(500, "");
    snprintf(p.profile, sizeof p.profile, "tpc-b");
    CHECK_INT(plan_workload(&p, &spec, &e), 0);
    CHECK(spec.stream_count > 1);
    CHECK(p.write_share > 0 && p.write_share < 1);
    CHECK_INT(p.block_size, workload_spec_largest(&spec));
}

/* A profile's phases become those of the plan, as text that gives the same phases again. */
static void check_phases_of_profile(void)
{
    static const char text[] = "name x\nabout y\nrate 1k:1s,2k-5.5k:250ms,3k/10ms/20ms:2s\n"
                               "[stream a]\nkind open\n";
    char path[] = "/tmp/cupel-plan.XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    struct plan p = plan_of(0, "");
    struct phases again;
    snprintf(p.profile, sizeof p.profile, "%s", path);
    CHECK_INT(plan_workload(&p, &spec, &e), 0);
    CHECK(plan_is_one_pass(&p));
    CHECK_STR(p.phases, "1000:1s,2000-5500:0.25s,3000/10000000ns/20000000ns:2s");
    CHECK_INT(phases_parse(p.phases, &again, &e), 0);
    CHECK_INT(again.count, 3);
    CHECK(!memcmp(again.phase, spec.phases.phase, 3 * sizeof *again.phase));
    close(fd);
    unlink(path);
}

static void check_refused(void)
{
    struct plan p = plan_of(1000, "1k:1s");
    CHECK(refused(p, "--rate_iops"));
    p = plan_of(1000, "");
    snprintf(p.think, sizeof p.think, "1ms");
    CHECK(refused(p, "--thinktime"));
    p = plan_of(1000, "");
    snprintf(p.arrival, sizeof p.arrival, "possion");
    CHECK(refused(p, "--arrival possion"));
    p = plan_of(0, "1k:1s,5k");
    CHECK(refused(p, "length"));
    p = plan_of(0, "1k:1s,5q:1s");
    CHECK(refused(p, "column"));
    p = plan_of(1000, "");
    snprintf(p.address, sizeof p.address, "zipf:1.1");
    p.pattern = PATTERN_SEQUENTIAL;
    p.random_share = 0;
    CHECK(refused(p, "--random_distribution"));
    p = plan_of(1000, "");
    snprintf(p.profile, sizeof p.profile, "backup");
    CHECK(refused(p, "follow no rate"));
    p = plan_of(-1, "");
    CHECK(refused(p, "--rate_iops"));
}

static void check_words(void)
{
    char words[200];
    struct plan p = plan_of(20000, "");
    p.iodepth = 256;
    plan_describe(&p, words, sizeof words);
    CHECK_STR(words, "randread 4 KiB, 20k requests/s poisson, iodepth 256, 1 job");
    p = plan_of(0, "");
    snprintf(p.replay.trace, sizeof p.replay.trace, "t.csv");
    p.replay.speed = 2;
    plan_describe(&p, words, sizeof words);
    CHECK_STR(words, "replay of t.csv at 2 times its speed, read only");
    p.replay.speed = 0;
    p.replay.allow_writes = p.replay.keep_order = true;
    plan_describe(&p, words, sizeof words);
    CHECK_STR(words, "replay of t.csv as fast as possible, its dependencies kept");
}

int main(void)
{
    check_what_is_timed();
    check_open();
    check_closed();
    check_profile();
    check_phases_of_profile();
    check_refused();
    check_words();
    return check_result();
}
