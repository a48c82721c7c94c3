/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a comparison: the text, every ratio with its interval on one axis, and the readings
   of each alternative as boxes. */
#include <math.h>
#include <stdio.h>

#include "report/compare/comparison.h"
#include "report/html/chart.h"

enum { RATIOS_MAX = 48, NAME = 96 };

void comparison_chart_ratios(const void *what, size_t number, struct text *out)
{
    const struct comparison *c = what;
    (void)number;
    struct chart_row rows[RATIOS_MAX];
    char names[RATIOS_MAX][NAME], words[RATIOS_MAX][32];
    size_t count = 0;
    for (size_t i = 0; i < c->quantity_count; i++)
        for (size_t k = 0; k < c->quantities[i].pair_count && count < RATIOS_MAX; k++) {
            const struct comparison_quantity *q = &c->quantities[i];
            const struct comparison_pair *p = &q->pairs[k];
            snprintf(names[count], NAME, "%c/%c %.40s%s%.40s",
                     (char)('A' + q->sides[p->first].alternative),
                     (char)('A' + q->sides[p->second].alternative), q->group,
                     q->group[0] ? " " : "", q->metric);
            snprintf(words[count], sizeof *words, "%.4g  %s", p->ratio,
                     comparison_verdict_name(p->verdict));
            rows[count] = (struct chart_row){.name = names[count],
                                             .words = words[count],
                                             .low = p->low > 0 ? p->low : -INFINITY,
                                             .value = p->ratio,
                                             .high = p->high,
                                             .odd = p->verdict == COMPARISON_UNDECIDED};
            count++;
        }
    chart_rows_add(out, &(struct chart_rows){.title = "Ratios",
                                             .words = "with their intervals; 1: no difference; "
                                                      "red: not decided",
                                             .kind = METRIC_KIND_NUMBER,
                                             .reference = 1,
                                             .rows = rows,
                                             .count = count});
}

void comparison_chart_boxes(const void *what, size_t quantity, struct text *out)
{
    const struct comparison *c = what;
    const struct comparison_quantity *q = &c->quantities[quantity];
    struct chart_row rows[COMPARISON_ALTERNATIVES];
    char names[COMPARISON_ALTERNATIVES][NAME];
    for (size_t i = 0; i < q->side_count; i++) {
        const struct comparison_side *s = &q->sides[q->ranking[i]];
        snprintf(names[i], NAME, "%c %.80s", (char)('A' + s->alternative),
                 c->names[s->alternative]);
        rows[i] = (struct chart_row){.name = names[i],
                                     .low = s->min,
                                     .value = s->median,
                                     .high = s->max,
                                     .quartile1 = s->quartile1,
                                     .quartile3 = s->quartile3};
    }
    chart_rows_add(out, &(struct chart_rows){.title = "Readings",
                                             .words = "from the lowest to the highest; the box "
                                                      "holds the middle half, the mark is the "
                                                      "median",
                                             .kind = q->has_unit ? q->kind : METRIC_KIND_NUMBER,
                                             .rows = rows,
                                             .count = q->side_count});
}

void correlations_chart(const void *what, size_t number, struct text *out)
{
    const struct comparison_correlations *c = what;
    (void)number;
    struct chart_row rows[COMPARISON_CORRELATIONS];
    for (size_t i = 0; i < c->count; i++)
        rows[i] = (struct chart_row){.name = c->rows[i].metric,
                                     .words = comparison_correlation_verdict(&c->rows[i]),
                                     .low = c->rows[i].low,
                                     .value = c->rows[i].value,
                                     .high = c->rows[i].high};
    chart_rows_add(out, &(struct chart_rows){.title = "Coefficients",
                                             .words = "with their intervals",
                                             .kind = METRIC_KIND_NUMBER,
                                             .rows = rows,
                                             .count = c->count});
}
