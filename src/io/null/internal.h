/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script of the null backend. */
#ifndef CUPEL_IO_NULL_INTERNAL_H
#define CUPEL_IO_NULL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

/*
 * Scripted delays: what the null backend simulates, in one string.
 *
 *     script = phase { ";" phase }
 *     phase  = [ duration "@" ] part { "+" part }
 *     part   = const:T            always T
 *            | uniform:T,T        between the two
 *            | normal:T,T         mean, standard deviation
 *            | lognormal:T,S      median, standard deviation of the logarithm
 *            | exp:T              mean
 *            | ar1:T,T,PHI        mean, standard deviation, correlation of neighbours, -1 to 1
 *            | bimodal:T,T,P      begins in the first mode, changes it with probability P
 *            | spike:T,P          T with probability P, otherwise nothing
 *            | ramp:T,T           from the first to the second over the phase's duration
 *            | queue:T            one server, which takes T for each request, in order
 *            | fail:P             fails with EIO with probability P
 *            | short:P            moves only half of the bytes with probability P
 *
 * The parts of a phase add up; a sum below 0 counts as 0. T is a time as in base/units.h (80us,
 * 2ms), S and PHI are numbers, P is a probability. Phases follow each other by their durations,
 * counted from the first request. A last phase without a duration never ends; if it has one, the
 * script starts over. Example: a warm-up, then correlated noise with rare failures:
 *
 *     0.5s@normal:200us,10us; ar1:100us,10us,0.9+fail:0.001
 *
 * Every job has a separate script, and so a separate server for `queue`.
 *
 * A struct null_script owns no memory; one thread at a time. The same seed gives the same delays.
 */

#define SCRIPT_PHASES_MAX 16
#define SCRIPT_PARTS_MAX  8

struct script_part {
    unsigned kind;      /* index in the table of kinds of parts */
    double argument[3]; /* times in ns */
    /* for ar1, the last deviation; for bimodal, 0 or 1; for queue, when the server is free */
    double state;
};

struct script_phase {
    uint64_t duration_ns; /* 0: for ever */
    unsigned parts;
    struct script_part part[SCRIPT_PARTS_MAX];
};

struct null_script {
    unsigned phases;
    uint64_t now_ns;   /* ns from the first request's submission to that of the present request */
    uint64_t cycle_ns; /* sum of all durations if the script starts over, otherwise 0 */
    struct script_phase phase[SCRIPT_PHASES_MAX];
    struct random random;
    /* the second number of a pair of normal deviates, which the next draw uses; or NAN */
    double spare_normal;
};

/* What the script decides for one request. */
struct script_outcome {
    uint64_t delay_ns;
    bool fails;
    bool is_short;
};

/* Returns -1 with ERR_USAGE and the position, from 1, of the mistake. */
int script_parse(struct null_script *s, const char *text, uint64_t seed, struct err *e);

/* Returns the outcome of the next request, which is submitted `elapsed_ns` after the first one. */
struct script_outcome script_next(struct null_script *s, uint64_t elapsed_ns);

#endif
