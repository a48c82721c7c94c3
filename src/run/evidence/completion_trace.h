/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trace that a session writes of its own requests (--trace): every request of the measured
 * rounds, from when it was handed over to when its completion was seen, in cupel's own format
 * (trace/trace_write.h).
 *
 * Workers put what has finished into rings of fixed size (struct finished_ring); a thread takes
 * it from there, puts the rings in order by the times of completion, and writes. It gives way to
 * everything else on the machine. Where it does not keep up, rings fill and workers drop requests,
 * counted; where the file cannot be written any more, the rest is counted as well, and measuring
 * goes on. Nothing is allocated between open and close but by a scratch file.
 *
 * The file is whole up to the last chunk that was written, whatever ends the program: a chunk holds
 * a second at most.
 *
 * Owner: who opened it closes it. One thread calls.
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
    uint64_t zero_ticks;    /* time 0 of the trace: the session's begin */
    unsigned hangs_seconds; /* a file that takes no bytes for so long is not waited for */
};

/* Whose requests they are. */
struct completion_trace_source {
    struct worker *workers; /* they outlive the trace */
    unsigned count;
    const char *target;
    uint64_t target_size; /* bytes; 0: it has none */
    const char *workload; /* in words, kept in the trace */
};

#define COMPLETION_TRACE_WINDOW 65536 /* requests that readers put in order at once */

struct completion_trace_counts {
    uint64_t written; /* requests */
    uint64_t lost;    /* not in it: the writer did not keep up, or the file was full */
    uint64_t late;    /* in it, but their begin lies farther back than readers put in order */
    struct err error; /* of the file: it holds what came before; code 0: none */
    bool hangs; /* its disk: the thread may wake up at any time and look at the clock and at the
                   workers' rings, which stay where they are */
};

/* Make the file. ERR_USAGE: it is there, or cannot be made. */
int completion_trace_create(struct completion_trace **t, const struct completion_trace_request *r,
                            struct err *e);

/* Take what these workers finish from now on. -1: no thread. */
int completion_trace_start(struct completion_trace *t, const struct completion_trace_source *source,
                           struct err *e);

/* Between rounds: wait until the rings are empty. False: the file's disk hangs. */
bool completion_trace_settle(struct completion_trace *t);

/* Between rounds, for rounds that are not kept: write to a file without a name on the same disk,
   and go back to the trace with `begin` false. What they lose is not counted. -1: there can be
   none. */
int completion_trace_scratch(struct completion_trace *t, bool begin, struct err *e);

/* Everything has finished: write the rest, and close. With a disk that hangs the thread and its
   memory are left to the system, and what is not in the file is counted as lost. Frees `t`. */
struct completion_trace_counts completion_trace_close(struct completion_trace *t);

/* Nothing was measured: no file is left. Frees `t`; NULL does nothing. False: its disk hangs, see
   struct completion_trace_counts. */
bool completion_trace_remove(struct completion_trace *t);

#endif
