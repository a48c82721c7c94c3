/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods that a map may be made with, and how good each is on configurations that it has not seen.
 */
#ifndef CUPEL_MAP_CANDIDATES_H
#define CUPEL_MAP_CANDIDATES_H

#include <signal.h>

#include "base/random.h"
#include "facts/map_analysis.h"
#include "facts/prediction.h"
#include "map/map_model.h"

#define CANDIDATES_MAX 16

enum map_scale { SCALE_AUTO, SCALE_LOG, SCALE_RAW }; /* auto: log where every response is above 0 */

struct candidates {
    size_t count;
    struct map_method list[CANDIDATES_MAX];
    bool choose; /* `auto`: the best of them is to be found */
};

/* What a long computation reports, and looks at. All may be NULL. */
struct map_observer {
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, const char *words, double done_share);
    void *context;
};

/* What is under way, for a watch of it: `stops` is map_stage_stops, which reports it as well. */
struct map_stage {
    const struct map_observer *observer; /* NULL: nothing is reported */
    const char *words;
    double done_share;
};

bool map_stage_stops(void *stage);

/* "auto" or names of methods with commas between. ERR_USAGE. */
int candidates_parse(struct candidates *to, const struct configurations *c, const char *methods,
                     enum map_scale scale, unsigned degree, uint64_t seed, struct text *notes,
                     struct err *e);

/* ---- splits ---- */

/* Configurations that a map is fitted to, and those that it is tried on. */
struct split {
    size_t *train, *test;
    size_t train_count, test_count;
};

/* Sums over the configurations that a map was tried on. */
struct split_errors {
    double relative;           /* sum of |relative error| */
    size_t count;              /* configurations whose response is not 0 */
    size_t covered, intervals; /* within their interval; that have one */
};

/*
 * Fit to one part and predict the other. predicted[test_count] may be NULL. *kept, if any, becomes
 * the model, the caller's then. ERR_USAGE: the method cannot be fitted.
 */
int split_try(struct split_errors *errors, const struct configurations *c,
              const struct split *split, const struct map_method *method, double confidence,
              double predicted[], struct map_model **kept, struct err *e);

/* The same for the mean of the responses, geometric with `logarithmic`. */
struct split_errors split_try_constant(const struct configurations *c, const struct split *split,
                                       bool logarithmic);

/* ---- choose.c ---- */

#define CHOOSE_FOLDS 5

/* Every fifth of members[0..n) is tried, the others are fitted to. `room` holds n twice. */
struct split split_fold(const size_t members[], size_t n, size_t fold, size_t room[]);

/*
 * Cross-validate the candidates, the best first in scores[0..c->count), and leave its number in
 * *best. Several maps share the method: so many of them are tried that it does not take long.
 * ERR_USAGE: none can be fitted; ERR_UNDECIDED: the observer stopped it.
 */
int candidates_choose(struct map_score scores[], size_t *best, const struct candidates *from,
                      const struct configurations *c, double confidence, uint64_t seed,
                      const struct map_observer *observer, struct err *e);

/*
 * Every configuration predicted by a map that was fitted to others, in as many folds, by the chosen
 * or the first candidate. ERR_USAGE, ERR_MACHINE. Owner: scatter_free.
 */
int scatter_make(struct map_scatter *s, const struct configurations *c,
                 const struct candidates *candidates, uint64_t seed,
                 const struct map_observer *observer, struct err *e);
void scatter_free(struct map_scatter *s);

/* The configurations of a map, into members[c->n]; returns how many. */
size_t map_members(const struct configurations *c, size_t map, size_t members[]);

/* members[0..n) in random order. */
void shuffle_members(size_t members[], size_t n, struct random *random);

#endif
