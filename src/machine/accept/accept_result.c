/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result from a journal. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/accept/pts.h"
#include "stat/change/changepoint.h"

#define POINTS_MAX 4000 /* points of a plot; if there are more, neighbours are joined */

/* ---- findings ---- */

static void take_finding(struct acceptance_disk *to, const struct accept_line *line)
{
    char stage[24], words[240];
    uint64_t grade = accept_line_count(line, "grade");
    accept_line_text(line, "stage", stage, sizeof stage);
    accept_line_text(line, "words", words, sizeof words);
    acceptance_add(to, grade <= GRADE_FAIL ? (enum grade)grade : GRADE_FAIL, stage, "%s", words);
}

/* ---- heat ---- */

/* Pauses in which a drive cooled down, which together make one finding. */
struct heat {
    unsigned pauses;
    double celsius, limit, below;
    char stage[24]; /* "" if there were pauses in several stages */
};

static void take_pause(struct heat *h, const struct accept_line *line)
{
    char stage[sizeof h->stage];
    accept_line_text(line, "stage", stage, sizeof stage);
    if (!h->pauses || strcmp(h->stage, stage) != 0)
        snprintf(h->stage, sizeof h->stage, "%s", h->pauses ? "" : stage);
    h->celsius = h->pauses++ ? fmax(h->celsius, accept_line_number(line, "celsius"))
                             : accept_line_number(line, "celsius");
    h->limit = accept_line_number(line, "limit");
    h->below = accept_line_number(line, "below");
}

static void add_heat(struct acceptance_disk *to, const struct heat *h)
{
    char times[32] = "";
    if (h->pauses > 1)
        snprintf(times, sizeof times, " %u times", h->pauses);
    if (h->pauses)
        acceptance_add(to, GRADE_WARN, h->stage,
                       "it reached %.0f C, its limit is %.0f C: writing paused%s until it was "
                       "%.0f C below that",
                       h->celsius, h->limit, times, h->below);
}

/* ---- stages ---- */

static void plan_stages(struct acceptance_disk *to, const char *names)
{
    for (size_t i = 0; accept_stages[i]; i++)
        if (accept_stage_asked(names, accept_stages[i]->name) &&
            to->stage_count < ACCEPTANCE_STAGES)
            snprintf(to->stages[to->stage_count++].name, sizeof to->stages[0].name, "%s",
                     accept_stages[i]->name);
}

static struct acceptance_stage *stage_of(struct acceptance_disk *to, const struct accept_line *line)
{
    char name[24];
    accept_line_text(line, "stage", name, sizeof name);
    for (size_t i = 0; i < to->stage_count; i++)
        if (!strcmp(to->stages[i].name, name))
            return &to->stages[i];
    return NULL;
}

/* Drops findings of a stage that is repeated. Good and undecided findings are replaced; faults
   remain for good. */
static void drop_good_findings(struct acceptance_disk *to, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < to->finding_count; i++)
        if (to->findings[i].grade == GRADE_WARN || to->findings[i].grade == GRADE_FAIL ||
            strcmp(to->findings[i].stage, name) != 0)
            to->findings[kept++] = to->findings[i];
    to->finding_count = kept;
}

/* Notes that a stage began. A stage without an end was cut off. */
static void take_begin(struct acceptance_disk *to, const struct accept_line *line)
{
    struct acceptance_stage *s = stage_of(to, line);
    char name[24];
    accept_line_text(line, "stage", name, sizeof name);
    drop_good_findings(to, name);
    if (!s)
        return;
    if (s->status == STAGE_FAILED && s->code == ERR_TARGET)
        acceptance_add(to, GRADE_WARN, s->name, "it failed before it was done again: %.180s",
                       s->words);
    s->status = STAGE_RUNNING;
    s->words[0] = '\0';
    s->begun++;
}

static void take_end(struct acceptance_disk *to, const struct accept_line *line)
{
    struct acceptance_stage *s = stage_of(to, line);
    char status[16];
    if (!s)
        return;
    accept_line_text(line, "status", status, sizeof status);
    accept_line_text(line, "words", s->words, sizeof s->words);
    s->status = !strcmp(status, "done") ? STAGE_DONE : STAGE_FAILED;
    s->code = (enum err_code)accept_line_count(line, "code");
    s->seconds += accept_line_number(line, "seconds");
}

/* Marks reading back as not done after a later write, which replaced the data that were read. */
static void reopen_verify(struct acceptance_disk *to)
{
    for (size_t i = 0; i < to->stage_count; i++)
        if (!strcmp(to->stages[i].name, ACCEPT_VERIFY) && to->stages[i].status == STAGE_DONE) {
            to->stages[i].status = STAGE_PLANNED;
            drop_good_findings(to, ACCEPT_VERIFY);
        }
}

/* ---- throughput ---- */

struct series {
    struct acceptance_point *points;
    size_t count, capacity;
    double written, seconds;
    double cut_off; /* seconds recorded by the running stage, which has no end line yet */
    size_t stage;   /* index of that stage */
    bool failed;
};

static void add_point(struct series *s, double bytes, double seconds, double celsius)
{
    s->written += bytes;
    s->seconds += seconds;
    s->failed |= !array_grow(&s->points, sizeof *s->points, s->count, &s->capacity);
    if (s->count == s->capacity)
        return;
    s->points[s->count++] = (struct acceptance_point){
        .written = s->written, .rate = seconds > 0 ? bytes / seconds : 0, .celsius = celsius};
}

static void take_written(struct series *s, const struct acceptance_disk *of,
                         const struct accept_line *line)
{
    char samples[ACCEPT_LINE_MAX];
    for (size_t i = 0; i < of->stage_count; i++)
        s->stage = of->stages[i].status == STAGE_RUNNING ? i : s->stage;
    double celsius = accept_line_number(line, "celsius");
    s->cut_off += accept_line_number(line, "seconds");
    accept_line_text(line, "samples", samples, sizeof samples);
    for (char *at = samples; *at;) {
        double bytes = strtod(at, &at);
        double seconds = *at == '/' ? strtod(at + 1, &at) * 1e-6 : 0;
        add_point(s, bytes, seconds, celsius);
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

/* Adds the time of a stage without an end, as far as the journal shows it. */
static void take_cut_off(struct acceptance_disk *to, struct series *s)
{
    if (to->stage_count)
        to->stages[s->stage].seconds += s->cut_off;
    s->cut_off = 0;
}

/* Joins neighbouring points until there are few enough. */
static void thin(struct series *s)
{
    while (s->count > POINTS_MAX) {
        size_t half = s->count / 2;
        for (size_t i = 0; i < half; i++) {
            const struct acceptance_point *a = &s->points[2 * i], *b = a + 1;
            double before = i ? s->points[i - 1].written : 0;
            double first = a->written - before, second = b->written - a->written;
            double seconds = first / a->rate + second / b->rate;
            s->points[i] = (struct acceptance_point){.written = b->written,
                                                     .rate = (first + second) / seconds,
                                                     .celsius = fmax(a->celsius, b->celsius)};
        }
        s->count = half;
    }
}

/* Returns the mean rate of the points: their bytes divided by their time. A mean of their rates
   would give fast points, which are short, too much weight. */
static double mean_rate(const struct acceptance_point points[], size_t begin, size_t end)
{
    double bytes = 0, seconds = 0;
    for (size_t i = begin; i < end; i++) {
        double own = points[i].written - (i ? points[i - 1].written : 0);
        if (!(points[i].rate > 0))
            continue;
        bytes += own;
        seconds += own / points[i].rate;
    }
    return bytes / seconds;
}

/* Finds the levels that the throughput held: a full write cache, garbage collection, throttling. */
static int find_changes(struct acceptance_disk *to, struct err *e)
{
    size_t n = to->point_count;
    struct arena scratch;
    if (n < 2 * CHANGEPOINT_MINIMUM_SEGMENT)
        return 0;
    double *rates = calloc(n, sizeof *rates);
    if (!rates)
        return err_no_memory(e, "%zu rates", n);
    if (arena_init(&scratch, changepoint_scratch_bytes(CHANGEPOINT_PELT, n) + 4096, e)) {
        free(rates);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        rates[i] = to->points[i].rate;
    size_t count =
        changepoint_find(CHANGEPOINT_PELT, rates, n, to->changes, ACCEPTANCE_CHANGES, &scratch);
    to->change_count = count < ACCEPTANCE_CHANGES ? count : ACCEPTANCE_CHANGES;
    arena_free(&scratch);
    free(rates);
    return 0;
}

static void judge_levels(struct acceptance_disk *to)
{
    size_t begin = 0;
    for (size_t i = 0; i <= to->change_count; i++) {
        size_t end = i < to->change_count ? to->changes[i] : to->point_count;
        to->rate_low = fmin(to->rate_low, mean_rate(to->points, begin, end));
        begin = end;
    }
}

static int finish_series(struct acceptance_disk *to, struct series *s, struct err *e)
{
    to->points = s->points;
    if (s->failed)
        return err_no_memory(e, "the throughput of %s", to->name);
    thin(s);
    to->point_count = s->count;
    to->throughput_stage = s->stage;
    to->written = s->written;
    to->rate = s->seconds > 0 ? s->written / s->seconds : NAN;
    to->rate_low = to->celsius_max = NAN;
    for (size_t i = 0; i < s->count; i++)
        to->celsius_max = fmax(to->celsius_max, s->points[i].celsius);
    if (!s->count)
        return 0;
    if (find_changes(to, e))
        return -1;
    judge_levels(to);
    return 0;
}

/* ---- one disk ---- */

static void take_identity(struct acceptance_disk *to, const struct accept_line *line)
{
    accept_line_text(line, "name", to->name, sizeof to->name);
    accept_line_text(line, "path", to->path, sizeof to->path);
    accept_line_text(line, "kind", to->kind, sizeof to->kind);
    accept_line_text(line, "model", to->model, sizeof to->model);
    accept_line_text(line, "serial", to->serial, sizeof to->serial);
    accept_line_text(line, "firmware", to->firmware, sizeof to->firmware);
    to->size = accept_line_count(line, "size");
    to->salt = accept_line_count(line, "salt");
}

/* Reads the tests of a disk from the journal and judges them; NULL and 0 if there are none. The
   caller frees them. */
static int pts_results_read(const struct accept_journal *j, unsigned disk, struct pts_result **to,
                            size_t *count, struct err *e)
{
    *count = 0;
    *to = calloc(PTS_TESTS, sizeof **to);
    if (!*to)
        return err_no_memory(e, "the tests");
    for (const struct pts_test *test = pts_tests; test->name; test++)
        if (pts_journal_read(j, disk, test, &(*to)[*count])) {
            if (pts_judge(&(*to)[*count], test, e))
                return -1;
            ++*count;
        }
    return 0;
}

static int read_disk(struct acceptance_disk *to, const struct accept_journal *j, unsigned disk,
                     const char *stages, struct err *e)
{
    struct series series = {0};
    struct heat heat = {0};
    const struct accept_line *line, *before = NULL, *after = NULL;
    take_identity(to, accept_journal_last(j, disk, "disk"));
    plan_stages(to, stages);
    for (size_t i = 0; (line = accept_journal_line(j, i)); i++) {
        char when[16];
        if (line->disk != disk)
            continue;
        if (!strcmp(line->event, "begin")) {
            take_cut_off(to, &series);
            take_begin(to, line);
        } else if (!strcmp(line->event, "end")) {
            series.cut_off = 0;
            take_end(to, line);
        } else if (!strcmp(line->event, "written")) {
            take_written(&series, to, line);
            reopen_verify(to);
        } else if (!strcmp(line->event, "finding"))
            take_finding(to, line);
        else if (!strcmp(line->event, "hot"))
            take_pause(&heat, line);
        else if (!strcmp(line->event, "health")) {
            accept_line_text(line, "when", when, sizeof when);
            if (!strcmp(when, "before") && !before)
                before = line;
            else if (!strcmp(when, "after"))
                after = line;
        }
    }
    take_cut_off(to, &series);
    add_heat(to, &heat);
    accept_health_compare(to, before, after);
    return finish_series(to, &series, e) || pts_results_read(j, disk, &to->pts, &to->pts_count, e)
               ? -1
               : 0;
}

/* ---- the whole result ---- */

static size_t count_disks(const struct accept_journal *j)
{
    size_t count = 0;
    while (count < ACCEPT_DISKS_MAX && accept_journal_last(j, (unsigned)count, "disk"))
        count++;
    return count;
}

static void take_request(struct acceptance *a, const struct accept_line *line, const char *folder)
{
    time_t began = (time_t)accept_line_count(line, "at");
    struct tm utc;
    accept_line_text(line, "version", a->version, sizeof a->version);
    snprintf(a->folder, sizeof a->folder, "%s", folder);
    if (gmtime_r(&began, &utc))
        strftime(a->date, sizeof a->date, "%Y-%m-%d %H:%M:%S UTC", &utc);
}

int accept_read(struct acceptance *a, const char *folder, struct err *e)
{
    struct accept_journal *j;
    char stages[200];
    int status = 0;
    *a = (struct acceptance){0};
    if (accept_journal_load(&j, folder, e))
        return -1;
    const struct accept_line *request = accept_journal_last(j, 0, "request");
    accept_line_text(request, "stages", stages, sizeof stages);
    if (request)
        take_request(a, request, folder);
    size_t count = request ? count_disks(j) : 0;
    a->disks = calloc(count + 1, sizeof *a->disks);
    if (!a->disks) {
        err_no_memory(e, "%zu disks", count);
        status = -1;
    }
    for (size_t i = 0; !status && i < count; i++) {
        a->disk_count = i + 1;
        status = read_disk(&a->disks[i], j, (unsigned)i, stages, e);
    }
    if (!status && !count)
        status = err_set(e, ERR_USAGE,
                         "%.300s: nothing was begun by its " ACCEPT_JOURNAL_FILE
                         ": remove the folder and begin anew",
                         folder);
    accept_journal_close(j);
    if (status)
        acceptance_free(a);
    else
        acceptance_judge(a);
    return status;
}
