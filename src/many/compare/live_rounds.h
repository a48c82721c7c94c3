/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Alternatives that are measured while they are compared: rounds in blocks, one round of each
 * alternative a block, and a judgement after every block (Li et al., Pilot (2016), III-F, figure
 * 6).
 *
 *   - The first block is a trial: it shows how long set-up takes, and its readings do not count.
 *   - The order inside a block is A B, B A, A B ... or random, so that a drift falls on all alike.
 *   - A block with a failed round does not count; LIVE_FAILURES in a row end the comparison.
 *   - The comparison ends when every pair of the first quantity (or the order of --expect) is
 *     decided and every alternative is as precise as requested.
 *
 * Rounds are made by a source: a session of cupel's own I/O (live_session.c), or a program
 * (live_program.c). All functions are for one thread.
 */
#ifndef CUPEL_MANY_COMPARE_LIVE_ROUNDS_H
#define CUPEL_MANY_COMPARE_LIVE_ROUNDS_H

#include <signal.h>
#include <stdint.h>

#include "hw/sysroot/sysroot.h"
#include "many/compare/compare.h"
#include "program/exec/exec.h"
#include "run/plan/plan.h"

#define LIVE_VALUES     24
#define LIVE_BLOCKS_MAX 4096
#define LIVE_FAILURES   3

/* The value of one metric in one round. */
struct live_value {
    char metric[64];
    char unit[16]; /* unit of plain numbers; "": not known */
    enum metric_kind kind;
    bool has_unit, higher_is_better, harmonic;
    double value;
};
struct live_round {
    double seconds_left; /* passed to the source: time until the limit of all rounds, above 0 */
    struct live_value values[LIVE_VALUES];
    size_t count;
    double measured_seconds; /* measured part of the round; the remaining time was set-up */
    bool stopped;            /* a signal ended the round, or the limit of all rounds */
    /* the target did not keep up: response times would be those of the backlog, so there are
       none */
    bool backlog;
    /* the round's readings are left out, but the round did not fail; `why` gives the reason */
    bool left_out;
    char why[200]; /* why the round failed or was left out; or "" */
};

struct live_source {
    const char *name; /* as it was typed */
    /* Runs round `number`, for about `seconds` where the source can choose its length. Rounds of
       one block have the same seed. -1: no more rounds are possible. */
    int (*round)(void *state, uint64_t number, uint64_t seed, double seconds,
                 struct live_round *round, struct err *e);
    /* Releases everything; -1: a setting of the machine could not be restored. */
    int (*end)(void *state, struct err *e);
    void *state;
};

/*
 * Makes a source whose rounds are sessions of the plan. If the plan has a whole pass (phases, a
 * replay), each round is one pass. Sources of the same target share it if they open it alike;
 * otherwise they hand a block device over to each other. `before`: the sources made so far.
 * ERR_USAGE: a plan that is no session of its own, or a trace that can be read only once.
 */
int live_session_source(struct live_source *source, const struct plan *plan,
                        const struct sysroot *root, const volatile sig_atomic_t *stop,
                        const struct live_source before[], size_t count, struct err *e);

/* Makes a source whose rounds execute a program, which must outlive the source. */
int live_program_source(struct live_source *source, const struct exec_program *program, double work,
                        const volatile sig_atomic_t *stop, struct err *e);

struct live_config {
    struct compare_config compare;
    const char *metric; /* the only metric to compare, or "" */
    /* length of a round; 0: as long as set-up takes, at least 1 s and at most a share of the
       limit */
    double round_seconds;
    double limit_seconds; /* limit of the whole comparison */
    double target_width;  /* required width of each alternative's interval over its mean; 0: any */
    bool fixed_order;
    uint64_t seed;
};

struct live_progress {
    uint64_t block;
    const char *name; /* name of the alternative whose round is next */
    double elapsed_seconds, limit_seconds;
    /* comparison of the rounds so far; NULL before it is judged for the first time */
    const struct comparison *so_far;
};

struct live_request {
    const struct live_config *config;
    /* stored alternatives have their quantities already */
    struct compare_alternative *alternatives;
    /* source of each alternative; NULL: the alternative is stored */
    struct live_source *sources[COMPARISON_ALTERNATIVES];
    size_t count;
    const volatile sig_atomic_t *stop;
    void (*progress)(void *context, const struct live_progress *now);
    void *context;
};

/*
 * Measures until the end, and judges. -1: nothing could be compared; the error says why. Otherwise
 * *comparison is the caller's, and c->ending says what ended it.
 */
int live_compare(struct comparison *comparison, const struct live_request *request, struct err *e);

#endif
