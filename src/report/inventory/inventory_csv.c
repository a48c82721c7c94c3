/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An inventory as CSV: a row for each fact, and rows for each part of the data paths. */
#include <math.h>
#include <stdio.h>

#include "base/span.h"
#include "report/inventory/inventory.h"

static void add_row(struct text *out, const char *const fields[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i > 0 ? "," : "");
        text_add_csv(out, fields[i]);
    }
    text_add(out, "\n");
}

static void add_fact(struct text *out, const char *node, const char *kind, const char *parent,
                     const struct inventory_fact *fact)
{
    const char *const fields[] = {
        node,        kind,       parent,       fact->key,
        fact->value, fact->unit, fact->source, fact_status_name(fact->status)};
    add_row(out, fields, sizeof fields / sizeof *fields);
}

/* A node without a fact has a row of its own, so that the rows hold the whole tree. */
static void add_node(struct text *out, const struct inventory *v, int number)
{
    static const struct inventory_fact present = {
        .key = "present", .value = "yes", .unit = "", .source = "", .status = FACT_OK};
    const struct inventory_node *node = &v->nodes[number];
    const char *kind = node_kind_name(node->kind);
    const char *parent = node->parent == INVENTORY_NONE ? "" : v->nodes[node->parent].name;
    if (node->first_fact == INVENTORY_NONE)
        add_fact(out, node->name, kind, parent, &present);
    for (int i = node->first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
        add_fact(out, node->name, kind, parent, &v->facts[i]);
}

static void add_limit(struct text *out, const char *part, const char *parent, const char *key,
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
    add_fact(out, part, "data_path", parent, &fact);
    out->failed = out->failed || number.failed;
    text_free(&number);
}

static void add_limiting(struct text *out, const struct path_view *p, const char *key, int part,
                         const char *source)
{
    if (part < 0)
        return;
    struct inventory_fact fact = {
        .key = key, .value = p->parts[part].name, .unit = "", .source = source, .status = FACT_OK};
    add_fact(out, p->parts[0].name, "data_path", "", &fact);
}

static void add_part(struct text *out, const struct path_view *p, size_t part, const char *parent,
                     const char *source)
{
    const struct result_part *row = &p->parts[part];
    add_limit(out, row->name, parent, "limit_read", row->limit_read, source);
    add_limit(out, row->name, parent, "limit_write", row->limit_write, source);
}

/* A part below several others has its rows for each of them. */
static void add_path(struct text *out, const struct path_view *p)
{
    char source[300], target[280];
    if (p->part_count == 0)
        return;
    snprintf(source, sizeof source, "data path of %s",
             span_printable(target, sizeof target, span_of(p->target)));
    add_part(out, p, 0, "", source);
    add_limit(out, p->parts[0].name, "", "path_limit_read", p->limit_read, source);
    add_limit(out, p->parts[0].name, "", "path_limit_write", p->limit_write, source);
    add_limiting(out, p, "limiting_read", p->limiting_read, source);
    add_limiting(out, p, "limiting_write", p->limiting_write, source);
    for (size_t i = 0; i < p->edge_count; i++)
        add_part(out, p, p->edges[i].to, p->parts[p->edges[i].from].name, source);
}

void inventory_print_csv(const struct inventory_view *view, const struct report_style *style,
                         struct text *out)
{
    (void)style;
    text_add(out, "node,kind,parent,key,value,unit,source,status\n");
    for (int node = 0; view->inventory && node < view->inventory->node_count; node++)
        add_node(out, view->inventory, node);
    for (size_t i = 0; i < view->path_count; i++)
        add_path(out, &view->paths[i]);
}
