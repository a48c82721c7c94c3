/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods that a map may be made with, and their errors on configurations that the map was not
   fitted to. */
#ifndef CUPEL_STAT_MAP_CANDIDATES_H
#define CUPEL_STAT_MAP_CANDIDATES_H

#include <signal.h>

#include "base/random.h"
#include "facts/map_analysis.h"
#include "facts/prediction.h"
#include "stat/map/map_model.h"

#define CANDIDATES_MAX 16

/* SCALE_AUTO: logarithmic when every response is above 0 */
enum map_scale { SCALE_AUTO, SCALE_LOG, SCALE_RAW };

struct candidates {
    size_t count;
    struct map_method list[CANDIDATES_MAX];
    bool choose; /* "auto" was given: the best method is searched for */
};

/* Callbacks by which a long computation reports its progress, and can be stopped. All may be
   NULL. */
struct map_observer {
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, const char *words, double done_share);
    void *context;
};

/* The present stage of a computation, as the context of a watch whose `stops` is map_stage_stops.
   That function also reports the stage. */
struct map_stage {
    const struct map_observer *observer; /* NULL: nothing is reported */
    const char *words;
    double done_share;
};

bool map_stage_stops(void *stage);

/* Parses "auto", or names of methods separated by commas. ERR_USAGE: a name is unknown. */
int candidates_parse(struct candidates *to, const struct configurations *c, const char *methods,
                     enum map_scale scale, unsigned degree, uint64_t seed, struct text *notes,
                     struct err *e);

/* ---- splits ---- */

/* The configurations that a map is fitted to, and those that it is tested on. */
struct split {
    size_t *train, *test;
    size_t train_count, test_count;
};

/* Sums of errors over the configurations that a map was tested on. */
struct split_errors {
    double relative;           /* sum of |relative error| over the predictions */
    size_t count;              /* number of configurations whose response is not 0 */
    size_t covered, intervals; /* number of responses within their interval; number of intervals */
};

/* What to compute for a split besides its errors. */
struct split_wish {
    double confidence;
    bool inside;       /* true: only predictions within the measured ranges count */
    double *predicted; /* [test_count], receives the predictions, or NULL */
    /* [test_count], or NULL: receives |relative error|; NaN: the prediction does not count */
    double *error;
    /* [test_count], or NULL: receives the distances of the measured values from the predictions, on
       the axis on which the interval is symmetric, divided by half of the interval. NaN: there is
       no interval, or the prediction does not count */
    double *reach;
    struct map_model **kept; /* receives the model, which the caller then owns; or NULL */
};

/* Fits a map to the `train` part and predicts the `test` part. ERR_USAGE: the method cannot be
   fitted. */
int split_try(struct split_errors *errors, const struct configurations *c,
              const struct split *split, const struct map_method *method,
              const struct split_wish *wish, struct err *e);

/* Tests the mean of the responses as a prediction; with `logarithmic` the geometric mean. */
struct split_errors split_try_constant(const struct configurations *c, const struct split *split,
                                       bool logarithmic);

/* ---- method_choice.c ---- */

/* Maps of up to ONE_BY_ONE configurations leave out one at a time, because in a small map a whole
   fold is too large a part of the data. */
#define CHOOSE_FOLDS 5
#define ONE_BY_ONE   20
/* Maps fitted to more configurations than this copy parameters that are slow to estimate from the
   first fit. In small maps such parameters would depend on the configuration that is left out. */
#define LIKE_FROM 60

/* Splits members[0..n): every fifth configuration, or a single one if the map is small, is tested
   with a map that was fitted to the others. split_folds returns the number of splits. `room` holds
   2 n indices. */
size_t split_folds(size_t n);
struct split split_fold(const size_t members[], size_t n, size_t fold, size_t room[]);

/*
 * Cross-validates the candidates: scores[i] is the result of candidate i, and *best is the index of
 * the best one, or of a simpler one whose errors are not larger beyond the standard error of their
 * difference. Errors are compared over the configurations for which no candidate extrapolates. All
 * maps use the same method, and only a few of them are tested, to limit the time. A score's
 * `widening` is the quantile of the distances of left-out values from their predictions, in units
 * of half the interval: intervals widened by it hold as many values as their confidence says (Lei
 * et al., JASA 113, 2018). ERR_USAGE: no candidate can be fitted; ERR_UNDECIDED: the observer
 * stopped it.
 */
int candidates_choose(struct map_score scores[], size_t *best, const struct candidates *from,
                      const struct configurations *c, double confidence, uint64_t seed,
                      const struct map_observer *observer, struct err *e);

/*
 * Predicts every configuration from a map that was fitted to others, in folds, by the chosen or the
 * first candidate. Errors: ERR_USAGE, ERR_MACHINE. The caller releases *s with scatter_free.
 */
int scatter_make(struct map_scatter *s, const struct configurations *c,
                 const struct candidates *candidates, uint64_t seed,
                 const struct map_observer *observer, struct err *e);
void scatter_free(struct map_scatter *s);

/* Writes the indices of a map's configurations into members[c->n]; returns their number. */
size_t map_members(const struct configurations *c, size_t map, size_t members[]);

/* Puts members[0..n) into random order. */
void shuffle_members(size_t members[], size_t n, struct random *random);

#endif
