/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Table I and figure 7 of Li et al., *Pilot* (2016), on a simulated sequential write, so that the
 * methods are compared and not the machine: work_rate.c has the same on a real one.
 *
 * A write of n MiB opens its file for 2 s. The page cache takes the first 2,000 MiB at 400 MiB/s,
 * the disk all that comes after them at 100 MiB/s, each MiB with noise of 20 % that is an
 * autoregression of order 1 (.6); at the end 1 s of flushing, give or take .2 s. Three methods
 * measure it to an interval of 10 %:
 *
 *   unit readings          the time of every MiB, the first ones as well
 *   stable unit readings   the same after the removal of phases that are not stable
 *   WPS                    the durations of rounds of different amounts of work
 *
 * How long each takes to its result, and how well it predicts what writes of other sizes take: as
 * the paper does, amount / speed by unit readings; by WPS on its lines. Medians of 60
 * sessions.
 *
 *   method_times
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "simulated_exec.h"
#include "stat/judge.h"

enum { METHODS = 3, SESSIONS = 60, AMOUNTS = 4, ROUND_MIB = 6000, UNITS_MAX = 40 * ROUND_MIB };

#define OPEN_SECONDS   2.0
#define FLUSH_SECONDS  1.0
#define FLUSH_SD       0.2
#define CACHE_MIB      2000
#define CACHE_SPEED    400.0
#define DISK_SPEED     100.0
#define NOISE          0.2
#define AUTOREGRESSION 0.6
#define WIDTH          0.1
#define WORK_MAX       32000

static const char *const names[METHODS] = {"unit readings", "stable unit readings", "WPS"};
static const double amounts[AMOUNTS] = {500, 2000, 8000, 32000};

struct method {
    double predicted[AMOUNTS], seconds;
    bool held; /* the interval holds the speed of the disk */
};

struct writer {
    uint64_t random;
    double noise, seconds;
};

/* One write. units[i], where it is not NULL, are the seconds of MiB i. */
static double write_once(struct writer *w, size_t mebibytes, double units[])
{
    double seconds = OPEN_SECONDS + FLUSH_SECONDS + FLUSH_SD * simulated_normal(&w->random);
    for (size_t i = 0; i < mebibytes; i++) {
        double fresh = simulated_normal(&w->random);
        w->noise = AUTOREGRESSION * w->noise + sqrt(1 - AUTOREGRESSION * AUTOREGRESSION) * fresh;
        double unit = fmax(1 + NOISE * w->noise, 0.1) / (i < CACHE_MIB ? CACHE_SPEED : DISK_SPEED);
        seconds += unit;
        if (units)
            units[i] = unit;
    }
    w->seconds += seconds;
    return seconds;
}

static double expected_seconds(double mebibytes)
{
    double cached = fmin(mebibytes, CACHE_MIB);
    return OPEN_SECONDS + FLUSH_SECONDS + cached / CACHE_SPEED + (mebibytes - cached) / DISK_SPEED;
}

/* Rounds of the same size until the units of all of them are precise: those of the stable part of
   each round, or without removal all. */
static void measure_units(struct writer *w, bool removal, struct method *m, struct arena *scratch)
{
    static double units[UNITS_MAX];
    struct judge_config whole = {.changepoint = CHANGEPOINT_NONE,
                                 .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
                                 .target_width = WIDTH,
                                 .minimum_subsessions = 50,
                                 .stopping = true},
                        removing = whole;
    struct judgement all = {0};
    removing.changepoint = CHANGEPOINT_PELT;
    for (size_t count = 0; !all.enough && count + ROUND_MIB <= UNITS_MAX;) {
        double *round = units + count;
        write_once(w, ROUND_MIB, round);
        struct judgement one = judge(round, ROUND_MIB, removal ? &removing : &whole, scratch);
        memmove(round, round + one.stable_begin,
                (one.stable_end - one.stable_begin) * sizeof *round);
        count += one.stable_end - one.stable_begin;
        all = judge(units, count, &whole, scratch);
    }
    const struct estimate *unit = &all.estimate;
    *m = (struct method){.seconds = w->seconds,
                         .held = unit->low <= 1 / DISK_SPEED && 1 / DISK_SPEED <= unit->high};
    for (int i = 0; i < AMOUNTS; i++)
        m->predicted[i] = amounts[i] * unit->mean;
}

static int measure_work(struct writer *w, struct method *m)
{
    const struct simulated_request asked = {.width = WIDTH, .work_max = WORK_MAX};
    struct err e = {0};
    struct exec_session *s = simulated_exec_begin(&asked);
    if (s)
        memcpy(s->plan.durations_of, amounts, sizeof amounts);
    while (s && !exec_session_is_precise(s) && s->series.count < SIMULATED_ROUNDS_MAX) {
        double work = exec_session_next_work(s), seconds = write_once(w, (size_t)work, NULL);
        const double values[] = {work / seconds, 0, seconds};
        const struct execution_round round = {.seconds = seconds, .work = work};
        if (exec_session_add(s, &round, values, &e) || exec_session_judge(s, &e)) {
            fprintf(stderr, "%s\n", e.msg);
            exec_session_free(s);
            return -1;
        }
    }
    if (!s)
        return -1;
    const struct execution_index *speed = &s->judged[WORK_SPEED];
    *m = (struct method){.seconds = w->seconds,
                         .held = speed->low <= DISK_SPEED && DISK_SPEED <= speed->high};
    for (int i = 0; i < AMOUNTS; i++)
        m->predicted[i] = s->durations[i].value;
    exec_session_free(s);
    return 0;
}

static void print_method(const char *name, const struct method m[])
{
    double seconds[SESSIONS], held = 0;
    char label[64];
    for (int i = 0; i < SESSIONS; i++) {
        seconds[i] = m[i].seconds;
        held += m[i].held;
    }
    snprintf(label, sizeof label, "to 10 %%, %s", name);
    struct figure time = {label, "s", 0, "one write of 6,000 MiB", FIGURE_NO_TARGET, 0};
    double median = figure_median(seconds, SESSIONS), one = expected_seconds(ROUND_MIB);
    figure_print(&time, median, one, median / one, "");
    struct figure holds = {"  the disk's speed held", "1", 3, "confidence", FIGURE_NO_TARGET, 0};
    figure_print(&holds, held / SESSIONS, 0.95, held / SESSIONS / 0.95, "");
    for (int k = 0; k < AMOUNTS; k++) {
        double predicted[SESSIONS], actual = expected_seconds(amounts[k]);
        for (int i = 0; i < SESSIONS; i++)
            predicted[i] = m[i].predicted[k];
        snprintf(label, sizeof label, "  %.0f MiB", amounts[k]);
        struct figure f = {label, "s", 1, "takes", FIGURE_NO_TARGET, 0};
        double said = figure_median(predicted, SESSIONS);
        figure_print(&f, said, actual, said / actual, "");
    }
}

int main(void)
{
    static struct method methods[METHODS][SESSIONS];
    struct arena scratch;
    struct err e = {0};
    if (arena_init(&scratch, judge_scratch_bytes(UNITS_MAX), &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < SESSIONS; i++)
        for (int k = 0; k < METHODS; k++) {
            struct writer w = {.random = (uint64_t)i + 1};
            if (k < 2)
                measure_units(&w, k == 1, &methods[k][i], &scratch);
            else if (measure_work(&w, &methods[k][i]))
                return EXIT_FAILURE;
        }
    arena_free(&scratch);
    for (int k = 0; k < METHODS; k++)
        print_method(names[k], methods[k]);
    return EXIT_SUCCESS;
}
