/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints how the result was measured (settings, rounds, cupel's own cost) and on which hardware. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

enum { NODE_WIDTH = 14, KEY_WIDTH = 22 };

/* Prints " name words", with at least one blank between them. Frees the words. */
static void print_named(const char *name, size_t width, struct text *words, struct document *out)
{
    document_add(out, "  ");
    document_left(out, name, width - 1);
    document_add(out, " ");
    document_end_row_in_words_from(out, TONE_PLAIN, words);
}

static void print_rounds(const struct result *r, struct document *out)
{
    size_t trials = 0;
    double trial_seconds = 0, seconds = 0;
    for (size_t i = 0; i < r->round_count; i++) {
        trials += r->rounds[i].trial;
        if (r->rounds[i].trial)
            trial_seconds += r->rounds[i].seconds;
        else
            seconds += r->rounds[i].seconds;
    }
    if (r->round_count == 0)
        return;
    size_t measured = r->round_count - trials;
    char all[NUMBER_BUFFER], trial[NUMBER_BUFFER];
    struct text words = {0};
    text_addf(&words, "%zu of %s in all", measured, number_seconds(all, sizeof all, seconds));
    if (trials > 0)
        text_addf(&words, ", after %zu trial round%s of %s in all, not counted", trials,
                  trials == 1 ? "" : "s", number_seconds(trial, sizeof trial, trial_seconds));
    print_named("rounds", KEY_WIDTH, &words, out);
}

void section_method(const struct result *r, struct document *out)
{
    document_heading(out, r->repeat ? "How session 1 was measured" : "How it was measured");
    document_labels(out, &r->labels);
    print_rounds(r, out);
    for (size_t i = 0; i < r->settings.count; i++) {
        const struct fact *fact = &r->settings.rows[i];
        struct text value = {0};
        if (fact->status != FACT_OK)
            continue;
        fact_add_value(&value, fact->value, fact->unit);
        print_named(fact->key, KEY_WIDTH, &value, out);
    }
    for (size_t i = 0; i < r->row_count; i++) {
        const struct result_row *row = &r->rows[i];
        if (row->metric != METRIC_OVERHEAD)
            continue;
        struct text words = {0};
        char value[NUMBER_BUFFER];
        if (isnan(row->value))
            text_add(&words, row->note[0] ? row->note : "not measured");
        else
            text_addf(&words, "%s of processor time for each I/O%s%s",
                      number_value(value, sizeof value, METRIC_KIND_TIME, row->value),
                      row->note[0] ? "; " : "", row->note);
        print_named(metric_of(row->metric)->title, KEY_WIDTH, &words, out);
    }
}

/* ---- the hardware ---- */

/* Returns true if the node may affect the number. Devices that the data did not go through do
   not. */
bool section_is_concerned(const void *context, const struct inventory *v, int node)
{
    const struct result *r = context;
    switch (v->nodes[node].kind) {
    case NODE_OTHER:
    case NODE_MACHINE:
    case NODE_BOARD:
    case NODE_KERNEL:
    case NODE_CPU:
    case NODE_CPU_PACKAGE:
    case NODE_MEMORY:
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].on_path && !strcmp(r->parts[i].name, v->nodes[node].name))
            return true;
    return r->part_count == 0;
}

void section_hardware(const struct result *r, struct document *out)
{
    const struct inventory *v = r->hardware;
    if (!v || v->node_count == 0)
        return;
    document_heading(out, "Measured on");
    for (int node = 0; node < v->node_count; node++) {
        enum node_kind kind = v->nodes[node].kind;
        struct text words = {0};
        if (!section_is_concerned(r, v, node))
            continue;
        /* Facts of the machine itself are all printed, as they describe the time of the run. */
        if (kind == NODE_MACHINE || kind == NODE_OTHER)
            fact_add_all(&words, v, node);
        else
            fact_add_shown(&words, v, node);
        if (words.length > 0)
            print_named(v->nodes[node].name, NODE_WIDTH, &words, out);
        out->failed = out->failed || words.failed;
        text_free(&words);
    }
    const struct findings_view findings = {
        .inventory = v, .wanted = section_is_concerned, .context = r, .rest = ""};
    findings_print(&findings, out);
    inventory_print_missing(v, section_is_concerned, r, "", out);
}

static void draw_path(const void *what, size_t number, struct text *out)
{
    const struct path_view path = path_of_result(what);
    (void)number;
    path_draw(&path, out);
}

void section_path(const struct result *r, struct document *out)
{
    if (r->part_count == 0)
        return;
    struct path_view path = path_of_result(r);
    const bool known = path_is_known(&path);
    const size_t begin = out->count;
    document_heading(out, known ? "Data path, what each part did and could do"
                                : "Watched beside the target, how much was in use");
    if (known)
        document_figure(out, (struct figure){.page = draw_path, .context = r});
    path_print(&path, out);
    if (out->count == begin + 1)
        document_cut(out, begin);
}
