/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a workload is made of, as plain data: streams of requests, each with its timing, addresses
 * and sizes. Made from the options of the command line (workload_spec_text.h) or from a profile
 * (profile.h); given to generators_init (generators.h).
 *
 * All times are ns. Shares and weights are numbers >= 0.
 */
#ifndef CUPEL_GENERATOR_WORKLOAD_SPEC_H
#define CUPEL_GENERATOR_WORKLOAD_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generator/priority.h"

/* Gaps between arrivals, all with the mean 1/rate. */
enum arrival_kind {
    ARRIVAL_UNIFORM, /* equal gaps */
    ARRIVAL_POISSON, /* exponential gaps */
    ARRIVAL_NORMAL,  /* normal gaps, parameter: sd over mean, 0..1 (.25); below 0 drawn again */
    ARRIVAL_PARETO,  /* heavy-tailed gaps, parameter: shape > 1 (1.5) */
    ARRIVAL_BURST,   /* exponential gaps between bursts, parameter: requests in a burst (16) */
    ARRIVAL_KINDS
};
struct arrival_spec {
    enum arrival_kind kind;
    double parameter;
};

/*
 * The rate over time: straight lines, one after the other; the last one goes on where the time is
 * 0, otherwise the workload ends. It counts requests: a transaction of four requests begins a
 * quarter as often. What logs write comes on top of it, for nobody knows how much they gather.
 */
struct phase_spec {
    double rate_begin, rate_end; /* requests per second of the whole workload */
    uint64_t length_ns;          /* 0: without end (the last one only; one rate) */
    uint64_t on_ns, off_ns; /* on/off, on first: both > 0; the one rate is that of the time on */
};
#define PHASES_MAX 32
struct phases {
    struct phase_spec phase[PHASES_MAX];
    unsigned count; /* 0: no open loop */
};

/* Lengths of time: think times. */
enum duration_kind { DURATION_NONE, DURATION_FIXED, DURATION_EXPONENTIAL, DURATION_UNIFORM };
struct duration_spec {
    enum duration_kind kind;
    uint64_t ns; /* fixed: it; exponential: the mean; uniform: the maximum, [0, ns] */
};

/*
 * Where requests go in the stream's region. Random requests go to places: multiples of the
 * alignment or, without one, of the largest size, and within that to a multiple of their own size.
 */
enum address_kind {
    ADDRESS_UNIFORM,
    ADDRESS_SEQUENTIAL, /* each where the one before ended, wraps round; copies begin apart */
    ADDRESS_ZIPF,       /* parameter: theta > 0, P(rank k) ~ k^-theta; ranks are spread by a hash */
    ADDRESS_PARETO,  /* parameter: h, 0 < h < 1: a share 1 - h of the requests goes to a share h of
                        the places, and the same within that (fio's); spread by a hash */
    ADDRESS_HOTSPOT, /* parameter: share of the region, from its begin; second: of the requests */
    ADDRESS_STREAMS, /* parameter: so many sequential streams, one after the other */
    ADDRESS_STRIDE,  /* parameter: bytes from one request's begin to the next's, below 0: backwards;
                        after the end one place further, so that every place is met */
    ADDRESS_WALK,    /* hierarchical reuse random walk (SPC-1), parameter: chance to climb, 0..1 */
    ADDRESS_ZONED,   /* zones: so much of the requests each, at random within it (fio's) */
    ADDRESS_STRIPS,  /* sequential through strips of `parameter` bytes with `second` bytes between
                        them (fio's zonemode=strided) */
    ADDRESS_SEQUENCE, /* places by their numbers, one after the other, again and again (fio's);
                         parameter: each time so many places further on, from the begin again where
                         they end */
    ADDRESS_SAME,     /* where a step of this transaction went; parameter: its number from 1, 0: the
                         request before. The size is that request's too. */
    ADDRESS_KINDS
};
#define ADDRESS_ZONES_MAX    8
#define ADDRESS_SEQUENCE_MAX 64
struct address_spec {
    enum address_kind kind;
    double parameter, second;
    /* zoned: shares of the requests and of the region, one zone after the other; each makes 1 */
    struct {
        float requests, region;
    } zones[ADDRESS_ZONES_MAX];
    unsigned zone_count;
    uint32_t sequence[ADDRESS_SEQUENCE_MAX]; /* one number at least */
    unsigned sequence_count;
};

struct size_spec {
    uint32_t bytes;
    double weight;
};
#define SIZES_MAX 24

/* A share of the requests that have a priority of their own. */
struct priority_split {
    uint8_t op;     /* 0 read, 1 write */
    uint32_t bytes; /* of requests of this size; 0: of any */
    double share;   /* 0..1; those of one op and size make 1 at most */
    uint16_t value; /* priority.h */
};
#define PRIORITY_SPLITS_MAX 16

/* What a stream does: a row of src/generator/generators.c each. Profiles know all but the last. */
enum stream_kind_id {
    STREAM_OPEN,
    STREAM_CLOSED,
    STREAM_TRANSACTION,
    STREAM_LOG,
    STREAM_KINDS,
    STREAM_FILAMENT = STREAM_KINDS,
};

struct filament; /* filament.h */

/* One step of a transaction. Each begins when the one before it has completed. */
struct step_spec {
    uint8_t op; /* 0 read, 1 write */
    struct address_spec address;
    double region_from, region_to; /* shares of the workload's region */
    uint32_t bytes;                /* 0: the stream's sizes */
    struct duration_spec think;    /* before it */
    int message_to; /* the log that gets a message, whose write is waited for; -1: it is a request
                     */
};
#define STEPS_MAX 16

struct stream_spec {
    char name[32];
    enum stream_kind_id kind;

    /* open, transaction: how often */
    struct arrival_spec arrival;
    double rate_share; /* of the workload's rate (all streams' together make 1) */

    /* closed: how many at once, and the pause after each completion. `flow` above 0: what is asked
       for next is drawn from all streams that have it, in these proportions. */
    unsigned concurrency;
    double flow;

    /* open, closed: it is in so many of the workload's copies, which streams take in turn; 0: in
       all */
    unsigned jobs;
    struct duration_spec think;

    /* requests */
    double write_share;
    bool trims;                    /* open, closed: what would write trims instead */
    double region_from, region_to; /* shares of the workload's region, half open */
    struct address_spec address;
    double
        sequential_share; /* of the requests: they go where the last such request ended instead */
    struct size_spec sizes[SIZES_MAX];
    unsigned size_count;
    struct size_spec write_sizes[SIZES_MAX]; /* open, closed: of its writes, if they have others */
    unsigned write_size_count;               /* 0: they have the same */
    uint32_t align; /* bytes: offsets are multiples of it; 0: see enum address_kind */

    /* open, closed: priorities of its requests; 0: that of the thread */
    uint16_t priority; /* of those that no split is about */
    struct priority_split splits[PRIORITY_SPLITS_MAX];
    unsigned split_count;

    /* transaction */
    struct step_spec steps[STEPS_MAX];
    unsigned step_count;

    /* log: waits for messages and writes them together, sequentially, when the write before is
       done. A write is a multiple of `align` (0: 4096) and no larger than sizes[0]. */
    uint32_t log_bytes_per_message;

    /* filament: a function, which outlives the workload. Requests are multiples of `align` and no
       larger than sizes[0]. */
    const struct filament *filament;
};

#define STREAMS_MAX 32
struct workload_spec {
    char name[64];
    char about[128];      /* one line; "" */
    struct phases phases; /* of the whole workload */
    struct stream_spec streams[STREAMS_MAX];
    unsigned stream_count;
    struct priority_kinds kinds; /* workload_spec_find_kinds */
};

/* An open stream of Poisson arrivals over the whole region, with a rate_share of 1 and without a
   name or a size yet. */
void stream_spec_init(struct stream_spec *stream);

/* The largest request there can be; of one stream. */
uint32_t workload_spec_largest(const struct workload_spec *spec);
uint32_t stream_spec_largest(const struct stream_spec *stream);

/* The greatest common divisor of all sizes, alignments and strides: every offset and length is a
   multiple of it, so a target's block must divide it. */
uint32_t workload_spec_granularity(const struct workload_spec *spec);

/* The sizes of the stream's reads (op 0) or writes (1); how many. */
unsigned stream_spec_sizes(const struct stream_spec *stream, unsigned op,
                           const struct size_spec **sizes);

/* Requests of one arrival: 1, or those of a transaction. */
unsigned stream_spec_requests(const struct stream_spec *stream);

/* Fill spec->kinds, where any request has a priority of its own. ERR_USAGE: more kinds than can be
   kept apart, or a split of a size that no request has. */
int workload_spec_find_kinds(struct workload_spec *spec, struct err *e);
/* The kind of a request of the stream; `value`: its priority. */
struct priority_kind stream_spec_kind(const struct stream_spec *stream, unsigned op, uint32_t bytes,
                                      uint16_t value);

/* Has the stream arrivals, and so a part of the rate? */
static inline bool stream_spec_arrives(const struct stream_spec *stream)
{
    return stream->kind == STREAM_OPEN || stream->kind == STREAM_TRANSACTION;
}

/* Alignment of a log's writes. */
#define LOG_ALIGN 4096
static inline uint32_t stream_spec_log_align(const struct stream_spec *stream)
{
    return stream->align ? stream->align : LOG_ALIGN;
}

/* Does any request of the stream have this op (0 read, 1 write)? */
bool stream_spec_has(const struct stream_spec *stream, unsigned op);

/* Any request that writes? Any that reads? */
bool workload_spec_writes(const struct workload_spec *spec);
bool workload_spec_reads(const struct workload_spec *spec);

#endif
