/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `cupel exec` adds to a round: processor time of a session, less that of a bare loop that
 * starts the same program as often; the same for a hundred times as many rounds, where a session
 * that judged all readings after each round would slow down. And how long it takes to a result
 * beside hyperfine, where that is installed.
 *
 *   exec_cost CUPEL
 */
#include <stdio.h>
#include <stdlib.h>

#include "child.h"
#include "figure.h"

enum { FEW = 1000, MANY = 100000, PAIRS = 5 };

/* Processor seconds of this process and of the children that it waited for, while it starts
   /bin/true so often. */
static double bare_loop(int rounds)
{
    struct rusage self[2], children[2];
    char *const argv[] = {(char[]){"/bin/true"}, NULL};
    getrusage(RUSAGE_SELF, &self[0]);
    getrusage(RUSAGE_CHILDREN, &children[0]);
    for (int i = 0; i < rounds; i++) {
        pid_t id;
        int status;
        if (posix_spawn(&id, argv[0], NULL, NULL, argv, environ) == 0)
            waitpid(id, &status, 0);
    }
    getrusage(RUSAGE_SELF, &self[1]);
    getrusage(RUSAGE_CHILDREN, &children[1]);
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        seconds +=
            sign * (child_seconds(self[i].ru_utime) + child_seconds(self[i].ru_stime) +
                    child_seconds(children[i].ru_utime) + child_seconds(children[i].ru_stime));
    }
    return seconds;
}

/* Milliseconds of processor time that cupel adds to each of so many rounds. */
static int own_cost(char *cupel, int rounds, double *ms, double *wall_ms)
{
    char count[16], text[16384];
    struct child_cost cost;
    snprintf(count, sizeof count, "%d", rounds);
    char *argv[] = {cupel,      "exec", "--limit", "20m",       "--rounds", count,
                    "--format", "csv",  "--",      "/bin/true", NULL};
    if (child_run(argv, text, sizeof text, 0, &cost))
        return -1;
    double bare = bare_loop(rounds);
    *ms = (cost.cpu_seconds - bare) * 1e3 / rounds;
    *wall_ms = cost.seconds * 1e3 / rounds;
    return 0;
}

static int rounds_cost(char *cupel)
{
    double few[PAIRS], few_wall[PAIRS], many, many_wall;
    for (int i = 0; i < PAIRS; i++)
        if (own_cost(cupel, FEW, &few[i], &few_wall[i]))
            return -1;
    figure_limit("exec, own CPU a round", "ms", 3, figure_median(few, PAIRS), 1);
    if (own_cost(cupel, MANY, &many, &many_wall))
        return -1;
    figure_limit("exec, of 100,000 rounds", "ms", 3, many, 1);
    struct figure f = {
        "exec, wall of 100,000 rounds", "ms", 3, "of 1,000 rounds", FIGURE_AT_MOST, 1.1};
    double wall = figure_median(few_wall, PAIRS);
    figure_print(&f, many_wall, wall, many_wall / wall, "");
    return 0;
}

/* Time to a result: hyperfine's 10 runs and 3 s, and cupel to 10 %. */
static int beside_hyperfine(char *cupel, char *program, const char *name)
{
    double ours[PAIRS], theirs[PAIRS];
    char text[16384];
    char *cupel_argv[] = {cupel, "exec", "--format", "csv", "--", "sh", "-c", program, NULL};
    char *hyperfine_argv[] = {"hyperfine", "--style", "none", program, NULL};
    for (int i = 0; i < PAIRS - 2; i++) {
        struct child_cost cost;
        if (child_run(hyperfine_argv, text, sizeof text, 0, &cost))
            return 0; /* it is not installed */
        theirs[i] = cost.seconds;
        if (child_run(cupel_argv, text, sizeof text, 0, &cost))
            return -1;
        ours[i] = cost.seconds;
    }
    struct figure f = {name, "s", 2, "hyperfine", FIGURE_AT_MOST, 1};
    figure_pairs(&f, ours, theirs, PAIRS - 2);
    return 0;
}

int main(int argc, char **argv)
{
    static char quick[] = "sleep 0.02", slow[] = "sleep 0.4";
    if (argc != 2) {
        fprintf(stderr, "usage: exec_cost CUPEL\n");
        return 1;
    }
    return rounds_cost(argv[1]) || beside_hyperfine(argv[1], quick, "exec to 10 %, sleep 0.02") ||
           beside_hyperfine(argv[1], slow, "exec to 10 %, sleep 0.4");
}
