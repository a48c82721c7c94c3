/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What could not be told of a machine, put together by key: "temperature of sda and 3 others". */
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

struct search {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    enum fact_status status;
};

static bool is_wanted(const struct search *s, int node)
{
    return !s->wanted || s->wanted(s->context, s->inventory, node);
}

static size_t count_facts(const struct search *s)
{
    size_t count = 0;
    for (int fact = 0; fact < s->inventory->fact_count; fact++)
        count += s->inventory->facts[fact].status == s->status;
    return count;
}

static bool make_room(struct missing_keys *k, size_t most)
{
    for (k->size = 16; k->size < 2 * most;)
        k->size *= 2;
    k->rows = calloc(most + 1, sizeof *k->rows);
    k->table = calloc(k->size, sizeof *k->table);
    return k->rows && k->table;
}

static size_t hash(const char *text)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static void add_fact(struct missing_keys *k, const char *key, int node)
{
    size_t i = hash(key) & (k->size - 1);
    while (k->table[i] && strcmp(k->rows[k->table[i] - 1].key, key) != 0)
        i = (i + 1) & (k->size - 1);
    if (k->table[i]) {
        k->rows[k->table[i] - 1].others++;
        return;
    }
    k->rows[k->count++] = (struct missing){key, node, 0};
    k->table[i] = k->count;
}

static void add_facts(struct missing_keys *k, const struct search *s)
{
    const struct inventory *v = s->inventory;
    for (int node = 0; node < v->node_count; node++) {
        if (!is_wanted(s, node))
            continue;
        for (int fact = v->nodes[node].first_fact; fact != INVENTORY_NONE;
             fact = v->facts[fact].next)
            if (v->facts[fact].status == s->status)
                add_fact(k, v->facts[fact].key, node);
    }
}

static void add_words(const struct missing_keys *k, const struct inventory *v, struct text *words)
{
    for (size_t i = 0; i < k->count; i++) {
        const struct missing *row = &k->rows[i];
        text_addf(words, "%s%s of %s", i > 0 ? "; " : "", row->key, v->nodes[row->node].name);
        if (row->others > 0)
            text_addf(words, " and %zu other%s", row->others, row->others == 1 ? "" : "s");
    }
}

static void find_words(const struct search *s, struct text *words)
{
    struct missing_keys keys = {0};
    if (make_room(&keys, count_facts(s))) {
        add_facts(&keys, s);
        add_words(&keys, s->inventory, words);
    } else {
        words->failed = true;
    }
    free(keys.rows);
    free(keys.table);
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
        const struct search s = {v, wanted, context, rows[i].status};
        struct text words = {0};
        find_words(&s, &words);
        if (words.length > 0 && rows[i].status == FACT_DENIED)
            text_add(&words, remedy);
        if (words.length > 0)
            layout_paragraph(out, style, rows[i].lead, TONE_PLAIN, layout_string(&words));
        out->failed = out->failed || words.failed;
        text_free(&words);
    }
}
