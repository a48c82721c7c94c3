/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares alternatives: quantities of the same name are put beside each other, and their ratios
 * are judged (stat/compare/ratio.h). Li et al., Pilot (2016), III-F.
 *
 * An alternative is a list of quantities. Those of a session are its rows with an interval, and
 * each counts as a mean with its error. Those of a column of numbers or of live rounds are
 * readings. All functions are for one thread.
 */
#ifndef CUPEL_MANY_COMPARE_COMPARE_H
#define CUPEL_MANY_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "facts/comparison.h"
#include "stat/compare/ratio.h"
#include "stat/compare/repetition.h"

struct compare_quantity {
    char group[256];
    char metric[64];
    enum metric_kind kind;
    bool has_unit, higher_is_better;
    char unit[16];               /* unit of plain numbers; "": not known */
    struct mean_summary summary; /* used if `values` is NULL */
    double low, high;            /* interval that was stated with the mean, or NaN */
    double *values;              /* readings, owned; or NULL */
    size_t n;
    /* the stored session, which may predict a repetition; NaN: no prediction */
    struct session_mean session;
    bool harmonic; /* readings are rates over equal work, so their mean is the harmonic one */
    /* reading i is from block i of live rounds and pairs with reading i of the others */
    bool in_blocks;
};

struct compare_alternative {
    const char *name; /* name as it was typed */
    struct compare_quantity *quantities;
    size_t count, capacity;
    bool one_session; /* from a single session, so the spread between sessions is unknown */
    /* what is missing from the alternative's record, or from the first incomplete record of its
       folder; "": nothing */
    char incomplete[160];
};

/* Adds a zeroed quantity. NULL: no memory, and the error says so. */
struct compare_quantity *compare_add(struct compare_alternative *a, struct err *e);
void compare_alternative_free(struct compare_alternative *a);

/* Returns true if the text is a baseline from an old report: "mean=104.2,sd=3.1,n=30", or with
   variance=... for sd. */
bool compare_is_baseline(const char *text);
int compare_add_baseline(struct compare_alternative *a, const char *metric, bool higher_is_better,
                         const char *text, struct err *e);

/* Adds a quantity with the readings values[0..n); the alternative takes over `values`. */
int compare_add_readings(struct compare_alternative *a, const char *metric, bool higher_is_better,
                         double *values, size_t n, struct err *e);

/*
 * compare_is_stored returns whether a result that can be compared is stored at `path`, and
 * compare_add_stored adds it. The path is a record.cupel or program.cupel; the folder of run -o (of
 * one session, --repeat or --find-rate) or of exec -o; the folder of qualify -o, whose quantities
 * have the group "DISK-TEST"; or that of exec --parameter -o, with the group "NAME=VALUE".
 * ERR_USAGE: it is none of these. `metric`: the one to add, or "" for those that people compare:
 * iops, bandwidth, response time, BPS and percentiles.
 */
bool compare_is_stored(const char *path);
int compare_add_stored(struct compare_alternative *a, const char *path, const char *metric,
                       struct err *e);

/* Writes the row's name among metrics, "iops" or "read.lat_p99"; "" if another row says the same.
   Returns whether people compare this metric when they request none. */
bool compare_row_name(const struct result *r, const struct result_row *row, char *to, size_t size);

struct compare_config {
    double confidence, margin;
    bool once, paired, independent;
    const char *expect; /* or "" */
};

/*
 * Judges the alternatives. The verdicts on all pairs of a quantity are corrected for their number
 * by Holm's procedure, and the intervals have the corrected confidence. ERR_USAGE: no two
 * alternatives have a quantity in common, a mean is not above 0, or --expect cannot be read. The
 * caller frees *comparison with comparison_free.
 */
int compare_judge(struct comparison *comparison, const struct compare_alternative alternatives[],
                  size_t count, const struct compare_config *config, struct err *e);

/*
 * Correlates metrics with execution time over runs: the sessions at `paths` (each session of a
 * repeated run is a run), or the rounds of one program. He, Sun, Yin, BPS (2013), Table 1 states
 * the expected signs. Runs that did not come to their end have no execution time, and a note names
 * each. ERR_USAGE: fewer than CORRELATION_MIN_POINTS other runs, or a path that is not stored, or
 * damaged.
 */
int compare_correlate(struct comparison_correlations *to, const char *const paths[], size_t count,
                      double confidence, struct err *e);

#endif
