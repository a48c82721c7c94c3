/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/source/generator share. */
#ifndef CUPEL_SOURCE_GENERATOR_INTERNAL_H
#define CUPEL_SOURCE_GENERATOR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/random.h"
#include "base/span.h"
#include "base/text_reader.h"
#include "source/generator/generators.h"
#include "source/generator/phases.h"
#include "source/generator/workload_spec.h"

/* ---- chance ---- */

/* An event with a given probability. One comparison of whole numbers decides it. */

struct chance {
    uint64_t threshold; /* probability times 2^64 */
    bool never, always;
};

static inline struct chance chance_of(double share)
{
    struct chance c = {.never = share <= 0, .always = share >= 1};
    if (!c.never && !c.always)
        c.threshold = (uint64_t)(share * 0x1p64);
    return c;
}

/* Decides whether the event happens. Takes a random number only if the probability is neither 0 nor
   1. */
static inline bool chance_hit(const struct chance *c, struct random *r)
{
    return c->always || (!c->never && random_u64(r) < c->threshold);
}

/* ---- zipf ---- */

/*
 * Ranks 1..n with P(k) proportional to k^-theta, theta > 0, for any n up to 2^53: rejection-
 * inversion (Hormann and Derflinger, "Rejection-inversion to generate variates from monotone
 * discrete distributions", ACM TOMACS 6(3), 1996). It needs no table; at most 1.02 tries per number
 * were measured (theta .01 to 20).
 */

struct zipf {
    double theta;
    double last;  /* n */
    double upper; /* H(n + 1/2) */
    double lower; /* H(3/2) - h(1) */
    double sure;  /* an x within this distance below its integer needs no test */
};

void zipf_init(struct zipf *z, uint64_t n, double theta);

/* Returns a rank from 0, the most frequent, to n - 1. */
uint64_t zipf_rank(const struct zipf *z, struct random *r);

/* A one-to-one mapping of [0, n) to itself that looks random: neighbouring ranks are mapped far
   apart. The same key gives the same mapping. */
struct scatter {
    uint64_t n, mask, multiplier[2], offset;
    unsigned shift;
};

void scatter_init(struct scatter *s, uint64_t n, struct random *key);
uint64_t scatter_of(const struct scatter *s, uint64_t rank);

/* ---- address ---- */

/*
 * Where requests go: the kinds of enum address_kind over one extent of the region. Some kinds
 * remember a position: address_mark and address_back take back addresses that were drawn and not
 * used, in reverse order. One struct address belongs to one thread.
 */

/* The range that addresses are drawn from. */
struct address_extent {
    uint64_t begin, end;   /* bytes into the workload's region */
    uint32_t align;        /* 0: each request's own size */
    uint32_t largest;      /* size of the largest request */
    unsigned copy, copies; /* sequential positions of copies begin apart */
    uint64_t seed;         /* for kinds that spread addresses by a hash: the same for all copies */
};

struct address {
    enum address_kind kind;
    uint64_t begin, span;  /* bytes */
    uint64_t unit, places; /* random requests begin at begin + place * unit */
    bool aligned;          /* positions are multiples of unit, too */
    uint64_t position;     /* bytes after begin: where the next request goes, or where the last one
                              went (walk) */
    uint64_t follow;       /* the position of the sequential share */
    struct chance follows;

    struct zipf zipf;
    struct scatter scatter;
    double exponent;        /* pareto */
    uint64_t hot;           /* hotspot: number of hot places */
    struct chance is_hot;   /* hotspot: chance that a request goes to a hot place */
    struct chance climbs;   /* walk: chance to climb one level */
    uint64_t stride;        /* stride: bytes; sequence: places that a repetition moves on */
    bool backward;          /* stride: from the end to the begin */
    uint64_t strip, period; /* strips: bytes of a strip, and bytes from its begin to the next
                               one's begin */
    unsigned zones;         /* zoned: number of zones */
    uint64_t zone_end[ADDRESS_ZONES_MAX];       /* zoned: end of each zone, in places */
    uint64_t zone_threshold[ADDRESS_ZONES_MAX]; /* zoned: cumulative share of requests, times 2^64;
                                                   the last one is not used */
    uint64_t *positions;                        /* streams: position of each; sequence: its numbers,
                                                   in places after `position` */
    unsigned streams, turn; /* number of positions, and the index of the next one */
    uint64_t reach;         /* sequence: the largest of its numbers */
};

size_t address_bytes(const struct address_spec *spec);

/* ERR_USAGE: the extent is too small (the message has no name: the caller adds it). ERR_MACHINE:
   the arena is used up. */
int address_init(struct address *a, const struct address_spec *spec, double sequential_share,
                 const struct address_extent *extent, struct arena *arena, struct err *e);

/* Returns an offset in bytes into the workload's region. length <= largest. */
uint64_t address_next(struct address *a, struct random *r, uint32_t length);

struct address_mark {
    uint64_t position, follow;
    unsigned turn;
};

struct address_mark address_mark(const struct address *a);
void address_back(struct address *a, const struct address_mark *mark);

/* ---- arrival ---- */

/* Gaps between arrivals, each kind with a mean of exactly 1: the phases (source/generator/phases.h)
   turn them into times. The same code draws lengths of time (think times). */

struct arrival {
    enum arrival_kind kind;
    double scale;    /* factor of the kind's variable */
    double spread;   /* normal: sd over mean; pareto: -1/shape */
    unsigned burst;  /* requests in a burst, */
    unsigned others; /* requests of the current burst that are still to come */
};

void arrival_init(struct arrival *a, const struct arrival_spec *spec);

/* Starts again at time 0: an unfinished burst is forgotten. */
void arrival_begin(struct arrival *a);

/* True if the first gap is not random: the caller then sets the copies apart. */
static inline bool arrival_is_even(const struct arrival *a)
{
    return a->kind == ARRIVAL_UNIFORM;
}

double arrival_gap(struct arrival *a, struct random *r);

/* Returns a random number with an exponential distribution and a mean of 1. */
double random_exponential(struct random *r);

uint64_t duration_draw(const struct duration_spec *duration, struct random *r);

/* ---- shape ---- */

/* The shape of a request: its operation, size and address. One shape belongs to one thread. */

/* Request sizes with their weights. */
struct sizes {
    uint64_t threshold[SIZES_MAX]; /* cumulative weight times 2^64; the last one is not used */
    uint32_t bytes[SIZES_MAX];
    unsigned count;
};

/* There must be at least one size, and one weight above 0. */
void sizes_init(struct sizes *sizes, const struct size_spec spec[], unsigned count);

static inline uint32_t sizes_draw(const struct sizes *sizes, struct random *r)
{
    if (sizes->count == 1)
        return sizes->bytes[0];
    uint64_t u = random_u64(r);
    unsigned i = 0;
    while (i + 1 < sizes->count && u >= sizes->threshold[i])
        i++;
    return sizes->bytes[i];
}

/* The kind of one request: its index in the workload's list, and its command. */
struct drawn_kind {
    uint8_t index, command;
};

/* Draws the kind of the next request from its operation and size. */
struct kind_draw {
    struct {
        uint32_t bytes;             /* 0: any size */
        uint64_t width;             /* share of the requests in this split, times 2^64 */
        struct drawn_kind kind;     /* kind of the requests in this split */
        struct drawn_kind the_rest; /* kind of the other requests of this size */
    } splits[REQUEST_SPLITS_MAX];
    unsigned count;
    struct drawn_kind other; /* kind of requests whose size has no split */
};

/* The kinds of the workload must have been found before. */
void kind_draw_init(struct kind_draw *draw, const struct workload_spec *workload,
                    const struct stream_spec *spec, unsigned op);
/* Returns the next kind. Takes a random number only if more than one kind is possible. */
struct drawn_kind kind_draw_next(const struct kind_draw *draw, struct random *r, uint32_t bytes);

struct shape {
    struct sizes sizes[2]; /* [0]: reads, [1]: writes; the same for kinds */
    struct kind_draw kinds[2];
    struct chance writes;
    struct address address;
};

struct request_shape {
    uint64_t offset;
    uint32_t length;
    struct drawn_kind kind;
};

static inline struct request_shape shape_draw(struct shape *shape, struct random *r)
{
    struct request_shape request;
    const bool writes = chance_hit(&shape->writes, r);
    request.length = sizes_draw(&shape->sizes[writes], r);
    request.kind = kind_draw_next(&shape->kinds[writes], r, request.length);
    request.offset = address_next(&shape->address, r, request.length);
    return request;
}

/* ---- stream ---- */

/*
 * A kind of generator: the event interface of Anderson et al., Buttress (2004), section 4.2. It is
 * called with one event at a time, never by two threads, and answers with requests, arrivals and
 * messages, due at once or in the future.
 */

enum stream_event_kind {
    EVENT_BEGIN,      /* time 0; value: number of handled arrivals whose requests were not taken */
    EVENT_ARRIVAL,    /* an arrival that the stream asked for: handled ahead of its time, or late */
    EVENT_COMPLETION, /* a request has completed */
    EVENT_MESSAGE,    /* a message from a stream: handled at its time or later */
};

struct stream_event {
    enum stream_event_kind kind;
    uint64_t now_ns; /* the instant of the event, which may be handled earlier or later */
    uint64_t value;  /* value of the message; completion: tag of the request */
    unsigned from;   /* message: the stream that sent it */
    int error;       /* completion, message: errno or 0 */
};

/* One stream of one copy. */
struct stream {
    const struct workload_spec *workload;
    const struct stream_spec *spec;
    const struct stream_ops *ops;
    struct generators *generators;
    void *state; /* belongs to the stream's kind */
    struct random random;
    uint64_t region, seed; /* region and seed of the workload */
    uint64_t increment;    /* see generators_setup */
    unsigned index;        /* index in this worker */
    unsigned copy, copies;
    unsigned capacity; /* see stream_ops */
    unsigned room;
    bool stalled;        /* an arrival waits for room */
    uint64_t stalled_ns; /* time of that arrival */
};

struct stream_ops {
    const char *name; /* name in profiles */
    const char *help;

    /* Returns how much the stream can have under way: handled arrivals that are not given back yet,
       and queued requests. 0: the stream is not in this copy. */
    unsigned (*capacity)(const struct stream_spec *spec, unsigned copy, unsigned copies);
    /* True: an arrival is given back when its request is taken. False: the kind calls
       stream_give_back. */
    bool taken_is_over;

    size_t (*bytes)(const struct workload_spec *workload, const struct stream_spec *spec,
                    unsigned capacity);
    int (*init)(struct stream *s, struct arena *arena, struct err *e);

    /* Handles one event. EVENT_BEGIN asks for the first arrivals or requests. */
    void (*handle)(struct stream *s, const struct stream_event *event);
};

/* The kinds of streams, one per file; generators.c has all of them by enum stream_kind_id. */
extern const struct stream_ops stream_open, stream_closed, stream_transaction, stream_log,
    stream_filament;
extern const struct stream_ops *const stream_kinds[STREAM_KINDS + 1];

struct message {
    uint32_t to, from; /* indices of streams */
    int error;
    uint64_t value;
};

/* All streams of a worker, and their queues. */
struct generators {
    const struct workload_spec *spec;
    struct stream *streams;
    unsigned stream_count;
    uint64_t end_ns; /* end of the phases: nothing begins from this instant on */
    uint64_t seed, round;
    uint64_t in_flight;

    struct heap requests; /* indices into pool[] */
    struct heap arrivals; /* indices into streams[] */
    struct heap messages; /* indices into posted[] */
    struct generated_request *pool;
    struct message *posted;
    uint32_t *free_requests, *free_messages; /* stacks of indices */
    uint32_t free_request_count, free_message_count;
};

/* --- services for generators --- */

/* Returns the kind of a request, without any split. */
struct drawn_kind stream_kind(const struct stream *s, unsigned op, uint32_t bytes);

/* Queues a request that is due at due_ns. */
void stream_request(struct stream *s, uint64_t due_ns, const struct request_shape *shape,
                    uint64_t tag);

/* Asks for an EVENT_ARRIVAL at that time, or as soon as there is room after it. A stream asks for
   one at a time. */
void stream_arrive(struct stream *s, uint64_t at_ns);

/* Reports that an arrival has been served. */
void stream_give_back(struct stream *s);

/* Sends a message to stream `to` of the same copy. Each message belongs to one arrival, or is the
   timer of a filament. Memory is reserved for one message of each. */
void stream_send(struct stream *s, unsigned to, uint64_t at_ns, uint64_t value, int error);

/*
 * Returns the part of the workload's region that one shape uses. Both ends are multiples of the
 * unit that requests begin at. The seed of hashed addresses depends on the stream and the step, not
 * on the copy.
 */
struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step);

/* Initializes the shape of requests that the stream's own keys describe. */
int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e);

/* ---- arrivals ---- */

/* The arrivals of a stream: its gaps, transformed to the workload's phases. */

struct arrivals {
    const struct phases *phases;
    struct arrival gaps;
    struct phase_walk walk;
    double scale; /* requests of the whole workload in a mean gap */
    double first; /* equal gaps: part of a gap before the first arrival; below 0: the first gap
                     is drawn, too */
    bool begun;
};

/* ERR_USAGE: there are no phases. */
int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e);

void arrivals_begin(struct arrivals *a);

/* Returns false after the last arrival. */
bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns);

/* ---- words ---- */

#define REQUEST_MAX_BYTES (64u << 20)

/* Readers for the words of a workload. They return 0, or -1 with the place and the reason in the
   reader's fault. */

/* Finds `word` in a table whose rows begin with a const char *name. Returns the row's index, or -1
   with a message that lists the nearest word or all words. `what` names the expected thing. */
int words_find(struct text_reader *w, struct span word, const char *what, const void *rows,
               size_t row_bytes, size_t count);

/* Reads a number from one piece of text. `what` names it: "a rate". */
int words_number(struct text_reader *w, struct span at, const char *what, double low, double high,
                 double *value);
int words_whole(struct text_reader *w, struct span at, const char *what, uint64_t low,
                uint64_t high, uint64_t *value);
int words_size(struct text_reader *w, struct span at, uint64_t low, uint64_t high, uint64_t *bytes);
int words_time(struct text_reader *w, struct span at, uint64_t *ns);
int words_share(struct text_reader *w, struct span at, double *share);
int words_rate(struct text_reader *w, struct span at, double *rate); /* 500, 5k, 1.5m: per second */

/* Reads the rest of the text as one part of workload_spec.h (forms: workload_spec_text.h). */
int words_arrival(struct text_reader *w, struct arrival_spec *arrival);
int words_phases(struct text_reader *w, struct phases *phases);
int words_duration(struct text_reader *w, struct duration_spec *duration);
int words_address(struct text_reader *w, struct address_spec *address);
int words_sizes(struct text_reader *w, struct stream_spec *stream);
/* Reads one priority, and a stream's splits. `usual`: the priority of splits that name none. */
int words_priority(struct text_reader *w, uint16_t *value);
int words_priorities(struct text_reader *w, uint16_t usual, struct stream_spec *stream);

/* ---- profile_reader ---- */

/* The state of a profile that is being read. */

/* A step "tell LOG". The LOG may be defined in a later line. */
struct profile_tell {
    unsigned stream, step;
    size_t line, column;
    struct span name;
};

#define PROFILE_TELLS_MAX (STREAMS_MAX * STEPS_MAX)

struct profile_reader {
    struct workload_spec *spec;
    struct stream_spec *stream; /* the stream of the current section; NULL before the first
                                   section */
    uint32_t seen;              /* a bit for each key that the section has, by the index of its
                                   row */
    size_t lines[STREAMS_MAX];  /* line of each section's head */
    double weights[STREAMS_MAX];
    struct profile_tell tells[PROFILE_TELLS_MAX];
    unsigned tell_count;
};

/* Reads the value of a key, which is the rest of `w`. */
typedef int profile_read_function(struct profile_reader *reader, struct text_reader *w);

/* Where a key is possible: before the first section (IN_HEAD), or in streams of these kinds. */
#define IN_HEAD      (1u << STREAM_KINDS)
#define OF(kind)     (1u << (kind))
#define OF_ARRIVING  (OF(STREAM_OPEN) | OF(STREAM_TRANSACTION))
#define OF_SHAPED    (OF(STREAM_OPEN) | OF(STREAM_CLOSED))
#define OF_ALL_KINDS (OF(STREAM_KINDS) - 1u)

struct profile_key {
    const char *name;
    const char *form; /* form of the value */
    const char *help;
    unsigned where;
    bool repeated;
    profile_read_function *read;
};

extern const struct profile_key profile_keys[];
extern const unsigned profile_key_count;

#endif
