/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program itself takes: memory of a run at its beginning and at its end, the size of the
 * binary, and the time of `cupel --version`.
 *
 *   process_cost CUPEL
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "child.h"
#include "figure.h"

#define STARTS         50
#define RUN_TIME       "15s"
#define FIRST_LOOK     2.0 /* seconds after the start */
#define MAX_GROWTH_KIB 256.0

/* VmRSS in KiB; 0 when the process is gone. */
static double resident_kib(pid_t pid)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmRSS:", 6))
            kib = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return kib;
}

static int run_memory(char *cupel)
{
    char *argv[] = {cupel,        "run",    "--ioengine", "null",   "--numjobs", "2",
                    "--min-time", RUN_TIME, "--limit",    RUN_TIME, NULL};
    char text[16384];
    struct child run;
    if (child_start(&run, argv))
        return -1;
    double first = 0, last = 0;
    for (double now, kib; (kib = resident_kib(run.pid)) > 0; last = kib) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        now = child_now() - run.began;
        if (first <= 0 && now >= FIRST_LOOK)
            first = kib;
    }
    struct child_cost cost = child_finish(&run, text, sizeof text);
    if ((cost.status != 0 && cost.status != 5) || first <= 0) {
        fprintf(stderr, "%s run ended with status %d: %s\n", cupel, cost.status, text);
        return -1;
    }
    struct figure f = {"run 15 s, memory at the end", "KiB", 0, "at 2 s", FIGURE_NO_TARGET, 0};
    figure_print(&f, last, first, last / first, "");
    figure_limit("run 15 s, memory grown", "KiB", 0, last - first, MAX_GROWTH_KIB);
    return 0;
}

static int binary_size(const char *cupel)
{
    struct stat st;
    if (stat(cupel, &st)) {
        perror(cupel);
        return -1;
    }
    figure_limit("size of the stripped binary", "KiB", 0, (double)st.st_size / 1024, 2048);
    return 0;
}

static int version_time(char *cupel)
{
    double ms[STARTS], cpu_ms[STARTS];
    char text[256];
    char *argv[] = {cupel, "--version", NULL};
    for (int i = 0; i < STARTS; i++) {
        struct child_cost cost;
        if (child_run(argv, text, sizeof text, 0, &cost))
            return -1;
        ms[i] = cost.seconds * 1e3;
        cpu_ms[i] = cost.cpu_seconds * 1e3;
    }
    figure_limit("cupel --version, wall time", "ms", 2, figure_median(ms, STARTS), 5);
    figure_limit("cupel --version, CPU", "ms", 2, figure_median(cpu_ms, STARTS), 5);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: process_cost CUPEL\n");
        return 1;
    }
    return run_memory(argv[1]) || binary_size(argv[1]) || version_time(argv[1]);
}
