/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latencies over time of single jobs: they add up to those of all jobs, in the same periods,
   whatever the length of the periods; and a record restores them. */
#include "check.h"
#include "fake_io.h"

#include <unistd.h>

#include "run/record/record.h"

#define JOBS  3
#define TENTH UINT64_C(100000000)
#define BEGIN (UINT64_C(1700000000) * 1000000000)

static struct arena arena, again;
static struct contents live, back;
static struct interval_histogram of_jobs[JOBS * OPERATIONS];
static char path[64];

static void begin(void)
{
    struct err e = {0};
    arena_reset(&arena, 0);
    CHECK_INT(contents_init(&live, OPERATION_SET_ALL, false, &arena, &e), 0);
    CHECK_INT(contents_keep_jobs(&live, JOBS, OPERATION_SET_ALL, &arena, &e), 0);
    plan_init(&live.plan);
    live.plan.jobs = JOBS;
    live.plan.statistics.period_seconds = 0.2;
    contents_set_plan(&live, &live.plan);
    live.measurement.slice_seconds = 0.02;
    CHECK_INT(measurement_begin_round(&live.measurement, false, 0, &e), 0);
}

/* Adds a batch of 0.1 s in which the third job sometimes pauses, and writes it to the record as a
   session does. */
static void add(struct record_writer *w, uint64_t number, struct random *random)
{
    struct measurement *m = &live.measurement;
    struct batch b = {.jobs = of_jobs, .job_count = JOBS};
    batch_clear(&b);
    b.slice_count = INTERVAL_SLICES;
    b.wall_ns = BEGIN + number * TENTH;
    for (unsigned job = 0; job < JOBS; job++)
        for (unsigned k = 0; k < 6 && (job < 2 || number / 7 % 3); k++) {
            enum request_command op = random_below(random, 2) ? REQUEST_READ : REQUEST_WRITE;
            uint64_t ns = 100000 + 50000 * job + random_below(random, 1000);
            struct slice unused = {0};
            count_io(&unused, &b.jobs[job * OPERATIONS + (unsigned)op], op, ns, 4096);
            count_io(&b.slices[k % INTERVAL_SLICES], &b.latency[op], op, ns, 4096);
        }
    measurement_add(m, &b);
    record_batch(w, &b);
    if (job_histories_ended(&m->jobs, &m->history, &b, TENTH)) {
        record_jobs(w, &m->jobs);
        job_histories_end(&m->jobs, &m->history);
    }
    job_histories_add(&m->jobs, &b, TENTH);
}

/* In every period the jobs' histograms add up to that of all. */
static void check_sums(const struct measurement *m)
{
    static struct interval_histogram sum[OPERATIONS];
    size_t at[JOBS] = {0};
    for (size_t i = 0; i < m->history.count; i++) {
        const struct latency_period *all = &m->history.periods[i];
        for (int op = 0; op < OPERATIONS; op++)
            interval_histogram_clear(&sum[op]);
        for (unsigned job = 0; job < JOBS; job++) {
            const struct latency_history *h = &m->jobs.histories[job];
            CHECK_INT(h->length_ns, m->history.length_ns);
            if (at[job] == h->count || h->periods[at[job]].number != all->number)
                continue;
            for (int op = 0; op < OPERATIONS; op++)
                interval_histogram_add(&sum[op], h->periods[at[job]].latency[op]);
            at[job]++;
        }
        for (int op = 0; op < OPERATIONS; op++)
            CHECK(!memcmp(&sum[op], all->latency[op], sizeof sum[op]));
    }
    for (unsigned job = 0; job < JOBS; job++)
        CHECK_INT(at[job], m->jobs.histories[job].count);
}

static void check_same(const struct latency_history *a, const struct latency_history *b)
{
    CHECK(a->count == b->count && a->length_ns == b->length_ns);
    for (size_t i = 0; i < a->count; i++) {
        CHECK_INT(a->periods[i].number, b->periods[i].number);
        CHECK_INT(a->periods[i].begin_ns, b->periods[i].begin_ns);
        CHECK_INT(a->periods[i].end_ns, b->periods[i].end_ns);
        CHECK_INT(a->periods[i].since_ns, b->periods[i].since_ns);
        CHECK(same_histograms(a->periods[i].latency, b->periods[i].latency));
    }
}

static void test_jobs(unsigned batches)
{
    struct record_writer w;
    struct random random;
    struct err e = {0};
    random_seed(&random, 5, batches);
    begin();
    unlink(path);
    CHECK_INT(record_create(&w, path, &arena, &e), 0);
    record_plan(&w, &live.plan);
    record_slice_length(&w, 0.02);
    record_begin_round(&w, &live.measurement.rounds[0]);
    for (unsigned i = 0; i < batches; i++)
        add(&w, i < 20 ? i : i + 13, &random); /* with a break */
    record_jobs(&w, &live.measurement.jobs);
    job_histories_end(&live.measurement.jobs, &live.measurement.history);
    check_sums(&live.measurement);
    struct slice total = {0};
    measurement_end_round(&live.measurement, 1, &total);
    record_end_round(&w, &live.measurement.rounds[0]);
    record_end(&w, &live);
    record_close(&w);
    CHECK_INT(w.error.code, 0);
    if (batches > 1000) { /* the longer periods are, the fewer histograms there are */
        CHECK_INT(live.measurement.history.length_ns, 5 * 2 * TENTH);
        CHECK(w.counts[RECORD_JOBH] < batches * JOBS * 4 / 10);
    }

    contents_free(&back);
    arena_reset(&again, 0);
    CHECK_INT(contents_init(&back, OPERATION_SET_ALL, false, &again, &e), 0);
    CHECK_INT(contents_keep_jobs(&back, MEASUREMENT_JOBS, OPERATION_SET_ALL, &again, &e), 0);
    CHECK_INT(record_read(&back, path, &e), 0);
    for (unsigned job = 0; job < JOBS; job++)
        check_same(&live.measurement.jobs.histories[job], &back.measurement.jobs.histories[job]);
    CHECK_INT(back.measurement.jobs.histories[JOBS].count, 0);
    contents_free(&live);
}

int main(void)
{
    struct err e;
    size_t bytes = contents_bytes(OPERATION_SET_ALL, false) +
                   contents_jobs_bytes(MEASUREMENT_JOBS, OPERATION_SET_ALL) + RECORD_BUFFER;
    snprintf(path, sizeof path, "/tmp/cupel-jobs.%d", (int)getpid());
    if (arena_init_untouched(&arena, bytes + 4096, &e) != 0 ||
        arena_init_untouched(&again, bytes + 4096, &e) != 0) {
        puts(e.msg);
        return CHECK_SKIPPED;
    }
    test_jobs(50);
    test_jobs(3000);
    unlink(path);
    contents_free(&back);
    arena_free(&arena);
    arena_free(&again);
    return check_result();
}
