/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a workload is made of, as plain data: streams of requests, each with its timing, addresses
 * and sizes. The data come from the options of the command line (workload_spec_text.h) or from a
 * profile (profile.h), and go to generators_init (generators.h).
 *
 * All times are ns. Shares and weights are numbers >= 0.
 */
#ifndef CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_H
#define CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/request_kind.h"

/* Gaps between arrivals, all with the mean 1/rate. */
enum arrival_kind {
    ARRIVAL_UNIFORM, /* equal gaps */
    ARRIVAL_POISSON, /* exponential gaps */
    ARRIVAL_NORMAL,  /* normal gaps, parameter: sd over mean, 0..1 (.25); negative gaps are drawn
                        again */
    ARRIVAL_PARETO,  /* heavy-tailed gaps, parameter: shape > 1 (1.5) */
    ARRIVAL_BURST,   /* exponential gaps between bursts, parameter: requests in a burst (16) */
    ARRIVAL_KINDS
};
struct arrival_spec {
    enum arrival_kind kind;
    double parameter;
};

/*
 * The rate over time: linear phases, one after the other. A last phase of length 0 goes on without
 * end; otherwise the workload ends after it. The rate counts requests: a transaction of four
 * requests begins a quarter as often. Writes of logs are not counted, because their number depends
 * on how many messages each write gathers.
 */
struct phase_spec {
    double rate_begin, rate_end; /* requests per second of the whole workload */
    uint64_t length_ns;          /* 0: without end (only the last phase, which then has one rate) */
    uint64_t on_ns, off_ns;      /* on/off phase, which begins on: both > 0; the single rate applies
                                    to the time on */
};
#define PHASES_MAX 32
struct phases {
    struct phase_spec phase[PHASES_MAX];
    unsigned count; /* 0: there is no open loop */
};

/* Lengths of time: pauses before requests (think times). */
enum duration_kind { DURATION_NONE, DURATION_FIXED, DURATION_EXPONENTIAL, DURATION_UNIFORM };
struct duration_spec {
    enum duration_kind kind;
    uint64_t ns; /* fixed: the length; exponential: the mean; uniform: the maximum of [0, ns] */
};

/*
 * Where requests go in the stream's region. Random requests begin at multiples of the alignment.
 * Without an alignment, they go to multiples of the largest size and, within that, to a multiple of
 * their own size.
 */
enum address_kind {
    ADDRESS_UNIFORM,
    ADDRESS_SEQUENTIAL, /* each begins where the one before ended, and wraps around; copies begin
                           apart */
    ADDRESS_ZIPF,       /* parameter: theta > 0, P(rank k) ~ k^-theta; ranks are spread by a hash */
    ADDRESS_PARETO,     /* parameter: h, 0 < h < 1: a share 1 - h of the requests goes to a share h
                           of the places, and the same again within each (as in fio); spread by a
                           hash */
    ADDRESS_HOTSPOT,    /* parameter: hot share of the region, at its begin; second: share of the
                           requests that go there */
    ADDRESS_STREAMS,    /* parameter: number of sequential streams, which take turns */
    ADDRESS_STRIDE,     /* parameter: bytes from the begin of one request to the next, below 0:
                           backwards; after the end it shifts by one place, so that every place is
                           reached */
    ADDRESS_WALK,     /* hierarchical reuse random walk (SPC-1), parameter: chance to climb, 0..1 */
    ADDRESS_ZONED,    /* zones: each gets a share of the requests, at random places in it (as in
                         fio) */
    ADDRESS_STRIPS,   /* sequential through strips of `parameter` bytes with `second` bytes between
                         them (fio's zonemode=strided) */
    ADDRESS_SEQUENCE, /* places by their numbers, in turn, repeated (as in fio); parameter: each
                         repetition moves on by that number of places, and starts at the begin
                         again at the end */
    ADDRESS_SAME,     /* the address of an earlier step of this transaction; parameter: number of
                         the step from 1, 0: the request before. The size is the same, too. */
    ADDRESS_KINDS
};
#define ADDRESS_ZONES_MAX      8
#define ADDRESS_SEQUENCE_MAX   64
#define STREAMS_OF_ADDRESS_MAX 4096
struct address_spec {
    enum address_kind kind;
    double parameter, second;
    /* zoned: shares of the requests and of the region, one zone after the other; each sums to 1 */
    struct {
        float requests, region;
    } zones[ADDRESS_ZONES_MAX];
    unsigned zone_count;
    uint32_t sequence[ADDRESS_SEQUENCE_MAX]; /* sequence: at least one number */
    unsigned sequence_count;
};

struct size_spec {
    uint32_t bytes;
    double weight;
};
#define SIZES_MAX 24

/* A share of the requests that has a priority or a command of its own. */
struct request_split {
    struct request_kind kind; /* bytes: size of these requests; 0: any size */
    double share;             /* 0..1; the shares of one operation and size sum to 1 at most */
};
#define REQUEST_SPLITS_MAX 16

/*
 * What a stream does: each has a row in src/source/generator/generators.c. Profiles know all but
 * the last.
 */
enum stream_kind_id {
    STREAM_OPEN,
    STREAM_CLOSED,
    STREAM_TRANSACTION,
    STREAM_LOG,
    STREAM_KINDS,
    STREAM_FILAMENT = STREAM_KINDS,
};

struct filament; /* see filament.h */

/* One step of a transaction. Each begins when the one before it has completed. */
struct step_spec {
    uint8_t op; /* 0 read, 1 write */
    struct address_spec address;
    double region_from, region_to; /* shares of the workload's region */
    uint32_t bytes;                /* 0: drawn from the stream's sizes */
    struct duration_spec think;    /* pause before the step */
    int message_to; /* index of the log that gets a message; the step ends when its write has
                       completed; -1: the step is a request */
};
#define STEPS_MAX 16

struct stream_spec {
    char name[32];
    enum stream_kind_id kind;

    /* open, transaction: distribution of the arrivals */
    struct arrival_spec arrival;
    double rate_share; /* share of the workload's rate (the shares of all streams sum to 1) */

    /* closed: requests in flight, and the pause after each completion. `flow` > 0: the next request
       is drawn from all streams with a flow, with these weights. */
    unsigned concurrency;
    double flow;

    /* open, closed: number of the workload's copies that have this stream, taken in turn; 0: all
       copies */
    unsigned jobs;
    struct duration_spec think;

    /* requests */
    double write_share;
    uint8_t change; /* open, closed: the command that takes the place of writes; 0: none does */
    double region_from, region_to; /* shares of the workload's region, half open */
    struct address_spec address;
    double sequential_share; /* share of the requests that go where the last request of this share
                                ended */
    struct size_spec sizes[SIZES_MAX];
    unsigned size_count;
    struct size_spec write_sizes[SIZES_MAX]; /* open, closed: sizes of writes, if they differ
                                                from those of reads */
    unsigned write_size_count;               /* 0: writes have the sizes of reads */
    uint32_t align; /* bytes: offsets are multiples of it; 0: see enum address_kind */

    /* open, closed: priorities of its requests; 0: the priority of the thread */
    uint16_t priority; /* priority of requests without a split */
    struct request_split splits[REQUEST_SPLITS_MAX];
    unsigned split_count;
    bool by_command; /* the splits are commands of writes */

    /* transaction */
    struct step_spec steps[STEPS_MAX];
    unsigned step_count;

    /* log: collects messages and writes them together, sequentially, after the write before has
       completed. A write is a multiple of `align` (0: 4096) and no larger than sizes[0]. */
    uint32_t log_bytes_per_message;

    /* filament: a function; it must outlive the workload. Requests are multiples of `align` and no
       larger than sizes[0]. */
    const struct filament *filament;
};

#define STREAMS_MAX 32
struct workload_spec {
    char name[64];
    char about[128];      /* one line of description, or "" */
    struct phases phases; /* rates of the whole workload */
    struct stream_spec streams[STREAMS_MAX];
    unsigned stream_count;
    struct request_kinds kinds; /* filled by workload_spec_find_kinds */
};

/* Returns the size of the largest possible request, of the workload or of one stream. */
uint32_t workload_spec_largest(const struct workload_spec *spec);
uint32_t stream_spec_largest(const struct stream_spec *stream);

/* Returns the greatest common divisor of all sizes, alignments and strides. Every offset and length
   is a multiple of it, so the target's block size must divide it. */
uint32_t workload_spec_granularity(const struct workload_spec *spec);

/* Gives the sizes of the stream's reads (op 0) or writes (op 1). Returns their number. */
unsigned stream_spec_sizes(const struct stream_spec *stream, unsigned op,
                           const struct size_spec **sizes);

/* Returns the number of requests of one arrival: 1, or all requests of a transaction. */
unsigned stream_spec_requests(const struct stream_spec *stream);

/* Fills spec->kinds if any request has a priority or a command of its own. ERR_USAGE: there are
   more kinds than can be kept apart, or a split has a size that no request has. */
int workload_spec_find_kinds(struct workload_spec *spec, struct err *e);

/* Returns true if the stream has arrivals, and so a part of the rate. */
static inline bool stream_spec_arrives(const struct stream_spec *stream)
{
    return stream->kind == STREAM_OPEN || stream->kind == STREAM_TRANSACTION;
}

/* Alignment of a log's writes, in bytes. */
#define LOG_ALIGN 4096
static inline uint32_t stream_spec_log_align(const struct stream_spec *stream)
{
    return stream->align ? stream->align : LOG_ALIGN;
}

/* Does any request of the stream have this op (0 read, 1 write)? */
bool stream_spec_has(const struct stream_spec *stream, unsigned op);

/* Does any request of the workload write? Does any read? */
bool workload_spec_writes(const struct workload_spec *spec);
bool workload_spec_reads(const struct workload_spec *spec);

#endif
