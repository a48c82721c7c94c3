/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How late requests are issued when many devices are driven from few processors (Anderson et al.,
 * Buttress (2004), 6.3): the distribution of a load with peaks, as in Figure 6, and how it changes
 * with the load, as in Figure 7 (ten devices, three runs), and with the number of devices. Devices
 * are the null backend, or files of FOLDER read with O_DIRECT; all have the same share of the load,
 * with Poisson arrivals. Numbers of devices take turns. The paper only draws its numbers.
 *
 *   issue_devices CUPEL FOLDER    files of 1 MiB are made in FOLDER and removed
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_row.h"
#include "figure.h"

#define DEVICES_MAX   120
#define FILE_BYTES    (1u << 20)
#define ROUNDS        3
#define CSV_BYTES     ((size_t)32 << 20)
#define SECONDS       "3s"
#define DEVICES_PAPER 10
#define LOAD_JUDGED   10000
#define MIN_OF_ONE    0.98
#define ARGUMENTS     32 /* beside the devices */

enum { WITHIN_10US, WITHIN_100US, WITHIN_1MS, P50, P99, FIGURES };
static const char *const metrics[FIGURES] = {"issued_within_10us", "issued_within_100us",
                                             "issued_within_1ms", "issue_error_p50",
                                             "issue_error_p99"};

struct errors {
    double figure[FIGURES];
};

struct bench {
    char *cupel;
    char *csv;
    char file[DEVICES_MAX][1100];
    char null[DEVICES_MAX][16];
};

/* Returns the value of the metric in the row of all devices; of a single one, in the first row. */
static double value_of(const char *csv, const char *metric, bool many)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s,", metric);
    for (const char *row = strstr(csv, begin); row; row = strstr(row + 1, begin)) {
        const char *end = strchr(row + 1, '\n'), *all = strstr(row, ",all,");
        all = all ? strstr(all + 1, ",all,") : NULL; /* the first one is the operation */
        if (!many || (all && end && all < end))
            return csv_value(row, metric);
    }
    return NAN;
}

/* Runs with `load` requests a second, or the phases; over all devices. */
static int run(struct bench *b, bool null, unsigned devices, unsigned load, bool peaks,
               unsigned round, struct errors *errors)
{
    char rate[48], seed[16], *argv[DEVICES_MAX + ARGUMENTS];
    unsigned n = 0;
    const unsigned each = load / devices;
    snprintf(rate, sizeof rate, peaks ? "%u/100ms/900ms:" SECONDS : "%u", each);
    snprintf(seed, sizeof seed, "%u", round + 1);
    argv[n++] = b->cupel;
    argv[n++] = "run";
    for (unsigned i = 0; i < devices; i++)
        argv[n++] = null ? b->null[i] : b->file[i];
    char *const with[] = {"--ioengine", null ? "null" : "uring",
                          "--rw",       "randread",
                          "--bs",       "4k",
                          "--iodepth",  "64",
                          "--arrival",  "poisson",
                          "--seed",     seed,
                          "--overhead", "0",
                          "--format",   "csv"};
    memcpy(&argv[n], with, sizeof with);
    n += sizeof with / sizeof *with;
    argv[n++] = peaks ? "--phases" : "--rate_iops";
    argv[n++] = rate;
    if (!peaks) {
        argv[n++] = "--runtime";
        argv[n++] = SECONDS;
    }
    argv[n] = NULL;
    struct child_cost cost;
    if (csv_run(argv, b->csv, CSV_BYTES, &cost))
        return -1;
    for (unsigned i = 0; i < FIGURES; i++)
        errors->figure[i] = value_of(b->csv, metrics[i], devices > 1);
    if (errors->figure[WITHIN_100US] >= 0)
        return 0;
    fprintf(stderr, "cupel reports no issue errors of %u devices\n", devices);
    return -1;
}

/* Prints a row: the median of every figure for itself. */
static void print_row(bool null, unsigned devices, unsigned load, const char *pattern,
                      const struct errors of[], unsigned n)
{
    double median[FIGURES] = {0}, column[ROUNDS] = {0};
    for (unsigned k = 0; k < FIGURES; k++) {
        for (unsigned i = 0; i < n; i++)
            column[i] = of[i].figure[k];
        median[k] = figure_median(column, n);
    }
    printf("  %-4s %3u devices %6u/s %-8s %10.2f %12.2f   %7.4f %7.4f %7.4f\n",
           null ? "null" : "file", devices, load, pattern, median[P50] / 1e3, median[P99] / 1e3,
           median[WITHIN_10US], median[WITHIN_100US], median[WITHIN_1MS]);
    fflush(stdout);
}

/* The distribution under peaks, and the error over the load, of as many devices as the paper has.
 */
static int measure_loads(struct bench *b, bool null)
{
    static const unsigned loads[] = {1000, 2000, 5000, 10000, 20000, 40000};
    struct errors errors[ROUNDS];
    for (unsigned round = 0; round < ROUNDS; round++)
        if (run(b, null, DEVICES_PAPER, 20000, true, round, &errors[round]))
            return -1;
    print_row(null, DEVICES_PAPER, 20000, "peaks", errors, ROUNDS);
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++) {
        for (unsigned round = 0; round < ROUNDS; round++)
            if (run(b, null, DEVICES_PAPER, loads[i], false, round, &errors[round]))
                return -1;
        print_row(null, DEVICES_PAPER, loads[i], "poisson", errors, ROUNDS);
    }
    return 0;
}

/* The same load on one device and on many, one after the other. */
static int measure_devices(struct bench *b, bool null)
{
    static const unsigned devices[] = {1, 10, 48, DEVICES_MAX};
    enum { STEPS = sizeof devices / sizeof *devices };
    struct errors errors[STEPS][ROUNDS];
    double within[STEPS][ROUNDS];
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned k = 0; k < STEPS; k++) {
            const unsigned i = round % 2 ? STEPS - 1 - k : k;
            if (run(b, null, devices[i], LOAD_JUDGED, false, round, &errors[i][round]))
                return -1;
            within[i][round] = errors[i][round].figure[WITHIN_100US];
        }
    for (unsigned i = 0; i < STEPS; i++)
        print_row(null, devices[i], LOAD_JUDGED, "poisson", errors[i], ROUNDS);
    for (unsigned i = 1; i < STEPS; i++) {
        char title[48];
        snprintf(title, sizeof title, "%s %u, within 100 us", null ? "null" : "files", devices[i]);
        const struct figure f = {title, "", 4, "one device", FIGURE_AT_LEAST, MIN_OF_ONE};
        figure_pairs(&f, within[i], within[0], ROUNDS);
    }
    return 0;
}

static int make_file(const char *path)
{
    static char block[1 << 16];
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        perror(path);
        return -1;
    }
    ssize_t wrote = sizeof block;
    for (size_t at = 0; at < FILE_BYTES && wrote == sizeof block; at += sizeof block)
        wrote = write(fd, block, sizeof block);
    if (wrote != sizeof block || fsync(fd))
        perror(path);
    close(fd);
    return wrote == sizeof block ? 0 : -1;
}

int main(int argc, char **argv)
{
    static struct bench b;
    if (argc != 3) {
        fprintf(stderr, "usage: issue_devices CUPEL FOLDER\n");
        return 1;
    }
    b.cupel = argv[1];
    b.csv = malloc(CSV_BYTES);
    int status = b.csv ? 0 : -1;
    unsigned made = 0;
    for (unsigned i = 0; i < DEVICES_MAX && !status; i++) {
        snprintf(b.null[i], sizeof b.null[i], "device%u", i);
        snprintf(b.file[i], sizeof b.file[i], "%s/device%u", argv[2], i);
        status = make_file(b.file[i]);
        made += !status;
    }
    printf("  issued late, us %31s %10s %12s   within 10   100 us    1 ms\n", "", "median", "p99");
    status = status || measure_loads(&b, true) || measure_devices(&b, true) ||
             measure_loads(&b, false) || measure_devices(&b, false);
    for (unsigned i = 0; i < made; i++)
        unlink(b.file[i]);
    free(b.csv);
    return status ? 1 : 0;
}
