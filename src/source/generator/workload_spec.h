/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The description of a workload, as plain data: streams of requests, each with its timing,
 * addresses and sizes. The data come from the options of the command line (workload_spec_text.h) or
 * from a profile (profile.h), and go to generators_init (generators.h).
 *
 * All times are ns. Shares and weights are numbers >= 0.
 */
#ifndef CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_H
#define CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/request_kind.h"

/* Distribution of the gaps between arrivals; the mean is always 1/rate. */
enum arrival_kind {
    ARRIVAL_UNIFORM, /* equal gaps */
    ARRIVAL_POISSON, /* exponential gaps */
    /* normal gaps, parameter: standard deviation over mean, 0..1, by default .25; a negative gap is
       drawn again */
    ARRIVAL_NORMAL,
    ARRIVAL_PARETO, /* heavy-tailed gaps, parameter: shape > 1, by default 1.5 */
    /* exponential gaps between bursts, parameter: requests in a burst, by default 16 */
    ARRIVAL_BURST,
    ARRIVAL_KINDS
};
struct arrival_spec {
    enum arrival_kind kind;
    double parameter;
};

/*
 * The rate over time: linear phases, one after the other. A last phase of length 0 never ends;
 * otherwise the workload ends after it. The rate counts requests: transactions of four requests
 * begin at a quarter of the rate. Writes of logs do not count, because their number depends on how
 * many messages each write combines.
 */
struct phase_spec {
    double rate_begin, rate_end; /* requests per second of the whole workload */
    uint64_t length_ns;          /* 0: without end (only the last phase, with a constant rate) */
    /* both > 0: an on/off phase, which begins with on; its constant rate applies while it is on */
    uint64_t on_ns, off_ns;
};
#define PHASES_MAX 32
struct phases {
    struct phase_spec phase[PHASES_MAX];
    unsigned count; /* 0: the workload has no open loop */
};

/* Lengths of time: pauses before requests (think times). */
enum duration_kind { DURATION_NONE, DURATION_FIXED, DURATION_EXPONENTIAL, DURATION_UNIFORM };
struct duration_spec {
    enum duration_kind kind;
    uint64_t ns; /* fixed: the length; exponential: the mean; uniform: the maximum of [0, ns] */
};

/*
 * How addresses are distributed over the stream's region. Random requests begin at multiples of the
 * alignment. Without an alignment, a random multiple of the largest size is drawn, and a smaller
 * request begins at a random multiple of its own size after it.
 */
enum address_kind {
    ADDRESS_UNIFORM,
    /* each request begins where the one before ended, and wraps around; copies begin at different
       places */
    ADDRESS_SEQUENTIAL,
    /* parameter: theta > 0, P(rank k) ~ k^-theta; a hash spreads the ranks over the region */
    ADDRESS_ZIPF,
    /* parameter: h, 0 < h < 1: a share 1 - h of the requests goes to a share h of the places, and
       the same applies within each of the two parts (as in fio); a hash spreads the places */
    ADDRESS_PARETO,
    /* parameter: hot share of the region, at its beginning; second parameter: share of the requests
       that go there */
    ADDRESS_HOTSPOT,
    ADDRESS_STREAMS, /* parameter: number of sequential streams, which take turns */
    /* parameter: bytes from the beginning of one request to the next, negative for backwards; after
       the end the next pass begins one place further, so that every place is reached */
    ADDRESS_STRIDE,
    /* hierarchical reuse random walk (SPC-1), parameter: probability to climb, 0..1 */
    ADDRESS_WALK,
    /* zones, each with a share of the requests, which go to random places in the zone (as in
       fio) */
    ADDRESS_ZONED,
    ADDRESS_STRIPS, /* sequential through strips of `parameter` bytes with `second` bytes between
                       them (fio's zonemode=strided) */
    /* a list of place numbers, again and again (as in fio); parameter: number of places that each
       repetition adds to all numbers of the one before; past the end of the region the numbers are
       those of the list again */
    ADDRESS_SEQUENCE,
    /* address and size of an earlier step of this transaction; parameter: number of the step from
       1, 0: the last request before this step */
    ADDRESS_SAME,
    ADDRESS_KINDS
};
#define ADDRESS_ZONES_MAX      8
#define ADDRESS_SEQUENCE_MAX   64
#define STREAMS_OF_ADDRESS_MAX 4096
struct address_spec {
    enum address_kind kind;
    double parameter, second;
    /* for ADDRESS_ZONED: each zone's share of the requests and of the region; each of the two sums
       to 1 */
    struct {
        float requests, region;
    } zones[ADDRESS_ZONES_MAX];
    unsigned zone_count;
    /* for ADDRESS_SEQUENCE: the place numbers, at least one */
    uint32_t sequence[ADDRESS_SEQUENCE_MAX];
    unsigned sequence_count;
};

struct size_spec {
    uint32_t bytes;
    double weight;
};
#define SIZES_MAX 24

/* A share of the requests that differ from the others in priority or command. */
struct request_split {
    struct request_kind kind; /* bytes: size of the requests that the split concerns; 0: any size */
    /* share of the requests, 0 to 1; the shares for one operation and size sum to at most 1 */
    double share;
};
#define REQUEST_SPLITS_MAX 16

/*
 * The kinds of streams: each has a row in src/source/generator/generators.c. Profiles can use all
 * but the last.
 */
enum stream_kind_id {
    STREAM_OPEN,
    STREAM_CLOSED,
    STREAM_TRANSACTION,
    STREAM_LOG,
    STREAM_KINDS,
    STREAM_FILAMENT = STREAM_KINDS,
};

struct filament; /* a function that decides the requests (callback_stream.h) */

/* One step of a transaction. It begins when the step before has completed. */
struct step_spec {
    uint8_t op; /* 0 read, 1 write */
    struct address_spec address;
    /* the part of the region for the request: its beginning and end as shares of the workload's
       region */
    double region_from, region_to;
    uint32_t bytes;             /* size of the request; 0: drawn from the stream's sizes */
    struct duration_spec think; /* pause before the step */
    /* index of the log that gets a message, and the step ends when the log has written it; -1: the
       step is a request */
    int message_to;
};
#define STEPS_MAX 16

struct stream_spec {
    char name[32];
    enum stream_kind_id kind;

    /* for streams of the kinds `open` and `transaction`: distribution of the arrivals */
    struct arrival_spec arrival;
    double rate_share; /* share of the workload's rate (the shares of all streams sum to 1) */

    /* For streams of the kind `closed`: number of requests in flight; `think` is then the pause
       after each completion. If `flow` > 0, the next request comes from one of the streams with a
       flow, drawn with their flows as weights. */
    unsigned concurrency;
    double flow;

    /* For streams of the kinds `open` and `closed`: number of the workload's copies that have this
       stream, assigned in turn; 0: all copies. */
    unsigned jobs;
    struct duration_spec think;

    /* requests */
    double write_share;
    uint8_t change; /* kinds `open`, `closed`: command that replaces writes; 0: none */
    /* shares of the workload's region: [from, to) is the stream's part */
    double region_from, region_to;
    struct address_spec address;
    /* share of the requests that are sequential: each begins where the one before it ended */
    double sequential_share;
    struct size_spec sizes[SIZES_MAX];
    unsigned size_count;
    /* for streams of the kinds `open` and `closed`: sizes of writes, if they differ from those of
       reads */
    struct size_spec write_sizes[SIZES_MAX];
    unsigned write_size_count; /* 0: writes have the same sizes as reads */
    /* bytes; offsets are multiples of this number. 0: no alignment, see enum address_kind */
    uint32_t align;

    /* The next four fields are for the kinds `open` and `closed`. `priority`: of requests to which
       no split applies; 0: the priority of the thread. */
    uint16_t priority;
    struct request_split splits[REQUEST_SPLITS_MAX];
    unsigned split_count;
    bool by_command; /* the splits change the commands of writes, not priorities */

    /* transaction */
    struct step_spec steps[STEPS_MAX];
    unsigned step_count;

    /* For the kind `log`, which collects messages and writes them together, sequentially, when the
       previous write has completed. The size of a write is a multiple of `align` (0: 4096) and at
       most sizes[0]. */
    uint32_t log_bytes_per_message;

    /* For the kind `filament`: a function that decides the requests; it must outlive the workload.
       The sizes of its requests are multiples of `align` and at most sizes[0]. */
    const struct filament *filament;
};

#define STREAMS_MAX 32
struct workload_spec {
    char name[64];
    char about[128];      /* what the workload is, in one line; or "" */
    struct phases phases; /* rates of the whole workload */
    struct stream_spec streams[STREAMS_MAX];
    unsigned stream_count;
    struct request_kinds kinds; /* filled by workload_spec_find_kinds */
};

/* Returns the size of the largest possible request, of the workload or of one stream. */
uint32_t workload_spec_largest(const struct workload_spec *spec);
uint32_t stream_spec_largest(const struct stream_spec *stream);

/* Returns the greatest common divisor of all sizes, alignments and strides. Every offset and length
   is a multiple of it, so it must be a multiple of the target's block size. */
uint32_t workload_spec_granularity(const struct workload_spec *spec);

/* Sets *sizes to the sizes of the stream's reads (op 0) or writes (op 1). Returns their number. */
unsigned stream_spec_sizes(const struct stream_spec *stream, unsigned op,
                           const struct size_spec **sizes);

/* Returns the number of requests of one arrival: 1, or all requests of a transaction. */
unsigned stream_spec_requests(const struct stream_spec *stream);

/* Fills spec->kinds if the requests differ in priority or command. ERR_USAGE: there are more kinds
   than can be counted separately, or a split has a size that no request has. */
int workload_spec_find_kinds(struct workload_spec *spec, struct err *e);

/* Returns true if the stream has arrivals, and so a share of the rate. */
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

/* Returns true if any request of the stream has this op (0 read, 1 write). */
bool stream_spec_has(const struct stream_spec *stream, unsigned op);

/* Return true if any request of the workload writes, or reads. */
bool workload_spec_writes(const struct workload_spec *spec);
bool workload_spec_reads(const struct workload_spec *spec);

#endif
