/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What it takes to look at a large machine: the time of `cupel probe` on folders that
 * tests/fixtures/many.sh makes.
 *
 *   probe_cost CUPEL FOLDER
 */

#include <stdio.h>
#include <stdlib.h>

#include "child.h"
#include "figure.h"

#define LOOKS 21

static const struct {
    const char *switches;
    const char *wall, *cpu;
} machines[] = {
    {"3", "probe, 210 functions, wall", "probe, 210 functions, CPU"},
    {"5", "probe, 314 functions, wall", "probe, 314 functions, CPU"},
};

static int make(char *folder, const char *switches)
{
    char script[] = "tests/fixtures/many.sh", number[8], text[256];
    snprintf(number, sizeof number, "%s", switches);
    char *argv[] = {script, folder, number, NULL};
    struct child_cost cost;
    if (child_run(argv, text, sizeof text, 0, &cost))
        return -1;
    return 0;
}

static int look(char *cupel, char *folder, const char *wall, const char *cpu)
{
    double ms[LOOKS], cpu_ms[LOOKS];
    char text[256];
    char *argv[] = {cupel, "probe", "--sysroot", folder, "--pci-ids", "none", NULL};
    for (int i = 0; i < LOOKS; i++) {
        struct child_cost cost;
        if (child_run(argv, text, sizeof text, 0, &cost))
            return -1;
        ms[i] = cost.seconds * 1e3;
        cpu_ms[i] = cost.cpu_seconds * 1e3;
    }
    figure_limit(wall, "ms", 1, figure_median(ms, LOOKS), 50);
    figure_limit(cpu, "ms", 1, figure_median(cpu_ms, LOOKS), 50);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: probe_cost CUPEL FOLDER\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/many%s", argv[2], machines[i].switches);
        if (make(folder, machines[i].switches) ||
            look(argv[1], folder, machines[i].wall, machines[i].cpu))
            return 1;
    }
    return 0;
}
