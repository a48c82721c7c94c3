/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What watching the machine costs: the rate of runs with and without the monitors, at the sampling
 * rate that they find themselves.
 *
 *   monitor_cost CUPEL FILE
 *
 * FILE is measured, and made when it is not there. 36 runs of 3 to 4 s and their preparation: the
 * limit ends a run whose readings are few, which is a rate all the same.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "csv_row.h"
#include "figure.h"

#define PAIRS_NULL    10
#define PAIRS_FILE    8
#define RATE_AT_LEAST 0.99

static char output[1 << 20];

static double run_rate(char *cupel, char *engine, char *depth, char *file, char *cost)
{
    char *argv[] = {cupel,        "run",  "--ioengine", engine, "--iodepth",      depth,
                    "--bs",       "4k",   "--size",     "256m", "--preset",       "quick",
                    "--ci",       "100%", "--min-time", "3s",   "--limit",        "4s",
                    "--overhead", "0",    "--format",   "csv",  "--monitor-cost", cost,
                    file,         NULL};
    struct child_cost used;
    return csv_run(argv, output, sizeof output, &used) ? 0 : csv_value(output, "iops");
}

static int monitor_cost(char *cupel, const char *name, char *engine, char *depth, char *file,
                        unsigned pairs)
{
    double with[FIGURE_PAIRS_MAX], without[FIGURE_PAIRS_MAX];
    for (unsigned i = 0; i < pairs; i++) {
        bool first = i % 2 == 0;
        double a = run_rate(cupel, engine, depth, file, first ? "1%" : "0");
        double b = run_rate(cupel, engine, depth, file, first ? "0" : "1%");
        with[i] = first ? a : b;
        without[i] = first ? b : a;
        if (!(a > 0 && b > 0))
            return -1;
    }
    struct figure f = {name, "1/s", 0, "without", FIGURE_AT_LEAST, RATE_AT_LEAST};
    figure_pairs(&f, with, without, pairs);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: monitor_cost CUPEL FILE\n");
        return 1;
    }
    return monitor_cost(argv[1], "monitors, null depth 1", "null", "1", argv[2], PAIRS_NULL) ||
           monitor_cost(argv[1], "monitors, uring depth 32", "uring", "32", argv[2], PAIRS_FILE);
}
