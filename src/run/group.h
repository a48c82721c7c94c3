/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A group: the workers of one workload and the collector that serves them.
 *
 * The thread that calls group_run_round is the collector while the round lasts. Memory is the
 * arena's.
 */
#ifndef CUPEL_RUN_GROUP_H
#define CUPEL_RUN_GROUP_H

#include <signal.h>

#include "run/collector.h"
#include "run/plan.h"
#include "run/worker.h"

struct group {
    struct worker *workers;
    unsigned count;
    const struct clock *clock;
    struct collector *collector;
    struct round_order order;
};

/* What the workers do it to, and with what. */
struct group_setup {
    const struct plan *plan;
    const struct io_ops *ops;
    const struct clock *clock;
    int fd;
    bool direct;
    const struct nvme_namespace *nvme; /* the target, or NULL */
    uint64_t region;                   /* bytes from plan->offset on */
    enum io_choice sqpoll, iopoll;
    const struct heartbeat *heartbeat; /* or NULL: suspensions are not looked for */
    /* Requests with due times (plan_is_timed): where each worker's come from. */
    struct request_source (*source)(void *context, unsigned worker);
    void *source_context;
};

struct round_request {
    double seconds;
    double slice_seconds;
    bool recording;
    bool one_pass;                     /* a suspension of the program ends it */
    const volatile sig_atomic_t *stop; /* may be NULL */
    /* They are called by the calling thread while the round runs; each may be NULL. */
    void (*on_batch)(void *context, const struct batch *batch);
    void (*on_pause)(void *context, double elapsed_seconds);
    void (*on_suspension)(void *context, const struct heartbeat_gap *gap);
    void *context;
};

struct round_outcome {
    double seconds;         /* from the beginning to the last completion, without void time */
    struct slice total;     /* with recording */
    uint64_t counted;       /* I/Os, without recording */
    double overrun_seconds; /* that several workers waited for late I/O, outside all slices */
    double cpu_seconds;     /* of all workers */
    unsigned suspensions;   /* of this program, in the round: see suspension.h */
    uint64_t void_bytes;    /* that were moved in void time and are not in `total` */
    bool stuck; /* I/O is still in flight long after the end: the group cannot be stopped */
};

size_t group_bytes(const struct plan *plan);
int group_init(struct group *g, const struct group_setup *setup, struct arena *arena,
               struct err *e);

/* Start the threads and open their backends; on -1 nothing runs. */
int group_start(struct group *g, struct err *e);

/* -1 when a worker's backend failed (not for single failed I/Os); the outcome is valid all the
 * same. */
int group_run_round(struct group *g, const struct round_request *request,
                    struct round_outcome *outcome, struct err *e);
void group_stop(struct group *g);

/* Sums over the workers, between rounds. */
uint64_t group_failed(const struct group *g);
uint64_t group_records_lost(const struct group *g);

/* The worker that saw the first failure, or NULL. */
const struct worker *group_first_failure(const struct group *g);

/* What devices told of failures, of all workers together; valid after group_stop as well. */
struct io_statuses group_statuses(const struct group *g);

#endif
