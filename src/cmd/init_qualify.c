/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The qualification itself, in a child process: what it finds goes into files in memory, and what
   it says on the way to the consoles. A line that ends in '\r' is progress, drawn in place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"
#include "cmd/init_parts.h"
#include "cmd/output.h"
#include "cmd/progress.h"
#include "cmd/signals.h"
#include "qualify/qualify.h"
#include "report/qualification.h"
#include "tables/boot_image.h"

/* ---- what is seen while it goes on ---- */

static void tell_stage(void *context, const char *text)
{
    (void)context;
    printf("%s\n", text);
    fflush(stdout);
}

static void tell_progress(void *context, const struct session_progress *now)
{
    char line[160];
    (void)context;
    progress_line(now, line, sizeof line, 75);
    printf("   %s\r", line);
    fflush(stdout);
}

static const char *name_of_folder(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash ? slash + 1 : folder;
}

static void tell_result(const struct result *r)
{
    const struct result_row *bandwidth = result_find(r, METRIC_BANDWIDTH, r->headline_op);
    const struct result_row *iops = result_find(r, METRIC_IOPS, r->headline_op);
    char rate[UNITS_BUFFER], count[UNITS_BUFFER];
    if (bandwidth && iops && isfinite(bandwidth->value) && isfinite(iops->value))
        printf("   %s, %s IOPS (%s)\n", format_rate(rate, sizeof rate, bandwidth->value),
               format_count(count, sizeof count, iops->value), verdict_name(r->verdict));
    else
        printf("   no result (%s)\n", verdict_name(r->verdict));
    fflush(stdout);
}

/* A report that cannot be written whole is no reason to leave the other disks unmeasured. */
static int keep_measurement(void *context, const char *folder, const struct result *result,
                            struct err *e)
{
    (void)context;
    tell_result(result);
    if (folder && output_folder(result, folder, e))
        printf("! %s: %s\n", name_of_folder(folder), e->msg);
    return 0;
}

/* ---- what is expected ---- */

static bool is_default_expectation(const struct boot_config *c)
{
    return !strcmp(c->expect, EXPECT_FILE);
}

/* On the stick, else in the initrd. False: nowhere. */
static bool find_expectation(const struct appliance *a, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", a->data.folder, a->config.expect);
    if (a->data.mounted && access(path, F_OK) == 0)
        return true;
    snprintf(path, size, "/%s", a->config.expect);
    return access(path, F_OK) == 0;
}

static int read_expectation(const struct appliance *a, struct expectation **x, struct err *e)
{
    char path[sizeof a->data.folder + sizeof a->config.expect + 2];
    if (find_expectation(a, path, sizeof path))
        return expectation_read(x, path, e);
    if (is_default_expectation(&a->config))
        return 0;
    return err_set(e, ERR_USAGE, "expect %s: there is no such file on the stick", a->config.expect);
}

/* ---- what is left behind ---- */

static int write_state(const char *name, const struct text *text, struct err *e)
{
    if (text->failed)
        return err_set(e, ERR_MACHINE, "there is no memory left for the report");
    return write_file_atomically(INIT_STATE, name, text->data ? text->data : "", text->length, e);
}

static int write_page(const struct qualification *q, struct err *e)
{
    const struct report_style style = {.width = 80};
    struct text page = {0};
    qualification_print_page(q, &style, &page);
    int status = write_state(INIT_PAGE, &page, e);
    text_free(&page);
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

static int write_files(const struct qualification *q, const char *folder, struct err *e)
{
    int status = 0;
    for (const struct qualification_file *f = qualification_files; f->name && !status; f++) {
        struct text out = {0};
        f->render(q, &out);
        status = out.failed ? err_set(e, ERR_MACHINE, "there is no memory left for %s", f->name)
                            : write_file_atomically(folder, f->name, out.data ? out.data : "",
                                                    out.length, e);
        text_free(&out);
    }
    return status;
}

static void add_problem(struct qualification *q, bool fails, const char *text)
{
    struct qualification_check *c =
        qualification_add(q, -1, fails ? GRADE_FAIL : GRADE_WARN, "configuration");
    if (c)
        snprintf(c->note, sizeof c->note, "%.*s", (int)sizeof c->note - 1, text);
}

/* What could not be done as asked belongs on the page as much as what was found. */
static void add_problems(struct qualification *q, const struct appliance *a, const char *unexpected)
{
    for (size_t i = 0; i < a->problem_count; i++)
        add_problem(q, a->problems[i].fails, a->problems[i].text);
    if (*unexpected)
        add_problem(q, true, unexpected);
}

/* `unexpected`: why there are no expectations, or "". */
static int report(const struct qualification *found, const struct appliance *a,
                  const char *unexpected, struct err *e)
{
    struct qualification q = *found;
    char line[sizeof a->report.line];
    q.checks = calloc(QUALIFICATION_CHECKS, sizeof *q.checks);
    if (!q.checks)
        return err_set(e, ERR_MACHINE, "there is no memory left for the report");
    memcpy(q.checks, found->checks, found->check_count * sizeof *q.checks);
    add_problems(&q, a, unexpected);
    qualification_line(&q, line, sizeof line);
    int status = write_line(line, e) || write_page(&q, e) || write_files(&q, a->report.folder, e);
    free(q.checks);
    if (status)
        return -1;
    return q.grade == GRADE_FAIL ? ERR_FAILED : q.interrupted ? ERR_UNDECIDED : ERR_NONE;
}

/* ---- doing it ---- */

static int qualify_and_report(const struct init_task *task, const struct expectation *x,
                              const char *unexpected, struct err *e)
{
    const struct appliance *a = task->appliance;
    const struct menu_order *order = task->order;
    const char *skip[] = {a->data.found ? a->data.disk : NULL, NULL};
    const char *destroy[] = {order->destroy_serial, NULL};
    struct sysroot root;
    struct qualifier *q = NULL;
    if (sysroot_open(&root, NULL, e))
        return -1;
    const struct qualify_request request = {.root = &root,
                                            .names = order->names,
                                            .name_count = order->name_count,
                                            .skip = skip,
                                            .preset = order->preset,
                                            .limit_seconds = a->config.limit_seconds,
                                            .allow_unwritten = a->config.allow_unwritten,
                                            .destroy_serials = destroy,
                                            .expectation = x,
                                            .folder = a->report.folder,
                                            .keep = keep_measurement,
                                            .stop = signals_install(),
                                            .observer = {tell_progress, NULL},
                                            .stage = tell_stage};
    if (qualify(&q, &request, e))
        return -1;
    int status = report(qualifier_result(q), a, unexpected, e);
    qualifier_free(q);
    return status;
}

/* There is no page, but there is a line. */
static int fail(const struct err *e)
{
    char line[sizeof e->msg + 8];
    struct err again;
    printf("! %s\n", e->msg);
    snprintf(line, sizeof line, "FAIL: %s", e->msg);
    write_line(line, &again);
    return e->code;
}

/* With a mistake in the expectations the disks are measured all the same, but cannot pass. */
int init_qualify_in_child(void *context)
{
    const struct init_task *task = context;
    struct expectation *x = NULL;
    struct err unexpected = {0}, e = {0};
    if (read_expectation(task->appliance, &x, &unexpected))
        printf("! %s\n", unexpected.msg);
    int status = qualify_and_report(task, x, unexpected.msg, &e);
    expectation_free(x);
    return status < 0 ? fail(&e) : status;
}
