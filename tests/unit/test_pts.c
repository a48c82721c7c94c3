/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tests of the PTS: their matrices, what remains of them in a given time, rounds on a scripted
 * drive that drifts or fails, resumption by the journal, and sessions on the null backend.
 */
#include "machine/accept/pts.h"

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "machine/accept/pts_session.h"

#define GIB 1073741824.0

static struct pts_result r, again;

static const struct pts_test *test_of(const char *name)
{
    const struct pts_test *test = pts_tests;
    while (test->name && strcmp(test->name, name) != 0)
        test++;
    return test;
}

static unsigned chosen_cells(const struct pts_result *of)
{
    unsigned count = 0;
    for (unsigned i = 0; i < of->cell_count; i++)
        count += of->cells[i].chosen;
    return count;
}

static const struct pts_limits whole = {
    .capacity = (uint64_t)(100 * GIB), .logical_block = 512, .seconds = INFINITY};

/* ---- matrices ---- */

static void check_matrices(void)
{
    struct err e;
    static const struct {
        const char *name;
        unsigned cells, tracked, threads, depth;
    } rows[] = {{"pts-iops", 56, 3, 4, 32},
                {"pts-tp-128k", 2, 2, 1, 32},
                {"pts-tp-1024k", 2, 2, 1, 32},
                {"pts-lat", 9, 1, 1, 1},
                {"pts-wsat", 1, 1, 4, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned tracked = 0;
        CHECK_INT(pts_shape(&r, test_of(rows[i].name), &whole, &e), 0);
        CHECK_INT(chosen_cells(&r), rows[i].cells);
        for (unsigned k = 0; k < r.cell_count; k++)
            tracked += r.cells[k].tracked;
        CHECK_INT(tracked, rows[i].tracked);
        CHECK_INT(r.threads, rows[i].threads);
        CHECK_INT(r.depth, rows[i].depth);
        CHECK(!r.reduced && !r.left_out[0] && r.cell_seconds == 60);
        CHECK(r.range == whole.capacity);
    }
    struct pts_limits client = whole;
    client.client = true;
    CHECK_INT(pts_shape(&r, test_of("pts-iops"), &client, &e), 0);
    CHECK(r.threads == 2 && r.depth == 16);
    CHECK(r.range == whole.capacity / 4 * 3);
    CHECK_STR(r.words, "PTS-C IOPS");
}

/* Requests smaller than the drive's blocks are impossible: this is reported, and does not count as
   a reduction for time. */
static void check_large_blocks(void)
{
    struct err e;
    struct pts_limits limits = whole;
    limits.logical_block = 4096;
    CHECK_INT(pts_shape(&r, test_of("pts-iops"), &limits, &e), 0);
    CHECK_INT(chosen_cells(&r), 49);
    CHECK(!r.reduced && r.left_out[0] == '7');
    limits.logical_block = 16384;
    CHECK_INT(pts_shape(&r, test_of("pts-iops"), &limits, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "16384"));
}

/* ---- less time ---- */

static void check_reduced(void)
{
    struct err e;
    static const struct {
        double hours;
        unsigned cells, rounds;
        double seconds;
        const char *words;
    } rows[] = {
        {24, 56, 25, 60, "PTS-E IOPS"},
        {12, 56, 12, 60, "PTS-E IOPS, reduced: 56 of 56 cells, 60 s each, at most 12 of 25 rounds"},
        {4, 56, 11, 20, "PTS-E IOPS, reduced: 56 of 56 cells, 20 s each, at most 11 of 25 rounds"},
        {1, 12, 13, 20, "PTS-E IOPS, reduced: 12 of 56 cells, 20 s each, at most 13 of 25 rounds"},
        {0.1, 3, 18, 5, "PTS-E IOPS, reduced: 3 of 56 cells, 5 s each, at most 18 of 25 rounds"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pts_limits limits = whole;
        limits.seconds = 3600 * rows[i].hours;
        CHECK_INT(pts_shape(&r, test_of("pts-iops"), &limits, &e), 0);
        CHECK_INT(chosen_cells(&r), rows[i].cells);
        CHECK_INT(r.rounds_max, rows[i].rounds);
        CHECK(r.cell_seconds == rows[i].seconds);
        CHECK_STR(r.words, rows[i].words);
        CHECK(r.range == whole.capacity); /* never reduced */
        CHECK(pts_seconds(&r, test_of("pts-iops"), r.rounds_max) <= limits.seconds);
        for (unsigned k = 0; k < r.cell_count; k++)
            CHECK(r.cells[k].chosen || !r.cells[k].tracked);
    }
    struct pts_limits limits = whole;
    limits.seconds = 60;
    CHECK_INT(pts_shape(&r, test_of("pts-iops"), &limits, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "--hours"));
    limits = whole;
    limits.cell_seconds = 1;
    CHECK_INT(pts_shape(&r, test_of("pts-lat"), &limits, &e), 0);
    CHECK_STR(r.words, "PTS-E latency, reduced: 9 of 9 cells, 1 s each");
    CHECK_NEAR(pts_seconds(&r, test_of("pts-lat"), 0), 20, 1e-12);
}

/* ---- a scripted drive ---- */

struct script {
    double (*level)(const struct script *s, unsigned round, double written);
    unsigned cells, fails_at; /* cells measured so far; the number of the one that fails, 0: none */
    double bytes;             /* written by a cell */
};

static int scripted_cell(void *context, const struct pts_result *of, const struct pts_cell *cell,
                         struct pts_sample *sample, struct err *e)
{
    struct script *s = context;
    double before = of->sample_count ? of->samples[of->sample_count - 1].written : 0;
    (void)cell;
    if (++s->cells == s->fails_at)
        return err_set(e, ERR_TARGET, "gone");
    double level = s->level(s, sample->round, before);
    sample->iops = level;
    sample->bandwidth = level * 4096;
    sample->mean_ns = 1e9 / level;
    sample->max_ns = 2e9 / level;
    sample->seconds = 1;
    sample->written = s->bytes;
    sample->celsius = 40;
    sample->at = 1e9 + of->sample_count;
    return 0;
}

static int scripted_latency(void *context, struct pts_result *of, const struct pts_cell *cell,
                            double seconds, struct err *e)
{
    struct script *s = context;
    (void)e;
    CHECK(cell->block == 4096 && cell->read_percent == 0);
    s->cells++;
    of->latency_seconds = seconds;
    of->latency_ios = 1e6;
    for (unsigned i = 0; i < PTS_PERCENTILES; i++)
        of->latency[i] = i == 7 ? (double)NAN : 1000.0 * (i + 1);
    return 0;
}

static double settles(const struct script *s, unsigned round, double written)
{
    (void)s, (void)written;
    return 10000 * (1 + 2 * pow(0.4, round)) + 100 * (round % 2);
}

static double falls(const struct script *s, unsigned round, double written)
{
    (void)s, (void)written;
    return 10000 * pow(0.95, round);
}

static char folder[64];
static struct accept_journal *journal;

static void open_journal(bool resume)
{
    struct err e;
    if (!resume) {
        snprintf(folder, sizeof folder, "pts.XXXXXX");
        CHECK(mkdtemp(folder) != NULL);
        CHECK_INT(rmdir(folder), 0);
    }
    if (!check_that(!accept_journal_open(&journal, folder, resume, &e), __FILE__, __LINE__,
                    "the journal opens"))
        exit(1);
}

static void remove_journal(void)
{
    char path[128];
    accept_journal_close(journal);
    snprintf(path, sizeof path, "%s/%s", folder, ACCEPT_JOURNAL_FILE);
    unlink(path);
    rmdir(folder);
}

/* One call of the stage: it reads the journal and measures what is missing. */
static int run_test(const char *name, struct script *s, struct err *e)
{
    const struct pts_test *test = test_of(name);
    const struct pts_measurer m = {s, scripted_cell, scripted_latency};
    if (!pts_journal_read(journal, 0, test, &r)) {
        CHECK_INT(pts_shape(&r, test, &whole, e), 0);
        CHECK_INT(pts_journal_shape(journal, 0, &r, e), 0);
    }
    return pts_rounds(&r, test, journal, 0, &m, e);
}

static void check_steady(void)
{
    struct err e;
    struct script s = {.level = settles};
    open_journal(false);
    CHECK_INT(run_test("pts-iops", &s, &e), 0);
    CHECK_INT(r.end, PTS_STEADY);
    CHECK_INT(r.rounds, r.window + 5);
    CHECK_INT(s.cells, 56 * r.rounds);
    CHECK_INT(r.tracked_count, 3);
    for (unsigned i = 0; i < r.tracked_count; i++)
        CHECK(r.tracked[i].steady && fabs(r.tracked[i].change) <= 0.1);
    double sum = 0;
    for (unsigned i = 0; i < 5; i++)
        sum += settles(&s, r.window + i, 0) / 5;
    for (unsigned i = 0; i < r.cell_count; i++)
        CHECK_NEAR(r.cells[i].mean, sum, 1e-12);
    /* The journal has the same. */
    CHECK_INT(accept_journal_reload(journal, &e), 0);
    CHECK(pts_journal_read(journal, 0, test_of("pts-iops"), &again));
    CHECK_INT(pts_judge(&again, test_of("pts-iops"), &e), 0);
    CHECK_INT(again.end, PTS_STEADY);
    CHECK_INT(again.sample_count, r.sample_count);
    CHECK(again.cells[7].mean == r.cells[7].mean);
    CHECK(again.tracked[2].drift_low == r.tracked[2].drift_low);
    CHECK_STR(again.words, r.words);
    CHECK(!pts_journal_read(journal, 1, test_of("pts-iops"), &again));
    CHECK(!pts_journal_read(journal, 0, test_of("pts-lat"), &again));
    remove_journal();
}

static void check_not_steady(void)
{
    struct err e;
    struct script s = {.level = falls};
    open_journal(false);
    CHECK_INT(run_test("pts-tp-128k", &s, &e), 0);
    CHECK_INT(r.end, PTS_NOT_STEADY);
    CHECK_INT(r.rounds, 25);
    CHECK_INT(r.window, 20);
    CHECK_INT(s.cells, 50);
    CHECK(!r.tracked[0].steady && r.tracked[0].change < -0.1);
    CHECK_STR(r.tracked[0].drift_verdict, "drifting");
    remove_journal();
}

/* It fails in the middle of a round, twice: every cell is measured exactly once. */
static void check_resumed(void)
{
    struct err e;
    struct script s = {.level = settles, .fails_at = 25};
    open_journal(false);
    CHECK_INT(run_test("pts-lat", &s, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_INT(r.sample_count, 24);
    accept_journal_close(journal);
    open_journal(true);
    s.fails_at = 40;
    CHECK_INT(run_test("pts-lat", &s, &e), -1);
    CHECK_INT(r.sample_count, 38);
    accept_journal_close(journal);
    open_journal(true);
    CHECK_INT(run_test("pts-lat", &s, &e), 0);
    CHECK_INT(r.end, PTS_STEADY);
    for (unsigned i = 0; i < r.sample_count; i++)
        CHECK(r.samples[i].round == i / 9 && r.samples[i].cell == i % 9);
    CHECK_INT(r.sample_count, 9 * r.rounds);
    CHECK_INT(s.cells, r.sample_count + 2 + 1); /* two failed cells, and the long run */
    accept_journal_close(journal);
    open_journal(true);
    unsigned cells = s.cells;
    CHECK_INT(run_test("pts-lat", &s, &e), 0); /* nothing is left to measure */
    CHECK_INT(s.cells, cells);
    CHECK(r.latency[0] == 1000 && isnan(r.latency[7]) && r.latency[8] == 9000);
    CHECK(r.latency_ios == 1e6 && r.latency_seconds == 1200);
    remove_journal();
}

/* ---- write saturation ---- */

static double saturates(const struct script *s, unsigned round, double written)
{
    double capacity = (double)whole.capacity, noise = 100 * sin((double)round * round);
    (void)s;
    return noise + (written < 0.4 * capacity ? 90000 : written < capacity ? 40000 : 15000);
}

static void check_saturation(void)
{
    struct err e;
    struct script s = {.level = saturates, .bytes = GIB};
    open_journal(false);
    CHECK_INT(run_test("pts-wsat", &s, &e), 0);
    CHECK_INT(r.end, PTS_STEADY);
    CHECK_INT(r.sample_count, 200); /* not before the capacity has been written twice */
    CHECK_INT(r.event_count, 2);
    CHECK(fabs(r.events[0].written / GIB - 40) <= 2 && strstr(r.events[0].words, "fast cells"));
    CHECK(fabs(r.events[1].written / GIB - 100) <= 2 && strstr(r.events[1].words, "garbage"));
    CHECK(r.events[0].celsius == 40 && fabs(r.events[1].after / 15000 - 1) < 0.02);
    CHECK_NEAR(r.cells[0].mean, 15000, 0.02);
    remove_journal();

    s = (struct script){.level = falls, .bytes = 4 * GIB};
    open_journal(false);
    CHECK_INT(run_test("pts-wsat", &s, &e), 0);
    CHECK_INT(r.end, PTS_WRITTEN);
    CHECK_INT(r.sample_count, 100);
    remove_journal();

    s = (struct script){.level = falls, .bytes = 1};
    open_journal(false);
    CHECK_INT(run_test("pts-wsat", &s, &e), 0);
    CHECK_INT(r.end, PTS_TIME_OVER);
    CHECK_INT(r.sample_count, 360);
    remove_journal();
}

/* ---- sessions ---- */

static void check_session(void)
{
    struct err e;
    struct sysroot root;
    struct plan plan;
    const struct pts_limits limits = {
        .capacity = 64 << 20, .logical_block = 512, .seconds = INFINITY, .cell_seconds = 0.2};
    plan_init(&plan);
    snprintf(plan.target, sizeof plan.target, "null");
    snprintf(plan.engine, sizeof plan.engine, "null");
    snprintf(plan.script, sizeof plan.script, "const:100us");
    plan.allow_unwritten = true;
    struct pts_session p = {.test = test_of("pts-iops"), .plan = &plan, .root = &root};
    p.room = malloc(sizeof *p.room);
    p.shared = session_shared_new();
    if (!p.room || !p.shared || !check_that(!sysroot_open(&root, "/", &e), __FILE__, __LINE__, "/"))
        exit(1);
    CHECK_INT(pts_shape(&r, p.test, &limits, &e), 0);
    struct pts_sample s = {.round = 0, .cell = 0};
    if (!check_that(!pts_session_cell(&p, &r, &r.cells[r.cell_count / 2], &s, &e), __FILE__,
                    __LINE__, "the session"))
        fprintf(stderr, "%s\n", e.msg);
    CHECK(s.seconds > 0.1 && s.iops > 0 && s.bandwidth > s.iops);
    CHECK(s.mean_ns >= 1e5 && s.max_ns >= s.mean_ns && s.written > 0 && isnan(s.celsius));
    CHECK_INT(pts_session_latency(&p, &r, &r.cells[r.cell_count - 2], 0.2, &e), 0);
    CHECK(r.latency_ios > 0 && r.latency[0] >= 9e4 && r.latency[8] >= r.latency[0]);
    CHECK(isnan(r.latency[7])); /* with so few requests there is no such percentile */
    CHECK_INT(session_shared_end(p.shared, &e), 0);
    free(p.room);
}

int main(void)
{
    check_matrices();
    check_large_blocks();
    check_reduced();
    check_steady();
    check_not_steady();
    check_resumed();
    check_saturation();
    check_session();
    return check_result();
}
