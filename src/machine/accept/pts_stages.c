/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the tests of the PTS as stages of one disk: their preparation, their share of the time,
   their rounds by sessions on the held target, and their findings. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/nvme/nvme.h"
#include "base/units.h"
#include "machine/accept/internal.h"
#include "machine/accept/pts.h"
#include "machine/accept/pts_session.h"
#include "machine/accept/turns.h"

/* Measures the rounds of a test, beginning after the last sample in the journal. */

/* Returns the round and cell that follow the last sample. */
static struct pts_sample next_sample(const struct pts_result *r)
{
    struct pts_sample next = {.round = 0, .cell = 0};
    if (r->sample_count) {
        const struct pts_sample *last = &r->samples[r->sample_count - 1];
        next = (struct pts_sample){.round = last->round, .cell = last->cell + 1};
    }
    while (next.cell < r->cell_count && !r->cells[next.cell].chosen)
        next.cell++;
    if (next.cell == r->cell_count) {
        next.round++;
        for (next.cell = 0; !r->cells[next.cell].chosen; next.cell++)
            ;
    }
    return next;
}

static int measure_sample(struct pts_result *r, struct accept_journal *journal, unsigned disk,
                          const struct pts_measurer *m, struct err *e)
{
    struct pts_sample s = next_sample(r);
    if (m->cell(m->context, r, &r->cells[s.cell], &s, e))
        return -1;
    if (r->sample_count)
        s.written += r->samples[r->sample_count - 1].written;
    if (pts_journal_sample(journal, disk, r, &s, e))
        return -1;
    r->samples[r->sample_count++] = s;
    return 0;
}

static const struct pts_cell *first_tracked(const struct pts_result *r)
{
    const struct pts_cell *cell = r->cells;
    while (!cell->tracked)
        cell++;
    return cell;
}

static int measure_latency(struct pts_result *r, const struct pts_test *test,
                           struct accept_journal *journal, unsigned disk,
                           const struct pts_measurer *m, struct err *e)
{
    double seconds = pts_seconds(r, test, 0);
    if (!(seconds > 0) || r->latency_seconds > 0)
        return 0;
    if (m->latency(m->context, r, first_tracked(r), seconds, e))
        return -1;
    return pts_journal_latency(journal, disk, r, e);
}

int pts_rounds(struct pts_result *r, const struct pts_test *test, struct accept_journal *journal,
               unsigned disk, const struct pts_measurer *m, struct err *e)
{
    if (pts_judge(r, test, e))
        return -1;
    while (r->end == PTS_UNFINISHED)
        if (measure_sample(r, journal, disk, m, e) || pts_judge(r, test, e))
            return -1;
    return measure_latency(r, test, journal, disk, m, e);
}

#define PASSES 2 /* number of times that preconditioning writes the active range */

#define RESTED_SECONDS 60 /* seconds; a shorter rest before the test is not reported */

#define PASS_EVENT   "pts-pass"
#define PURGED_EVENT "pts-purged"

/* How the time of --hours is divided among the requested stages. */
static const struct share {
    const char *stage;
    double weight;
} shares[] = {{"pts-iops", 10}, {"pts-tp", 4}, {"pts-lat", 3}, {"pts-wsat", 6}};

enum { SHARES = sizeof shares / sizeof *shares };

/* one test of one disk */
struct work {
    struct accept_disk *disk;
    const struct pts_test *test;
    struct pts_result *result;
};

/* ---- time ---- */

/* Returns the time for a test with its preconditioning; INFINITY without --hours. */
static double share_seconds(const struct accept_disk *d, const struct pts_test *test)
{
    double own = 0, all = 0, tests = 0;
    if (!(d->request->hours > 0))
        return INFINITY;
    for (unsigned i = 0; i < SHARES; i++) {
        bool is_own = !strcmp(shares[i].stage, test->stage);
        own += is_own ? shares[i].weight : 0;
        all += is_own || accept_stage_asked(d->request->stages, shares[i].stage) ? shares[i].weight
                                                                                 : 0;
    }
    for (const struct pts_test *t = pts_tests; t->name; t++)
        tests += !strcmp(t->stage, test->stage);
    return 3600 * d->request->hours * own / all / tests;
}

static int choose_shape(const struct accept_disk *d, const struct pts_test *test, double taken,
                        struct pts_result *r, struct err *e)
{
    const struct pts_limits limits = {.client = d->request->client,
                                      .capacity = d->size,
                                      .logical_block = d->logical_block,
                                      .seconds = share_seconds(d, test) - taken,
                                      .cell_seconds = d->request->cell_seconds};
    return pts_shape(r, test, &limits, e);
}

/* ---- earlier work on the disk ---- */

static bool is_ended(const struct accept_disk *d, const struct pts_test *test)
{
    const struct accept_line *line;
    char name[16];
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++)
        if (line->disk == d->number && !strcmp(line->event, "pts-end") &&
            accept_line_text(line, "test", name, sizeof name) && !strcmp(name, test->name))
            return true;
    return false;
}

/* Returns whether another test that writes the disk will still run before this one. */
static bool is_later(const struct accept_disk *d, const struct pts_test *test)
{
    for (const struct pts_test *t = pts_tests; t != test; t++)
        if (accept_stage_asked(d->request->stages, t->stage) && !(d->journal && is_ended(d, t)))
            return true;
    return false;
}

/* Returns whether stage `precondition` is requested and has not ended. */
static bool is_precondition_ahead(const struct accept_disk *d)
{
    const struct accept_line *line;
    char stage[24], status[16];
    bool done = false;
    for (size_t i = 0; d->journal && (line = accept_journal_line(d->journal, i)); i++)
        done |= line->disk == d->number && !strcmp(line->event, "end") &&
                accept_line_text(line, "stage", stage, sizeof stage) &&
                accept_line_text(line, "status", status, sizeof status) &&
                !strcmp(stage, "precondition") && !strcmp(status, "done");
    return !done && accept_stage_asked(d->request->stages, ACCEPT_PRECONDITION);
}

/* Returns whether stage `precondition` has written the disk, or will, and no test writes it after
   that. */
static bool is_preconditioned(const struct accept_disk *d, const struct pts_test *test)
{
    const struct accept_line *line;
    bool is = false;
    if (is_later(d, test))
        return false;
    if (!d->journal || is_precondition_ahead(d))
        return accept_stage_asked(d->request->stages, ACCEPT_PRECONDITION) &&
               test->precondition == PRECONDITION_BLOCK;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++) {
        char stage[24], status[16];
        if (line->disk != d->number)
            continue;
        if (!strncmp(line->event, "pts-", 4))
            is = false;
        else if (!strcmp(line->event, "end") &&
                 accept_line_text(line, "stage", stage, sizeof stage) &&
                 accept_line_text(line, "status", status, sizeof status))
            is = !strcmp(status, "done") &&
                 (!strcmp(stage, "precondition") || (is && strcmp(stage, "purge") != 0));
    }
    return is && test->precondition == PRECONDITION_BLOCK;
}

static double precondition_seconds(const struct accept_disk *d, const struct pts_test *test)
{
    bool needed = test->precondition && !is_preconditioned(d, test);
    double range = (double)d->size * (d->request->client ? 0.75 : 1);
    return needed ? PASSES * range / d->rate : 0;
}

/* Returns the number of lines in the journal with this event and `mark`, which names the test. Sets
 *seconds to the sum of their seconds. */
static unsigned lines_of(const struct accept_disk *d, const char *event, const char *mark,
                         double *seconds)
{
    const struct accept_line *line;
    unsigned count = 0;
    *seconds = 0;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++)
        if (line->disk == d->number && !strcmp(line->event, event) &&
            !strncmp(line->fields, mark, strlen(mark))) {
            *seconds += accept_line_number(line, "seconds");
            count++;
        }
    return count;
}

/* Purges if requested, and preconditions. `seconds`: time of preconditioning, including earlier
   calls of the program. */
static int renew(const struct work *w, double *seconds, struct err *e)
{
    struct accept_disk *d = w->disk;
    char mark[32];
    snprintf(mark, sizeof mark, "test=%s ", w->test->name);
    const struct precondition what = {.stage = w->test->name,
                                      .event = PASS_EVENT,
                                      .mark = mark,
                                      .block = w->test->precondition,
                                      .end = w->result->range,
                                      .passes = PASSES};
    if (d->request->purge[0] && !lines_of(d, PURGED_EVENT, mark, seconds) &&
        (stage_purge.run(d, e) ||
         accept_journal_add(d->journal, d->number, e, PURGED_EVENT, "%sseconds=0", mark)))
        return -1;
    if (w->test->precondition && precondition_write(d, &what, e))
        return -1;
    if (accept_journal_reload(d->journal, e))
        return -1;
    lines_of(d, PASS_EVENT, mark, seconds);
    return 0;
}

/* ---- a test ---- */

/* Reads whether the volatile write cache is on. An NVMe drive is asked, since the kernel knows only
   that it has a cache; for other drives the kernel's state is right. */
static void read_cache(const struct accept_disk *d, char *to, size_t size)
{
    char path[128], mode[24];
    struct nvme_admin admin;
    uint32_t enabled;
    snprintf(path, sizeof path, "/sys/block/%.63s/queue/write_cache", d->name);
    if (sysroot_line(d->root, path, mode, sizeof mode) != FACT_OK)
        mode[0] = '\0';
    nvme_admin_attach(&admin, d->target.fd);
    if (nvme_admin_send(&admin, NVME_VOLATILE_WRITE_CACHE, 0, NULL, 0, &enabled) == FACT_OK)
        snprintf(to, size, "%s, as the drive says", enabled & 1 ? "on" : "off");
    else if (mode[0])
        snprintf(to, size, "%s, %s", strcmp(mode, "write back") ? "off" : "on", mode);
    else
        to[0] = '\0';
}

/* Writes "PowerEdge R750, Linux 6.1.0 x86_64, 64 processors". */
static void read_platform(const struct accept_disk *d, char *to, size_t size)
{
    struct utsname kernel = {0};
    char product[64];
    if (sysroot_line(d->root, "/sys/class/dmi/id/product_name", product, sizeof product) != FACT_OK)
        product[0] = '\0';
    uname(&kernel);
    snprintf(to, size, "%s%s%.10s %.40s %.20s, %ld processors", product, product[0] ? ", " : "",
             kernel.sysname, kernel.release, kernel.machine, sysconf(_SC_NPROCESSORS_ONLN));
}

/* Returns the seconds since stage `precondition` ended, even if an earlier call of the program ran
   it; NaN: it has not ended. */
static double rested_seconds(const struct accept_disk *d)
{
    const struct accept_line *line;
    char stage[24];
    double begun = NAN, ended = NAN;
    for (size_t i = 0; (line = accept_journal_line(d->journal, i)); i++) {
        if (line->disk != d->number || !accept_line_text(line, "stage", stage, sizeof stage) ||
            strcmp(stage, "precondition") != 0)
            continue;
        if (!strcmp(line->event, "begin"))
            begun = accept_line_number(line, "at");
        else if (!strcmp(line->event, "end"))
            ended = begun + accept_line_number(line, "seconds");
    }
    return (double)time(NULL) - ended;
}

/* Writes ", 6 h before it began, 3 other disks measured at the same time". */
static void name_company(const struct accept_disk *d, bool by_stage, char *to, size_t size)
{
    char words[UNITS_BUFFER];
    const size_t others = d->turns ? d->turns->count - 1 : 0;
    int used = 0;
    const double rested = by_stage ? rested_seconds(d) : NAN;
    if (rested >= RESTED_SECONDS)
        used = snprintf(to, size, ", %s before it began",
                        format_time(words, sizeof words, rested * 1e9));
    if (others && d->request->at_once == ACCEPT_ALL)
        snprintf(
            to + used, size - (size_t)used,
            ", while up to %zu other disks were measured: they may share a part of the machine",
            others);
    else if (others && d->request->at_once == ACCEPT_APART && !turns_is_one_group(d->turns))
        snprintf(to + used, size - (size_t)used,
                 ", while disks were at work that share no part with it which could slow it");
}

/* Writes "purged by format, preconditioned by 128 KiB over the active range, 2 times". */
static void name_preparation(const struct work *w, bool by_stage, char *to, size_t size)
{
    const struct accept_request *asked = w->disk->request;
    char block[UNITS_BUFFER];
    int used =
        snprintf(to, size, "%s%s", asked->purge[0] ? "purged by " : "not purged", asked->purge);
    if (w->test->precondition)
        used +=
            snprintf(to + used, size - (size_t)used, ", preconditioned by %s over the %s, %u times",
                     format_size(block, sizeof block, w->test->precondition),
                     by_stage ? "capacity" : "active range", by_stage ? asked->passes : PASSES);
    else
        used += snprintf(to + used, size - (size_t)used, ", not preconditioned");
    name_company(w->disk, by_stage, to + used, size - (size_t)used);
}

/* Prepares the disk, and decides what is measured in the remaining time. */
static int prepare(struct work *w, struct err *e)
{
    struct accept_disk *d = w->disk;
    struct pts_result *r = w->result;
    bool by_stage = is_preconditioned(d, w->test);
    double taken = precondition_seconds(d, w->test);
    if (choose_shape(d, w->test, taken, r, e) || (!by_stage && renew(w, &taken, e)))
        return -1;
    if (choose_shape(d, w->test, taken, r, e)) {
        e->code = ERR_UNDECIDED;
        return -1;
    }
    name_preparation(w, by_stage, r->prepared, sizeof r->prepared);
    read_cache(d, r->cache, sizeof r->cache);
    read_platform(d, r->platform, sizeof r->platform);
    return pts_journal_shape(d->journal, d->number, r, e);
}

/* Called after each cell: reads the kernel's log and returns the temperature. */
static double celsius_of(const void *disk)
{
    accept_log_take(disk);
    return accept_disk_celsius(disk);
}

static int run_rounds(struct work *w, struct err *e)
{
    struct accept_disk *d = w->disk;
    struct result *room = malloc(sizeof *room);
    struct pts_session session = {.test = w->test,
                                  .plan = &d->plan,
                                  .root = d->root,
                                  .shared = d->shared,
                                  .stop = d->stop,
                                  .observer = d->observer,
                                  .celsius = celsius_of,
                                  .celsius_context = d,
                                  .room = room};
    const struct pts_measurer m = {&session, pts_session_cell, pts_session_latency};
    if (!room)
        return err_no_memory(e, "the result of a test");
    int status = pts_rounds(w->result, w->test, d->journal, d->number, &m, e);
    free(room);
    return status;
}

/* A test that is not steady is undecided: its values remain, but say nothing about the drive's
   steady state. */
static int note_verdict(struct work *w, struct err *e)
{
    const struct pts_result *r = w->result;
    struct accept_disk *d = w->disk;
    if (r->end == PTS_NOT_STEADY || r->end == PTS_TIME_OVER)
        return accept_finding(d, GRADE_UNDECIDED, w->test->stage, e, "%.150s: not steady at %u %s",
                              r->words, r->rounds, w->test->saturation ? "samples" : "rounds");
    for (unsigned i = 0; i < r->tracked_count; i++)
        if (!strcmp(r->tracked[i].drift_verdict, "drifting"))
            return accept_finding(d, GRADE_WARN, w->test->stage, e,
                                  "%.120s: steady by the rule, while it drifts by %+.1f %% within "
                                  "five rounds: the values are not final",
                                  r->words, 100 * r->tracked[i].drift);
    return 0;
}

static int run_test(struct accept_disk *d, const struct pts_test *test, struct err *e)
{
    struct work w = {.disk = d, .test = test, .result = calloc(1, sizeof *w.result)};
    if (!w.result)
        return err_no_memory(e, "the result of a test");
    int status = 0;
    if (!pts_journal_read(d->journal, d->number, test, w.result))
        status = prepare(&w, e);
    if (!status)
        status = run_rounds(&w, e);
    if (!status)
        status = note_verdict(&w, e);
    if (!status)
        status = pts_journal_end(d->journal, d->number, w.result, e);
    free(w.result);
    return status ? -1 : 0;
}

/* ---- the stages ---- */

static int run_stage(struct accept_disk *d, const char *stage, struct err *e)
{
    for (const struct pts_test *test = pts_tests; test->name; test++)
        if (!strcmp(test->stage, stage) && !is_ended(d, test) &&
            (run_test(d, test, e) || accept_journal_reload(d->journal, e)))
            return -1;
    return 0;
}

/* Returns the longest time: all rounds of every test, and its preconditioning. */
static double estimate(const struct accept_disk *d, const char *stage)
{
    double seconds = 0;
    struct pts_result *r = malloc(sizeof *r);
    for (const struct pts_test *test = pts_tests; test->name && r; test++) {
        struct err e;
        double before = precondition_seconds(d, test);
        if (strcmp(test->stage, stage) != 0)
            continue;
        seconds += choose_shape(d, test, before, r, &e)
                       ? (double)NAN
                       : before + pts_seconds(r, test, r->rounds_max);
    }
    free(r);
    return seconds > 0 ? seconds : (double)NAN;
}

/* Checks that the requested tests fit into --hours. ERR_USAGE: they do not. */
static int check_stage(const struct accept_disk *d, const char *stage, struct err *e)
{
    struct pts_result *r = malloc(sizeof *r);
    int status = r ? 0 : err_no_memory(e, "the result of a test");
    for (const struct pts_test *t = pts_tests; t->name && !status; t++)
        if (!strcmp(t->stage, stage))
            status = choose_shape(d, t, precondition_seconds(d, t), r, e);
    free(r);
    return status;
}

#define STAGE(part, stage, what)                                                                   \
    static double part##_estimate(const struct accept_disk *d)                                     \
    {                                                                                              \
        return estimate(d, stage);                                                                 \
    }                                                                                              \
    static int part##_check(const struct accept_disk *d, struct err *e)                            \
    {                                                                                              \
        return check_stage(d, stage, e);                                                           \
    }                                                                                              \
    static int part##_run(struct accept_disk *d, struct err *e)                                    \
    {                                                                                              \
        return run_stage(d, stage, e);                                                             \
    }                                                                                              \
    const struct accept_stage stage_pts_##part = {.name = (stage),                                 \
                                                  .words = (what),                                 \
                                                  .check = part##_check,                           \
                                                  .estimate_seconds = part##_estimate,             \
                                                  .run = part##_run};

STAGE(iops, "pts-iops", "5 to 25 rounds of random reads and writes of 8 sizes in 7 mixes")
STAGE(tp, "pts-tp", "5 to 25 rounds in order, 128 KiB and then 1024 KiB")
STAGE(lat, "pts-lat", "5 to 25 rounds of one request at a time, then 20 minutes of writes")
STAGE(wsat, "pts-wsat", "random writes until 4 x the capacity, 6 hours, or steady")

/* ---- results ---- */
