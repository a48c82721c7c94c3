/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session of cupel exec over simulated rounds: what exec_session.c does with what programs print,
 * with a judgement after every round, as where rounds take longer than judging.
 */
#ifndef TESTS_BENCH_SIMULATED_EXEC_H
#define TESTS_BENCH_SIMULATED_EXEC_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/exec/internal.h"
#include "simulated_session.h"

#define SIMULATED_ROUNDS_MAX 20000

/* What exec is asked for; as with --preset normal where nothing else is said. */
struct simulated_request {
    enum index_type type; /* of the reading: the duration, or as INDEX_RATIO its inverse */
    double width;         /* --ci */
    uint64_t rounds;      /* --rounds; 0: until it is precise */
    size_t least;         /* --min-samples; 0: that of the preset */
    double work_max;      /* --wps -w 1,...; 0: readings */
};

#define SIMULATED_LEAST_ROUNDS  30
#define SIMULATED_LEAST_WORK    10 /* rounds, of --wps */
#define SIMULATED_LEAST_SECONDS 3

static inline void simulated_exec_indices(struct exec_session *s,
                                          const struct simulated_request *asked)
{
    const struct exec_index speed = {.scale = 1,
                                     .better = METRIC_BETTER_HIGHER,
                                     .target_width = asked->width},
                            setup = {.scale = 1,
                                     .type = INDEX_DURATION,
                                     .better = METRIC_BETTER_LOWER},
                            reading = {.scale = 1,
                                       .type = asked->type,
                                       .better = METRIC_BETTER_LOWER,
                                       .target_width = asked->width};
    if (asked->work_max > 0) {
        s->indices[WORK_SPEED] = speed;
        s->indices[WORK_SETUP] = setup;
        s->indices[WORK_INDICES] = setup;
        s->output_indices = WORK_INDICES;
        s->plan.work_range = (struct work_limits){.min = 1,
                                                  .max = asked->work_max,
                                                  .shortest = WORK_SHORTEST,
                                                  .quick_seconds = WORK_QUICK_SECONDS,
                                                  .quick_rounds = WORK_QUICK_ROUNDS};
        work_indices_begin(s);
    } else {
        s->indices[0] = reading;
    }
    s->index_count = s->series.index_count = s->output_indices + 1;
}

static inline struct exec_session *simulated_exec_begin(const struct simulated_request *asked)
{
    struct exec_session *s = calloc(1, sizeof *s);
    size_t least = asked->work_max > 0 ? SIMULATED_LEAST_WORK : SIMULATED_LEAST_ROUNDS;
    if (!s)
        return NULL;
    if (asked->least)
        least = asked->least;
    s->plan.config = (struct judge_config){.changepoint = CHANGEPOINT_PELT,
                                           .estimate = {INTERVAL_SPECTRAL, 0.95, 0.2},
                                           .target_width = asked->width,
                                           .minimum_subsessions = least,
                                           .minimum_readings = least,
                                           .stopping = !asked->rounds};
    s->plan.rounds = asked->rounds;
    simulated_exec_indices(s, asked);
    return s;
}

/* Run it to its end: judged[0] is the reading, or the speed. NULL with a message. */
static inline struct exec_session *simulated_exec_run(struct simulated_session *program,
                                                      const struct simulated_request *asked)
{
    struct err e = {0};
    struct exec_session *s = simulated_exec_begin(asked);
    for (bool ended = !s; !ended;) {
        double work = asked->work_max > 0 ? exec_session_next_work(s) : 1;
        double seconds = simulated_round(program, work);
        double values[] = {asked->type == INDEX_RATIO ? 1 / seconds : seconds, 0, seconds};
        struct execution_round round = {
            .number = program->rounds, .seconds = seconds, .work = work};
        if (asked->work_max > 0)
            values[WORK_SPEED] = work / seconds;
        if (exec_session_add(s, &round, values, &e) || exec_session_judge(s, &e)) {
            fprintf(stderr, "%s\n", e.msg);
            exec_session_free(s);
            return NULL;
        }
        ended = asked->rounds ? program->rounds >= asked->rounds
                              : program->rounds >= SIMULATED_ROUNDS_MAX ||
                                    (program->seconds >= SIMULATED_LEAST_SECONDS &&
                                     exec_session_is_precise(s));
    }
    return s;
}

#endif
