/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a struct tracepoints is made of, for its two files. */
#ifndef CUPEL_TRACEPOINT_TRACEPOINT_STATE_H
#define CUPEL_TRACEPOINT_TRACEPOINT_STATE_H

#include "tracepoint/perf_ring.h"
#include "tracepoint/tracepoint.h"

struct processor_events {
    int fds[TRACEPOINT_REQUESTS_MAX + 1]; /* the first one's is the ring */
    size_t count;
    struct perf_ring ring;
};

struct tracepoints {
    struct {
        int number; /* what the kernel calls the tracepoint */
        char *text; /* its format file */
    } formats[TRACEPOINT_REQUESTS_MAX];
    size_t request_count;
    bool outputs;
    bool tells_lost; /* the events themselves know what was lost of them */
    size_t ring_bytes;
    uint64_t lost_told;      /* by records in the rings */
    uint64_t shown_count;    /* events of tracepoints given out */
    uint64_t until_ns;       /* events before this instant are all in the rings */
    struct perf_ring *shown; /* whose first record was given out last, to be popped */
    size_t processor_count;
    struct processor_events processors[];
};

#endif
