/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A benchmark whose rounds take simulated time, so that hundreds of sessions of it fit into a
 * minute and their truth is known. For other programs a file holds what its rounds are like, and
 * what happened so far: a bench writes it, simulated_program moves it on by one round, and the
 * clock of a program that was started with preload/simulated_clock.so stands still but for that.
 */
#ifndef TESTS_BENCH_SIMULATED_SESSION_H
#define TESTS_BENCH_SIMULATED_SESSION_H

#include <math.h>
#include <stdint.h>

#include "tests/unit/simulated.h"

#define SIMULATED_SESSION_VARIABLE "SIMULATED_SESSION" /* the file, for the clock */

/* A round takes (setup + work / speed) (1 + sd noise) seconds: the noise is an autoregression of
   order 1 with variance 1, or exp(sd noise) / E exp(sd noise) when `lognormal`. */
struct simulated_model {
    double setup, speed; /* without a work amount the work is 1 */
    double sd, rho;
    int lognormal;
    int setup_varies;   /* the noise is that of the set-up alone */
    double slow_share;  /* of the rounds take twice as long */
    double warm_rounds; /* the first ones take half as long again */
};

struct simulated_session {
    struct simulated_model model;
    uint64_t random; /* state of tests/unit/simulated.h */
    double noise;
    uint64_t rounds;
    double seconds; /* of all rounds */
};

/* The next round takes so many seconds. */
static inline double simulated_round(struct simulated_session *s, double work)
{
    const struct simulated_model *m = &s->model;
    double fresh = simulated_normal(&s->random);
    s->noise = s->rounds ? m->rho * s->noise + sqrt(1 - m->rho * m->rho) * fresh : fresh;
    double noise = m->lognormal ? exp(m->sd * s->noise - m->sd * m->sd / 2) : 1 + m->sd * s->noise;
    double slow = simulated_uniform(&s->random) < m->slow_share ? 2 : 1;
    double warm = (double)s->rounds < m->warm_rounds ? 1.5 : 1;
    double whole = m->setup + work / m->speed;
    double seconds = m->setup_varies ? whole + m->setup * (noise - 1) : whole * noise;
    seconds = fmax(seconds, 1e-6) * slow * warm;
    s->rounds++;
    s->seconds += seconds;
    return seconds;
}

#endif
