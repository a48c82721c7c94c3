/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the page of an acceptance. */
#include <stdlib.h>

#include "report/accept/internal.h"
#include "report/accept/pts_report.h"
#include "report/html/chart.h"

void acceptance_chart_throughput(const void *what, size_t disk, struct text *out)
{
    const struct acceptance *a = what;
    const struct acceptance_disk *d = &a->disks[disk];
    double *columns = calloc(3 * d->point_count, sizeof *columns);
    struct chart_mark marks[ACCEPTANCE_CHANGES];
    out->failed |= !columns;
    if (!columns)
        return;
    double *x = columns, *rate = columns + d->point_count, *celsius = rate + d->point_count;
    for (size_t i = 0; i < d->point_count; i++) {
        x[i] = d->points[i].written;
        rate[i] = d->points[i].rate;
        celsius[i] = d->points[i].celsius;
    }
    for (size_t i = 0; i < d->change_count; i++)
        marks[i] = (struct chart_mark){.x = x[d->changes[i]]};
    struct chart c = {.title = "Throughput",
                      .words = "lines: another level begins",
                      .x_label = "bytes written",
                      .x_kind = METRIC_KIND_NUMBER,
                      .y_kind = METRIC_KIND_BYTE_RATE,
                      .x = x,
                      .count = d->point_count,
                      .shape = CHART_WHOLE,
                      .lines = {{.name = "written", .y = rate, .area = true}},
                      .line_count = 1,
                      .marks = marks,
                      .mark_count = d->change_count};
    chart_add(out, &c);
    c.title = "Temperature";
    c.words = NULL;
    c.y_unit = "C";
    c.lines[0] = (struct chart_line){.name = "temperature", .y = celsius, .colour = 1};
    chart_add(out, &c);
    free(columns);
}

void acceptance_chart_pts(const void *what, size_t number, struct text *out)
{
    const struct acceptance *a = what;
    (void)number;
    for (size_t i = 0; i < a->disk_count; i++)
        for (size_t k = 0; k < a->disks[i].pts_count; k++)
            pts_add_charts(&a->disks[i].pts[k], a->disks[i].path, out);
}
