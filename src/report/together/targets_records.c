/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several targets as CSV, JSON and fio's JSON+: the formats of single results, combined. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/layout/fields.h"
#include "report/run/formats.h"
#include "report/together/internal.h"

/* Prints rows under the header of the first target. */
static void add_rows(const struct result *r, struct text *out)
{
    struct text one = {0};
    result_csv(r, &one);
    const char *rows = layout_string(&one), *end = out->length ? strchr(rows, '\n') : NULL;
    text_add(out, end ? end + 1 : rows);
    out->failed = out->failed || one.failed;
    text_free(&one);
}

static void print_csv(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    for (size_t i = 0; i < t->count; i++)
        add_rows(t->targets[i].result, out);
    /* in the columns of the others: without the columns of a merge */
    struct result *sum = malloc(sizeof *sum);
    out->failed = out->failed || !sum;
    if (!sum)
        return;
    *sum = *t->all;
    sum->merged = NULL;
    add_rows(sum, out);
    free(sum);
}

static void print_json(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    text_add(out, "{\n\"schema\": 1,\n\"kind\": \"targets\",\n\"targets\": [\n");
    for (size_t i = 0; i < t->count; i++) {
        text_add(out, i ? ",\n" : "");
        result_json(t->targets[i].result, out);
    }
    text_add(out, "],\n\"all\":\n");
    result_json(t->all, out);
    text_add(out, ",\n\"shared\":\n");
    struct json j = json_on(out);
    json_begin_array(&j, NULL);
    for (size_t i = 0; i < t->shared_count; i++) {
        const struct result_shared *s = &t->shared[i];
        json_begin_object(&j, NULL);
        json_string(&j, "name", s->name);
        json_string(&j, "kind", node_kind_name(s->kind));
        json_unsigned(&j, "targets", s->targets);
        json_number(&j, "limit_read", s->limit_read);
        json_number(&j, "limit_write", s->limit_write);
        json_number(&j, "used_read", s->used_read);
        json_number(&j, "used_write", s->used_write);
        json_number(&j, "utilisation", s->utilisation);
        json_end_object(&j);
    }
    json_end_array(&j);
    text_addf(out, ",\n\"shared_left_out\": %zu\n}\n", t->shared_left_out);
}

static void print_fio_json(const void *what, struct text *out)
{
    const struct result_targets *t = what;
    const struct result *results[t->count];
    for (size_t i = 0; i < t->count; i++)
        results[i] = t->targets[i].result;
    fio_json_print_results(results, t->count, out);
}

static void print_document(const void *what, struct document *out)
{
    (out->style.page ? targets_page : targets_text)(what, out);
}

const struct report_kind targets_report = {print_document, print_csv, print_json, print_fio_json};
