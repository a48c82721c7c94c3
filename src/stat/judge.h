/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole pipeline over one series of readings, in the order of Li et al., Pilot (2016), III:
 * change points -> stable segment and phase verdict -> autocorrelation -> interval -> enough?
 *
 * Pure: arrays in, struct out; the same code judges a finished file, a record and a running
 * session. Readings near the ends of a double's range are scaled by a power of two during the
 * computation.
 */
#ifndef CUPEL_STAT_JUDGE_H
#define CUPEL_STAT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "facts/change/level_state.h"
#include "stat/change/approach.h"
#include "stat/change/changepoint.h"
#include "stat/change/period.h"
#include "stat/change/segment.h"
#include "stat/change/slow_shift.h"
#include "stat/estimate/estimate.h"
#include "stat/estimate/stop_rule.h"

struct judge_config {
    enum changepoint_method changepoint;
    struct estimate_config estimate;
    /* required full width of the interval over the mean, such as 0.10 */
    double target_width;
    double absolute_width; /* replaces target_width (stop_rule.h); 0: use target_width */
    /* minimum number of independent readings before stopping, such as 50 */
    size_t minimum_subsessions;
    size_t minimum_readings; /* minimum number of readings (stop_rule.h); 0: its default */
    /* true for rates, false for times: decides whether a change is a warm-up or a slowdown */
    bool higher_is_better;

    /*
     * True if the series ends as soon as `enough` is true: the estimate of INTERVAL_SPECTRAL then
     * has the wider interval of stop_rule.h. False if the number of readings was fixed beforehand.
     */
    bool stopping;

    /* array for all change points, because struct judgement holds only the first ones; or NULL */
    size_t *changepoints;
    size_t changepoint_capacity;
};

#define JUDGE_MAX_CHANGEPOINTS 256

struct judgement {
    size_t changepoints[JUDGE_MAX_CHANGEPOINTS]; /* first index of each new segment */
    size_t changepoint_count;                    /* number of change points in the array above */
    /* number of all change points; the array holds the first of them */
    size_t changepoints_found;
    /*
     * The stable segment, half open; the change points of a dip (segment.h) may lie inside it. It
     * is the whole series if no segment holds more than half of the readings. Normally it begins at
     * a change point, or at 0. It begins later if readings after the change point still settle
     * (segment.h) and are left out.
     */
    size_t stable_begin, stable_end;
    enum phase phase;
    enum level_state level; /* level of the stable segment */
    /* kinds of changes that were searched for, including the trend of a short series */
    enum change_search search;
    struct slow_shift shift; /* slow shift, in the unit of the readings before scaling */
    /* estimate for the stable segment; widened if `stopping`, and either `enough` or `held_back`,
       is true */
    struct estimate estimate;
    /* the gradual approach to the level that was fitted, in the unit of the readings before
       scaling */
    struct approach approach;
    size_t level_changes; /* number of changes of level after the warm-up (level_changes.h) */
    struct period period; /* period of the stable segment */
    /* reason why a session goes on: the level may still move, but the evidence is too weak for a
       verdict */
    enum level_doubt doubt;
    /* the stop rule fires: the phase is settled, the level holds, and the series is precise and
       long enough */
    bool enough;
    bool held_back; /* the rule would say `enough` if `doubt` gave no reason to go on */
    /* number of readings of the stable segment that the target is expected to need; above the
       present number unless `enough` */
    double required_n;
};

size_t judge_scratch_bytes(size_t n);

/* Returns the rule by which a series with this configuration may stop. */
struct stop_rule judge_stop_rule(const struct judge_config *config);

struct judgement judge(const double x[], size_t n, const struct judge_config *config,
                       struct arena *scratch);

/* The kind of mean that describes a series. */
enum mean_kind {
    MEAN_ARITHMETIC, /* for rates over equal times, and for all other quantities */
    MEAN_HARMONIC,   /* for rates over equal amounts of work: readings above 0 */
    MEAN_PROPORTION, /* for readings that are all 0 or 1: Wilson's interval */
};

/*
 * Judges x[0..n) with the estimate of a mean of this kind. The interval of a harmonic mean is the
 * inverse of the interval of the mean of 1/x. The interval of a proportion takes the effective
 * number of readings as its number of trials, and stays within 0 and 1. ERR_USAGE: a reading is not
 * possible for this kind of mean; the message gives its number, from 1.
 */
int judge_mean_kind(struct judgement *to, const double x[], size_t n, enum mean_kind kind,
                    const struct judge_config *config, struct arena *scratch, struct err *e);

/* Returns the estimate with the interval on which a decision to stop is based: j->estimate, widened
   unless it is widened already. */
struct estimate judge_decided(const struct judgement *j, const struct judge_config *config);

/* Returns true if the mean of the next session can be predicted: there is an interval, the level
   lasts or moves with long memory (long_memory.h), and the series does not end at another level. */
bool judge_predicts(const struct judgement *j);

/* Does the last step of judge: sets `enough`, `held_back` and `required_n` from the phase and the
   estimate, and widens the estimate. */
void judge_decide(struct judgement *j, const struct judge_config *config);

/* returns one of flat, warmup, slowdown, no_steady_state */
const char *phase_name(enum phase phase);

#endif
