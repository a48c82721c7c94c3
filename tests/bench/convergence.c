/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Section 6 of Cameron et al., *MOANA* (2019), on the published map: by how many of 40 runs the 90
 * % interval of each configuration's standard deviation has come 75 and 90 % of its way, on
 * average, beside what the authors found; and what it costs. CUPEL_CASES names a folder beside
 * which
 * ../data/varsys has the map.
 */
#include <time.h>

#include "figure.h"
#include "stat/convergence/convergence.h"
#include "tests/unit/csv_table.h"

#define RUNS      40
#define FIRST     10
#define STEPS     (RUNS - FIRST + 1)
#define RESAMPLES 500

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void)
{
    struct csv_table raw, authors;
    const char *path = csv_elsewhere("../data/varsys/map_cfq_noop_fread_raw.csv");
    if (!path || !csv_open(&raw, path) ||
        !csv_open(&authors, csv_elsewhere("../data/varsys/authors_convergence_864.csv")))
        return 0;
    double *throughput = csv_column(&raw, "throughput_kbps");
    double ours[2] = {0}, theirs[2] = {0}, begin = seconds();
    size_t n = raw.rows / RUNS < authors.rows ? raw.rows / RUNS : authors.rows;
    for (size_t i = 0; i < n; i++) {
        struct convergence_step steps[STEPS];
        struct convergence_request q = {.runs = throughput + i * RUNS,
                                        .n = RUNS,
                                        .statistic = CONVERGENCE_DEVIATION,
                                        .confidence = 0.9,
                                        .resamples = RESAMPLES};
        if (convergence_curve(steps, FIRST, RUNS, &q, NULL))
            return 1;
        ours[0] += (double)convergence_runs(steps, STEPS, 0.75) / (double)n;
        ours[1] += (double)convergence_runs(steps, STEPS, 0.9) / (double)n;
        theirs[0] += csv_number(&authors, i, "n75") / (double)n;
        theirs[1] += csv_number(&authors, i, "n90") / (double)n;
    }
    double spent = seconds() - begin;
    for (int k = 0; k < 2; k++) {
        char name[40];
        snprintf(name, sizeof name, "runs to %d %% of the way", k ? 90 : 75);
        struct figure f = {name, "runs", 2, "the authors'", FIGURE_NO_TARGET, 0};
        figure_print(&f, ours[k], theirs[k], ours[k] / theirs[k], "");
        f.reference = "paper"; /* section 6 has 24 and 31 runs */
        figure_print(&f, ours[k], k ? 31 : 24, ours[k] / (k ? 31 : 24), "");
        f.reference = "1 / sqrt(runs)";
        double law = convergence_runs_by_law(FIRST, RUNS, k ? 0.9 : 0.75);
        figure_print(&f, ours[k], law, ours[k] / law, "");
    }
    figure_limit("a curve of 31 steps", "ms", 2, 1e3 * spent / (double)n, 50);
    free(throughput);
    csv_close(&raw);
    csv_close(&authors);
    return 0;
}
