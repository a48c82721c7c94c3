/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What comparing makes of simulated rounds whose truth is known (docs/statistics.md): one line a
 * kind, the same for the same seed. No row passes or fails here; tests/unit/test_ratio.c holds the
 * limits.
 *
 *   comparison_table [SEED [RUNS [NAME]]]      only the rows whose name begins with NAME
 *
 *   looks    blocks of one reading each of two alternatives, a look after every block: how many
 *            sessions call them different, after how many blocks, and how many a fixed test takes
 *            that finds as large a share
 *   three    the same of three alternatives that are equal, or of which the third differs: sessions
 *            that ever order two equal ones
 *   any      columns that nobody paired: sessions in which the interval holds the true ratio at
 *            every look, and at the last one
 *   once     one look: coverage of the interval of the ratio, unpaired and paired
 *   memory   equal alternatives whose level has a memory: how many sessions call them different,
 *            of rounds that take turns in random order on a machine with that memory, of
 * differences that have it themselves (both with a look after every block, from the thirtieth on
 *            after each thirtieth part more), and of two columns that were measured apart; by n
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/compare/compare.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distribution.h"
#include "tests/unit/differences.h"
#include "tests/unit/simulated.h"
#include "tests/unit/simulated_memory.h"

enum { BLOCKS_MAX = 2048, FIRST_LOOK = 3 };

#define ALPHA 0.05
#define RATIO 1.05 /* of the rows about coverage: a spread of 10 % about 105 and 100 */

struct row {
    const char *name;
    void (*measure)(const struct row *row, unsigned runs);
    double rho;    /* autocorrelation */
    double effect; /* in standard deviations of what is looked at */
    size_t n;      /* blocks at most, or readings each */
    enum { NORMAL, LOGNORMAL, LEVELS } kind;
};

static uint64_t state; /* of the random numbers */
static struct arena scratch;

/* Standard deviation 1 about 0, but for LEVELS: .8 above and below it, noise .3. */
static void fill(double x[], const struct row *row, size_t n)
{
    double level = simulated_uniform(&state) < 0.5 ? 0.8 : -0.8;
    simulated_ar1(x, n, row->rho, &state);
    for (size_t i = 0; i < n; i++) {
        x[i] *= sqrt(1 - row->rho * row->rho);
        if (row->kind == LOGNORMAL)
            x[i] = (exp(x[i]) - exp(0.5)) / sqrt((exp(1) - 1) * exp(1));
        if (row->kind != LEVELS)
            continue;
        level = simulated_uniform(&state) < 0.1 ? -level : level;
        x[i] = level + 0.3 * x[i];
    }
}

/* ---- looks ---- */

static void measure_looks(const struct row *row, unsigned runs)
{
    static double x[BLOCKS_MAX], other[BLOCKS_MAX], blocks[100000];
    memset(other, 0, sizeof other);
    unsigned found = 0;
    double sum = 0;
    for (unsigned run = 0; run < runs; run++) {
        size_t n = FIRST_LOOK;
        fill(x, row, row->n);
        if (row->kind == LOGNORMAL)
            fill(other, row, row->n);
        for (size_t i = 0; i < row->n; i++)
            x[i] += row->effect - other[i];
        while (n <= row->n && evidence_of(x, n, &scratch) < log(1 / ALPHA))
            n += 1 + n / 30;
        found += n <= row->n;
        blocks[run] = (double)(n <= row->n ? n : row->n);
        sum += blocks[run];
    }
    double share = (double)found / runs;
    printf("different %.4f", share);
    if (row->effect > 0) {
        double z = normal_quantile(1 - ALPHA / 2) + normal_quantile(fmin(share, 0.9995));
        double fixed = z * z / (row->effect * row->effect) * (1 + row->rho) / (1 - row->rho);
        printf(
            " blocks mean %.1f median %.0f slowest tenth %.0f, a fixed test %.0f: %.2f %.2f %.2f",
            sum / runs, quantile_of(blocks, runs, 0.5), quantile_of(blocks, runs, 0.9), fixed,
            sum / runs / fixed, quantile_of(blocks, runs, 0.5) / fixed,
            quantile_of(blocks, runs, 0.9) / fixed);
    }
}

/* ---- three alternatives ---- */

static bool orders_equals(double x[3][BLOCKS_MAX], size_t n, bool third_differs)
{
    static char *names[] = {"A", "B", "C"};
    struct compare_alternative all[3] = {0};
    struct compare_quantity quantities[3] = {0};
    struct comparison c;
    struct err e = {0};
    const struct compare_config config = {.confidence = 1 - ALPHA, .margin = 0.01, .expect = ""};
    for (int i = 0; i < 3; i++) {
        quantities[i] = (struct compare_quantity){.metric = "reading",
                                                  .values = x[i],
                                                  .n = n,
                                                  .low = NAN,
                                                  .high = NAN,
                                                  .in_blocks = true};
        all[i].name = names[i];
        all[i].quantities = &quantities[i];
        all[i].count = 1;
    }
    if (compare_judge(&c, all, 3, &config, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        exit(EXIT_FAILURE);
    }
    bool wrong = false;
    const struct comparison_quantity *q = &c.quantities[0];
    for (size_t i = 0; i < q->pair_count; i++) {
        const struct comparison_pair *p = &q->pairs[i];
        bool ordered = p->verdict == COMPARISON_FASTER || p->verdict == COMPARISON_SLOWER;
        bool equal = !third_differs || (p->first < 2 && p->second < 2);
        wrong = wrong || (ordered && equal);
    }
    comparison_free(&c);
    return wrong;
}

/* Without evidence on any pair at the last of Holm's levels nothing can be ordered: three pairs
   there are, and the second of the two that are judged may have half of the error. */
static bool could_order(double x[3][BLOCKS_MAX], size_t n, bool third_differs)
{
    double d[BLOCKS_MAX];
    for (int pair = 0; pair < (third_differs ? 1 : 3); pair++) {
        for (size_t i = 0; i < n; i++)
            d[i] = x[pair][i] - x[(pair + 1) % 3][i];
        if (evidence_of(d, n, &scratch) >= log(2 / ALPHA))
            return true;
    }
    return false;
}

static void measure_three(const struct row *row, unsigned runs)
{
    static double x[3][BLOCKS_MAX];
    unsigned wrong = 0;
    bool third_differs = row->effect > 0;
    for (unsigned run = 0; run < runs; run++) {
        for (int k = 0; k < 3; k++) {
            fill(x[k], row, row->n);
            for (size_t i = 0; i < row->n; i++)
                x[k][i] = 100 + 5 * (x[k][i] + (k == 2 ? row->effect : 0));
        }
        bool ordered = false;
        for (size_t n = FIRST_LOOK; n <= row->n && !ordered; n++)
            ordered = could_order(x, n, third_differs) && orders_equals(x, n, third_differs);
        wrong += ordered;
    }
    printf("wrong orders %.4f", (double)wrong / runs);
}

/* ---- intervals ---- */

static void fill_pair(double a[], double b[], const struct row *row)
{
    fill(a, row, row->n);
    fill(b, row, row->n);
    for (size_t i = 0; i < row->n; i++) {
        a[i] = RATIO * (100 + 10 * a[i]);
        b[i] = 100 + 10 * b[i];
    }
}

static bool holds(const double a[], const double b[], size_t n, bool once, bool paired,
                  double *width)
{
    const struct ratio_config config = {1 - ALPHA, once, paired, false};
    struct ratio r = ratio_of_series(a, n, b, n, &config, &scratch);
    *width += (r.high - r.low) / RATIO;
    return r.low <= RATIO && RATIO <= r.high;
}

static void measure_any(const struct row *row, unsigned runs)
{
    static double a[BLOCKS_MAX], b[BLOCKS_MAX], d[BLOCKS_MAX];
    unsigned always = 0, last = 0;
    double width = 0, unused = 0;
    for (unsigned run = 0; run < runs; run++) {
        bool all = true;
        fill_pair(a, b, row);
        for (size_t i = 0; i < row->n; i++)
            d[i] = a[i] - RATIO * b[i];
        for (size_t n = FIRST_LOOK; n < row->n && all; n++)
            all = evidence_of(d, n, &scratch) < log(1 / ALPHA) ||
                  holds(a, b, n, false, false, &unused);
        bool end = holds(a, b, row->n, false, false, &width);
        last += end;
        always += all && end;
    }
    printf("held at every look %.4f, at the last %.4f, width %.3f", (double)always / runs,
           (double)last / runs, width / runs);
}

static void measure_once(const struct row *row, unsigned runs)
{
    static double a[BLOCKS_MAX], b[BLOCKS_MAX];
    unsigned alone = 0, paired = 0;
    double width = 0, paired_width = 0;
    for (unsigned run = 0; run < runs; run++) {
        fill_pair(a, b, row);
        alone += holds(a, b, row->n, true, false, &width);
        paired += holds(a, b, row->n, true, true, &paired_width);
    }
    printf("held %.4f width %.3f, paired %.4f width %.3f", (double)alone / runs, width / runs,
           (double)paired / runs, paired_width / runs);
}

/* ---- memory ---- */

static const size_t memory_lengths[] = {30, 60, 100, 250, 1000};
#define MEMORY_LENGTHS (sizeof memory_lengths / sizeof *memory_lengths)

/* The number of blocks after which they are called different, or SIZE_MAX. */
static size_t found_after(const double d[], size_t n)
{
    for (size_t at = FIRST_LOOK; at <= n; at += 1 + at / 30) {
        struct difference of = differences_of(d, at, &scratch);
        if (difference_evidence(&of, 0) >= log(1 / ALPHA) && difference_p_value(&of, 0) < ALPHA)
            return at;
    }
    return SIZE_MAX;
}

static bool are_columns_different(const struct memory_process *process, size_t n)
{
    static double a[BLOCKS_MAX], b[BLOCKS_MAX];
    const struct ratio_config config = {.confidence = 1 - ALPHA};
    memory_fill(a, n, process, &state);
    memory_fill(b, n, process, &state);
    for (size_t i = 0; i < n; i++) {
        a[i] = 100 + 5 * a[i];
        b[i] = 100 + 5 * b[i];
    }
    struct ratio r = ratio_of_series(a, n, b, n, &config, &scratch);
    return r.low > 1 || r.high < 1;
}

static void print_shares(const char *what, const unsigned found[], unsigned runs)
{
    printf("%s", what);
    for (size_t k = 0; k < MEMORY_LENGTHS; k++)
        printf(" %.3f", (double)found[k] / runs);
}

static void measure_memory(const struct memory_process *process, unsigned runs)
{
    static double d[BLOCKS_MAX], other[BLOCKS_MAX];
    unsigned turns[MEMORY_LENGTHS] = {0}, own[MEMORY_LENGTHS] = {0}, columns[MEMORY_LENGTHS] = {0};
    const size_t longest = memory_lengths[MEMORY_LENGTHS - 1];
    runs = runs / 5 > 0 ? runs / 5 : 1;
    for (unsigned run = 0; run < runs; run++) {
        memory_turns(d, longest, process, &state);
        size_t after = found_after(d, longest);
        memory_fill(d, longest, process, &state);
        if (process->kind == MEMORY_LOGNORMAL) { /* differences have no longer tail on one side */
            memory_fill(other, longest, process, &state);
            for (size_t i = 0; i < longest; i++)
                d[i] -= other[i];
        }
        size_t own_after = found_after(d, longest);
        for (size_t k = 0; k < MEMORY_LENGTHS; k++) {
            turns[k] += after <= memory_lengths[k];
            own[k] += own_after <= memory_lengths[k];
            columns[k] += are_columns_different(process, memory_lengths[k]);
        }
    }
    print_shares("different: turns", turns, runs);
    print_shares(", of their own", own, runs);
    print_shares(", columns", columns, runs);
}

static const struct row rows[] = {
    {"looks, equal", measure_looks, 0, 0, 99, NORMAL},
    {"looks, equal", measure_looks, 0.3, 0, 99, NORMAL},
    {"looks, equal", measure_looks, 0.6, 0, 99, NORMAL},
    {"looks, equal", measure_looks, 0.6, 0, 200, NORMAL},
    {"looks, equal", measure_looks, 0.8, 0, 99, NORMAL},
    {"looks, equal", measure_looks, 0.8, 0, 200, NORMAL},
    {"looks, equal, lognormal", measure_looks, 0, 0, 99, LOGNORMAL},
    {"looks, equal, levels", measure_looks, 0, 0, 99, LEVELS},
    {"looks, effect .35", measure_looks, 0, 0.35, 300, NORMAL},
    {"looks, effect .5", measure_looks, 0, 0.5, 99, NORMAL},
    {"looks, effect .5", measure_looks, 0, 0.5, 200, NORMAL},
    {"looks, effect .71", measure_looks, 0, 0.71, 99, NORMAL},
    {"looks, effect .71", measure_looks, 0.6, 0.71, 300, NORMAL},
    {"looks, effect 4", measure_looks, 0, 4, 99, NORMAL},
    {"three, equal", measure_three, 0, 0, 99, NORMAL},
    {"three, equal", measure_three, 0.6, 0, 99, NORMAL},
    {"three, the third differs", measure_three, 0, 3, 99, NORMAL},
    {"three, the third differs", measure_three, 0.6, 3, 99, NORMAL},
    {"any", measure_any, 0, 0, 20, NORMAL},
    {"any", measure_any, 0, 0, 100, NORMAL},
    {"any", measure_any, 0.6, 0, 20, NORMAL},
    {"any", measure_any, 0.6, 0, 100, NORMAL},
    {"any, lognormal", measure_any, 0, 0, 50, LOGNORMAL},
    {"once", measure_once, 0, 0, 10, NORMAL},
    {"once", measure_once, 0, 0, 20, NORMAL},
    {"once", measure_once, 0, 0, 50, NORMAL},
    {"once", measure_once, 0.3, 0, 20, NORMAL},
    {"once", measure_once, 0.6, 0, 10, NORMAL},
    {"once", measure_once, 0.6, 0, 20, NORMAL},
    {"once", measure_once, 0.6, 0, 30, NORMAL},
    {"once", measure_once, 0.6, 0, 50, NORMAL},
    {"once", measure_once, 0.6, 0, 100, NORMAL},
    {"once", measure_once, 0.8, 0, 50, NORMAL},
};

/* The processes with memory, in rows of their own. */
static void print_memory(uint64_t seed, unsigned runs)
{
    for (size_t k = 0; k < MEMORY_PROCESSES; k++) {
        state = seed * 1000003 + k * 104729;
        printf("memory, %-18s n 30 60 100 250 1000: ", memory_processes[k].name);
        measure_memory(&memory_processes[k], runs);
        putchar('\n');
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000;
    const char *name = argc > 3 ? argv[3] : "";
    struct err e = {0};
    if (runs < 1 || runs > 100000 ||
        arena_init(&scratch, ratio_scratch_bytes(BLOCKS_MAX, BLOCKS_MAX), &e))
        return EXIT_FAILURE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (strncmp(row->name, name, strlen(name)) != 0)
            continue;
        state = seed * 1000003 + i * 7919;
        printf("%-26s AR(1) %.1f n %3zu: ", row->name, row->rho, row->n);
        row->measure(row, runs);
        putchar('\n');
        fflush(stdout);
    }
    if (!strncmp("memory", name, strlen(name)))
        print_memory(seed, runs);
    arena_free(&scratch);
    return EXIT_SUCCESS;
}
