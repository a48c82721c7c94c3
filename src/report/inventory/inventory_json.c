/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An inventory and data paths as JSON. Values of facts stay text, as they were read. */
#include "report/inventory/inventory.h"

static void add_facts(const struct inventory *v, const struct inventory_node *node, struct json *j)
{
    json_begin_array(j, "facts");
    for (int i = node->first_fact; i != INVENTORY_NONE; i = v->facts[i].next) {
        const struct inventory_fact *fact = &v->facts[i];
        json_begin_object(j, NULL);
        json_string(j, "key", fact->key);
        json_string(j, "value", fact->value);
        json_string(j, "unit", fact->unit);
        json_string(j, "source", fact->source);
        json_string(j, "status", fact_status_name(fact->status));
        json_end_object(j);
    }
    json_end_array(j);
}

void inventory_add_json(const struct inventory *v, const char *key, struct json *j)
{
    json_begin_array(j, key);
    for (int i = 0; v && i < v->node_count; i++) {
        const struct inventory_node *node = &v->nodes[i];
        json_begin_object(j, NULL);
        json_string(j, "name", node->name);
        json_string(j, "kind", node_kind_name(node->kind));
        json_string(j, "parent", node->parent == INVENTORY_NONE ? "" : v->nodes[node->parent].name);
        add_facts(v, node, j);
        json_end_object(j);
    }
    json_end_array(j);
}

void inventory_print_json(const struct inventory_view *view, const struct report_style *style,
                          struct text *out)
{
    (void)style;
    struct json j = json_on(out);
    json_begin_object(&j, NULL);
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
