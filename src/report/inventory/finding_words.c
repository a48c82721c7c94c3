/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of findings: the value, the limit that it is compared with, and related values. */
#include "report/inventory/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fact_words.h"

static void add_fact(struct text *out, const struct inventory_fact *fact)
{
    fact_add_value(out, fact->value, fact->unit);
}

static const struct inventory_fact *fact_beside(const struct finding_fact *f, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(f->inventory, f->node, key);
    return fact && fact->status == FACT_OK ? fact : NULL;
}

void finding_add_value(struct text *out, const struct finding_fact *f)
{
    size_t length = strlen(f->words);
    text_add(out, f->words);
    if (!length || f->words[length - 1] == ' ')
        add_fact(out, f->fact);
}

void finding_add_link(struct text *out, const struct finding_fact *f)
{
    const char *negotiated = inventory_value(f->inventory, f->node, "negotiated");
    const char *capable = inventory_value(f->inventory, f->node, "capable");
    const char *reason = inventory_value(f->inventory, f->node, "degraded_reason");
    const struct inventory_fact *now = fact_beside(f, "limit");
    const struct inventory_fact *possible = fact_beside(f, "limit_capable");
    text_addf(out, "%s, both ends can %s", negotiated ? negotiated : "no link",
              capable ? capable : "more");
    if (now && possible) {
        text_add(out, ": ");
        add_fact(out, now);
        text_add(out, " of ");
        add_fact(out, possible);
    }
    if (reason)
        text_addf(out, "; %s", reason);
}

void finding_add_limit(struct text *out, const struct finding_fact *f)
{
    const struct inventory_fact *limit = fact_beside(f, f->than);
    add_fact(out, f->fact);
    text_addf(out, ", at or above its %s of ", f->words);
    if (limit)
        add_fact(out, limit);
}

/* ---- arrays ---- */

bool finding_runs(const char *action)
{
    return action && strcmp(action, "idle") != 0 && strcmp(action, "frozen") != 0;
}

/* "a check runs, 9.7 % done" */
static void add_action(struct text *out, const struct finding_fact *f, const char *action)
{
    const struct inventory_fact *progress = fact_beside(f, "sync_progress");
    char cut[80];
    const char *words = !strcmp(action, "recover")  ? "rebuild" /* md calls a rebuild "recover" */
                        : !strcmp(action, "resync") ? "resynchronisation"
                                                    : action;
    text_addf(out, "a %s runs", layout_shorten(cut, sizeof cut, words, 20));
    if (!progress)
        return;
    text_add(out, ", ");
    add_fact(out, progress);
    text_add(out, " done");
}

void finding_add_action(struct text *out, const struct finding_fact *f)
{
    add_action(out, f, f->fact->value);
    text_add(out, ", and takes its share of what the disks can do");
}

void finding_add_members(struct text *out, const struct finding_fact *f)
{
    const char *action = inventory_value(f->inventory, f->node, "sync_action");
    finding_add_value(out, f);
    if (!finding_runs(action))
        return;
    text_add(out, "; ");
    add_action(out, f, action);
    text_add(out, ", and takes its share of what the disks can do");
}

/* ---- fans ---- */

void finding_add_fan(struct text *out, const struct finding_fact *f)
{
    char fan[64], key[80];
    snprintf(fan, sizeof fan, "%.40s", f->fact->key);
    fan[strcspn(fan, "_")] = '\0';
    snprintf(key, sizeof key, "%s_label", fan);
    const struct inventory_fact *label = fact_beside(f, key);
    snprintf(key, sizeof key, "%s_min", fan);
    const struct inventory_fact *min = fact_beside(f, key), *now = fact_beside(f, fan);
    text_add(out, fan);
    if (label) {
        text_add(out, " (");
        add_fact(out, label);
        text_add(out, ")");
    }
    text_addf(out, ": %s", f->words);
    if (now)
        add_fact(out, now);
    if (now && min) {
        text_add(out, ", its minimum is ");
        add_fact(out, min);
    }
}

/* ---- errors ---- */

void finding_add_errors(struct text *out, const struct finding_fact *f)
{
    const struct inventory *v = f->inventory;
    int port = v->nodes[f->node].parent;
    bool has_link = inventory_value(v, f->node, "negotiated") && port != INVENTORY_NONE &&
                    v->nodes[port].kind == NODE_PCI_BRIDGE;
    const struct inventory_fact *other = has_link ? inventory_fact(v, port, f->fact->key) : NULL;
    finding_add_value(out, f);
    if (!other || other->status != FACT_OK || !(strtod(other->value, NULL) > 0))
        return;
    text_addf(out, "; its port %s: ", v->nodes[port].name);
    add_fact(out, other);
}
