/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What looking at the machine costs: the time of a probe of a large machine's tree, and the rate of
 * runs with and without the monitors at the sampling rate that they choose themselves.
 *
 *   machine_cost CUPEL TREE FILE
 *
 * TREE is a system root with 200 devices (tests/fixtures/many.sh); FILE is measured, and made when
 * it is not there.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "child.h"
#include "figure.h"

#define PROBES        30
#define PROBE_MOST    50.0 /* ms */
#define PAIRS_NULL    10
#define PAIRS_FILE    8
#define RATE_AT_LEAST 0.99

static char output[1 << 20];

static int probe_time(char *cupel, char *tree)
{
    double wall[PROBES], cpu[PROBES];
    char *argv[] = {cupel, "probe", "--sysroot", tree, "--format", "csv", NULL};
    for (int i = -1; i < PROBES; i++) { /* the first one fills the page cache */
        struct child_cost cost;
        if (child_run(argv, output, sizeof output, 0, &cost))
            return -1;
        if (i >= 0) {
            wall[i] = cost.seconds * 1e3;
            cpu[i] = cost.cpu_seconds * 1e3;
        }
    }
    figure_limit("probe of 200 devices", "ms", 1, figure_median(wall, PROBES), PROBE_MOST);
    figure_limit("probe of 200 devices, CPU", "ms", 1, figure_median(cpu, PROBES), PROBE_MOST);
    return 0;
}

/* The value of the row "iops,..." in a run's CSV; 0 when there is none. */
static double iops_of(const char *csv)
{
    const char *row = strstr(csv, "\niops,");
    for (int commas = 0; row && commas < 3; commas++)
        row = strchr(row + 1, ',');
    return row ? strtod(row + 1, NULL) : 0;
}

static double run_rate(char *cupel, char *engine, char *depth, char *file, char *cost)
{
    char *argv[] = {cupel,        "run",  "--ioengine", engine, "--iodepth",      depth,
                    "--bs",       "4k",   "--size",     "256m", "--preset",       "quick",
                    "--ci",       "100%", "--min-time", "3s",   "--limit",        "120s",
                    "--overhead", "0",    "--format",   "csv",  "--monitor-cost", cost,
                    file,         NULL};
    struct child_cost used;
    return child_run(argv, output, sizeof output, 0, &used) ? 0 : iops_of(output);
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
        if (a <= 0 || b <= 0)
            return -1;
    }
    struct figure f = {name, "1/s", 0, "without", FIGURE_AT_LEAST, RATE_AT_LEAST};
    figure_pairs(&f, with, without, pairs);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: machine_cost CUPEL TREE FILE\n");
        return 1;
    }
    return probe_time(argv[1], argv[2]) ||
           monitor_cost(argv[1], "monitors, null depth 1", "null", "1", argv[3], PAIRS_NULL) ||
           monitor_cost(argv[1], "monitors, uring depth 32", "uring", "32", argv[3], PAIRS_FILE);
}
