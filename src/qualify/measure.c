/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One disk's tests: plan, session, record, result, checks. */
#include "qualify/measure.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "io/unwritten.h"
#include "qualify/disks.h"
#include "qualify/note.h"
#include "qualify/quantity.h"

/* More zeros than this among the sampled blocks, and a disk counts as never written. */
#define ZEROS_MOST  0.5
#define FOLDER_MOST 1024

static const struct test {
    const char *name, *words;
    enum plan_pattern pattern;
    bool writes;
    uint32_t block_size, iodepth;
} tests[] = {
    {"read", "sequential read", PATTERN_SEQUENTIAL, false, 1 << 20, 8},
    {"randread", "random read", PATTERN_RANDOM, false, 4096, 32},
    {"write", "sequential write", PATTERN_SEQUENTIAL, true, 1 << 20, 8},
    {"randwrite", "random write", PATTERN_RANDOM, true, 4096, 32},
};

enum { TESTS = sizeof tests / sizeof *tests };

size_t measure_count(bool writes)
{
    size_t count = 0;
    for (size_t i = 0; i < TESTS; i++)
        count += writes || !tests[i].writes;
    return count;
}

/* ---- plan and folder ---- */

static int make_plan(const struct measuring *m, const struct test *test, const char *path,
                     struct plan *plan, struct err *e)
{
    plan_init(plan);
    if (plan_apply_preset(plan, m->request->preset, e))
        return -1;
    snprintf(plan->target, sizeof plan->target, "%s", path);
    plan->pattern = test->pattern;
    plan->random_share = test->pattern == PATTERN_RANDOM ? 1 : 0;
    plan->write_share = test->writes ? 1 : 0;
    plan->block_size = test->block_size;
    plan->iodepth = test->iodepth;
    plan->destroy = test->writes;
    plan->allow_unwritten = m->request->allow_unwritten;
    plan->limit_seconds = m->request->limit_seconds;
    plan->measure_overhead = false;
    plan->compare_block_layer = false;
    return plan_check(plan, e);
}

/* "FOLDER/nvme0n1-read", made anew; "" when nothing is kept. */
static int make_folder(const struct measuring *m, const char *disk, const char *test,
                       char folder[FOLDER_MOST], struct err *e)
{
    folder[0] = '\0';
    if (!m->request->folder)
        return 0;
    int length = snprintf(folder, FOLDER_MOST, "%s/%s-%s", m->request->folder, disk, test);
    if (length < 0 || length >= FOLDER_MOST - 16)
        return err_set(e, ERR_USAGE, "%.200s...: the name of the folder is too long",
                       m->request->folder);
    for (char *c = folder + strlen(m->request->folder) + 1; *c; c++)
        if (strchr("/\\:*?\"<>|!", *c))
            *c = '-';
    if (!dir_make_new(folder, e))
        return 0;
    e->code = ERR_TARGET;
    return -1;
}

static void remove_folder(const char *folder, const char *record)
{
    if (!folder[0])
        return;
    unlink(record);
    rmdir(folder);
}

/* ---- from the session's result ---- */

static struct result_row row_of(const struct result *r, enum metric_id metric)
{
    const struct result_row *row = result_find(r, metric, r->headline_op);
    if (row)
        return *row;
    struct result_row none = {.metric = metric,
                              .value = NAN,
                              .low = NAN,
                              .high = NAN,
                              .confidence = NAN,
                              .effective_n = NAN};
    snprintf(none.note, sizeof none.note, "nothing was measured");
    return none;
}

static void take_rows(struct qualification_test *t, const struct result *r)
{
    const char *backend = facts_find(&r->settings, "backend", "backend");
    t->verdict = r->verdict;
    t->bandwidth = row_of(r, METRIC_BANDWIDTH);
    t->iops = row_of(r, METRIC_IOPS);
    t->response_time = row_of(r, METRIC_RESPONSE_TIME);
    t->p99 = row_of(r, METRIC_LATENCY_P99);
    t->efficiency = row_of(r, METRIC_EFFICIENCY).value;
    t->measured = !isnan(t->iops.value);
    t->seconds = row_of(r, METRIC_ELAPSED).value;
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    if (elapsed)
        t->seconds = elapsed->value;
    snprintf(t->engine, sizeof t->engine, "%s", backend ? backend : "");
    snprintf(t->failure, sizeof t->failure, "%s",
             t->measured || r->failure[0] ? r->failure : "there was not enough time");
}

static void take_warmth(struct qualification_device *d, double celsius)
{
    d->temperature_most = fmax(d->temperature_most, celsius);
    if (isnan(d->temperature_begin))
        d->temperature_begin = celsius;
}

/* From the sensors that were watched, and from what the drive said before and after. */
static void take_temperatures(const struct measuring *m, int device, const struct result *r)
{
    struct qualification_device *d = &m->q->devices[device];
    const struct inventory *v = m->q->hardware;
    for (size_t i = 0; i < r->timeline.gauge_count; i++) {
        const struct result_gauge *g = &r->timeline.gauges[i];
        if (strcmp(g->key, "temperature") != 0 ||
            disk_owner(m->q, inventory_find(v, g->node)) != device)
            continue;
        for (size_t k = 0; k < r->timeline.count; k++)
            take_warmth(d, (double)g->high[k]);
    }
    int thermometer = disk_thermometer(v, inventory_find(v, d->name));
    int node = thermometer == INVENTORY_NONE || !r->hardware
                   ? INVENTORY_NONE
                   : inventory_find(r->hardware, v->nodes[thermometer].name);
    if (node != INVENTORY_NONE)
        take_warmth(d, inventory_number(r->hardware, node, "temperature_after"));
}

/* ---- what is judged of one test ---- */

/* What else than the drive was at its limit, so that the number may not be the drive's. */
static void describe_bottleneck(const struct result *r, char *to, size_t size)
{
    const double believable = 1.1; /* more, and its limit is not what it is said to be */
    to[0] = '\0';
    for (size_t i = 0; i < r->part_count && !to[0]; i++)
        if (r->parts[i].bottleneck && !r->parts[i].under_test &&
            r->parts[i].utilisation <= believable)
            snprintf(to, size, "; %s was at %.0f %% of its %s: the drive may be faster",
                     r->parts[i].name, 100 * r->parts[i].utilisation, r->parts[i].measure);
}

static void judge_verdict(const struct measuring *m, int device, const struct test *test,
                          const struct qualification_test *t, const struct result *r)
{
    char found[120] = "", beside[120];
    bool random = test->pattern == PATTERN_RANDOM;
    const struct result_row *row = random ? &t->iops : &t->bandwidth;
    if (t->measured)
        quantity_format_interval(random ? QUANTITY_COUNT_RATE : QUANTITY_RATE, row->value, row->low,
                                 row->high, found, sizeof found);
    describe_bottleneck(r, beside, sizeof beside);
    switch (r->verdict) {
    case VERDICT_PRECISE:
        note_check(m->q, device, GRADE_PASS, test->name, found, "%s", beside[0] ? beside + 2 : "");
        return;
    case VERDICT_FAILED:
        note_check(m->q, device, GRADE_FAIL, test->name, found, "%s", r->failure);
        return;
    case VERDICT_INTERRUPTED:
        note_check(m->q, device, GRADE_WARN, test->name, found, "interrupted");
        return;
    default:
        note_check(m->q, device, GRADE_WARN, test->name, found,
                   "not as precise as asked within its limit of %.4g s%s%s",
                   m->request->limit_seconds,
                   !strcmp(r->phase, "no_steady_state") ? "; no steady state" : "", beside);
    }
}

static void judge_errors(const struct measuring *m, int device, const struct test *test,
                         const struct result *r)
{
    const struct result_row *errors = result_find(r, METRIC_ERRORS, "all");
    char found[80];
    if (!errors || !(errors->value > 0))
        return;
    snprintf(found, sizeof found, "%.0f of %llu I/Os", errors->value,
             (unsigned long long)errors->n);
    note_check(m->q, device, GRADE_FAIL, "I/O errors", found, "failed or short in the test %s",
               test->name);
}

/* Nothing was measured at all: why. A refusal to read is for the disk's contents, one to write
   because somebody uses the disk. */
static void judge_refusal(const struct measuring *m, int device, const struct test *test,
                          const struct err *why)
{
    snprintf(m->q->devices[device].tests[m->q->devices[device].test_count - 1].failure,
             sizeof((struct qualification_test *)0)->failure, "%.239s", why->msg);
    note_check(m->q, device, why->code == ERR_UNSAFE ? GRADE_WARN : GRADE_FAIL, test->name, "",
               "not measured: %s", why->msg);
}

/* ---- one test ---- */

static int keep(const struct measuring *m, int device, const struct test *test, const char *folder,
                struct qualification_test *t, struct err *e)
{
    const struct result *r = m->result;
    struct qualification_device *d = &m->q->devices[device];
    take_rows(t, r);
    take_temperatures(m, device, r);
    if (!test->writes && r->path_limit_read > 0)
        d->limit_read = r->path_limit_read;
    judge_verdict(m, device, test, t, r);
    judge_errors(m, device, test, r);
    m->q->interrupted |= r->verdict == VERDICT_INTERRUPTED;
    return m->request->keep ? m->request->keep(m->request->context, folder[0] ? folder : NULL, r, e)
                            : 0;
}

static void tell_stage(const struct measuring *m, const char *disk, const struct test *test)
{
    char text[160];
    if (!m->request->stage)
        return;
    snprintf(text, sizeof text, "%s: %s, %zu of %zu", disk, test->words, m->done + 1, m->count);
    m->request->stage(m->request->context, text);
}

/* A test of which there is nothing to tell but that it was asked for. */
static struct qualification_test *add_test(struct qualification_device *d, const struct test *test)
{
    struct qualification_test *t = &d->tests[d->test_count++];
    *t = (struct qualification_test){.verdict = VERDICT_INTERRUPTED, .efficiency = NAN};
    t->bandwidth.value = t->iops.value = t->response_time.value = t->p99.value = NAN;
    t->bandwidth.low = t->iops.low = t->response_time.low = t->p99.low = NAN;
    t->bandwidth.high = t->iops.high = t->response_time.high = t->p99.high = NAN;
    snprintf(t->name, sizeof t->name, "%s", test->name);
    return t;
}

static int run_test(struct measuring *m, int device, const struct test *test, const char *path,
                    struct qualification_test *t, struct err *e)
{
    const struct qualify_request *request = m->request;
    const char *disk = m->q->devices[device].name;
    char folder[FOLDER_MOST], record[FOLDER_MOST];
    struct plan plan;
    struct session *session = NULL;
    struct err why = {0};
    if (make_plan(m, test, path, &plan, e) || make_folder(m, disk, test->name, folder, e))
        return -1;
    plan_describe(&plan, t->workload, sizeof t->workload);
    snprintf(record, sizeof record, "%.1000s/record.cupel", folder);
    tell_stage(m, disk, test);
    if (session_run(&session, &plan, request->root, folder[0] ? record : NULL, request->stop,
                    &request->observer, &why)) {
        remove_folder(folder, record);
        judge_refusal(m, device, test, &why);
        return 0;
    }
    session_result(session, m->result);
    int status = keep(m, device, test, folder, t, e);
    session_free(session);
    return status;
}

/* ---- a disk ---- */

/* The share that reads as zeros; what cannot be read shows in the tests. */
static double zeros_of(const char *path, uint64_t size)
{
    double share = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (unwritten_share_of_device(fd, size, 1, &share, NULL))
        share = 0;
    close(fd);
    return share;
}

static bool is_unwritten(struct measuring *m, int device, const char *path)
{
    double share = zeros_of(path, m->q->devices[device].size);
    bool allowed = m->request->allow_unwritten;
    char found[40];
    if (share <= ZEROS_MOST)
        return false;
    snprintf(found, sizeof found, "%.0f %% read as zeros", 100 * share);
    note_check(m->q, device, GRADE_WARN, "contents", found, "never written, so that %s",
               allowed ? "what was measured did not reach the medium"
                       : "reading measures nothing; write it once, or allow unwritten disks");
    return true;
}

int measure_disk(struct measuring *m, int device, const char *path, bool writes, struct err *e)
{
    struct qualification_device *d = &m->q->devices[device];
    bool stopped = *m->request->stop || m->q->interrupted;
    bool unwritten = !stopped && d->size && is_unwritten(m, device, path);
    for (size_t i = 0; i < TESTS; i++) {
        if (tests[i].writes && !writes)
            continue;
        struct qualification_test *t = add_test(d, &tests[i]);
        stopped = *m->request->stop || m->q->interrupted;
        if (stopped)
            snprintf(t->failure, sizeof t->failure, "interrupted before it");
        else if (!d->size)
            snprintf(t->failure, sizeof t->failure, "the disk has no bytes");
        else if (unwritten && !tests[i].writes && !m->request->allow_unwritten)
            snprintf(t->failure, sizeof t->failure, "the disk was never written");
        else if (run_test(m, device, &tests[i], path, t, e))
            return -1;
        m->done++;
    }
    m->q->interrupted |= stopped;
    return 0;
}
