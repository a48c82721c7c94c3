/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that parts of a session call in one another. */
#ifndef CUPEL_RUN_PARTS_INTERNAL_H
#define CUPEL_RUN_PARTS_INTERNAL_H

#include "run/session/running.h"

/* write_content.c: returns the content of writes for the workers; NULL: noise. */
const struct write_content *session_content(const struct session *s);

/* job_files.c: returns the number of files that are written, and their descriptors: one for all
   jobs, or one for each. */
unsigned session_files(const struct session *s, int fds[PLAN_JOBS_MAX]);

/* ---- own_cost.c: pairs of rounds with and without something, and the length of each ---- */

#define RECORDING_PAIRS        5
#define RECORDING_SECONDS      0.3
#define RECORDING_COST_SECONDS (2 * RECORDING_PAIRS * RECORDING_SECONDS)

/* Runs a round like the measured ones, without keeping it. The results are NaN if it did not run to
   its end. The session may be stuck afterwards. */
struct like_request {
    struct group *group;
    double seconds;
    bool recording, watching, traced;
    const char *stage; /* shown to the user */
};
struct like_round {
    double iops;
    double cpu_seconds; /* processor time per I/O, of the workers and of the kernel's threads
                           that work for them */
};
struct like_round session_like_round(struct session *s, const struct like_request *like);

/* a request for a round that records and watches */
struct like_request session_whole_round(struct session *s, double seconds);

/* The results of several pairs of rounds. NaN: not measured, because a round did not run to its
   end. */
struct cost_pairs {
    double iops, other_iops; /* means of the rounds */
    /* share of the rate that the first kind of round loses against the other, and its interval */
    double loss, loss_low, loss_high;
};
/* Runs pairs of rounds: `one` does what may cost something, `other` does not. In odd pairs `other`
   comes first: A B B A. */
struct cost_pairs session_cost_pairs(struct session *s, size_t count, struct like_request one,
                                     struct like_request other);

/* machine_watch.c: watches the machine during the measurement, at first as often as processor time
   permits. */
struct watch_rate {
    double hertz;    /* samples per second; 0: the machine is not watched */
    char found[160]; /* how the rate of samples was determined */
};
struct watch_rate *session_watch_rate(const struct session *s);
void session_watch_at(struct session *s, double hertz);
void session_watch_sample(struct session *s, bool counts); /* takes a sample if it is due */

#endif
