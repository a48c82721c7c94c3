/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the highest rate that keeps a limit, of the whole program on a scripted queue whose
 * answer is known: Poisson arrivals, one server, a service time that is always the same (M/D/1,
 * Erlang 1909). What else the machine does makes response times longer, and the answer lower than
 * the queue's own: the figure says how often the truth lay inside the interval all the same.
 *
 *   find_rate CUPEL SECONDS         searches until so much time has passed
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_row.h"
#include "figure.h"

#define SERVICE_US    200
#define LIMIT_TIMES   5    /* the limit, in service times ... */
#define LIMIT_SHARE   0.90 /* ... of this percentile */
#define PROBES_MAX    20
#define SEARCHES_MAX  FIGURE_PAIRS_MAX
#define SEARCH_LIMIT  "60s"
#define SEARCH_NARROW "30%"

/* P(wait <= t), of utilisation rho and service time 1: (1 - rho) sum over k = 0 .. t of
   (-rho (t - k))^k / k! e^(rho (t - k)). */
static double wait_within(double t, double rho)
{
    double sum = 0;
    for (int k = 0; k <= (int)t; k++) {
        double x = rho * (t - k), term = exp(x);
        for (int i = 1; i <= k; i++)
            term *= -x / i;
        sum += term;
    }
    return (1 - rho) * sum;
}

/* Requests per second at which the percentile lies on its limit. */
static double true_rate(void)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (wait_within(LIMIT_TIMES - 1, middle) < LIMIT_SHARE)
            high = middle;
        else
            low = middle;
    }
    return low * 1e6 / SERVICE_US;
}

struct search {
    double holds, fails, probes;
};

/* 0, or -1 with a message. */
static int search(const char *cupel, unsigned seed, struct search *found)
{
    char script[32], limit[32], seeds[32], csv[32768];
    snprintf(script, sizeof script, "queue:%dus", SERVICE_US);
    snprintf(limit, sizeof limit, "p%.0f<%dus", 100 * LIMIT_SHARE, LIMIT_TIMES * SERVICE_US);
    snprintf(seeds, sizeof seeds, "%u", seed);
    char *const argv[] = {(char *)cupel,
                          "run",
                          "--ioengine",
                          "null",
                          "--null-script",
                          script,
                          "--find-rate",
                          limit,
                          "--preset",
                          "quick",
                          "--ci",
                          SEARCH_NARROW,
                          "--min-time",
                          "0.5s",
                          "--limit",
                          SEARCH_LIMIT,
                          "--overhead",
                          "0",
                          "--monitor-cost",
                          "0",
                          "--seed",
                          seeds,
                          "--format",
                          "csv",
                          NULL};
    struct child_cost cost;
    if (csv_run(argv, csv, sizeof csv, &cost))
        return -1;
    *found = (struct search){csv_number(csv, "highest_rate", CSV_LOW),
                             csv_number(csv, "highest_rate", CSV_HIGH),
                             csv_number(csv, "highest_rate", CSV_N)};
    found->holds = isnan(found->holds) ? 0 : found->holds;
    found->fails = isnan(found->fails) ? INFINITY : found->fails;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: find_rate CUPEL SECONDS\n");
        return 1;
    }
    double truth = true_rate(), end = child_now() + strtod(argv[2], NULL);
    double probes_most = 0, width[SEARCHES_MAX] = {0};
    unsigned n = 0, held = 0, too_low = 0, open = 0;
    for (; n < SEARCHES_MAX && (!n || child_now() < end); n++) {
        struct search found;
        if (search(argv[1], n + 1, &found))
            return 1;
        bool closed = found.holds > 0 && isfinite(found.fails);
        held += found.holds <= truth && truth <= found.fails;
        too_low += found.fails < truth;
        open += !closed;
        probes_most = fmax(probes_most, found.probes);
        width[n] =
            closed ? 2 * (found.fails - found.holds) / (found.fails + found.holds) : INFINITY;
    }
    char name[64];
    snprintf(name, sizeof name, "find-rate of %u: truth held", n);
    struct figure share = {name, "1", 3, "confidence", FIGURE_AT_LEAST, 1};
    figure_print(&share, (double)held / n, 0.95, (double)held / n / 0.95, "");
    snprintf(name, sizeof name, "  truth %.0f/s above all", truth);
    struct figure low = {name, "1", 0, "searches", FIGURE_NO_TARGET, 0};
    figure_print(&low, too_low, n, (double)too_low / n, "");
    figure_limit("  probes, maximum", "1", 0, probes_most, PROBES_MAX);
    struct figure wide = {"  width, median", "1", 3, "asked", FIGURE_NO_TARGET, 0};
    figure_print(&wide, figure_median(width, n), 0.3, figure_median(width, n) / 0.3, "");
    struct figure one = {"  one end alone", "1", 0, "searches", FIGURE_NO_TARGET, 0};
    figure_print(&one, open, n, (double)open / n, "");
    return 0;
}
