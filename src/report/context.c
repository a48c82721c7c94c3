/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How it was measured (settings, rounds, own cost) and on what hardware, as facts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/layout.h"
#include "report/number.h"
#include "report/sections.h"

enum { NODE_WIDTH = 14, KEY_WIDTH = 22 };

/* "2.50 GHz" */
static void add_frequency(double hertz, struct text *out)
{
    char written[UNITS_BUFFER];
    format_count(written, sizeof written, hertz);
    size_t digits = strspn(written, "0123456789.");
    text_addf(out, "%.*s %sHz", (int)digits, written, written + digits);
}

static void add_fact_value(const struct fact *fact, struct text *out)
{
    char *end, written[UNITS_BUFFER];
    double value = strtod(fact->value, &end);
    bool number = end != fact->value && *end == '\0' && isfinite(value);
    if (number && !strcmp(fact->unit, "bytes"))
        text_add(out, format_size(written, sizeof written, value));
    else if (number && !strcmp(fact->unit, "Hz") && value >= 1e4)
        add_frequency(value, out);
    else
        text_addf(out, "%s%s%s", fact->value, fact->unit[0] ? " " : "", fact->unit);
}

/* Padded, and at least one blank after it. */
static void add_name(struct text *lead, const char *name, size_t width)
{
    layout_left(lead, name, width - 1);
    text_add(lead, " ");
}

/* "  node          key                   value", the node only where it changes. */
static void print_fact(const struct fact *fact, const char *node, const struct report_style *style,
                       struct text *out)
{
    struct text lead = {0}, value = {0};
    text_add(&lead, "  ");
    if (node)
        add_name(&lead, node, NODE_WIDTH);
    add_name(&lead, fact->key, KEY_WIDTH);
    add_fact_value(fact, &value);
    layout_paragraph(out, style, layout_string(&lead), TONE_PLAIN, layout_string(&value));
    text_free(&lead);
    text_free(&value);
}

static void print_rounds(const struct result *r, const struct report_style *style, struct text *out)
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
    struct text lead = {0};
    text_add(&lead, "  ");
    layout_left(&lead, "rounds", KEY_WIDTH);
    layout_paragraph(out, style, layout_string(&lead), TONE_PLAIN, layout_string(&words));
    text_free(&lead);
    text_free(&words);
}

static void print_overhead(const struct result *r, const struct report_style *style,
                           struct text *out)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const struct result_row *row = &r->rows[i];
        if (row->metric != METRIC_OVERHEAD)
            continue;
        struct text lead = {0}, words = {0};
        char value[NUMBER_BUFFER];
        text_add(&lead, "  ");
        layout_left(&lead, metric_of(row->metric)->title, KEY_WIDTH);
        if (isnan(row->value))
            text_add(&words, row->note[0] ? row->note : "not measured");
        else
            text_addf(&words, "%s of processor time for each I/O%s%s",
                      number_value(value, sizeof value, METRIC_KIND_TIME, row->value),
                      row->note[0] ? "; " : "", row->note);
        layout_paragraph(out, style, layout_string(&lead), TONE_PLAIN, layout_string(&words));
        text_free(&lead);
        text_free(&words);
    }
}

void section_method(const struct result *r, const struct report_style *style, struct text *out)
{
    layout_heading(out, style, "How it was measured");
    print_rounds(r, style, out);
    for (size_t i = 0; i < r->settings.count; i++)
        if (r->settings.rows[i].status == FACT_OK)
            print_fact(&r->settings.rows[i], NULL, style, out);
    print_overhead(r, style, out);
}

/* One line for all facts of that status: "  not there: cpu governor, cpu frequency". */
static void print_missing(const struct facts *facts, enum fact_status status, const char *lead,
                          const struct report_style *style, struct text *out)
{
    struct text words = {0};
    const char *node = "";
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->rows[i];
        if (fact->status != status)
            continue;
        bool changed = strcmp(node, fact->node) != 0;
        if (words.length > 0)
            text_add(&words, changed ? "; " : ", ");
        if (changed)
            text_addf(&words, "%s ", fact->node);
        text_add(&words, fact->key);
        node = fact->node;
    }
    if (words.data)
        layout_paragraph(out, style, lead, TONE_PLAIN, words.data);
    text_free(&words);
}

void section_hardware(const struct result *r, const struct report_style *style, struct text *out)
{
    if (r->hardware.count == 0)
        return;
    layout_heading(out, style, "Measured on");
    const char *node = "";
    for (size_t i = 0; i < r->hardware.count; i++) {
        const struct fact *fact = &r->hardware.rows[i];
        if (fact->status != FACT_OK)
            continue;
        bool changed = strcmp(node, fact->node) != 0;
        print_fact(fact, changed ? fact->node : "", style, out);
        node = fact->node;
    }
    print_missing(&r->hardware, FACT_ABSENT, "  not there: ", style, out);
    print_missing(&r->hardware, FACT_DENIED, "  not permitted: ", style, out);
    print_missing(&r->hardware, FACT_INVALID, "  not understood: ", style, out);
}
