/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of facts about a machine. */
#include "facts/fact.h"

#include <stdio.h>
#include <string.h>

const char *fact_status_name(enum fact_status status)
{
    static const char *const names[] = {"ok", "absent", "denied", "invalid"};
    return names[status];
}

void facts_add(struct facts *f, const char *node, const char *key, const char *value,
               const char *unit, const char *source, enum fact_status status)
{
    if (f->count == FACTS_MAX) {
        f->dropped++;
        return;
    }
    struct fact *row = &f->rows[f->count++];
    snprintf(row->node, sizeof row->node, "%s", node);
    snprintf(row->key, sizeof row->key, "%s", key);
    snprintf(row->value, sizeof row->value, "%s", value);
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    snprintf(row->source, sizeof row->source, "%s", source);
    row->status = status;
}

const char *facts_find(const struct facts *f, const char *node, const char *key)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct fact *row = &f->rows[i];
        if (row->status == FACT_OK && !strcmp(row->key, key) && (!node || !strcmp(row->node, node)))
            return row->value;
    }
    return NULL;
}
