/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a machine that are not known, put together by key: "temperature of sda and 3
 * others". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/inventory/inventory_sections.h"
#include "report/layout/layout.h"

struct missing {
    const char *key;
    int node; /* the first that lacks it */
    size_t others;
};

/* The keys in the order they come, found by a hash table that is at most half full. */
struct missing_keys {
    struct missing *rows;
    size_t count;
    size_t *table; /* number of the row + 1, 0: free */
    size_t size;   /* a power of 2 */
};

static void missing_add_key(struct missing_keys *k, const char *key, int node)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    size_t i = hash & (k->size - 1);
    while (k->table[i] && strcmp(k->rows[k->table[i] - 1].key, key) != 0)
        i = (i + 1) & (k->size - 1);
    if (k->table[i]) {
        k->rows[k->table[i] - 1].others++;
        return;
    }
    k->rows[k->count++] = (struct missing){key, node, 0};
    k->table[i] = k->count;
}

static void missing_add_words(const struct inventory *v, findings_wanted *wanted,
                              const void *context, enum fact_status status, struct text *words)
{
    struct missing_keys k = {.size = 16};
    size_t max = 0;
    for (int fact = 0; fact < v->fact_count; fact++)
        max += v->facts[fact].status == status;
    while (k.size < 2 * max)
        k.size *= 2;
    k.rows = calloc(max + 1, sizeof *k.rows);
    k.table = calloc(k.size, sizeof *k.table);
    bool room = k.rows && k.table;
    words->failed = words->failed || !room;
    for (int node = 0; room && node < v->node_count; node++) {
        if (wanted && !wanted(context, v, node))
            continue;
        for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
            if (v->facts[i].status == status)
                missing_add_key(&k, v->facts[i].key, node);
    }
    for (size_t i = 0; i < k.count; i++) {
        const struct missing *row = &k.rows[i];
        text_addf(words, "%s%s of %s", i > 0 ? "; " : "", row->key, v->nodes[row->node].name);
        if (row->others > 0)
            text_addf(words, " and %zu other%s", row->others, row->others == 1 ? "" : "s");
    }
    free(k.rows);
    free(k.table);
}

void inventory_print_missing(const struct inventory *v, findings_wanted *wanted,
                             const void *context, const char *remedy,
                             const struct report_style *style, struct text *out)
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
            layout_paragraph(out, style, rows[i].lead, TONE_PLAIN, layout_string(&words));
        out->failed = out->failed || words.failed;
        text_free(&words);
    }
}
