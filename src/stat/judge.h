/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole pipeline over one series of readings, in the order of Li et al., Pilot (2016), III:
 * change points -> stable segment and phase verdict -> autocorrelation -> interval -> enough?
 *
 * Pure: arrays in, struct out; the same code judges a finished file, a record and a running
 * session. Readings near the ends of what a double holds are scaled by a power of two on the way.
 */
#ifndef CUPEL_STAT_JUDGE_H
#define CUPEL_STAT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "stat/change/changepoint.h"
#include "stat/change/segment.h"
#include "stat/change/slow_shift.h"
#include "stat/estimate/estimate.h"
#include "stat/estimate/stop_rule.h"

struct judge_config {
    enum changepoint_method changepoint;
    struct estimate_config estimate;
    double target_width;        /* full width of the interval over the mean that is enough, 0.10 */
    size_t minimum_subsessions; /* least number of independent readings before stopping, 50 */
    size_t minimum_readings;    /* of stop_rule.h; 0: its own */
    bool higher_is_better; /* true for rates, false for times: decides between warm-up and slowdown
                            */

    /*
     * The series ends because this judgement says that it is enough: a spectral interval is then
     * the wider one of stop_rule.h. false for readings whose number was settled beforehand.
     */
    bool stopping;

    size_t *changepoints; /* room for all of them, where the judgement has not enough; or NULL */
    size_t changepoint_capacity;
};

#define JUDGE_MAX_CHANGEPOINTS 256

struct judgement {
    size_t changepoints[JUDGE_MAX_CHANGEPOINTS]; /* first index of each new segment */
    size_t changepoint_count;                    /* those kept above */
    size_t changepoints_found;                   /* all there are, of which the above are first */
    /*
     * Half open, with the change points of a dip (segment.h) inside; the whole series when none
     * dominates. It begins after the last change point before it when readings that were still
     * settling are left out (segment.h).
     */
    size_t stable_begin, stable_end;
    enum phase phase;
    enum change_search search; /* for the change points; for what else a short series shows too */
    struct slow_shift shift;   /* of the readings as they came, in their unit */
    struct estimate estimate;  /* of the stable segment; widened when `enough` and `stopping` */
    bool enough;               /* the stop rule fires: phase settled, precise and long enough */
    double required_n; /* readings of the stable segment that the target is expected to take: more
                          than it has while not `enough` */
};

size_t judge_scratch_bytes(size_t n);

/* When a series judged this way may stop. */
struct stop_rule judge_stop_rule(const struct judge_config *config);

struct judgement judge(const double x[], size_t n, const struct judge_config *config,
                       struct arena *scratch);

/* What the mean of a series is. */
enum mean_kind {
    MEAN_ARITHMETIC, /* of rates over equal times, and of all else */
    MEAN_HARMONIC,   /* of rates over equal amounts of work: readings above 0 */
    MEAN_PROPORTION, /* of readings that are all 0 or 1: Wilson's interval */
};

/*
 * judge, and the estimate is that of such a mean. The interval of a harmonic mean is that of the
 * mean of 1/x, turned over; that of a proportion takes the readings for as many trials as they are
 * worth, and keeps within 0 and 1. ERR_USAGE: a reading that such a mean cannot have, by its number
 * from 1.
 */
int judge_mean_kind(struct judgement *to, const double x[], size_t n, enum mean_kind kind,
                    const struct judge_config *config, struct arena *scratch, struct err *e);

/* The estimate with the interval that whoever stops on it decides on: j->estimate, widened unless
   it is already. */
struct estimate judge_decided(const struct judgement *j, const struct judge_config *config);

/* The end of judge: `enough` and `required_n` from the phase and the estimate, which it widens. */
void judge_decide(struct judgement *j, const struct judge_config *config);

const char *phase_name(enum phase phase); /* flat, warmup, slowdown, no_steady_state */

#endif
