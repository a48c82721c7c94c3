/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole sessions on the null backend with scripted delays, whose answers are known, and the same
 * sessions out of their records. Upper limits are wide: the machine may be busy with other tests.
 * Slow: whole sessions.
 */
#include "check.h"
#include "record_bytes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "run/session/running.h"
#include "run/session/session.h"

static struct sysroot root;
static char path[300];
static struct result live, loaded;
static struct record_bytes bytes;

/* Ends the session after some time in a measured round, and checks its memory. */
struct observed {
    volatile sig_atomic_t stop;
    double stop_after; /* seconds since the first progress report in a round; 0: never */
    double first_look; /* elapsed seconds at that report */
    long early_pages, late_pages;
    bool in_round;
};

static long resident_pages(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident;
}

static void watch_progress(void *context, const struct session_progress *p)
{
    struct observed *w = context;
    if (strncmp(p->stage, "round", 5) != 0)
        return;
    if (!w->in_round)
        w->first_look = p->elapsed_seconds;
    if (w->stop_after > 0 && p->elapsed_seconds >= w->first_look + w->stop_after)
        w->stop = 1;
    if (!w->early_pages && w->in_round)
        w->early_pages = resident_pages();
    w->in_round = true; /* from the second report on all memory has been used once */
    w->late_pages = resident_pages();
}

static struct plan plan_of(const char *script, unsigned iodepth, double seconds)
{
    struct plan plan;
    plan_init(&plan);
    snprintf(plan.engine, sizeof plan.engine, "null");
    snprintf(plan.script, sizeof plan.script, "%s", script);
    plan.iodepth = iodepth;
    plan.ending.minimum_seconds = seconds;
    plan.statistics.minimum_subsessions = 5;
    plan.statistics.autocorrelation_limit = 0.8;
    plan.statistics.target_width = 0.9;
    plan.ending.limit_seconds = 10;
    plan.measure_overhead = false;
    plan.realtime = false;
    plan.watch.cost = 0;
    return plan;
}

/* Runs it with a record and leaves the result in `live`. Returns NULL after a failure. */
static struct session *run(const struct plan *plan, struct observed *watch)
{
    struct session *session = NULL;
    struct session_observer observer = {.progress = watch_progress, .context = watch};
    struct err e = {0};
    unlink(path);
    if (!check_that(session_run(&session, plan, &root, path, &watch->stop, &observer, &e) == 0,
                    __FILE__, __LINE__, plan->script)) {
        fprintf(stderr, "    %s\n", e.msg);
        return NULL;
    }
    session_result(session, &live);
    return session;
}

static double value_of(const struct result *r, enum metric_id metric, const char *op)
{
    const struct result_row *row = result_find(r, metric, op);
    return row ? row->value : NAN;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void check_same_rows(const struct result *a, const struct result *b)
{
    CHECK_INT(a->row_count, b->row_count);
    for (size_t i = 0; i < a->row_count && i < b->row_count; i++) {
        const struct result_row *x = &a->rows[i], *y = &b->rows[i];
        bool same = x->metric == y->metric && !strcmp(x->op, y->op) &&
                    same_bits(x->value, y->value) && same_bits(x->low, y->low) &&
                    same_bits(x->high, y->high) && same_bits(x->confidence, y->confidence) &&
                    x->n == y->n && same_bits(x->effective_n, y->effective_n) &&
                    !strcmp(x->note, y->note);
        if (!check_that(same, __FILE__, __LINE__, metric_of(x->metric)->name))
            fprintf(stderr, "    %s: %.17g and %.17g\n", x->op, x->value, y->value);
    }
}

static void check_same_series(const struct result *a, const struct result *b)
{
    CHECK_INT(a->series_count, b->series_count);
    for (size_t i = 0; i < a->series_count && i < b->series_count; i++) {
        const struct result_series *x = &a->series[i], *y = &b->series[i];
        CHECK_INT(x->count, y->count);
        CHECK(x->count == y->count && same_bits(x->slice_seconds, y->slice_seconds) &&
              memcmp(x->values, y->values, x->count * sizeof *x->values) == 0);
        CHECK(x->stable_begin == y->stable_begin && x->stable_end == y->stable_end &&
              x->changepoint_count == y->changepoint_count);
    }
    CHECK_INT(a->histogram_count, b->histogram_count);
    for (size_t i = 0; i < a->histogram_count && i < b->histogram_count; i++)
        CHECK(memcmp(a->histograms[i].counts, b->histograms[i].counts,
                     a->histograms[i].count * sizeof(uint64_t)) == 0);
}

/* The record gives everything that the session reported. */
static void check_record(void)
{
    struct session *session = NULL;
    struct err e = {0};
    if (!check_that(session_load(&session, path, &e) == 0, __FILE__, __LINE__, e.msg))
        return;
    session_result(session, &loaded);
    check_same_rows(&live, &loaded);
    check_same_series(&live, &loaded);
    CHECK_INT(loaded.verdict, live.verdict);
    CHECK_STR(loaded.phase, live.phase);
    CHECK_STR(loaded.failure, live.failure);
    CHECK_STR(loaded.workload, live.workload);
    CHECK_INT(loaded.round_count, live.round_count);
    CHECK_INT(loaded.note_count, live.note_count);
    CHECK_INT(loaded.settings.count, live.settings.count);
    CHECK_INT(loaded.hardware->fact_count, live.hardware->fact_count);
    CHECK(!memcmp(loaded.rounds, live.rounds, live.round_count * sizeof *live.rounds));
    session_free(session);
}

/* Scripts with a mean of 200 ms, compared with which a busy machine's delays are small: the
   measured mean is never below it by more than chance, and above it only by little. */
static void check_known_mean(const char *script)
{
    struct observed watch = {0};
    struct plan plan = plan_of(script, 64, 1);
    plan.ending.limit_seconds = 6;
    const double mean = 200e6;
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    CHECK(live.verdict == VERDICT_PRECISE || verdict_is_imprecise(live.verdict));
    const struct result_row *row = result_find(&live, METRIC_RESPONSE_TIME, "read");
    const bool busy = live.busy[0]; /* the session itself reports that */
    CHECK(row && row->n > 5);
    CHECK(row && row->high > 0.98 * mean && row->low < (busy ? 4 : 1.25) * mean);
    CHECK(row && row->value > 0.9 * mean && row->value < (busy ? 4 : 1.4) * mean);
    /* Little's law: 64 in flight; fewer while other programs use the worker's processor. */
    double iops = value_of(&live, METRIC_IOPS, "read");
    double in_flight = row ? row->value * 1e-9 * iops : 0;
    CHECK(in_flight < 1.2 * 64 && in_flight > (busy ? 0 : 0.8) * 64);
    CHECK_NEAR(value_of(&live, METRIC_BANDWIDTH, "read"), iops * 4096, 1e-9);
    CHECK_INT(value_of(&live, METRIC_ERRORS, "all"), 0);
    check_record();
    session_free(session);
}

/* Slow during the first second: slices are made for the later speed, so that each has the usual
   number of I/Os. On a busy machine that speed is lower. */
static void check_slow_start(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("1s@const:20ms; const:1ms", 8, 1);
    plan.ending.limit_seconds = 20;
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    double iops = value_of(&live, METRIC_IOPS, "read");
    CHECK(live.series_count > 0 && live.series[0].slice_seconds * iops < 0.025 * 8000);
    check_record();
    session_free(session);
}

/* A tenth of the speed during the first 2.5 s, trial rounds included: a change that no other load
   hides. I/O issued before the change ends up to .22 s after it. */
static void check_warm_up(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("2.5s@uniform:180ms,220ms; uniform:18ms,22ms", 32, 4.5);
    plan.ending.limit_seconds = 5.5;
    plan.watch.cost = 0.01;
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    CHECK(live.series_count > 0 && live.rounds[0].trial);
    size_t first = 0;
    while (first < live.round_count && live.rounds[first].trial)
        first++;
    double measured_from = live.rounds[first].begin_seconds - live.rounds[0].begin_seconds;
    double found =
        measured_from + ((double)live.series[0].stable_begin + 1) * live.series[0].slice_seconds;
    /* On a busy machine trial rounds may last until the change, or load hides the steady state. */
    bool hidden = live.busy[0] && strcmp(live.phase, "warmup") != 0;
    if (measured_from < 2 && !hidden) {
        CHECK_STR(live.phase, "warmup");
        CHECK(found > 2.25 && (found < 3 || live.busy[0]));
    }
    double response = value_of(&live, METRIC_RESPONSE_TIME, "read");
    CHECK(response > 18e6 && (response < 60e6 || hidden));
    check_record();
    session_free(session);
}

static bool has_warning(const struct result *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning && strstr(r->notes[i].text, words))
            return true;
    return false;
}

static void check_failing(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("uniform:1ms,3ms+fail:0.001+short:0.001", 32, 1.5);
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    check_that(live.verdict != VERDICT_FAILED, __FILE__, __LINE__, live.failure);
    const struct result_row *row = result_find(&live, METRIC_ERRORS, "all");
    double share = row ? row->value / (double)row->n : 0;
    CHECK(share > 0.0005 && share < 0.006);
    CHECK(has_warning(&live, "failed or were short"));
    check_record();
    session_free(session);

    static const char *const scripts[] = {"const:1ms+fail:1", "const:1ms+short:1",
                                          "6s@const:2ms; const:2ms+fail:1"};
    static const char *const words[] = {"read of 4096 bytes at byte", "moved 2048 of 4096",
                                        "read of 4096 bytes at byte"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        plan = plan_of(scripts[i], 4, i == 2 ? 10 : 1); /* the last one continues until it fails */
        plan.ending.limit_seconds = 30;
        session = run(&plan, &watch);
        if (!session)
            continue;
        CHECK_INT(live.verdict, VERDICT_FAILED);
        CHECK(strstr(live.failure, words[i]) != NULL);
        CHECK(value_of(&live, METRIC_ERRORS, "all") > 0);
        if (i == 2)
            CHECK(value_of(&live, METRIC_IOPS, "read") > 0); /* earlier measurements are reported */
        check_record();
        session_free(session);
    }
}

static void check_interrupted(void)
{
    struct observed watch = {.stop_after = 1.6};
    struct plan plan = plan_of("uniform:1ms,2ms", 8, 60);
    plan.write_share = 0.3;
    plan.ending.limit_seconds = 100;
    struct session *session = run(&plan, &watch);
    if (session) {
        CHECK_INT(live.verdict, VERDICT_INTERRUPTED);
        CHECK(value_of(&live, METRIC_IOPS, "read") > 0 && value_of(&live, METRIC_IOPS, "all") > 0);
        CHECK(value_of(&live, METRIC_ELAPSED, "all") < 60);
        const struct result_series *s = &live.series[0];
        CHECK(s->count > 5 && (double)(s->count + 1) * s->slice_seconds <=
                                  live.rounds[live.round_count - 1].seconds);
        check_record();
        session_free(session);
    }

    watch = (struct observed){.stop = 1}; /* before it began */
    session = run(&plan, &watch);
    if (session) {
        CHECK_INT(live.verdict, VERDICT_INTERRUPTED);
        CHECK(result_find(&live, METRIC_IOPS, "read") == NULL);
        check_record();
        session_free(session);
    }
}

static void check_limit(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("lognormal:1ms,0.5", 4, 0.5);
    plan.statistics.target_width = 1e-6;
    plan.ending.limit_seconds = 4;
    plan.write_share = 0.5;
    plan.jobs = 2;
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    /* Delays by a busy machine may have no steady level, or long memory. */
    CHECK(verdict_is_imprecise(live.verdict));
    double elapsed = value_of(&live, METRIC_ELAPSED, "all");
    CHECK(elapsed > 0.5 && elapsed < 8); /* preparation takes long on a busy machine */
    for (const char *const *op = (const char *const[]){"read", "write", "all", NULL}; *op; op++)
        CHECK(value_of(&live, METRIC_IOPS, *op) > 0 &&
              value_of(&live, METRIC_RESPONSE_TIME, *op) > 0);
    check_record();
    session_free(session);
}

/* The clock's calibration alone takes longer than the limit: it ends without a measurement and does
   not hang. */
static void check_limit_in_preparation(void)
{
    static const char *const phases[] = {"", "1k:500ms"};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct observed watch = {0};
        struct plan plan = plan_of("const:1ms", 4, 1);
        snprintf(plan.phases, sizeof plan.phases, "%s", phases[i]);
        plan.ending.limit_seconds = 0.01;
        struct session *session = run(&plan, &watch);
        if (!session)
            continue;
        CHECK_INT(live.verdict, VERDICT_LIMIT);
        CHECK_STR(live.failure, "");
        CHECK(result_find(&live, METRIC_IOPS, "read") == NULL);
        check_record();
        session_free(session);
    }
}

/* A record cut in the middle of its rounds, as by kill -9: it has rows, and the verdict says so. */
static void check_cut_record(void)
{
    CHECK(record_bytes_load(&bytes, path)); /* of the session with the limit */
    size_t batches = 0, at = RECORD_HEAD;
    uint64_t n = result_find(&live, METRIC_IOPS, "all")->n;
    while (at < bytes.size && batches < 12) {
        batches += memcmp(bytes.bytes + at, "BTCH", 4) == 0;
        at += chunk_bytes(&bytes, at);
    }
    CHECK_INT(batches, 12);
    CHECK(bytes_store(path, bytes.bytes, at));
    struct session *session = NULL;
    struct err e = {0};
    CHECK_INT(session_load(&session, path, &e), 0);
    if (!session)
        return;
    session_result(session, &loaded);
    CHECK_INT(loaded.verdict, VERDICT_CUT_SHORT);
    const struct result_row *row = result_find(&loaded, METRIC_IOPS, "all");
    CHECK(row && row->value > 0 && row->n <= 60 && row->n > 5 && row->n < n);
    CHECK(value_of(&loaded, METRIC_LATENCY_P50, "read") > 0);
    CHECK(value_of(&loaded, METRIC_ELAPSED, "all") > 0.5);
    session_free(session);
}

/* Memory is constant after the start: 4 s of slices of 10 ms and their judgements add none. */
static void check_memory(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("exp:100us", 4, 1);
    plan.statistics.target_width = 1e-6;
    plan.ending.limit_seconds = 5;
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    CHECK(live.series[0].count > 100);
    CHECK(watch.early_pages > 0 && watch.late_pages > 0);
    if (!check_that(watch.late_pages - watch.early_pages < 64, __FILE__, __LINE__, "fixed memory"))
        fprintf(stderr, "    %ld pages, then %ld\n", watch.early_pages, watch.late_pages);
    check_record();
    session_free(session);
}

/* The machine is watched in measured rounds, and the record gives the same. */
static void check_watched(void)
{
    struct observed watch = {0};
    struct plan plan = plan_of("const:1ms", 1, 2);
    plan.watch.cost = 0.01;
    plan.watch.rate = 40;
    plan.ending.limit_seconds = 60; /* a busy machine needs longer for two seconds of rounds */
    struct session *session = run(&plan, &watch);
    if (!session)
        return;
    const struct result_part *worker = NULL;
    for (size_t i = 0; i < live.part_count; i++)
        if (live.parts[i].kind == NODE_CPU_CORE && live.parts[i].under_test)
            worker = &live.parts[i]; /* on the null backend the processor is what is measured */
    CHECK(worker && worker->utilisation >= 0 && worker->utilisation <= 1);
    CHECK(worker && !worker->on_path && !worker->bottleneck);
    CHECK(live.timeline.count >= 4 && live.timeline.gauge_count >= 2);
    const struct result_round *last = &live.rounds[live.round_count - 1];
    CHECK(live.timeline.end[live.timeline.count - 1] <= last->begin_seconds + last->seconds + 0.5);
    CHECK_STR(facts_find(&live.settings, "watching", "machine watched") ? "told" : "", "told");
    check_record();
    CHECK_INT(loaded.part_count, live.part_count);
    for (size_t i = 0; i < live.part_count && i < loaded.part_count; i++) {
        CHECK_STR(loaded.parts[i].name, live.parts[i].name);
        CHECK_NEAR(loaded.parts[i].utilisation, live.parts[i].utilisation, 1e-5);
        CHECK_NEAR(loaded.parts[i].peak, live.parts[i].peak, 1e-5);
    }
    CHECK_INT(loaded.timeline.count, live.timeline.count);
    session_free(session);
}

static void check_refused(void)
{
    struct session *session = NULL;
    struct observed watch = {0};
    struct err e = {0};
    struct plan plan = plan_of("const:1ms", 1, 1);
    struct session_observer observer = {.progress = watch_progress, .context = &watch};
    plan.size = 4096;
    plan.jobs = 2; /* one block for two jobs */
    unlink(path);
    CHECK_INT(session_run(&session, &plan, &root, path, NULL, &observer, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(access(path, F_OK) != 0); /* no record is kept */
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    CHECK_INT(close(fd), 0);
    plan = plan_of("const:1ms", 1, 1);
    CHECK_INT(session_run(&session, &plan, &root, path, NULL, &observer, &e), -1);
    CHECK_INT(e.code, ERR_USAGE); /* the record is there already */
    CHECK(strstr(e.msg, path) != NULL);
    CHECK(session == NULL);
    CHECK_INT(access(path, F_OK), 0); /* it belongs to somebody else */
}

/* The first round is planned for 12.5 s, but ends when the clause is decided, long before that. */
static void check_round_ends(void)
{
    struct plan plan = plan_of("const:5ms", 1, 0.5);
    struct session *session = NULL;
    struct err e = {0};
    plan.ending.limit_seconds = 60;
    snprintf(plan.ending.sla, sizeof plan.ending.sla, "errors=0");
    unlink(path);
    CHECK_INT(session_run(&session, &plan, &root, path, NULL, NULL, &e), 0);
    if (!session)
        return;
    session_result(session, &live);
    CHECK_INT(live.verdict, VERDICT_DECIDED);
    const struct measurement *m = &session->contents.measurement;
    const struct round *last = &m->rounds[m->round_count - 1];
    CHECK(!last->trial && last->seconds < 9);
    CHECK(session->look_next_seconds > 1); /* it was looked at, and nobody watched */
    session_free(session);
}

/* However much is still needed, a round is at most as long as all rounds before it. */
static void check_next_round(void)
{
    static struct session s;
    s.judged.slice_seconds = 0.01;
    for (double required = 100; required < 1e9; required *= 7) {
        s.judged.required_slices = required;
        CHECK(session_next_round(&s, 8) <= 8);
        CHECK(session_next_round(&s, 8) >= 2);
    }
    s.judged.required_slices = INFINITY;
    CHECK_NEAR(session_next_round(&s, 8), 8, 1e-12);
}

int main(void)
{
    struct err e;
    test_path(path, sizeof path, "session");
    CHECK_INT(sysroot_open(&root, NULL, &e), 0);
    check_known_mean("const:190ms+exp:10ms");
    check_known_mean("normal:200ms,40ms");
    check_known_mean("bimodal:100ms,300ms,0.5");
    check_slow_start();
    check_warm_up();
    check_failing();
    check_interrupted();
    check_limit();
    check_cut_record();
    check_limit_in_preparation();
    check_memory();
    check_watched();
    check_refused();
    check_round_ends();
    check_next_round();
    unlink(path);
    return check_result();
}
