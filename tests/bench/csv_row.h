/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a row of a report in CSV: metric,op,unit,value,... */
#ifndef TESTS_BENCH_CSV_ROW_H
#define TESTS_BENCH_CSV_ROW_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the first row of that metric; NaN when there is none or it has no value. */
static inline double csv_value(const char *csv, const char *metric)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s,", metric);
    const char *row = strstr(csv, begin);
    for (int commas = 0; row && commas < 3; commas++)
        row = strchr(row + 1, ',');
    if (!row)
        return NAN;
    char *end;
    double value = strtod(row + 1, &end);
    return end > row + 1 ? value : NAN;
}

#endif
