/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Table I and figure 7 of Li et al., *Pilot* (2016), on this machine: sequential writes of a file,
 * past the page cache, measured in three ways to an interval of 10 %:
 *
 *   unit readings without removal of non-stable phases    cupel run --changepoint none
 *   unit readings with removal                            cupel run
 *   work per second                                       cupel exec --wps -- dd
 *
 * How long each takes to its result, and how well each predicts how long dd takes for three amounts
 * of work: the first two by amount / bandwidth, the third with the set-up that it measured as well.
 *
 *   work_rate CUPEL FILE          FILE is made, written and removed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_row.h"
#include "figure.h"

enum { METHODS = 3, AMOUNTS = 3, ACTUAL_RUNS = 5 };

#define MEBI 1048576.0

static const char *const names[METHODS] = {"unit readings", "stable unit readings", "WPS"};
static const unsigned amounts[AMOUNTS] = {32, 128, 512}; /* MiB */

/* What a method says: seconds = setup + amount / speed, and how long it took to say it. */
struct method {
    double setup, speed; /* MiB/s */
    double low, high;    /* of the speed */
    double seconds;
};

static int measure_units(char *cupel, char *file, char *changepoint, struct method *m)
{
    char csv[65536];
    char *const argv[] = {cupel,       "run",      file,   "--rw",       "write", "--bs",
                          "1m",        "--size",   "512m", "--ioengine", "sync",  "--limit",
                          "90s",       "--ci",     "10%",  "--seed",     "1",     "--changepoint",
                          changepoint, "--format", "csv",  NULL};
    struct child_cost cost;
    if (csv_run(argv, csv, sizeof csv, &cost))
        return -1;
    *m = (struct method){.speed = csv_value(csv, "bandwidth") / MEBI,
                         .low = csv_number(csv, "bandwidth", CSV_LOW) / MEBI,
                         .high = csv_number(csv, "bandwidth", CSV_HIGH) / MEBI,
                         .seconds = cost.seconds};
    return 0;
}

static int measure_work(char *cupel, char *file, struct method *m)
{
    char csv[65536], to[1100];
    snprintf(to, sizeof to, "of=%s", file);
    char *const argv[] = {cupel,
                          "exec",
                          "--wps",
                          "--shortest-round",
                          "0.1s",
                          "-w",
                          "1,2048",
                          "--limit",
                          "90s",
                          "--ci",
                          "10%",
                          "--format",
                          "csv",
                          "--",
                          "dd",
                          "if=/dev/zero",
                          to,
                          "bs=1M",
                          "oflag=direct",
                          "conv=fsync",
                          "count=%WORK_AMOUNT%",
                          NULL};
    struct child_cost cost;
    if (csv_run(argv, csv, sizeof csv, &cost))
        return -1;
    *m = (struct method){.setup = csv_value(csv, "wps_setup"),
                         .speed = csv_value(csv, "wps_speed"),
                         .low = csv_number(csv, "wps_speed", CSV_LOW),
                         .high = csv_number(csv, "wps_speed", CSV_HIGH),
                         .seconds = cost.seconds};
    return 0;
}

/* The median of a few runs of dd. */
static int actual_seconds(const char *file, unsigned mebibytes, double *seconds)
{
    char to[1100], count[24], text[4096];
    double each[ACTUAL_RUNS];
    snprintf(to, sizeof to, "of=%s", file);
    snprintf(count, sizeof count, "count=%u", mebibytes);
    char *const argv[] = {"dd",           "if=/dev/zero", to,    "bs=1M",
                          "oflag=direct", "conv=fsync",   count, NULL};
    for (int i = 0; i < ACTUAL_RUNS; i++) {
        struct child_cost cost;
        if (child_run(argv, text, sizeof text, 0, &cost))
            return -1;
        each[i] = cost.seconds;
    }
    *seconds = figure_median(each, ACTUAL_RUNS);
    return 0;
}

static int measure(char *cupel, char *file, struct method methods[METHODS])
{
    return measure_units(cupel, file, "none", &methods[0]) ||
                   measure_units(cupel, file, "pelt", &methods[1]) ||
                   measure_work(cupel, file, &methods[2])
               ? -1
               : 0;
}

int main(int argc, char **argv)
{
    struct method methods[METHODS];
    if (argc != 3) {
        fprintf(stderr, "usage: work_rate CUPEL FILE\n");
        return 1;
    }
    if (measure(argv[1], argv[2], methods))
        return 1;
    for (int i = 0; i < METHODS; i++) {
        char name[64], interval[64];
        const struct method *m = &methods[i];
        snprintf(name, sizeof name, "to 10 %%, %s", names[i]);
        snprintf(interval, sizeof interval, "%.0f to %.0f MiB/s", m->low, m->high);
        struct figure f = {name, "s", 1, interval, FIGURE_NO_TARGET, 0};
        figure_print(&f, m->seconds, m->speed, NAN, "");
    }
    for (int k = 0; k < AMOUNTS; k++) {
        double actual;
        if (actual_seconds(argv[2], amounts[k], &actual))
            return 1;
        for (int i = 0; i < METHODS; i++) {
            char name[64];
            const struct method *m = &methods[i];
            double predicted = m->setup + amounts[k] / m->speed;
            snprintf(name, sizeof name, "%u MiB by %s", amounts[k], names[i]);
            struct figure f = {name, "s", 3, "dd", FIGURE_NO_TARGET, 0};
            figure_print(&f, predicted, actual, predicted / actual, "");
        }
    }
    return unlink(argv[2]) != 0;
}
