/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the hardware: what distinguishes this disk and this machine from others of the same
   model. */
#include "certificate/page/internal.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"

/* Returns the fact of the node, or of the node that carries the disk. */
static const struct inventory_fact *find_fact(const struct inventory *v, int node, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    for (int above = v->nodes[node].parent;
         (!fact || fact->status != FACT_OK) && above != INVENTORY_NONE &&
         node_kind_is(v->nodes[above].kind, KIND_CARRIES_DISK);
         above = v->nodes[above].parent) {
        const struct inventory_fact *other = inventory_fact(v, above, key);
        fact = other ? other : fact;
    }
    return fact;
}

static void add_identity(struct text *to, const struct inventory *v, int node)
{
    static const struct {
        const char *key, *words;
    } shown[] = {{"model", "model"}, {"serial", "serial number"}, {"firmware", "firmware"}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const struct inventory_fact *fact = find_fact(v, node, shown[i].key);
        text_addf(to, "%s%s ", to->length ? ", " : "", shown[i].words);
        if (fact && fact->status == FACT_OK)
            fact_add_value(to, fact->value, fact->unit);
        else
            text_add(to, fact && fact->status == FACT_DENIED ? "not permitted to be read"
                                                             : "not known");
    }
}

/* Adds the nearest link that only this disk uses. */
static void add_link(struct text *to, const struct inventory *v, int node)
{
    for (int at = node; at != INVENTORY_NONE; at = v->nodes[at].parent)
        if (at != node && node_kind_is(v->nodes[at].kind, KIND_LINKS_DISK) &&
            inventory_fact(v, at, "negotiated")) {
            text_add(to, ", link ");
            fact_add_part(to, v, at);
            return;
        }
}

void certificate_write_disks(const struct result *r, struct document *out)
{
    const struct inventory *v = r->hardware;
    size_t disks = 0;
    for (size_t i = 0; v && i < r->part_count; i++) {
        const struct result_part *part = &r->parts[i];
        int node = part->under_test ? inventory_find(v, part->name) : INVENTORY_NONE;
        if (node == INVENTORY_NONE || v->nodes[node].kind == NODE_FILESYSTEM ||
            v->nodes[node].kind == NODE_PARTITION)
            continue;
        struct text words = {0};
        add_identity(&words, v, node);
        add_link(&words, v, node);
        certificate_add_row(out, part->name, layout_string(&words));
        out->failed |= words.failed;
        text_free(&words);
        disks++;
    }
    if (!disks)
        certificate_add_row(out, "disk",
                            "not known: no disk's model or serial number is part of the result");
}

void certificate_write_machine(const struct inventory *v, struct document *out)
{
    struct text words = {0};
    const char *serial = NULL;
    if (v)
        inventory_add_summary(v, &words);
    for (int node = 0; v && node < v->node_count; node++)
        if (!serial && (v->nodes[node].kind == NODE_MACHINE || v->nodes[node].kind == NODE_BOARD))
            serial = inventory_value(v, node, "serial");
    text_addf(&words, "%sserial number %s", words.length ? ", " : "",
              serial ? serial : "not known");
    certificate_add_row(out, "machine", layout_string(&words));
    out->failed |= words.failed;
    text_free(&words);
}
