/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report of an inventory. The document has a summary, the faults, data paths, the machine
 * (board, kernel, processors, memory), its devices, its sensors and unknown facts. CSV has a row
 * for each fact and for each part of the data paths. In JSON, values are text, as they were read.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine/permission.h"
#include "base/span.h"
#include "base/string_table.h"
#include "facts/machine_unseen.h"
#include "report/document/document.h"
#include "report/inventory/inventory.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"
#include "report/layout/fields.h"
#include "report/layout/screen_fit.h"

enum { TITLE_WIDTH = 13, VERDICT_LINES_MAX = 8 };

/* The facts of the summary, and the kinds of nodes that have them. */
static const struct {
    enum node_kind kind;
    const char *key;
} summary[] = {
    {NODE_MACHINE, "product"},
    {NODE_CPU, "model"},
    {NODE_MEMORY, "size"},
    {NODE_KERNEL, "kernel"},
};

static int first_of_kind(const struct inventory *v, enum node_kind kind)
{
    for (int node = 0; node < v->node_count; node++)
        if (v->nodes[node].kind == kind)
            return node;
    return INVENTORY_NONE;
}

void inventory_add_summary(const struct inventory *v, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < sizeof summary / sizeof *summary; i++) {
        const struct inventory_fact *fact =
            inventory_fact(v, first_of_kind(v, summary[i].kind), summary[i].key);
        if (!fact || fact->status != FACT_OK)
            continue;
        text_add(out, any ? ", " : "");
        if (summary[i].kind == NODE_CPU) {
            const char *sockets = inventory_value(v, first_of_kind(v, NODE_CPU), "sockets");
            if (sockets && strcmp(sockets, "1") != 0)
                text_addf(out, "%s x ", sockets);
        }
        fact_add_words(out, v, first_of_kind(v, summary[i].kind), fact);
        if (summary[i].kind == NODE_MEMORY)
            text_add(out, " of memory");
        any = true;
    }
    if (!any)
        text_add(out, "nothing is known of this machine");
}

static const enum node_kind machine_kinds[] = {NODE_MACHINE, NODE_BOARD,       NODE_KERNEL,
                                               NODE_CPU,     NODE_CPU_PACKAGE, NODE_MEMORY};

/* Prints a line for each of machine, board, kernel, processors, sockets and memory. */
static void inventory_print_machine(const struct inventory *v, struct document *out)
{
    for (size_t i = 0; i < sizeof machine_kinds / sizeof *machine_kinds; i++)
        for (int node = 0; node < v->node_count; node++) {
            if (v->nodes[node].kind != machine_kinds[i])
                continue;
            struct text words = {0};
            if (v->nodes[node].kind == NODE_CPU_PACKAGE)
                text_addf(&words, "%s: ", v->nodes[node].name);
            size_t empty = words.length;
            fact_add_shown(&words, v, node);
            if (words.length > empty) {
                document_add(out, "  ");
                document_left(out, node_kind_title(v->nodes[node].kind), TITLE_WIDTH);
                document_add(out, " ");
                document_end_row_in_words(out, TONE_PLAIN, layout_string(&words));
            }
            out->failed |= words.failed;
            text_free(&words);
        }
}

/* ---- sensors ---- */

/* Returns true if the key is that of a measured value ("temp1", "fan2", "power1"), not of a limit
   or a label of such a value. */
static bool is_feature(const char *key)
{
    static const char *const families[] = {"temp", "fan", "power"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        size_t length = strlen(families[i]);
        if (!strncmp(key, families[i], length))
            return isdigit((unsigned char)key[length]) && !strchr(key, '_');
    }
    return false;
}

static const struct inventory_fact *fact_beside(const struct inventory *v, int node,
                                                const char *feature, const char *what)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", feature, what);
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    return fact && fact->status == FACT_OK ? fact : NULL;
}

/* Adds a reading with its limit: "Tctl 47.1 C (max 95 C)". */
static void add_feature(struct text *out, const struct inventory *v, int node,
                        const struct inventory_fact *fact)
{
    const struct inventory_fact *label = fact_beside(v, node, fact->key, "label");
    const struct inventory_fact *max = fact_beside(v, node, fact->key, "max");
    const struct inventory_fact *critical = fact_beside(v, node, fact->key, "critical");
    const struct inventory_fact *limit = max ? max : critical;
    text_add(out, out->length > 0 ? ", " : "");
    fact_add_value(out, label ? label->value : fact->key, "");
    text_add(out, " ");
    fact_add_value(out, fact->value, fact->unit);
    if (!limit)
        return;
    text_add(out, max ? " (max " : " (critical ");
    fact_add_value(out, limit->value, limit->unit);
    text_add(out, ")");
}

/* Prints a line for each sensor chip: its temperatures, fans and power, with their limits. */
static void inventory_print_sensors(const struct inventory *v, struct document *out)
{
    for (int node = 0; node < v->node_count; node++) {
        if (v->nodes[node].kind != NODE_SENSOR)
            continue;
        struct text words = {0}, lead = {0};
        const struct inventory_fact *overall = inventory_fact(v, node, "temperature");
        for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
            if (v->facts[i].status == FACT_OK && is_feature(v->facts[i].key))
                add_feature(&words, v, node, &v->facts[i]);
        if (words.length == 0 && overall && overall->status == FACT_OK)
            add_feature(&words, v, node, overall);
        text_addf(&lead, "  %s: ", v->nodes[node].name);
        if (words.length > 0)
            document_paragraph(out, layout_string(&lead), TONE_PLAIN, layout_string(&words));
        out->failed |= words.failed || lead.failed;
        text_free(&words);
        text_free(&lead);
    }
}

/* ---- unknown facts, grouped by key: "temperature of sda and 3 others" ---- */

struct missing {
    const char *key;
    int node; /* the first node without this fact */
    size_t others;
};

static void missing_add_words(const struct inventory *v, findings_wanted *wanted,
                              const void *context, enum fact_status status, struct text *words)
{
    size_t max = 0;
    for (int fact = 0; fact < v->fact_count; fact++)
        max += v->facts[fact].status == status;
    struct missing *rows = calloc(max + 1, sizeof *rows);
    struct string_table keys = {0}; /* key number = index into rows[] */
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

/* Prints which parts of the machine could not be seen. This is printed first, as the other sections
   cover only what could be seen. */
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

/* Returns true if both ends of at least one link are known. Otherwise "nothing degraded" would say
   nothing, because no link could be judged. */
static bool has_judged_link(const struct inventory *v)
{
    for (int node = 0; node < v->node_count; node++) {
        const char *degraded = inventory_value(v, node, "degraded");
        if (degraded && strcmp(degraded, "unknown") != 0)
            return true;
    }
    return false;
}

static const char *words_without_findings(const struct inventory *v)
{
    if (unseen(v, UNSEEN_DEVICES))
        return "whether anything is degraded is not known";
    return has_judged_link(v) ? "nothing degraded"
                              : "nothing degraded, but no link can be judged here";
}

/* ---- the whole document ---- */

/* Removes the heading before block `begin` if its section is empty. */
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

/* Prints the findings, or that there are none. */
static void print_verdict(const struct findings_view *findings, struct document *out)
{
    if (findings_print(findings, out) == 0)
        document_line(out, "%s", words_without_findings(findings->inventory));
}

/* Prints the verdict again at the end of a text that is longer than the screen, as its beginning
   has scrolled away. */
static void repeat_verdict(const struct findings_view *findings, struct document *out)
{
    if (out->style.page || document_lines(out, 0) <= screen_lines(&out->style))
        return;
    document_heading(out, "In short");
    const size_t begin = out->count;
    print_verdict(findings, out);
    size_t kept = out->count, left = 0;
    for (; document_lines(out, begin) > VERDICT_LINES_MAX; left++)
        document_cut(out, --kept);
    if (left)
        document_line(out, "and %zu more at the top", left);
}

static void inventory_document(const void *what, struct document *out)
{
    const struct inventory_view *view = what;
    const struct inventory *v = view->inventory;
    const struct findings_view findings = {
        .inventory = v, .all = view->all, .rest = " (see --all)"};
    struct text words = {0};
    size_t begin;
    if (view->dump)
        text_addf(&words, "The PCI devices in %.200s; nothing else is known of that machine",
                  view->dump);
    else
        inventory_add_summary(v, &words);
    document_title(out, "This machine");
    out->form = HTML_PLAIN;
    print_unseen(view, out);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    print_verdict(&findings, out);
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
    repeat_verdict(&findings, out);
}

const struct report_kind inventory_report = {inventory_document, inventory_csv, inventory_json,
                                             NULL};

/* ---- CSV ---- */

static void csv_add_fact(struct text *out, const char *node, const char *kind, const char *parent,
                         const struct inventory_fact *fact)
{
    const char *const fields[] = {
        node,        kind,       parent,       fact->key,
        fact->value, fact->unit, fact->source, fact_status_name(fact->status)};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        text_add(out, i > 0 ? "," : "");
        text_add_csv(out, fields[i]);
    }
    text_add(out, "\n");
}

static void csv_add_limit(struct text *out, const char *part, const char *parent, const char *key,
                          double value, const char *source)
{
    struct text number = {0};
    if (!isnan(value))
        text_add_number(&number, value);
    struct inventory_fact fact = {.key = key,
                                  .value = number.data ? number.data : "",
                                  .unit = "bytes/s",
                                  .source = source,
                                  .status = isnan(value) ? FACT_ABSENT : FACT_OK};
    csv_add_fact(out, part, "data_path", parent, &fact);
    out->failed = out->failed || number.failed;
    text_free(&number);
}

static void csv_add_limiting(struct text *out, const struct path_view *p, const char *key, int part,
                             const char *source)
{
    if (part < 0)
        return;
    struct inventory_fact fact = {
        .key = key, .value = p->parts[part].name, .unit = "", .source = source, .status = FACT_OK};
    csv_add_fact(out, p->parts[0].name, "data_path", "", &fact);
}

static void csv_add_part(struct text *out, const struct path_view *p, size_t part,
                         const char *parent, const char *source)
{
    const struct result_part *row = &p->parts[part];
    csv_add_limit(out, row->name, parent, "limit_read", row->limit_read, source);
    csv_add_limit(out, row->name, parent, "limit_write", row->limit_write, source);
}

void inventory_csv(const void *what, struct text *out)
{
    const struct inventory_view *view = what;
    /* A node without facts still has a row, so that the rows contain the whole tree. */
    static const struct inventory_fact present = {
        .key = "present", .value = "yes", .unit = "", .source = "", .status = FACT_OK};
    const struct inventory *v = view->inventory;
    text_add(out, "node,kind,parent,key,value,unit,source,status\n");
    for (int number = 0; v && number < v->node_count; number++) {
        const struct inventory_node *node = &v->nodes[number];
        const char *kind = node_kind_name(node->kind);
        const char *parent = node->parent == INVENTORY_NONE ? "" : v->nodes[node->parent].name;
        if (node->first_fact == INVENTORY_NONE)
            csv_add_fact(out, node->name, kind, parent, &present);
        for (int i = node->first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
            csv_add_fact(out, node->name, kind, parent, &v->facts[i]);
    }
    for (size_t i = 0; i < view->path_count; i++) {
        const struct path_view *p = &view->paths[i];
        char source[300], target[280];
        if (p->part_count == 0)
            continue;
        snprintf(source, sizeof source, "data path of %s",
                 span_printable(target, sizeof target, span_of(p->target)));
        csv_add_part(out, p, 0, "", source);
        csv_add_limit(out, p->parts[0].name, "", "path_limit_read", p->limit_read, source);
        csv_add_limit(out, p->parts[0].name, "", "path_limit_write", p->limit_write, source);
        csv_add_limiting(out, p, "limiting_read", p->limiting_read, source);
        csv_add_limiting(out, p, "limiting_write", p->limiting_write, source);
        /* a part with several parts above it has a row for each of them */
        for (size_t e = 0; e < p->edge_count; e++)
            csv_add_part(out, p, p->edges[e].to, p->parts[p->edges[e].from].name, source);
    }
}

/* ---- JSON ---- */

static const char *fact_status(const void *fact)
{
    return fact_status_name(((const struct inventory_fact *)fact)->status);
}

static const struct field fact_fields[] = {
    FIELD_JSON(inventory_fact, key),          FIELD_JSON(inventory_fact, value),
    FIELD_JSON(inventory_fact, unit),         FIELD_JSON(inventory_fact, source),
    FIELD_WORDS(fact_status, NULL, "status"), FIELD_LAST,
};

void inventory_add_json(const struct inventory *v, const char *key, struct json *j)
{
    json_begin_array(j, key);
    for (int i = 0; v && i < v->node_count; i++) {
        const struct inventory_node *node = &v->nodes[i];
        json_begin_object(j, NULL);
        json_string(j, "name", node->name);
        json_string(j, "kind", node_kind_name(node->kind));
        json_string(j, "parent", node->parent == INVENTORY_NONE ? "" : v->nodes[node->parent].name);
        json_begin_array(j, "facts");
        for (int f = node->first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
            json_begin_object(j, NULL);
            json_fields(j, fact_fields, &v->facts[f]);
            json_end_object(j);
        }
        json_end_array(j);
        json_end_object(j);
    }
    json_end_array(j);
}

void inventory_json(const void *what, struct text *out)
{
    const struct inventory_view *view = what;
    struct json j = json_report(out, "probe");
    inventory_add_json(view->inventory, "nodes", &j);
    json_begin_array(&j, "data_paths");
    for (size_t i = 0; i < view->path_count; i++) {
        json_begin_object(&j, NULL);
        json_string(&j, "target", view->paths[i].target);
        path_add_json(&view->paths[i], &j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}
