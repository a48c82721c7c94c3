/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the tests of one disk: plan, session, record, result and checks. */
#include "machine/qualify/measure_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/internal.h"
#include "run/watch/gauge_samples.h"

#define FOLDER_MAX 1024

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
_Static_assert(TESTS == QUALIFICATION_TESTS, "each kind of test has its time");

size_t measure_count(bool writes)
{
    size_t count = 0;
    for (size_t i = 0; i < TESTS; i++)
        count += writes || !tests[i].writes;
    return count;
}

void measure_plan(struct measuring *m, const bool writes[], size_t count)
{
    m->time = (struct time_left){.limit_seconds = m->request->limit_seconds, .disks = count};
    m->count = 0;
    for (size_t i = 0; i < count; i++) {
        m->count += measure_count(writes[i]);
        for (size_t kind = 0; kind < TESTS; kind++)
            m->time.kinds[kind].planned += writes[i] || !tests[kind].writes;
    }
}

size_t measure_clauses(const char *sla)
{
    struct clauses clauses;
    struct err empty;
    return clauses_parse_limits(&clauses, sla, &empty) ? 0 : clauses_estimated(&clauses);
}

/* ---- plan and folder ---- */

/* The session may write only to the disk with the serial number that the user gave (mark_writes of
   qualify.c), even if the path leads to another disk by then. */
static int make_plan(const struct measuring *m, int device, const struct test *test,
                     const char *path, struct plan *plan, struct err *e)
{
    const struct qualification_device *disk = &m->q->devices[device];
    const struct plan_statistics *judged = &plan->statistics;
    struct plan_ending *end = &plan->ending;
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
    if (test->writes)
        snprintf(plan->destroy_serial, sizeof plan->destroy_serial, "%s", disk->serial);
    plan->allow_unwritten = m->request->allow_unwritten;
    end->limit_seconds = m->request->limit_seconds;
    /* A session with clauses goes on until the clauses are decided and the session is as precise as
       a session without clauses. */
    if (m->request->expectation && expectation_clauses(m->request->expectation, disk, test->name,
                                                       end->sla, sizeof end->sla, e))
        return -1;
    /* The chance of a wrong verdict is divided among all disks and tests, in proportion to their
       clauses. */
    size_t own = measure_clauses(end->sla);
    if (own)
        end->sla_confidence = 1 - (1 - judged->confidence) * (double)own / (double)m->q->clauses;
    if (end->sla[0])
        snprintf(end->precise, sizeof end->precise, "iops:%.6g%%", 100 * judged->target_width);
    plan->labels = m->request->labels;
    plan->measure_overhead = false;
    plan->compare_block_layer = false;
    return plan_check(plan, e);
}

/* Makes a new folder "FOLDER/nvme0n1-read" and the path of the record in it; both are "" when
   nothing is kept. Tries to make the record, because a session that cannot make it measures
   nothing. */
static int make_folder(const struct measuring *m, const char *disk, const char *test,
                       char folder[FOLDER_MAX], char record[FOLDER_MAX], struct err *e)
{
    folder[0] = record[0] = '\0';
    if (!m->request->folder)
        return 0;
    int length = snprintf(folder, FOLDER_MAX, "%s/%s-%s", m->request->folder, disk, test);
    if (length < 0 || length >= FOLDER_MAX - 16)
        return err_set(e, ERR_USAGE, "%.200s...: the name of the folder is too long",
                       m->request->folder);
    for (char *c = folder + strlen(m->request->folder) + 1; *c; c++)
        if (strchr("/\\:*?\"<>|!", *c))
            *c = '-';
    if (dir_make_new(folder, e)) {
        e->code = ERR_TARGET;
        return -1;
    }
    snprintf(record, FOLDER_MAX, "%.1000s/record.cupel", folder);
    int fd = open(record, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        int error = errno;
        rmdir(folder);
        return err_set(e, ERR_TARGET, "%.200s: %s", record, strerror(error));
    }
    file_remove(fd, AT_FDCWD, record);
    close(fd);
    return 0;
}

/* A measurement that cannot be kept does not end the others: the first error is reported at the
   end. */
static void remember(struct measuring *m, const struct err *why)
{
    if (!m->unkept++)
        m->keep_error = *why;
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
                              .effective_n = NAN,
                              .next_low = NAN,
                              .next_high = NAN};
    snprintf(none.note, sizeof none.note, "nothing was measured");
    return none;
}

static void take_warmth(struct qualification_device *d, double celsius)
{
    d->temperature_max = fmax(d->temperature_max, celsius);
    if (isnan(d->temperature_begin))
        d->temperature_begin = celsius;
}

/* Takes temperatures from the sensors that were watched, and from the drive before and after. */
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

/* A measurement above the path's limit refutes that limit (run/watch/gauge_samples.h): a warning
   says so, and the efficiency is not known. */
static void judge_path_limit(const struct measuring *m, int device, const struct test *test,
                             struct qualification_test *t)
{
    double limit = test->writes ? m->result->path_limit_write : m->result->path_limit_read;
    char found[40];
    if (t->bandwidth.low > WATCH_REFUTED * limit) {
        snprintf(found, sizeof found, "%.3g times its limit", t->bandwidth.value / limit);
        const int machine = inventory_find(m->q->hardware, "machine");
        const char *host = inventory_value(m->q->hardware, machine, "hypervisor");
        note_check(m->q, device, GRADE_WARN, "data path", found,
                   "more than it lets through was measured in the test %s: %s", test->name,
                   host && strcmp(host, "none") != 0
                       ? "the disk is emulated and no link limits it: ignore this, and order "
                         "bandwidth in expect.txt, not efficiency"
                       : "the link carries more than it reports");
        m->q->devices[device].limit_read = NAN;
    }
    if (t->efficiency > 1)
        t->efficiency = NAN;
}

/* Adds a check with a note: `words`, then that the machine was busy, then as many warnings of the
   session as fit. The other warnings are counted. */
static void note_result(struct qualification *q, int device, enum grade grade, const char *what,
                        const char *found, const char *words, const struct result *r)
{
    char note[NOTE_MAX];
    snprintf(note, sizeof note, "%s", words);
    const size_t room_for_count = 16;
    size_t used = strlen(note), left = 0;
    if (r->busy[0] && used + 2 + strlen(r->busy) + room_for_count < sizeof note)
        used +=
            (size_t)snprintf(note + used, sizeof note - used, "%s%s", used ? "; " : "", r->busy);
    for (size_t i = 0; i < r->note_count; i++) {
        const char *warning = r->notes[i].text;
        if (!r->notes[i].warning)
            continue;
        if (left || used + 2 + strlen(warning) + room_for_count > sizeof note)
            left++;
        else
            used += (size_t)snprintf(note + used, sizeof note - used, "%s%s", used ? "; " : "",
                                     warning);
    }
    if (left)
        snprintf(note + used, sizeof note - used, "%s%zu warning%s%s", used ? "; " : "", left,
                 left == 1 ? "" : "s", used ? " more" : ": see its report");
    note_check(q, device, grade, what, found, "%s", note);
}

/* Returns the full width of the interval divided by the value; NaN without an interval. */
static double width_of(const struct result_row *row)
{
    return row ? (row->high - row->low) / fabs(row->value) : NAN;
}

/* Returns why the session ended without the wanted precision, in `to` or a constant. `asked`: the
   width that was requested. */
static const char *lack_of(const struct result *r, double asked, char *to, size_t size)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    double width = width_of(row);
    if (*level_claim_words(to, size, &r->claim) && r->verdict != VERDICT_LIMIT)
        return to;
    if (!strcmp(r->phase, "no_steady_state"))
        return "no steady state";
    if (r->verdict == VERDICT_BEST_POSSIBLE)
        return "as precise as this disk allows";
    if (!isfinite(width))
        return "too few readings for an interval";
    if (row->low <= 0)
        return "its interval goes down to 0";
    return width <= asked && *result_lack_words(r, to, size) ? to : "not as precise as asked";
}

/*
 * Judges a measurement that ended before it was as precise as asked. It passes when it is as
 * precise as this disk allows, or when a clause about the width passed; otherwise it gets a
 * warning. It is undecided if its interval is missing or goes down to 0, or without a steady state.
 */
static void judge_limit(struct measuring *m, int device, const struct plan *plan,
                        const struct test *test, const char *found, const char *beside)
{
    const struct result *r = m->result;
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    double width = width_of(row);
    /* Only the verdict on a clause was missing; the clause has a check of its own. */
    bool reached = false;
    for (size_t i = 0; i < r->clause_count; i++)
        reached |= r->clauses[i].is_width && r->clauses[i].verdict == CLAUSE_PASSED;
    bool stands = (r->verdict == VERDICT_LIMIT || r->verdict == VERDICT_BEST_POSSIBLE ||
                   r->verdict == VERDICT_UNSETTLED) &&
                  isfinite(width) && row->low > 0 && strcmp(r->phase, "no_steady_state") != 0;
    char words[NOTE_MAX + 80], wide[80] = "", level[RESULT_LACK_WORDS];
    if (isfinite(width))
        snprintf(wide, sizeof wide, ": the %g %% interval is +-%.3g %%, +-%.3g %% was asked",
                 100 * row->confidence, 50 * width, 50 * plan->statistics.target_width);
    snprintf(words, sizeof words, "%s within its limit of %.4g s%s%s",
             lack_of(r, plan->statistics.target_width, level, sizeof level),
             plan->ending.limit_seconds, wide, beside);
    if (stands && reached)
        snprintf(words, sizeof words, "%s", *beside ? beside + 2 : "");
    const enum grade grade =
        reached || r->verdict == VERDICT_BEST_POSSIBLE ? GRADE_PASS : GRADE_WARN;
    note_result(m->q, device, stands ? grade : GRADE_UNDECIDED, test->name, found, words, r);
}

static void judge_verdict(struct measuring *m, int device, const struct plan *plan,
                          const struct test *test, const struct qualification_test *t)
{
    const struct result *r = m->result;
    char found[120] = "", beside[120];
    bool random = test->pattern == PATTERN_RANDOM;
    const struct result_row *row = random ? &t->iops : &t->bandwidth;
    if (t->measured)
        quantity_format_interval(random ? QUANTITY_COUNT_RATE : QUANTITY_RATE, row->value, row->low,
                                 row->high, found, sizeof found);
    /* If another part was at its limit, the drive may be faster than measured. */
    beside[0] = '\0';
    const struct result_part *part = result_bottleneck(r, NULL);
    if (part)
        snprintf(beside, sizeof beside,
                 "; %.40s was saturated %.0f %% of the time: the drive may be faster", part->name,
                 100 * part->saturated);
    switch (r->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_DECIDED:
        note_result(m->q, device, GRADE_PASS, test->name, found, beside[0] ? beside + 2 : "", r);
        return;
    case VERDICT_FAILED:
        m->failed = true;
        note_result(m->q, device, GRADE_FAIL, test->name, found, r->failure, r);
        return;
    case VERDICT_INTERRUPTED:
        note_result(m->q, device, GRADE_UNDECIDED, test->name, found, "interrupted", r);
        return;
    default:
        judge_limit(m, device, plan, test, found, beside);
    }
}

/* Explains why nothing was measured. Reads are refused because of the disk's contents, writes
   because somebody uses the disk, both without permission: no fault of the disk. */
static void judge_refusal(struct measuring *m, int device, const struct test *test,
                          const struct err *why)
{
    snprintf(m->q->devices[device].tests[m->q->devices[device].test_count - 1].failure,
             sizeof((struct qualification_test *)0)->failure, "%.239s", why->msg);
    const bool at_fault = why->code != ERR_UNSAFE && why->code != ERR_MACHINE;
    note_check(m->q, device, at_fault ? GRADE_FAIL : GRADE_UNDECIDED, test->name, "",
               "not measured: %s", why->msg);
    m->failed |= at_fault;
}

/* ---- one test ---- */

static void keep(struct measuring *m, int device, const struct plan *plan, const struct test *test,
                 const char *folder, struct qualification_test *t)
{
    const struct result *r = m->result;
    struct qualification_device *d = &m->q->devices[device];
    const char *backend = facts_find(&r->settings, "backend", "backend");
    t->verdict = r->verdict;
    t->bandwidth = row_of(r, METRIC_BANDWIDTH);
    t->iops = row_of(r, METRIC_IOPS);
    t->response_time = row_of(r, METRIC_RESPONSE_TIME);
    t->p50 = row_of(r, METRIC_LATENCY_P50);
    t->p99 = row_of(r, METRIC_LATENCY_P99);
    t->efficiency = row_of(r, METRIC_EFFICIENCY).value;
    t->measured = !isnan(t->iops.value);
    for (size_t i = 0; i < r->clause_count && t->clause_count < CLAUSES_MAX; i++)
        if (!r->clauses[i].is_width)
            t->clauses[t->clause_count++] = r->clauses[i];
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    t->seconds = elapsed ? elapsed->value : NAN;
    snprintf(t->phase, sizeof t->phase, "%s", r->phase);
    snprintf(t->disturbed, sizeof t->disturbed, "%.119s", r->busy);
    snprintf(t->engine, sizeof t->engine, "%s", backend ? backend : "");
    t->key = r->key;
    snprintf(t->failure, sizeof t->failure, "%s",
             t->measured || r->failure[0] ? r->failure : "there was not enough time");
    take_temperatures(m, device, r);
    if (!test->writes && test->pattern == PATTERN_SEQUENTIAL && r->path_limit_read > 0)
        d->limit_read = r->path_limit_read;
    judge_path_limit(m, device, test, t);
    judge_verdict(m, device, plan, test, t);
    const struct result_row *errors = result_find(r, METRIC_ERRORS, "all");
    char found[80];
    if (errors && errors->value > 0) {
        snprintf(found, sizeof found, "%.0f of %llu I/Os", errors->value,
                 (unsigned long long)errors->n);
        note_check(m->q, device, GRADE_FAIL, "I/O errors", found, "failed or short in the test %s",
                   test->name);
    }
    m->q->interrupted |= r->verdict == VERDICT_INTERRUPTED;
    struct err e = {0};
    if (m->request->keep && m->request->keep(m->request->context, folder[0] ? folder : NULL, r, &e))
        remember(m, &e);
}

static int run_test(struct measuring *m, int device, const struct test *test,
                    const struct disk_identity *disk, struct qualification_test *t, struct err *e)
{
    const struct qualify_request *request = m->request;
    const struct qualification_device *d = &m->q->devices[device];
    char folder[FOLDER_MAX], record[FOLDER_MAX];
    struct plan plan;
    struct session *session = NULL;
    struct err why = {0};
    /* A write test is for one disk only, and its path may lead to another disk by now. Any refusal
       is a failure. */
    if (test->writes && m->failed)
        err_set(&why, ERR_TARGET, "an earlier test of this disk failed, so it is not written");
    else if (test->writes && disk_identity_check(disk, request->root, d->serial, &why))
        why.code = ERR_TARGET;
    if (why.code) {
        judge_refusal(m, device, test, &why);
        return 0;
    }
    if (make_plan(m, device, test, disk->path, &plan, e))
        return -1;
    if (make_folder(m, d->name, test->name, folder, record, &why)) {
        remember(m, &why);
        why = (struct err){0};
        folder[0] = '\0';
    }
    plan_describe(&plan, t->workload, sizeof t->workload);
    if (request->stage) {
        char text[160];
        snprintf(text, sizeof text, "%s: %s, %zu of %zu", d->name, test->words, m->done + 1,
                 m->count);
        request->stage(request->context, text);
    }
    const struct session_observer observer = measure_observer(m);
    if (session_run(&session, &plan, request->root, folder[0] ? record : NULL, request->stop,
                    &observer, &why)) {
        if (folder[0])
            rmdir(folder); /* removes only an empty folder */
        judge_refusal(m, device, test, &why);
        return 0;
    }
    session_result(session, m->result);
    keep(m, device, &plan, test, folder, t);
    session_free(session);
    return 0;
}

/* Runs a test, and takes the time of all its work, which predicts how long later tests take. */
static int time_test(struct measuring *m, int device, size_t kind, const struct disk_identity *disk,
                     struct qualification_test *t, struct err *e)
{
    double begin = seconds_of_clock(CLOCK_MONOTONIC);
    int status = run_test(m, device, &tests[kind], disk, t, e);
    if (t->measured)
        time_left_end_test(&m->time, kind, seconds_of_clock(CLOCK_MONOTONIC) - begin);
    return status;
}

/* ---- a disk ---- */

/* Adds an undecided check for a test without a result, so that it never passes. */
static void judge_unmeasured(struct measuring *m, int device, const struct qualification_test *t)
{
    for (size_t i = 0; i < m->q->check_count; i++)
        if (m->q->checks[i].device == device && !strcmp(m->q->checks[i].what, t->name))
            return;
    note_check(m->q, device, GRADE_UNDECIDED, t->name, "", "not measured: %s", t->failure);
}

int measure_disk(struct measuring *m, int device, const struct disk_identity *disk, bool writes,
                 struct err *e)
{
    struct qualification_device *d = &m->q->devices[device];
    bool stopped = *m->request->stop || m->q->interrupted;
    bool unwritten = !stopped && d->size &&
                     contents_unwritten(m->q, device, disk->path, m->request->allow_unwritten);
    m->failed = false;
    m->time.disk = (size_t)device + 1;
    for (size_t i = 0; i < TESTS; i++) {
        if (tests[i].writes && !writes)
            continue;
        struct qualification_test *t = &d->tests[d->test_count++];
        const struct result_row none = {
            .value = NAN, .low = NAN, .high = NAN, .next_low = NAN, .next_high = NAN};
        *t = (struct qualification_test){.verdict = VERDICT_INTERRUPTED, .efficiency = NAN};
        t->bandwidth = t->iops = t->response_time = t->p50 = t->p99 = none;
        snprintf(t->name, sizeof t->name, "%s", tests[i].name);
        stopped = *m->request->stop || m->q->interrupted;
        time_left_begin_test(&m->time, i);
        if (stopped)
            snprintf(t->failure, sizeof t->failure, "interrupted before it");
        else if (!d->size)
            snprintf(t->failure, sizeof t->failure, "the disk has no bytes");
        else if (unwritten && !tests[i].writes && !m->request->allow_unwritten)
            snprintf(t->failure, sizeof t->failure,
                     "most of it was never written: write it once, or allow unwritten disks");
        else if (time_test(m, device, i, disk, t, e))
            return -1;
        if (!t->measured)
            judge_unmeasured(m, device, t);
        else if (tests[i].pattern == PATTERN_SEQUENTIAL && !tests[i].writes)
            contents_judge_covered(m->q, device, disk->path, t->bandwidth.value * t->seconds);
        m->done++;
    }
    m->q->interrupted |= stopped;
    return 0;
}
