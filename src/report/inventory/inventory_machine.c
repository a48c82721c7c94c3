/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts that exist once: the machine itself, its board, kernel, processors and memory; and
   sensors, which are read together. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/fact_words.h"

enum { TITLE_WIDTH = 13 };

/* The facts of the summary, each with the kind of its node. */
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

void inventory_print_machine(const struct inventory *v, struct document *out)
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

/* Is the key a reading that people look at by itself: "temp1", "fan2", "power1"? */
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

/* "Tctl 47.1 C (max 95 C)" */
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

void inventory_print_sensors(const struct inventory *v, struct document *out)
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
