/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the qualification in a child process: its results go to files in memory, and its messages to
   the consoles. A line that ends in '\r' is progress, drawn in place. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "appliance/menu/internal.h"
#include "appliance/menu/verdict_screen.h"
#include "appliance/process/milliseconds.h"
#include "base/file/file.h"
#include "base/units.h"
#include "cmd/output/output.h"
#include "cmd/qualify/qualify_folder.h"
#include "cmd/terminal/progress_line.h"
#include "cmd/terminal/signals.h"
#include "machine/qualify/qualify.h"
#include "report/qualify/qualification.h"
#include "tables/boot_image.h"

/* State that the child's functions share. */
struct work {
    const struct init_task *task;
    bool expects;           /* there are expectations */
    const char *unexpected; /* why expectations are missing although there should be some; or "" */
    char overall[80];       /* summary of all tests, in words */
};

/* ---- output during the work ---- */

static void print_stage(void *context, const char *text)
{
    (void)context;
    printf("%s\n", text);
    fflush(stdout);
}

static void take_overall(void *context, const char *words)
{
    struct work *work = context;
    snprintf(work->overall, sizeof work->overall, "%s", words);
}

static void print_progress(void *context, const struct session_progress *now)
{
    const struct work *work = context;
    char line[160];
    progress_line_below(work->overall, now, line, sizeof line, 78);
    printf(" %s\r", line);
    fflush(stdout);
}

/* Writes the reports of a measurement. If one cannot be written completely, the other disks are
   measured all the same. */
static int keep_measurement(void *context, const char *folder, const struct result *result,
                            struct err *e)
{
    (void)context;
    const struct result_row *bandwidth = result_find(result, METRIC_BANDWIDTH, result->headline_op);
    const struct result_row *iops = result_find(result, METRIC_IOPS, result->headline_op);
    char rate[UNITS_BUFFER], count[UNITS_BUFFER], level[LEVEL_CLAIM_WORDS];
    level_claim_words(level, sizeof level, &result->claim);
    if (bandwidth && iops && isfinite(bandwidth->value) && isfinite(iops->value))
        printf("   %s, %s IOPS (%s)\n", format_rate(rate, sizeof rate, bandwidth->value),
               format_count(count, sizeof count, iops->value),
               result->verdict == VERDICT_LIMIT           ? "the limit came before the precision"
               : result->verdict == VERDICT_BEST_POSSIBLE ? "as precise as this disk allows"
               : result->verdict == VERDICT_UNSETTLED     ? "precise for this stretch of time only"
               : verdict_is_imprecise(result->verdict)    ? level
                                                          : verdict_name(result->verdict));
    else
        printf("   no result (%s)\n", verdict_name(result->verdict));
    fflush(stdout);
    const char *slash = folder ? strrchr(folder, '/') : NULL;
    if (folder && output_folder(result, folder, e))
        printf("! %s: %s\n", slash ? slash + 1 : folder, e->msg);
    return 0;
}

/* ---- expectations ---- */

/* Reads the expectations of the stick, or else of the initrd. Only a missing file is no error. */
static int read_expectation(const struct appliance *a, struct expectation **x, struct err *e)
{
    const struct init_expectation *of_stick = &a->expectation;
    char path[sizeof a->config.expect + 2];
    if (of_stick->error[0])
        return err_set(e, ERR_USAGE, "what is expected cannot be read: %s", of_stick->error);
    if (of_stick->text)
        return expectation_parse(x, of_stick->text, of_stick->length, a->config.expect, e);
    snprintf(path, sizeof path, "/%s", a->config.expect);
    if (access(path, F_OK) == 0)
        return expectation_read(x, path, e);
    if (errno == ENOENT && !strcmp(a->config.expect, EXPECT_FILE))
        return 0;
    return err_set(e, ERR_USAGE, "expect %s: %s, on the stick and in the initrd", a->config.expect,
                   strerror(errno));
}

/* ---- the files of the result ---- */

static int write_state(const char *name, const struct text *text, struct err *e)
{
    if (text->failed)
        return err_no_memory(e, "the report");
    return write_file_over(INIT_STATE, name, "", text->data ? text->data : "", text->length, e);
}

/* Writes a page for each console in its present size, with room left for the verdict. */
static int write_pages(const struct qualification *q, const struct console *c, const char *line,
                       struct err *e)
{
    int status = 0;
    for (unsigned i = 0; !status && i < console_count(c); i++) {
        const struct console_screen screen = console_screen_of(c, i);
        const struct report_style style = verdict_screen_style(&screen);
        struct text page = {0};
        char name[sizeof INIT_PAGE + 16];
        snprintf(name, sizeof name, INIT_PAGE, i);
        qualification_print_screen(q, &style, verdict_screen_lines(&screen, line), "key d", &page);
        status = write_state(name, &page, e);
        text_free(&page);
    }
    return status;
}

static int write_line(const char *words, struct err *e)
{
    struct text line = {0};
    text_add(&line, words);
    int status = write_state(INIT_LINE, &line, e);
    text_free(&line);
    return status;
}

static void add_problem(struct qualification *q, bool fails, const char *text)
{
    struct qualification_check *c =
        qualification_add(q, -1, fails ? GRADE_FAIL : GRADE_WARN, "configuration");
    if (c)
        snprintf(c->note, sizeof c->note, "%.*s", (int)sizeof c->note - 1, text);
}

/* Adds the name of the file of expectations to the page, since a configuration may name another
   one. */
static void add_expectation(struct qualification *q, const struct appliance *a, bool expects)
{
    struct qualification_check *c = qualification_add(q, -1, GRADE_NONE, "expectations");
    if (c && expects)
        snprintf(c->note, sizeof c->note, "held against %s of the %s", a->config.expect,
                 a->expectation.text ? "stick" : "initrd");
    else if (c)
        snprintf(c->note, sizeof c->note, "there is no %s: only what is wrong in any machine fails",
                 a->config.expect);
}

/* Returns whether the disk's tests ended, with any result and without an interruption. */
static bool is_done(const struct qualification_device *d)
{
    bool done = d->test_count > 0;
    for (size_t i = 0; i < d->test_count; i++)
        done = done && strncmp(d->tests[i].failure, "interrupted", strlen("interrupted")) != 0;
    return done;
}

/* Adds a failed check if the qualification has not ended yet, or not in time. A report that is
   written before the end has this check in case the end never comes: a disk that no longer answers
   blocks the whole process. */
static void add_end(struct qualification *q, const struct init_task *task, bool ended)
{
    size_t measured = 0;
    struct qualification_check *c;
    if (ended && (!q->interrupted || boot_seconds() - task->begin < task->seconds))
        return;
    for (size_t i = 0; i < q->device_count; i++)
        measured += is_done(&q->devices[i]);
    c = qualification_add(q, -1, GRADE_FAIL, "end");
    if (c && ended)
        snprintf(c->note, sizeof c->note, "the qualification did not end within %.0f s",
                 task->seconds);
    else if (c)
        snprintf(c->note, sizeof c->note,
                 "the qualification did not end: %zu of %zu disks were done, and nothing was held "
                 "against expectations",
                 measured, q->device_count);
}

static int report(const struct qualification *found, const struct work *work, bool ended,
                  struct err *e)
{
    const struct appliance *a = work->task->appliance;
    struct qualification q = *found;
    char line[sizeof a->report.line];
    q.checks = calloc(QUALIFICATION_CHECKS, sizeof *q.checks);
    if (!q.checks)
        return err_no_memory(e, "the report");
    memcpy(q.checks, found->checks, found->check_count * sizeof *q.checks);
    /* problems with the configuration belong on the page as much as the findings */
    for (size_t i = 0; i < a->problem_count; i++)
        add_problem(&q, a->problems[i].fails, a->problems[i].text);
    if (a->problems_left) {
        char words[80];
        snprintf(words, sizeof words, "%zu more problem%s: the log has them", a->problems_left,
                 a->problems_left == 1 ? "" : "s");
        add_problem(&q, a->left_fails, words);
    }
    if (*work->unexpected)
        add_problem(&q, true, work->unexpected);
    add_end(&q, work->task, ended);
    if (!*work->unexpected)
        add_expectation(&q, a, work->expects);
    qualification_line(&q, line, sizeof line);
    int status = write_line(line, e) || write_pages(&q, a->console, line, e) ||
                 qualify_write_files(&q, a->report.folder, true, e);
    free(q.checks);
    if (status)
        return -1;
    return (int)qualification_status(&q);
}

static void keep_so_far(void *context, const struct qualification *q)
{
    struct err e;
    if (report(q, context, false, &e) < 0)
        printf("! %s\n", e.msg);
}

/* ---- the work ---- */

static int qualify_and_report(struct work *work, const struct expectation *x, struct err *e)
{
    const struct appliance *a = work->task->appliance;
    const struct menu_order *order = work->task->order;
    const char *skip[DATA_DISKS + 1];
    const char *destroy[] = {order->destroy_serial, NULL};
    struct sysroot root;
    struct qualifier *q = NULL;
    if (sysroot_open(&root, NULL, e))
        return -1;
    data_partition_disks(&a->data, skip);
    const struct qualify_request request = {
        .root = &root,
        .names = order->names,
        .name_count = order->name_count,
        .missing_fails = true,
        .skip = skip,
        .preset = order->preset,
        .limit_seconds = a->config.limit_seconds,
        .allow_unwritten = a->config.allow_unwritten,
        .memory = a->config.memory,
        .processors = a->config.processors,
        .burn_seconds = a->config.burn_seconds,
        .destroy_serials = destroy,
        .expectation = x,
        .folder = a->report.folder,
        .keep = keep_measurement,
        .context = work,
        .stop = signals_install(),
        .overall = take_overall,
        .observer = {.progress = print_progress, .context = work},
        .stage = print_stage,
        .so_far = keep_so_far};
    if (qualify(&q, &request, e))
        return -1;
    int status = report(qualifier_result(q), work, true, e);
    qualifier_free(q);
    return status;
}

/* Runs the qualification. If the expectations have a mistake, the disks are measured all the same,
   but cannot pass. */
int init_qualify_in_child(void *context)
{
    struct err unexpected = {0}, e = {0};
    struct work work = {.task = context, .unexpected = unexpected.msg};
    struct expectation *x = NULL;
    if (read_expectation(work.task->appliance, &x, &unexpected))
        printf("! %s\n", unexpected.msg);
    else if (!x)
        printf("There is no %s: only what is wrong in any machine fails.\n",
               work.task->appliance->config.expect);
    work.expects = x != NULL;
    int status = qualify_and_report(&work, x, &e);
    expectation_free(x);
    if (status >= 0)
        return status;
    char line[sizeof e.msg + 8]; /* this line replaces the page */
    struct err again;
    printf("! %s\n", e.msg);
    snprintf(line, sizeof line, "FAIL: %s", e.msg);
    write_line(line, &again);
    return (int)e.code;
}
