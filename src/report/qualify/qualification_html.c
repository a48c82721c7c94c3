/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTML page of a qualification: the full text, and the rates of all disks beside each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/qualify/internal.h"

enum { DISKS_MAX = 64 };

/* Adds the disks' rates in the test of that name, of the row that is asked for. A disk with an
   unusual rate deserves a look even without expectations. */
static void add_rates(const struct qualification *q, const char *test, bool of_bandwidth,
                      const char *title, struct text *out)
{
    struct chart_row rows[DISKS_MAX];
    char words[DISKS_MAX][NUMBER_BUFFER];
    enum metric_kind kind = of_bandwidth ? METRIC_KIND_BYTE_RATE : METRIC_KIND_COUNT_RATE;
    size_t count = 0;
    for (size_t i = 0; i < q->device_count && count < DISKS_MAX; i++) {
        const struct qualification_test *t = qualification_test_of(&q->devices[i], test);
        if (!t || !t->measured)
            continue;
        const struct result_row *row = of_bandwidth ? &t->bandwidth : &t->iops;
        if (!isfinite(row->value))
            continue;
        number_value(words[count], sizeof *words, kind, row->value);
        rows[count] = (struct chart_row){.name = q->devices[i].name,
                                         .words = words[count],
                                         .low = isfinite(row->low) ? row->low : row->value,
                                         .value = row->value,
                                         .high = isfinite(row->high) ? row->high : row->value,
                                         .odd = q->devices[i].grade == GRADE_FAIL};
        count++;
    }
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "with intervals; red: the disk failed",
                                             .kind = kind,
                                             .rows = rows,
                                             .count = count});
}

/* Adds the share of its rate alone that each disk keeps, in both loads. */
static void add_ratios(const struct sharing *s, enum sharing_load load, struct text *out)
{
    struct chart_row rows[SHARING_DRIVES];
    char words[SHARING_DRIVES][48], title[80];
    size_t count = 0;
    for (size_t i = 0; i < s->drive_count; i++) {
        const struct sharing_measured *m = &s->drives[i].load[load];
        if (!isfinite(m->ratio) || !isfinite(m->high))
            continue;
        sharing_ratio_words(m, words[count], sizeof *words);
        rows[count] = (struct chart_row){.name = s->drives[i].name,
                                         .words = words[count],
                                         .low = m->low,
                                         .value = m->ratio,
                                         .high = m->high,
                                         .odd = s->drives[i].loss[load] == SHARING_LOSES};
        count++;
    }
    snprintf(title, sizeof title, "All disks together over each alone: %s",
             sharing_load_words(load));
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "with intervals; red: it loses",
                                             .kind = METRIC_KIND_NUMBER,
                                             .reference = SHARING_KEPT,
                                             .rows = rows,
                                             .count = count});
}

void qualification_chart_sharing(const void *what, size_t number, struct text *out)
{
    struct shared_graph *g = qualification_sharing_graph(what);
    (void)number;
    out->failed |= !g;
    if (g)
        shared_graph_draw(g,
                          "disks at the left, the memory at the right, read all at once; two "
                          "frames: oversubscribed, or what loses; dashed: not decided",
                          out);
    free(g);
}

void qualification_charts(const void *what, size_t number, struct text *out)
{
    const struct qualification *q = what;
    (void)number;
    for (int load = 0; q->sharing && load < SHARING_LOADS; load++)
        add_ratios(q->sharing, (enum sharing_load)load, out);
    add_rates(q, "read", true, "Sequential reads", out);
    add_rates(q, "randread", false, "Random reads", out);
}
