/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a machine that are not known, put together by key: "temperature of sda and 3
 * others". */
#include <stdint.h>
#include <stdlib.h>

#include "base/string_table.h"
#include "report/inventory/inventory_sections.h"
#include "report/layout/layout.h"

struct missing {
    const char *key;
    int node; /* the first that lacks it */
    size_t others;
};

static void missing_add_words(const struct inventory *v, findings_wanted *wanted,
                              const void *context, enum fact_status status, struct text *words)
{
    size_t max = 0;
    for (int fact = 0; fact < v->fact_count; fact++)
        max += v->facts[fact].status == status;
    struct missing *rows = calloc(max + 1, sizeof *rows);
    struct string_table keys = {0}; /* in the order they come, a row each */
    for (int node = 0; rows && node < v->node_count; node++) {
        if (wanted && !wanted(context, v, node))
            continue;
        for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next) {
            if (v->facts[i].status != status)
                continue;
            uint32_t before = keys.count;
            uint32_t row = string_table_add(&keys, span_of(v->facts[i].key));
            if (row == STRING_TABLE_NONE)
                words->failed = true;
            else if (row == before)
                rows[row] = (struct missing){v->facts[i].key, node, 0};
            else
                rows[row].others++;
        }
    }
    for (uint32_t i = 0; i < keys.count; i++) {
        text_addf(words, "%s%s of %s", i > 0 ? "; " : "", rows[i].key, v->nodes[rows[i].node].name);
        if (rows[i].others > 0)
            text_addf(words, " and %zu other%s", rows[i].others, rows[i].others == 1 ? "" : "s");
    }
    words->failed = words->failed || !rows;
    string_table_free(&keys);
    free(rows);
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
