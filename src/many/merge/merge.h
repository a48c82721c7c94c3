/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many threads, runs and hosts as one system (Cronburg, England, Percentiles).
 *
 * Histograms of all sources are added up interval by interval of absolute time, so that the
 * percentiles of the system are those of all its I/Os, within a bucket. The time with I/O in flight
 * is the union over all sources (He, Sun, Yin, BPS, section III), with an interval for what the
 * hosts' clocks may be off.
 */
#ifndef CUPEL_MANY_MERGE_MERGE_H
#define CUPEL_MANY_MERGE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "facts/prometheus_exposition.h"
#include "facts/result.h"
#include "run/plan/plan.h"

enum merge_by {
    MERGE_BY_NOTHING,
    MERGE_BY_HOST,
    MERGE_BY_JOB,
    MERGE_BY_OP,
    MERGE_BY_DEVICE,
    MERGE_BY_SOURCE,
    MERGE_BY_LABEL /* value of the label with the plan's key; "-" for sources without it */
};

/* A correction that the user gives for a host's clock: added to its instants. */
struct merge_shift {
    char *host; /* owner: the caller */
    int64_t ns;
};

#define MERGE_SHIFTS_MAX 64

/* Progress of reading the files. */
struct merge_progress {
    size_t files_done, file_count;
    double bytes_done, bytes; /* bytes of the files */
};

struct merge_plan {
    const char *const *inputs; /* files, and folders of -o */
    size_t input_count;
    uint64_t interval_ns; /* length of the timeline's intervals; 0: chosen automatically */
    enum merge_by by;
    char by_label[LABEL_KEY_MAX + 1]; /* key of the label that defines groups; or "" */
    /* time since 1970 at which logs without absolute times began; 0: not known */
    uint64_t start_ns;
    uint64_t hdr_unit_ns; /* unit of values in HdrHistogram logs; 0: derived from their column of
                             maxima */
    /* [shift_count]; if several name a host, the last one is used */
    const struct merge_shift *shifts;
    size_t shift_count;
    /* Called before each file is read; false ends the merge with ERR_UNDECIDED. May be NULL. */
    bool (*progress)(void *context, const struct merge_progress *now);
    void *progress_context;
    bool at_once; /* results cover only the time in which all sources that did not fail measured */
    /* length of a pass that the sources together measured as a whole; 0: there is no such pass */
    double pass_seconds;
    bool is_part;           /* its sources are part of another merge, which has checked them */
    struct plan statistics; /* only its changepoint, confidence and sla are used */
};

struct merge;

/* Reads everything. ERR_USAGE names the file; ERR_MACHINE: no memory. The plan must outlive the
   merge. */
int merge_run(struct merge **m, const struct merge_plan *plan, struct err *e);

/* Computes the system's result, which points into the merge. */
int merge_result(struct merge *m, struct result *r, struct err *e);

/* After merge_result: computes the intervals of each group as well. Reads each group's sources once
   more. ERR_USAGE: some of them are parts of a merged.cupel. */
int merge_group_intervals(struct merge *m, struct err *e);

/* The first bytes of a merged.cupel, without the string's terminating 0. */
#define MERGED_FILE_MARK "CUPELMRG"

/* Writes merged.cupel into the existing folder. Errors: ERR_TARGET, ERR_MACHINE. */
int merge_keep(const struct merge *m, const char *folder, struct err *e);

/* Checks that the format can be written, and that the file does not exist yet. Errors: ERR_USAGE.
 */
int merge_write_check(const char *format, const char *path, struct err *e);

/*
 * Writes the timeline into a new file in the format of another program: fio-hist, fio-json or hdr.
 * ERR_USAGE: the format cannot hold it, or the file exists. ERR_TARGET, ERR_MACHINE: the new file
 * is removed.
 */
int merge_write(const struct merge *m, const char *format, const char *path, struct err *e);

/* Sums up the operations of each host, job, device or source, or of all; the caller frees *ops,
   whose strings belong to the merge. Errors: ERR_MACHINE. */
int merge_expose(const struct merge *m, enum merge_by by, struct exposed_op **ops, size_t *count,
                 struct err *e);
const char *
merge_by_label(enum merge_by by); /* "host", "job_name", ...; NULL: there are no groups */

void merge_free(struct merge *m);

#endif
