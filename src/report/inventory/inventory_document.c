/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory as a document: a summary, faults, data paths, the machine, its devices, sensors,
   and unknown facts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/machine/permission.h"
#include "base/string_table.h"
#include "facts/unseen.h"
#include "report/document/document.h"
#include "report/inventory/inventory_sections.h"

/* ---- unknown facts, grouped by key: "temperature of sda and 3 others" ---- */

struct missing {
    const char *key;
    int node; /* the first node that lacks it */
    size_t others;
};

static void missing_add_words(const struct inventory *v, findings_wanted *wanted,
                              const void *context, enum fact_status status, struct text *words)
{
    size_t max = 0;
    for (int fact = 0; fact < v->fact_count; fact++)
        max += v->facts[fact].status == status;
    struct missing *rows = calloc(max + 1, sizeof *rows);
    struct string_table keys = {0}; /* in order of appearance, a row each */
    for (int node = 0; rows && node < v->node_count; node++) {
        if (wanted && !wanted(context, v, node))
            continue;
        for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next) {
            if (v->facts[i].status != status)
                continue;
            uint32_t before = keys.count;
            uint32_t row = string_table_add(&keys, span_of(v->facts[i].key));
            if (row == STRING_TABLE_NONE)
                words->failed = true;
            else if (row == before)
                rows[row] = (struct missing){v->facts[i].key, node, 0};
            else
                rows[row].others++;
        }
    }
    for (uint32_t i = 0; i < keys.count; i++) {
        text_addf(words, "%s%s of %s", i > 0 ? "; " : "", rows[i].key, v->nodes[rows[i].node].name);
        if (rows[i].others > 0)
            text_addf(words, " and %zu other%s", rows[i].others, rows[i].others == 1 ? "" : "s");
    }
    words->failed = words->failed || !rows;
    string_table_free(&keys);
    free(rows);
}

void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy, struct document *out)
{
    static const struct {
        enum fact_status status;
        const char *lead;
    } rows[] = {{FACT_ABSENT, "  not there: "},
                {FACT_DENIED, "  not permitted: "},
                {FACT_INVALID, "  not understood: "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text words = {0};
        missing_add_words(v, wanted, context, rows[i].status, &words);
        if (words.length > 0 && rows[i].status == FACT_DENIED)
            text_add(&words, remedy);
        if (words.length > 0)
            document_paragraph_from(out, rows[i].lead, TONE_PLAIN, &words);
    }
}

/* ---- parts that were not inspected ---- */

/* Printed first: the sections after it cover only the rest. */
static void print_unseen(const struct inventory_view *view, struct document *out)
{
    const struct inventory *v = view->inventory;
    char what[UNSEEN_BYTES], remedy[UNSEEN_BYTES];
    struct text words = {0};
    if (!*unseen_words(v, NULL, what))
        return;
    text_addf(&words, "%s", what);
    if (!view->captured)
        text_addf(&words, ": %s", unseen_remedy(v, remedy));
    text_add(&words, ". ");
    if (unseen(v, UNSEEN_DEVICES))
        text_add(&words, "No device and no link was looked at. ");
    if (unseen(v, UNSEEN_MACHINE))
        text_add(&words, "Processors and memory were not looked at. ");
    document_paragraph_from(out, "NOT SEEN: ", TONE_YELLOW, &words);
}

static const char *words_without_findings(const struct inventory *v)
{
    if (unseen(v, UNSEEN_DEVICES))
        return "whether anything is degraded is not known";
    return findings_judge_links(v) ? "nothing degraded"
                                   : "nothing degraded, but no link can be judged here";
}

/* ---- the whole ---- */

/* Takes the heading before block number `begin` back when its section is empty. */
static void end_section(size_t begin, struct document *out)
{
    if (out->count == begin)
        document_cut(out, begin - 1);
}

static size_t begin_section(const char *title, struct document *out)
{
    document_heading(out, title);
    return out->count;
}

void inventory_document(const void *what, struct document *out)
{
    const struct inventory_view *view = what;
    const struct inventory *v = view->inventory;
    const struct findings_view findings = {
        .inventory = v, .all = view->all, .rest = " (see --all)"};
    struct text words = {0};
    size_t begin;
    inventory_add_summary(v, &words);
    document_title(out, "This machine");
    out->plain = true;
    print_unseen(view, out);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    if (findings_print(&findings, out) == 0)
        document_line(out, "%s", words_without_findings(v));
    for (size_t i = 0; i < view->path_count; i++) {
        char target[200];
        layout_shorten(target, sizeof target, view->paths[i].target,
                       layout_width(&out->style) - 14);
        text_addf(&words, "Data path of %s", target);
        document_heading(out, layout_string(&words));
        text_free(&words);
        path_print(&view->paths[i], out);
    }
    if (!view->all) {
        begin = begin_section("Machine", out);
        inventory_print_machine(v, out);
        end_section(begin, out);
    }
    begin = begin_section(view->all ? "All" : "Devices", out);
    inventory_print_tree(v, view->all, out);
    end_section(begin, out);
    if (!view->all) {
        begin = begin_section("Sensors", out);
        inventory_print_sensors(v, out);
        end_section(begin, out);
    }
    char remedy[PERMISSION_BYTES + 2] = "";
    if (!view->captured)
        snprintf(remedy, sizeof remedy, ": %.*s", PERMISSION_BYTES - 1,
                 view->remedy ? view->remedy : "try as root");
    begin = begin_section("Not known", out);
    inventory_print_missing(v, NULL, NULL, remedy, out);
    end_section(begin, out);
}
