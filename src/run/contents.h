/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of a session: all that its result is made of, and all that a record holds.
 *
 * Filled by session_run as it goes, or by record_read. The arena given to contents_init owns the
 * memory behind it. `scratch` is what judging takes; it is sized once, for the longest series.
 */
#ifndef CUPEL_RUN_CONTENTS_H
#define CUPEL_RUN_CONTENTS_H

#include "base/arena.h"
#include "base/fact.h"
#include "base/inventory.h"
#include "base/result.h"
#include "run/measurement.h"
#include "run/plan.h"
#include "run/watch.h"

/* What measuring itself costs (paper 000, III-C). NaN: not measured. */
struct overhead {
    double null_ns;       /* processor time per I/O of the whole loop on the null backend */
    double recorded_iops; /* readings of like rounds, recording on and off */
    double unrecorded_iops;
    double noise_share; /* half the width of the 95 % interval of what recording takes, a share */
};

/* A ratio and its interval; NaN: not measured. */
struct block_layer_ratio {
    double value, low, high;
};

/* The same workload through the kernel's block layer, over that past it. */
struct block_layer {
    struct block_layer_ratio iops;
    struct block_layer_ratio cpu; /* processor time for an I/O */
    double pairs;                 /* of like rounds behind both */
};

struct contents {
    struct plan plan;
    struct measurement measurement;
    struct facts settings;
    struct inventory hardware; /* contents_free gives it back */
    struct watch watch;
    struct overhead overhead;
    struct block_layer block_layer;
    struct result_note notes[RESULT_NOTES_MAX];
    size_t note_count;

    bool ended; /* false: the record breaks off */
    enum verdict verdict;
    char failure[240];
    double elapsed_seconds;
    uint64_t records_lost, records_seen;

    /* series of doubles that the judge and the result point into; MEASUREMENT_SLICES each */
    double *series[8];
    double *histogram_edges; /* HISTOGRAM_BUCKETS + 1 */
    uint64_t *histogram_counts[IO_OPS];
    struct histogram *latency; /* IO_OPS of the stable segment */
    struct arena scratch;
};

int contents_init(struct contents *c, struct arena *arena, struct err *e);
void contents_free(struct contents *c);
size_t contents_bytes(void);

void contents_note(struct contents *c, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
