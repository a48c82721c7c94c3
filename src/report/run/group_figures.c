/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws latencies of hosts (or jobs, operations, devices) side by side, for a merged result. */
#include <stdio.h>

#include "facts/merged.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/run/run_figures.h"

enum { GROUPS_MAX = 32 };

/* Draws the groups, outliers first, as in the table. */
void figures_of_groups(const void *what, size_t number, struct text *out)
{
    const struct result *r = what;
    (void)number;
    const struct result_merged *m = r->merged;
    struct chart_row rows[GROUPS_MAX];
    char words[GROUPS_MAX][NUMBER_BUFFER + 8], value[NUMBER_BUFFER], title[80];
    size_t count = 0;
    if (!m || m->group_count < 2)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < m->group_count && count < GROUPS_MAX; i++) {
            const struct result_group *g = &m->groups[i];
            const bool odd = g->state[0] || g->outlier[0];
            if (odd == (pass > 0))
                continue;
            snprintf(words[count], sizeof words[count], "p99 %s",
                     number_value(value, sizeof value, METRIC_KIND_TIME,
                                  g->percentile[MERGED_METRIC_LATENCY_P99]));
            rows[count] = (struct chart_row){.name = g->name,
                                             .words = words[count],
                                             .low = g->percentile[MERGED_METRIC_LATENCY_P50],
                                             .value = g->percentile[MERGED_METRIC_LATENCY_P99],
                                             .high = g->percentile[MERGED_METRIC_LATENCY_P999],
                                             .odd = odd};
            count++;
        }
    snprintf(title, sizeof title, "Latency by %.40s", m->by);
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "from p50 over p99 to p99.9",
                                             .kind = METRIC_KIND_TIME,
                                             .log = true,
                                             .rows = rows,
                                             .count = count});
}
