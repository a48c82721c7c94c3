/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace that a session writes of its own requests (--trace): every request of the measured
 * rounds, from its issue until its completion was seen, in cupel's own format
 * (source/trace/cupel_trace_write.h).
 *
 * Workers put finished requests into rings of fixed size (struct finished_ring); a thread takes
 * them, merges the rings by completion time, and writes them. It has the lowest priority on the
 * machine. If it does not keep up, rings fill and workers drop requests and count them; if the
 * file cannot be written any more, all further requests are counted as lost, too, and measuring
 * continues. Nothing is allocated between open and close, except by a scratch file.
 *
 * The file is valid up to the last written chunk, even if the program is killed. A chunk holds at
 * most a second.
 *
 * The caller that creates the trace also closes it. One thread calls these functions.
 */
#ifndef CUPEL_RUN_EVIDENCE_COMPLETION_TRACE_H
#define CUPEL_RUN_EVIDENCE_COMPLETION_TRACE_H

#include "base/clock.h"
#include "base/err.h"
#include "run/loop/worker.h"

struct completion_trace;

struct completion_trace_request {
    const char *path;
    const struct clock *clock;
    uint64_t zero_ticks; /* time 0 of the trace: begin of the session */
    /* if the file takes no bytes for this long, its disk counts as hanging and is not waited for
       any longer */
    unsigned hangs_seconds;
};

/* The workers whose requests are traced. */
struct completion_trace_source {
    struct worker *workers; /* must outlive the trace */
    unsigned count;
    const char *target;
    uint64_t target_size; /* bytes; 0: the target has no size */
    const char *workload; /* description of the workload, which is stored in the trace */
};

#define COMPLETION_TRACE_WINDOW 65536 /* number of requests that readers sort at a time */

struct completion_trace_counts {
    uint64_t written; /* requests in the file */
    uint64_t lost;    /* requests that are missing: the writer did not keep up, or the file was
                         full */
    uint64_t late;    /* requests in the file that began too early for readers to sort them */
    /* reason why the file ends early (it contains everything up to that point); code 0: no error */
    struct err error;
    bool hangs; /* the file's disk hangs: the thread may wake up at any time and read the clock
                   and the workers' rings, which must stay valid */
};

/* Creates the file. ERR_USAGE: it exists, or cannot be created. */
int completion_trace_create(struct completion_trace **t, const struct completion_trace_request *r,
                            struct err *e);

/* Begins to trace the requests that these workers finish. Returns -1 if no thread can be started.
 */
int completion_trace_start(struct completion_trace *t, const struct completion_trace_source *source,
                           struct err *e);

/*
 * Waits until the rings are empty. Call it between rounds. Returns false if the file's disk hangs.
 */
bool completion_trace_settle(struct completion_trace *t);

/*
 * Writes to a file without a name on the same disk until the next call with `begin` false: for
 * rounds that are not kept. Losses in that time are not counted. Call it between rounds. Returns -1
 * if such a file cannot be created or closed.
 */
int completion_trace_scratch(struct completion_trace *t, bool begin, struct err *e);

/*
 * Writes the requests that are still in the rings and closes the file, after everything has
 * finished. If the disk hangs, the thread and its memory are left to the system, and requests that
 * are not in the file are counted as lost. Frees `t`.
 */
struct completion_trace_counts completion_trace_close(struct completion_trace *t);

/* Removes the file, because nothing was measured. Frees `t`; NULL is allowed. Returns false if its
   disk hangs (see struct completion_trace_counts). */
bool completion_trace_remove(struct completion_trace *t);

#endif
