/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run cupel for a report in CSV, and the values of its rows: metric,op,unit,value,... */
#ifndef TESTS_BENCH_CSV_ROW_H
#define TESTS_BENCH_CSV_ROW_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"

/* Exit status 5 is a session that its limit ended: measured all the same. -1 with a message. */
static inline int csv_run(char *const argv[], char *csv, size_t size, struct child_cost *cost)
{
    struct child c;
    if (child_start(&c, argv))
        return -1;
    *cost = child_finish(&c, csv, size);
    if (cost->status == 0 || cost->status == 5)
        return 0;
    fprintf(stderr, "%s %s ended with status %d: %s\n", argv[0], argv[1], cost->status, csv);
    return -1;
}

enum csv_column { CSV_VALUE = 3, CSV_LOW, CSV_HIGH, CSV_CONFIDENCE, CSV_N };

/* Of the first row of that metric; NaN when there is none or the column is empty. */
static inline double csv_number(const char *csv, const char *metric, enum csv_column column)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s,", metric);
    const char *row = strstr(csv, begin);
    for (int commas = 0; row && commas < (int)column; commas++)
        row = strchr(row + 1, ',');
    if (!row)
        return NAN;
    char *end;
    double value = strtod(row + 1, &end);
    return end > row + 1 ? value : NAN;
}

static inline double csv_value(const char *csv, const char *metric)
{
    return csv_number(csv, metric, CSV_VALUE);
}

#endif
