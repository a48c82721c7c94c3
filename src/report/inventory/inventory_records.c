/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An inventory as CSV, with a row for each fact and each part of the data paths, and as JSON, in
   which values stay text as they were read. The table of formats. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "report/inventory/inventory.h"
#include "report/layout/fields.h"

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
    /* A node without facts gets a row of its own, so that the rows hold the whole tree. */
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
        /* a part below several others has a row for each of them */
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
