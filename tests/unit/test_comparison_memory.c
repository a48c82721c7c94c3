/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts how often equal alternatives are called different when the machine, or each of them, has
 * memory (autocorrelation): a tenth of what ./build.sh bench comparison_table measures. The seeds
 * are fixed. Also compares one method at every number of readings: no interval widens where the
 * method used to switch.
 *
 * Slow: hundreds of sessions.
 */
#include "check.h"
#include "differences.h"
#include "simulated_memory.h"
#include "stat/compare/ratio.h"

#define RUNS         100
#define READINGS_MAX 2000
#define PROMISED     0.06

static struct arena scratch;

/* Returns the promised share plus two standard errors. */
static double allowed(double share)
{
    return share + 2 * sqrt(share * (1 - share) / RUNS);
}

/* The variance of the mean of n is n^(2H-2). */
static void check_fractional(void)
{
    static double x[1000];
    uint64_t state = 5;
    for (int tenths = 7; tenths <= 9; tenths++) {
        const double hurst = tenths / 10.0;
        const size_t n = 60, runs = 1500;
        double squares = 0;
        for (size_t run = 0; run < runs; run++) {
            double sum = 0;
            memory_fractional(x, 1000, hurst, &state);
            for (size_t i = 0; i < n; i++)
                sum += x[i];
            squares += sum * sum / (double)(n * n);
        }
        double theory = pow((double)n, 2 * hurst - 2);
        printf("Hurst %.1f: variance of the mean of %zu is %.4f, %.4f in theory\n", hurst, n,
               squares / (double)runs, theory);
        CHECK(fabs(squares / (double)runs / theory - 1) < 0.13); /* 3.5 standard errors */
    }
}

/* Returns true if the differences are found at any number of readings 3, 4, ... n. */
static bool is_found(const double d[], size_t n)
{
    for (size_t at = DIFFERENCE_MIN_READINGS; at <= n; at += 1 + at / 8)
        if (evidence_of(d, at, &scratch) >= log(20) && p_value_of(d, at, &scratch) < 0.05)
            return true;
    return false;
}

/* Rounds alternate in random order: memory of the machine does not appear as a difference. */
static void check_turns(const struct memory_process *process, size_t blocks)
{
    static double d[READINGS_MAX];
    uint64_t state = 17;
    size_t found = 0;
    for (size_t run = 0; run < RUNS; run++) {
        memory_turns(d, blocks, process, &state);
        found += is_found(d, blocks);
    }
    printf("%-17s turns, %4zu blocks: %.2f different\n", process->name, blocks,
           (double)found / RUNS);
    CHECK((double)found <= allowed(PROMISED) * RUNS);
}

/* Two columns that were measured separately. */
static double share_of_columns(const struct memory_process *process, size_t n)
{
    static double a[READINGS_MAX], b[READINGS_MAX];
    const struct ratio_config any = {.confidence = 0.95};
    uint64_t state = 23;
    size_t different = 0;
    for (size_t run = 0; run < RUNS; run++) {
        memory_fill(a, n, process, &state);
        memory_fill(b, n, process, &state);
        for (size_t i = 0; i < n; i++) {
            a[i] = 100 + 5 * a[i];
            b[i] = 100 + 5 * b[i];
        }
        struct ratio r = ratio_of_series(a, n, b, n, &any, &scratch);
        enum ratio_verdict verdict = ratio_judge(&r, 0.001);
        different += verdict == RATIO_ABOVE || verdict == RATIO_BELOW;
    }
    printf("%-17s columns of %4zu: %.2f different\n", process->name, n, (double)different / RUNS);
    return (double)different / RUNS;
}

/* A level that lasts as long as a column cannot be distinguished from a difference. */
static void check_columns(const struct memory_process *process)
{
    double few = share_of_columns(process, 30), many = share_of_columns(process, 300);
    bool too_slow = process->kind == MEMORY_LEVELS && process->parameter < 0.05;
    CHECK(few <= (too_slow ? 0.4 : allowed(PROMISED)));
    CHECK(many <= allowed(PROMISED));
}

/* Differences that are autocorrelated, judged after every block: found less often than before. */
static void check_own_memory(const char *name, double max_share)
{
    static double d[READINGS_MAX];
    const size_t blocks = 100;
    for (size_t k = 0; k < MEMORY_PROCESSES; k++) {
        uint64_t state = 29;
        size_t found = 0;
        if (strcmp(memory_processes[k].name, name) != 0)
            continue;
        for (size_t run = 0; run < RUNS; run++) {
            memory_fill(d, blocks, &memory_processes[k], &state);
            found += is_found(d, blocks);
        }
        printf("%-17s of their own, %zu blocks: %.2f different\n", name, blocks,
               (double)found / RUNS);
        CHECK((double)found <= max_share * RUNS);
    }
}

/* Returns half the width of the interval of a mean difference, in standard deviations. */
static double half_width(const double d[], size_t n)
{
    struct difference of = differences_of(d, n, &scratch);
    static double ones[READINGS_MAX];
    for (size_t i = 0; i < n; i++)
        ones[i] = 1;
    double mean = 0, low = 0, high = 50;
    for (size_t i = 0; i < n; i++)
        mean += d[i] / (double)n;
    difference_pairs(&of, d, ones, n, mean, DEPENDENCE_OPEN, &scratch);
    for (int i = 0; i < 30; i++) {
        double middle = (low + high) / 2;
        *(difference_evidence(&of, mean + middle) < log(20) ? &low : &high) = middle;
    }
    return high;
}

static double median_width(double rho, size_t n)
{
    static double x[READINGS_MAX];
    double widths[RUNS / 2];
    uint64_t state = 31; /* the same series for every n */
    for (size_t run = 0; run < RUNS / 2; run++) {
        simulated_ar1(x, 200, rho, &state);
        widths[run] = half_width(x, n) * sqrt(1 - rho * rho);
        for (size_t at = run; at > 0 && widths[at - 1] > widths[at]; at--) {
            double held = widths[at];
            widths[at] = widths[at - 1];
            widths[at - 1] = held;
        }
    }
    return widths[RUNS / 4];
}

/* Before memory was accounted for, these widths of independent differences were .83, .46 and .34.
 */
static void check_widths(void)
{
    double few = median_width(0, 30), more = median_width(0, 60), many = median_width(0, 100);
    printf("half widths of independent differences: %.3f %.3f %.3f\n", few, more, many);
    CHECK(few < 0.85 && more < 0.48 && many < 0.36);
    double before = median_width(0.9, 96), after = median_width(0.9, 104);
    printf("half widths of AR(1) .9 at 96 and 104: %.3f %.3f\n", before, after);
    CHECK(after < 1.1 * before);
}

int main(void)
{
    struct err e = {0};
    CHECK(!arena_init(&scratch, ratio_scratch_bytes(READINGS_MAX, READINGS_MAX), &e));
    check_fractional();
    check_widths();
    for (size_t k = 0; k < MEMORY_PROCESSES; k++) {
        check_turns(&memory_processes[k], 120);
        check_columns(&memory_processes[k]);
    }
    check_own_memory("AR(1) .9", 0.12);
    check_own_memory("AR(1) .95", 0.22);
    check_own_memory("Hurst .8", 0.2);
    check_own_memory("Hurst .9", 0.25);
    arena_free(&scratch);
    return check_result();
}
