/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Percentiles of the response time of random 4 KiB reads of a file, past the page cache, one at a
 * time, of `cupel run` and of fio's psync in turn: both time the same call (fio's clat), in
 * histograms of their own. What the device does meanwhile differs from turn to turn: the quartiles
 * of the pairs show by how much.
 *
 *   percentiles CUPEL FILE          FILE is made, filled and removed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_file.h"
#include "csv_row.h"
#include "figure.h"

#define PAIRS      16
#define FILE_BYTES ((uint64_t)256 << 20)
#define TURN       "2s"
#define TURN_FIO   "--runtime=2"

static const struct {
    const char *title, *metric, *of_fio;
} shares[] = {
    {"p50", "lat_p50", "\"50.000000\" : "},
    {"p90", "lat_p90", "\"90.000000\" : "},
    {"p99", "lat_p99", "\"99.000000\" : "},
    {"p99.9", "lat_p99.9", "\"99.900000\" : "},
};
enum { SHARES = sizeof shares / sizeof *shares };

static double ours[SHARES][PAIRS], of_fio[SHARES][PAIRS];

static int run_cupel(const char *cupel, const char *path, unsigned pair)
{
    char seed[16], csv[32768];
    snprintf(seed, sizeof seed, "%u", pair + 1);
    char *const argv[] = {(char *)cupel, "run",        (char *)path, "--ioengine",
                          "sync",        "--size",     "256m",       "--runtime",
                          TURN,          "--overhead", "0",          "--preset",
                          "quick",       "--seed",     seed,         "--monitor-cost",
                          "0",           "--realtime", "0",          "--format",
                          "csv",         NULL};
    struct child_cost cost;
    if (csv_run(argv, csv, sizeof csv, &cost))
        return -1;
    for (int i = 0; i < SHARES; i++)
        ours[i][pair] = csv_value(csv, shares[i].metric);
    return 0;
}

static int run_fio(const char *path, unsigned pair)
{
    char filename[1100], seed[40], text[65536];
    snprintf(filename, sizeof filename, "--filename=%s", path);
    snprintf(seed, sizeof seed, "--randseed=%u", pair + 1);
    char *const argv[] = {"fio",
                          "--output-format=json",
                          "--name=bench",
                          "--rw=randread",
                          "--bs=4k",
                          "--norandommap",
                          "--time_based",
                          TURN_FIO,
                          "--thread",
                          "--readonly",
                          "--ioengine=psync",
                          "--direct=1",
                          "--size=256m",
                          "--allow_file_create=0",
                          filename,
                          seed,
                          NULL};
    struct child_cost cost;
    if (child_run(argv, text, sizeof text, 0, &cost))
        return -1;
    const char *reads = strstr(text, "\"read\"");
    const char *times = reads ? strstr(reads, "\"clat_ns\"") : NULL;
    for (int i = 0; i < SHARES; i++) {
        const char *at = times ? strstr(times, shares[i].of_fio) : NULL;
        if (!at) {
            fprintf(stderr, "fio reports no %s: %.300s\n", shares[i].title, text);
            return -1;
        }
        of_fio[i][pair] = strtod(at + strlen(shares[i].of_fio), NULL);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct target target;
    if (argc != 3) {
        fprintf(stderr, "usage: percentiles CUPEL FILE\n");
        return 1;
    }
    if (bench_file_open(&target, argv[2], FILE_BYTES))
        return 1;
    int status = 0;
    for (unsigned pair = 0; pair < PAIRS && !status; pair++)
        status = pair & 1 ? run_fio(argv[2], pair) || run_cupel(argv[1], argv[2], pair)
                          : run_cupel(argv[1], argv[2], pair) || run_fio(argv[2], pair);
    target_close(&target);
    unlink(argv[2]);
    for (int i = 0; i < SHARES && !status; i++) {
        char name[40];
        snprintf(name, sizeof name, "read response time, %s", shares[i].title);
        struct figure f = {name, "ns", 0, "fio psync clat", FIGURE_NO_TARGET, 0};
        figure_pairs(&f, ours[i], of_fio[i], PAIRS);
    }
    return status;
}
