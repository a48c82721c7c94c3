/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wall time and peak memory of `cupel analyze` on a million points: independent normal ones behind
 * a warm-up, and an autoregressive series.
 *
 *   analyze_cost CUPEL FOLDER      the series is made in FOLDER and removed
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "child.h"
#include "figure.h"

#define POINTS      1000000
#define RUNS        5
#define MAX_SECONDS 2.0
#define MAX_MEBIB   200.0

static double normal(struct random *r)
{
    return sqrt(-2 * log(1 - random_unit(r))) * cos(2 * M_PI * random_unit(r));
}

static int write_series(const char *path, double phi, double warm_up)
{
    FILE *f = fopen(path, "we");
    if (!f) {
        perror(path);
        return -1;
    }
    struct random random;
    random_seed(&random, 1, 0);
    double state = 0;
    for (int i = 0; i < POINTS; i++) {
        state = phi * state + 5 * normal(&random);
        fprintf(f, "%.9g\n", 100 + state + warm_up * exp(-i / 20000.0));
    }
    if (fclose(f)) {
        perror(path);
        return -1;
    }
    return 0;
}

static int measure(const char *name, char *cupel, char *path, double phi, double warm_up)
{
    double seconds[RUNS], mebibytes[RUNS];
    char text[16384], title[64];
    char *argv[] = {cupel, "analyze", path, NULL};
    int status = write_series(path, phi, warm_up);
    for (int i = 0; i < RUNS && !status; i++) {
        struct child_cost cost;
        status = child_run(argv, text, sizeof text, 0, &cost);
        seconds[i] = cost.seconds;
        mebibytes[i] = (double)cost.peak_rss_kib / 1024;
    }
    unlink(path);
    if (status)
        return -1;
    snprintf(title, sizeof title, "analyze 1M, %s, time", name);
    figure_limit(title, "s", 3, figure_median(seconds, RUNS), MAX_SECONDS);
    snprintf(title, sizeof title, "analyze 1M, %s, RSS", name);
    figure_limit(title, "MiB", 1, figure_median(mebibytes, RUNS), MAX_MEBIB);
    return 0;
}

int main(int argc, char **argv)
{
    char path[1100];
    if (argc != 3) {
        fprintf(stderr, "usage: analyze_cost CUPEL FOLDER\n");
        return 1;
    }
    snprintf(path, sizeof path, "%s/series.txt", argv[2]);
    return measure("normal", argv[1], path, 0, 50) || measure("AR(1)", argv[1], path, 0.5, 0);
}
