/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work per second without unit readings (Li et al., *Pilot* (2016), III-A, equation 4): rounds of
 * different work amounts w take t = setup + w / speed. The slope of t over w is 1 / speed. Time
 * that does not grow with the work (set-up, warm-up and cool-down) remains in `setup`.
 *
 * The line is fitted by generalised least squares (work_line.c): autocorrelation of the rounds
 * and noise that grows with the duration are taken into account. Pilot merges neighbouring rounds
 * into subsessions instead; merged rounds have nearly equal work amounts, and their line is many
 * times less certain (docs/statistics.md).
 *
 * Small rounds may not be on the line, because a cache absorbs them or because a warm-up grows
 * with the work. Such rounds are left out: they have less work than `bend`. A bend counts if the
 * slope changes there by more than chance explains, given all the work amounts at which it could
 * lie.
 *
 * The interval of the speed is the inverse of that of the slope. It is unbounded when the slope's
 * interval contains 0, because the rounds then do not even show that more work takes longer.
 *
 * Pure: arrays in, struct out; any thread. Work in any unit, time in seconds.
 */
#ifndef CUPEL_STAT_WPS_WORK_RATE_H
#define CUPEL_STAT_WPS_WORK_RATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct work_round {
    double work;    /* > 0, finite */
    double seconds; /* finite */
};

struct work_value {
    double value;
    double low, high; /* interval; -inf and inf if nothing is known */
};

struct work_rate {
    size_t rounds; /* number of rounds to which the line is fitted */
    double bend;   /* rounds with less work than this are left out; 0: no round is left out */
    /* duration of a round without work, in seconds. It is below 0 if rounds with less work than
       `bend` are faster, for instance because of a cache; it is then the time that these save */
    struct work_value setup;
    struct work_value slope; /* seconds per unit of work */
    struct work_value speed; /* units of work per second; infinite for a slope <= 0; low >= 0 */
    bool bounded;            /* the slope's interval lies above 0, so that `speed` has both ends */
    double confidence;
    double mean_work;
    double spread;      /* sum of the squared deviations of the work amounts from their mean */
    double degrees;     /* degrees of freedom of the intervals; 0: there are no intervals */
    double independent; /* number of independent rounds that would give equally precise results */
    /* parameter d of the long memory that the intervals allow for; 0: none */
    double memory;
    /* factor, at least 1, by which the intervals would be wider if they also allowed for long
       memory that the rounds neither show nor exclude */
    double doubt;
    bool heavy_tailed;      /* a few rounds make up most of the noise */
    double autocorrelation; /* persistence of the residuals; 0: none was found */
    bool proportional;      /* the noise grows with the duration */
};

/* Minimum number of rounds for a search for a bend. */
#define WORK_RATE_BEND_ROUNDS 12

size_t work_rate_scratch_bytes(size_t n);

/*
 * Fits the line to round[0..n), in the order in which the rounds ran. With fewer than two different
 * work amounts `slope` is NaN; with fewer than three rounds there is no interval.
 */
struct work_rate work_rate_of(const struct work_round round[], size_t n, double confidence,
                              struct arena *scratch);

/* Like work_rate_of, by plain least squares, as R's lm and confint give it, without a search for a
   bend. */
struct work_rate work_rate_plain(const struct work_round round[], size_t n, double confidence,
                                 struct arena *scratch);

/*
 * Returns the rate with a wider interval, on which a session decides and which it reports if it
 * stops as soon as its interval is narrow (stop_rule.h). The distance of both ends from the slope
 * is multiplied by rate->doubt * sqrt(1 + m), where m is the larger of 6 / rate->degrees and 3 /
 * rate->independent. The second term is needed because a session that waits for independent rounds
 * stops when their autocorrelation happens to look small.
 */
struct work_rate work_rate_widened(const struct work_rate *rate);

/* Returns the prediction interval of the speed that the same number of further rounds like these
   would show. It follows from the slope's interval, whose ends are moved to sqrt(2) times their
   distance from the slope, or less under long memory. An unknown end is 0 or inf. */
struct work_value work_rate_next_speed(const struct work_rate *rate);

/* Fits the line to round[0..n), without a search for a bend. In place of the set-up it returns the
   seconds that a round of `work` takes. `widened`: the interval is the wider one, as in
   work_rate_widened. */
struct work_rate work_rate_duration(const struct work_round round[], size_t n, double work,
                                    double confidence, bool widened, struct arena *scratch);

/*
 * Returns the factor by which the number of rounds has to grow until the noise between them is
 * known well enough to end a session. There must be WORK_RATE_MIN_INDEPENDENT independent rounds,
 * unless there is long memory, for which the interval allows already. If a few rounds make up most
 * of the noise, there must also be WORK_RATE_MIN_TAIL_DEGREES degrees of freedom. Returns 1 if the
 * noise is known.
 */
#define WORK_RATE_MIN_INDEPENDENT  15
#define WORK_RATE_MIN_TAIL_DEGREES 15
double work_rate_growth_to_know(const struct work_rate *rate);

/* Returns the full width of the speed's interval over the speed; infinite while the speed has no
   upper bound. */
double work_rate_width(const struct work_rate *rate);

/* Returns the seconds that a round of `work` is expected to take; NaN while it is not known. */
double work_rate_seconds(const struct work_rate *rate, double work);

#endif
