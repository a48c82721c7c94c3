/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of an inventory in words: one paragraph for each; every fault is reported once. */
#include "report/inventory/inventory_sections.h"

#include <stdio.h>
#include <string.h>

#include "report/document/document.h"
#include "report/inventory/internal.h"
#include "report/layout/fact_words.h"

/* ---- every fault is reported once ---- */

static bool is_wanted(const struct findings_view *w, int node)
{
    return !w->wanted || w->wanted(w->context, w->inventory, node);
}

/* A drive's temperature that its sensor chip reports is also reported by the drive. */
static bool is_reported_by_device(const struct findings_view *w, int node)
{
    const struct inventory *v = w->inventory;
    if (v->nodes[node].kind != NODE_SENSOR)
        return false;
    for (node = v->nodes[node].parent; node != INVENTORY_NONE; node = v->nodes[node].parent)
        for (size_t i = 0; i < finding_count; i++)
            if (finding_rows[i].when == WHEN_REACHES && is_wanted(w, node) &&
                finding_of_node(&finding_rows[i], v, node))
                return true;
    return false;
}

/* The reason for a link that trained lower includes the errors at both its ends. */
static bool reason_names(const struct findings_view *w, int node, const char *key)
{
    const char *reason = inventory_value(w->inventory, node, "degraded_reason");
    return reason && !strcmp(key, "aer_correctable") && strstr(reason, "correctable errors");
}

/* A port's errors are reported with the errors of the device at the other end of its link. */
static bool is_reported_by_other_end(const struct findings_view *w, const struct finding *finding,
                                     int node)
{
    const struct inventory *v = w->inventory;
    if (reason_names(w, node, finding->key))
        return true;
    if (v->nodes[node].kind != NODE_PCI_BRIDGE)
        return false;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling)
        if (is_wanted(w, i) && inventory_value(v, i, "negotiated") &&
            (finding_of_node(finding, v, i) || reason_names(w, i, finding->key)))
            return true;
    return false;
}

/* Each function of a card has a finding for their common link. The search stops at the first of
   them, so that the time does not grow with the square of their number. */
static bool is_reported_by_function(const struct findings_view *w, const struct finding *finding,
                                    int node)
{
    const struct inventory *v = w->inventory;
    int parent = v->nodes[node].parent;
    if (parent == INVENTORY_NONE || v->nodes[parent].kind != NODE_PCI_BRIDGE ||
        !inventory_value(v, node, "capable"))
        return false;
    for (int i = v->nodes[parent].first_child; i != node; i = v->nodes[i].next_sibling)
        if (fact_share_link(v, i, node) && is_wanted(w, i) && finding_of_node(finding, v, i))
            return true;
    return false;
}

static bool is_reported_elsewhere(const struct findings_view *w, const struct finding *finding,
                                  int node, const struct inventory_fact *fact)
{
    if (finding->when == WHEN_REACHES && is_reported_by_device(w, node))
        return true;
    if (finding->add == finding_add_errors && is_reported_by_other_end(w, finding, node))
        return true;
    if (finding_of_link(finding) && is_reported_by_function(w, finding, node))
        return true;
    if (finding->when == WHEN_RUNS && inventory_number(w->inventory, node, "degraded_members") > 0)
        return true;
    /* of several limits with the same key, and of one fan, only the gravest is reported */
    char fan[80];
    snprintf(fan, sizeof fan, "%.*s", (int)strcspn(fact->key, "_"), fact->key);
    const struct inventory_fact *speed = inventory_fact(w->inventory, node, fan);
    for (const struct finding *f = finding_rows; f < finding; f++)
        if (finding_holds(f, w->inventory, node, fact) ||
            (f->when == WHEN_BELOW && speed && finding_holds(f, w->inventory, node, speed)))
            return true;
    return false;
}

/* ---- printing ---- */

/* Prints the paragraphs of one row of the table; returns the number of facts that it applies to. */
static size_t print_findings_of_row(const struct findings_view *w, const struct finding *finding,
                                    struct document *out)
{
    const struct inventory *v = w->inventory;
    size_t count = 0;
    for (int node = 0; node < v->node_count; node++) {
        if (!finding_may_hold(finding, v, node) || !is_wanted(w, node))
            continue;
        for (int f = v->nodes[node].first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
            const struct inventory_fact *fact = &v->facts[f];
            if (!finding_holds(finding, v, node, fact) ||
                is_reported_elsewhere(w, finding, node, fact))
                continue;
            if (count++ >= FINDINGS_OF_A_KIND && !w->all)
                continue;
            const struct finding_fact found = {v, node, fact, finding->words, finding->than};
            struct text words = {0};
            fact_add_node(&words, v, node, finding_of_link(finding));
            text_add(&words, ": ");
            finding->add(&words, &found);
            document_paragraph_from(out, finding->lead, finding->tone, &words);
        }
    }
    return count;
}

size_t findings_print(const struct findings_view *w, struct document *out)
{
    size_t all = 0;
    for (size_t i = 0; i < finding_count; i++) {
        size_t count = print_findings_of_row(w, &finding_rows[i], out);
        if (count > FINDINGS_OF_A_KIND && !w->all)
            document_line(out, "%*sand %zu more like it%s", (int)strlen(finding_rows[i].lead), "",
                          count - FINDINGS_OF_A_KIND, w->rest);
        all += count;
    }
    return all;
}

bool findings_of_link(const struct inventory *v, int node)
{
    for (size_t i = 0; i < finding_count; i++)
        if (finding_of_link(&finding_rows[i]) && finding_of_node(&finding_rows[i], v, node))
            return true;
    return false;
}

bool findings_judge_links(const struct inventory *v)
{
    for (int node = 0; node < v->node_count; node++)
        if (inventory_value(v, node, "degraded"))
            return true;
    return false;
}
