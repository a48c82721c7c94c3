/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What could not be told of a machine, put together by key: "temperature of sda and 3 others". */
#include <string.h>

#include "report/inventory_sections.h"
#include "report/layout.h"

struct search {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    enum fact_status status;
};

/* The next fact of that status behind (*node, *fact), which start as 0 and INVENTORY_NONE. */
static bool next_missing(const struct search *s, int *node, int *fact)
{
    const struct inventory *v = s->inventory;
    for (;;) {
        bool inside = *fact != INVENTORY_NONE;
        int next = inside ? v->facts[*fact].next : INVENTORY_NONE;
        while (next == INVENTORY_NONE) {
            *node += inside ? 1 : 0;
            inside = true;
            while (*node < v->node_count && s->wanted && !s->wanted(s->context, v, *node))
                (*node)++;
            if (*node >= v->node_count)
                return false;
            next = v->nodes[*node].first_fact;
        }
        *fact = next;
        if (v->facts[next].status == s->status)
            return true;
    }
}

static bool is_first_of_key(const struct search *s, int wanted_fact)
{
    int node = 0, fact = INVENTORY_NONE;
    while (next_missing(s, &node, &fact) && fact != wanted_fact)
        if (!strcmp(s->inventory->facts[fact].key, s->inventory->facts[wanted_fact].key))
            return false;
    return true;
}

static void add_key(const struct search *s, int node, int fact, struct text *words)
{
    const char *key = s->inventory->facts[fact].key;
    size_t others = 0;
    text_addf(words, "%s%s of %s", words->length > 0 ? "; " : "", key,
              s->inventory->nodes[node].name);
    while (next_missing(s, &node, &fact))
        others += !strcmp(s->inventory->facts[fact].key, key);
    if (others > 0)
        text_addf(words, " and %zu other%s", others, others == 1 ? "" : "s");
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
        struct search s = {v, wanted, context, rows[i].status};
        struct text words = {0};
        int node = 0, fact = INVENTORY_NONE;
        while (next_missing(&s, &node, &fact))
            if (is_first_of_key(&s, fact))
                add_key(&s, node, fact, &words);
        if (words.length > 0 && rows[i].status == FACT_DENIED)
            text_add(&words, remedy);
        if (words.length > 0)
            layout_paragraph(out, style, rows[i].lead, TONE_PLAIN, layout_string(&words));
        out->failed = out->failed || words.failed;
        text_free(&words);
    }
}
