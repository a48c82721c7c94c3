/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many threads, runs and hosts as one system (Cronburg, England, Percentiles).
 *
 * Histograms of all sources are added up interval by interval of absolute time, so that the
 * percentiles of the system are those of all its I/Os, within a bucket. The time with I/O in flight
 * is the union over all sources (He, Sun, Yin, BPS, section III), with an interval for what the
 * hosts' clocks may be off.
 */
#ifndef CUPEL_MERGE_MERGE_H
#define CUPEL_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/exposition.h"
#include "facts/result.h"
#include "run/plan/plan.h"

enum merge_by {
    MERGE_BY_NOTHING,
    MERGE_BY_HOST,
    MERGE_BY_JOB,
    MERGE_BY_OP,
    MERGE_BY_DEVICE,
    MERGE_BY_SOURCE,
    MERGE_BY_LABEL /* the value of the label with the plan's key; "-" where there is none */
};

/* What the user knows of a host's clock: added to its instants. */
struct merge_shift {
    char *host; /* owner: the caller */
    int64_t ns;
};

#define MERGE_SHIFTS_MAX 64

/* How far the reading is. */
struct merge_progress {
    size_t files_done, file_count;
    double bytes_done, bytes; /* of the files */
};

struct merge_plan {
    const char *const *inputs; /* files, and folders of -o */
    size_t input_count;
    uint64_t interval_ns; /* of the timeline; 0: found */
    enum merge_by by;
    char by_label[LABEL_KEY_MAX + 1]; /* the key of the label that groups are of; or "" */
    uint64_t start_ns;    /* since 1970, when logs without the time of day began; 0: not known */
    uint64_t hdr_unit_ns; /* of values in HdrHistogram logs; 0: their column of maxima shows it */
    const struct merge_shift *shifts; /* shift_count; the last one that names a host counts */
    size_t shift_count;
    /* Called before each file is read; false: end with ERR_UNDECIDED. NULL: nobody asks. */
    bool (*progress)(void *context, const struct merge_progress *now);
    void *progress_context;
    bool at_once; /* what counts is the stretch in which all sources that did not fail measured */
    double pass_seconds;    /* of one pass that all sources are parts of, measured whole; 0: none */
    bool is_part;           /* of the sources of another merge, which has checked them */
    struct plan statistics; /* changepoint, confidence, sla */
};

struct merge;

/* Read everything. ERR_USAGE names the file; ERR_MACHINE: no memory. The plan must outlive it. */
int merge_run(struct merge **m, const struct merge_plan *plan, struct err *e);

/* The system's result, which points into the merge. */
int merge_result(struct merge *m, struct result *r, struct err *e);

/* After merge_result: each group's intervals as well, from its sources alone, which are read once
   more. ERR_USAGE: some of them are parts of a merged.cupel. */
int merge_group_intervals(struct merge *m, struct err *e);

/* A merged.cupel begins like this, without the end of the string. */
#define MERGED_FILE_MARK "CUPELMRG"

/* Write merged.cupel into the existing folder. ERR_TARGET, ERR_MACHINE. */
int merge_keep(const struct merge *m, const char *folder, struct err *e);

/* Is that a format which can be written, and is there no such file yet? ERR_USAGE. */
int merge_write_check(const char *format, const char *path, struct err *e);

/*
 * Write its timeline into a new file, in a format of others: fio-hist, fio-json or hdr. ERR_USAGE:
 * the format cannot hold it, or the file exists. ERR_TARGET, ERR_MACHINE: no file is left.
 */
int merge_write(const struct merge *m, const char *format, const char *path, struct err *e);

/* Operations of each host, job, device or source, or of all; the caller frees *ops, whose strings
   are the merge's. ERR_MACHINE. */
int merge_expose(const struct merge *m, enum merge_by by, struct exposed_op **ops, size_t *count,
                 struct err *e);
const char *
merge_by_label(enum merge_by by); /* "host", "job_name", ...; NULL: there are no groups */

void merge_free(struct merge *m);

#endif
