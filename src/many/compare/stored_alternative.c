/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes alternatives of stored results: records, folders of run -o, folders of qualify -o. */
#include "many/compare/internal.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/file/record_file.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/repeat.h"

bool compare_is_stored(const char *path)
{
    const char suffix[] = ".cupel";
    size_t length = strlen(path);
    bool named = length >= strlen(suffix) && !strcmp(path + length - strlen(suffix), suffix);
    return named || dir_exists(path);
}

/* ---- rows of a result ---- */

static bool has_op(const struct result *r, const char *op)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (!strcmp(r->rows[i].op, op))
            return true;
    return false;
}

bool compare_row_name(const struct result *r, const struct result_row *row, char *to, size_t size)
{
    const char *name = metric_of(row->metric)->name;
    bool of_all = !strcmp(row->op, "all");
    size_t moving = 0; /* number of operations in the result that move data */
    for (int op = 0; op < OPERATIONS; op++)
        moving += operation_has_bytes(op) && has_op(r, operation_names[op]);
    bool alone = operation_has_bytes(operation_by_name(row->op)) && moving < 2;
    if (of_all || alone)
        snprintf(to, size, "%s", of_all || !result_find(r, row->metric, "all") ? name : "");
    else
        snprintf(to, size, "%s.%s", row->op, name);
    return to[0] && row->metric <= METRIC_LATENCY_P9999;
}

static int add_rows(struct compare_alternative *a, const struct result *r, const char *group,
                    const char *wanted, struct err *e)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct result_row *row = &r->rows[i];
        const struct metric *metric = metric_of(row->metric);
        char name[sizeof((struct compare_quantity *)0)->metric];
        bool compared = compare_row_name(r, row, name, sizeof name);
        if (wanted[0] ? strcmp(name, wanted) != 0 : !compared)
            continue;
        if (r->backlog && metric_is_response(row->metric)) {
            if (!a->incomplete[0])
                snprintf(a->incomplete, sizeof a->incomplete, "%s", result_backlog_words);
            continue;
        }
        if (!(row->value > 0) || !(row->effective_n >= 2) || !isfinite(row->low) ||
            !isfinite(row->high))
            continue;
        struct compare_quantity *q = compare_add(a, e);
        if (!q)
            return -1;
        snprintf(q->group, sizeof q->group, "%s", group);
        snprintf(q->metric, sizeof q->metric, "%s", name);
        q->kind = metric->kind;
        q->has_unit = true;
        q->higher_is_better = metric->better == METRIC_BETTER_HIGHER;
        q->summary = mean_summary_of_interval(row->value, row->low, row->high, row->confidence,
                                              row->effective_n);
        q->low = row->low;
        q->high = row->high;
        q->n = row->n;
        q->session = (struct session_mean){.mean = row->value,
                                           .low = row->low,
                                           .high = row->high,
                                           .next_low = row->next_low,
                                           .next_high = row->next_high,
                                           .confidence = row->confidence,
                                           .effective_n = row->effective_n};
    }
    return 0;
}

/* the alternative and the group to which rows are added */
struct adding {
    struct compare_alternative *alternative;
    const char *group, *wanted;
};

static void note_lack(const struct adding *to, enum verdict verdict)
{
    struct compare_alternative *a = to->alternative;
    const char *lack = stored_lack(verdict);
    if (lack && !a->incomplete[0])
        snprintf(a->incomplete, sizeof a->incomplete, "%s; what was measured before counts", lack);
}

static int take_result(void *context, const struct result *r, struct err *e)
{
    const struct adding *to = context;
    to->alternative->one_session = to->alternative->one_session || !r->repeat;
    note_lack(to, r->verdict);
    for (size_t i = 0; r->repeat && i < r->repeat->session_count; i++)
        if (r->repeat->sessions[i].counted)
            note_lack(to, r->repeat->sessions[i].verdict);
    return add_rows(to->alternative, r, to->group, to->wanted, e);
}

/*
 * Adds the readings of a program's steady rounds. Three kinds of index count with their own
 * interval instead: a proportion with Wilson's interval, because ten rounds that all give 1 do not
 * make it exactly known; unit readings, whose interval accounts for their rounds; and speed and
 * set-up, which are fitted to rounds of different work, whose mean duration says nothing.
 */
static int add_index(const struct adding *to, const struct execution_index *index,
                     const char *metric, struct err *e)
{
    size_t n = index->stable_end - index->stable_begin;
    bool fitted = !index->phase[0],
         has_summary = fitted || index->of_units || index->type == INDEX_PROPORTION;
    double *values = NULL;
    if (has_summary ? !(index->value > 0) || !(index->effective_n >= 2) || !isfinite(index->low) ||
                          !isfinite(index->high)
                    : n < 2)
        return 0;
    if (!has_summary) {
        values = malloc(n * sizeof *values);
        if (!values)
            return err_no_memory(e, "the readings of %s", to->alternative->name);
        memcpy(values, index->values + index->stable_begin, n * sizeof *values);
    }
    if (compare_add_readings(to->alternative, metric, index->better != METRIC_BETTER_LOWER, values,
                             has_summary ? index->used : n, e))
        return -1;
    struct compare_quantity *q = &to->alternative->quantities[to->alternative->count - 1];
    snprintf(q->group, sizeof q->group, "%s", to->group);
    memcpy(q->unit, index->unit, sizeof q->unit);
    q->harmonic = index->type == INDEX_RATIO && !has_summary;
    q->session = (struct session_mean){.mean = index->value,
                                       .low = index->low,
                                       .high = index->high,
                                       .next_low = index->next_low,
                                       .next_high = index->next_high,
                                       .confidence = index->confidence,
                                       .effective_n = index->effective_n + (fitted ? 1 : 0)};
    if (has_summary) {
        /* Adds 1 because `effective_n` of a fitted line is its degrees of freedom. */
        double effective_n = index->effective_n + (fitted ? 1 : 0);
        double low = index->cut ? 2 * index->value - index->high : index->low;
        q->summary = mean_summary_of_interval(index->value, low, index->high, index->confidence,
                                              effective_n);
        q->low = index->low;
        q->high = index->high;
    }
    return 0;
}

static int take_program(void *context, const struct execution *x, struct err *e)
{
    const struct adding *to = context;
    note_lack(to, x->verdict);
    for (size_t i = 0; i < x->index_count; i++) {
        char metric[PROGRAM_METRIC_MAX];
        program_metric(metric, x->indices[i].op, x->indices[i].name);
        if ((!to->wanted[0] || !strcmp(to->wanted, metric)) &&
            add_index(to, &x->indices[i], metric, e))
            return -1;
    }
    return 0;
}

static int add_result(struct compare_alternative *a, const char *path, const char *group,
                      const char *wanted, struct err *e)
{
    struct adding to = {a, group, wanted};
    return stored_is_program(path) ? stored_program_use(path, take_program, &to, e)
                                   : stored_result_use(path, take_result, &to, e);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the measurements of a folder. Each measurement of qualify is a folder with a record,
   "nvme0n1-read", and so is each combination of exec --parameter, "n=1,m=a". */
static int add_measurements(struct compare_alternative *a, const char *path, const char *wanted,
                            struct err *e)
{
    struct dirent **entries;
    int status = 0, found = 0, count = scandir(path, &entries, NULL, by_name);
    if (count < 0)
        return err_set(e, ERR_USAGE, "cannot read %s", path);
    for (int i = 0; i < count; i++) {
        char folder[PATH_MAX], record[PATH_MAX];
        snprintf(folder, sizeof folder, "%s/%s", path, entries[i]->d_name);
        if (!status && entries[i]->d_name[0] != '.' && dir_exists(folder) &&
            record_file(record, folder)) {
            status = add_result(a, folder, entries[i]->d_name, wanted, e);
            found++;
        }
        free(entries[i]);
    }
    free(entries);
    if (!status && !found)
        return err_set(e, ERR_USAGE,
                       "%s holds neither a record nor folders that do: it was not made "
                       "by run -o, exec -o or qualify -o",
                       path);
    return status;
}

int compare_add_stored(struct compare_alternative *a, const char *path, const char *metric,
                       struct err *e)
{
    char record[PATH_MAX];
    bool one = !dir_exists(path) || record_file(record, path) || repeat_is_folder(path) ||
               find_rate_is_folder(path);
    int status = one ? add_result(a, path, "", metric, e) : add_measurements(a, path, metric, e);
    if (!status && !a->count && metric[0])
        return err_set(e, ERR_USAGE, "%s has no \"%.40s\" with an interval", path, metric);
    if (!status && !a->count)
        return err_set(e, ERR_USAGE, "%s has no metric with an interval: it was too short", path);
    return status;
}
