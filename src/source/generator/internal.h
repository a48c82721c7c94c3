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
    double sure;  /* an x within this distance below its integer is accepted without a test */
};

void zipf_init(struct zipf *z, uint64_t n, double theta);

/* Returns a rank from 0, the most frequent, to n - 1. */
uint64_t zipf_rank(const struct zipf *z, struct random *r);

/* A one-to-one mapping of [0, n) to itself that looks random: neighbouring ranks are mapped to
   places far apart. The same key gives the same mapping. */
struct scatter {
    uint64_t n, mask, multiplier[2], offset;
    unsigned shift;
};

void scatter_init(struct scatter *s, uint64_t n, struct random *key);
uint64_t scatter_of(const struct scatter *s, uint64_t rank);

/* ---- address ---- */

/*
 * Draws the offsets of requests: the kinds of enum address_kind, within one extent of the region.
 * Some kinds remember a position; address_mark and address_back undo draws whose addresses were not
 * used, the last one first. One struct address belongs to one thread.
 */

/* The range that addresses are drawn from. */
struct address_extent {
    uint64_t begin, end; /* bytes in the workload's region */
    uint32_t align;      /* offsets are multiples of this number; 0: of each request's size */
    uint32_t largest;    /* size of the largest request */
    /* number of this copy, and number of all copies; the sequential positions of the copies begin
       at different places */
    unsigned copy, copies;
    uint64_t seed; /* for kinds that spread addresses by a hash; equal in all copies */
};

struct address {
    enum address_kind kind;
    uint64_t begin, span; /* the extent, in bytes: its beginning in the region, and its length */
    /* random requests begin at begin + place * unit, with a place in [0, places) */
    uint64_t unit, places;
    bool aligned; /* sequential positions are multiples of unit, too */
    /* position of the next request, in bytes after `begin`; walk: position of the last request */
    uint64_t position;
    uint64_t follow; /* position of the next request of the sequential share */
    struct chance follows;

    struct zipf zipf;
    struct scatter scatter;
    double exponent;      /* pareto */
    uint64_t hot;         /* for ADDRESS_HOTSPOT: number of hot places */
    struct chance is_hot; /* for ADDRESS_HOTSPOT: probability that a request goes to a hot place */
    struct chance climbs; /* for ADDRESS_WALK: probability to climb one level */
    /* For ADDRESS_STRIDE: bytes from one request to the next. For ADDRESS_SEQUENCE: number of
       places by which each repetition moves on. */
    uint64_t stride;
    bool backward; /* for ADDRESS_STRIDE: requests go from the end to the beginning of the extent */
    /* for ADDRESS_STRIPS: length of a strip, and distance from the beginning of a strip to the next
       one's, in bytes */
    uint64_t strip, period;
    unsigned zones;                       /* number of zones of ADDRESS_ZONED */
    uint64_t zone_end[ADDRESS_ZONES_MAX]; /* place at which each zone ends */
    /* cumulative share of requests of the zones, times 2^64; the last one is not used */
    uint64_t zone_threshold[ADDRESS_ZONES_MAX];
    /* For ADDRESS_STREAMS: position of each stream. For ADDRESS_SEQUENCE: the numbers of the
       sequence, which are places after `position`. */
    uint64_t *positions;
    unsigned streams, turn; /* number of elements of positions[], and index of the next one */
    uint64_t reach;         /* for ADDRESS_SEQUENCE: the largest of its numbers */
};

size_t address_bytes(const struct address_spec *spec);

/* Initializes the draw of addresses in the extent. ERR_USAGE: the extent is too small (the caller
   adds the stream's name to the message). ERR_MACHINE: the arena is used up. */
int address_init(struct address *a, const struct address_spec *spec, double sequential_share,
                 const struct address_extent *extent, struct arena *arena, struct err *e);

/* Returns an offset in the workload's region, in bytes. length <= largest. */
uint64_t address_next(struct address *a, struct random *r, uint32_t length);

struct address_mark {
    uint64_t position, follow;
    unsigned turn;
};

struct address_mark address_mark(const struct address *a);
void address_back(struct address *a, const struct address_mark *mark);

/* ---- arrival ---- */

/* Draws gaps between arrivals, of each kind with a mean of exactly 1: the phases
   (source/generator/phases.h) turn them into times. The same code draws lengths of time (think
   times). */

struct arrival {
    enum arrival_kind kind;
    double scale;    /* factor by which a drawn gap is multiplied, so that the mean is 1 */
    double spread;   /* normal: standard deviation over mean; pareto: -1/shape */
    unsigned burst;  /* number of requests in a burst */
    unsigned others; /* requests of the current burst that are still to come */
};

void arrival_init(struct arrival *a, const struct arrival_spec *spec);

/* Starts again at time 0: an unfinished burst is forgotten. */
void arrival_begin(struct arrival *a);

/* Returns true if the first gap is not random: the caller then lets each copy begin with a
   different part of a gap. */
static inline bool arrival_is_even(const struct arrival *a)
{
    return a->kind == ARRIVAL_UNIFORM;
}

double arrival_gap(struct arrival *a, struct random *r);

/* Returns a random number with an exponential distribution and a mean of 1. */
double random_exponential(struct random *r);

uint64_t duration_draw(const struct duration_spec *duration, struct random *r);

/* ---- shape ---- */

/* The shape of requests: their operation, size and address. One shape belongs to one thread. */

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
        struct drawn_kind the_rest; /* kind of the requests of this size that are in no split */
    } splits[REQUEST_SPLITS_MAX];
    unsigned count;
    struct drawn_kind other; /* kind of requests whose size has no split */
};

/* Initializes the draw of kinds for one operation. The kinds of the workload must have been found
   before (workload_spec_find_kinds). */
void kind_draw_init(struct kind_draw *draw, const struct workload_spec *workload,
                    const struct stream_spec *spec, unsigned op);
/* Returns the next kind. Takes a random number only if more than one kind is possible. */
struct drawn_kind kind_draw_next(const struct kind_draw *draw, struct random *r, uint32_t bytes);

struct shape {
    struct sizes sizes[2]; /* [0]: reads, [1]: writes; kinds[] likewise */
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
 * called with one event at a time, never by two threads at once. It responds with requests,
 * arrivals and messages, due at once or in the future.
 */

enum stream_event_kind {
    /* a round begins, at time 0; value: number of handled arrivals whose requests were never
       taken */
    EVENT_BEGIN,
    /* an arrival that the stream has requested; it may be handled early or late */
    EVENT_ARRIVAL,
    EVENT_COMPLETION, /* a request has completed */
    EVENT_MESSAGE,    /* a message from a stream, handled at its time or later */
};

struct stream_event {
    enum stream_event_kind kind;
    uint64_t now_ns; /* time of the event, which may be handled earlier or later */
    uint64_t value;  /* the message's value; completion: tag of the request */
    unsigned from;   /* for EVENT_MESSAGE: index of the stream that sent it */
    int error;       /* for EVENT_COMPLETION and EVENT_MESSAGE: errno or 0 */
};

/* One stream in one copy of the workload. */
struct stream {
    const struct workload_spec *workload;
    const struct stream_spec *spec;
    const struct stream_ops *ops;
    struct generators *generators;
    void *state; /* private data of the stream's kind (struct stream_ops) */
    struct random random;
    uint64_t region, seed; /* size of the workload's region in bytes, and seed of the workload */
    uint64_t increment;    /* bytes from one copy's region to the next one's (generators_setup) */
    unsigned index;        /* index in generators.streams */
    unsigned copy, copies;
    unsigned capacity; /* see stream_ops */
    unsigned room;
    bool stalled;        /* an arrival of the stream waits until the queue has a free entry */
    uint64_t stalled_ns; /* time of the arrival that waits */
};

struct stream_ops {
    const char *name; /* name in profiles */
    const char *help;

    /* Returns how many arrivals (handled and not yet given back) and how many queued requests the
       stream can have at once. Returns 0 if the stream is not in this copy. */
    unsigned (*capacity)(const struct stream_spec *spec, unsigned copy, unsigned copies);
    /* True: taking a request gives its arrival back. False: the kind calls stream_give_back. */
    bool taken_is_over;

    size_t (*bytes)(const struct workload_spec *workload, const struct stream_spec *spec,
                    unsigned capacity);
    int (*init)(struct stream *s, struct arena *arena, struct err *e);

    /* Handles one event. For EVENT_BEGIN it requests the first arrivals, or queues the first
       requests. */
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

/* The streams of one worker, and their queues. */
struct generators {
    const struct workload_spec *spec;
    struct stream *streams;
    unsigned stream_count;
    uint64_t end_ns; /* end of the phases: no request begins at this instant or later */
    uint64_t seed, round;
    uint64_t in_flight;

    struct heap requests; /* queued requests, by due time: indices into pool[] */
    struct heap arrivals; /* expected arrivals, by time: indices into streams[] */
    struct heap messages; /* messages, by time: indices into posted[] */
    struct generated_request *pool;
    struct message *posted;
    uint32_t *free_requests, *free_messages; /* stacks of indices */
    uint32_t free_request_count, free_message_count;
};

/* --- services for generators --- */

/* Returns the kind that a request has if no split applies. */
struct drawn_kind stream_kind(const struct stream *s, unsigned op, uint32_t bytes);

/* Queues a request that is due at due_ns. */
void stream_request(struct stream *s, uint64_t due_ns, const struct request_shape *shape,
                    uint64_t tag);

/* Requests an EVENT_ARRIVAL for that time. If the queue is full at that time, the event is handled
   later. A stream may wait for only one arrival at a time. */
void stream_arrive(struct stream *s, uint64_t at_ns);

/* Gives an arrival back after its requests are served, so that another arrival has a place. */
void stream_give_back(struct stream *s);

/* Sends a message to stream `to` of the same copy. There is memory for one message per arrival and
   for the timer of a filament; a stream must not send more. */
void stream_send(struct stream *s, unsigned to, uint64_t at_ns, uint64_t value, int error);

/*
 * Returns the part of the workload's region that one shape uses. Both ends are multiples of the
 * unit at which requests begin. The seed of hashed addresses depends on the stream and the step,
 * not on the copy.
 */
struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step);

/* Initializes the shape of requests from the stream's keys. */
int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e);

/* ---- arrivals ---- */

/* The arrivals of a stream: its gaps, transformed by the phases of the workload. */

struct arrivals {
    const struct phases *phases;
    struct arrival gaps;
    struct phase_walk walk;
    /* number of requests that the whole workload issues during a mean gap of this stream */
    double scale;
    /* with equal gaps: fraction of a gap before the first arrival; below 0: the first gap is drawn
       like all others */
    double first;
    bool begun;
};

/* Initializes the arrivals of a stream. ERR_USAGE: there are no phases. */
int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e);

void arrivals_begin(struct arrivals *a);

/* Returns false after the last arrival. */
bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns);

/* ---- words ---- */

#define REQUEST_MAX_BYTES (64u << 20)

/* Readers for the values of a workload's options and keys. They return 0, or -1 with the place and
   the reason in the reader's fault. */

/* Finds `word` in a table whose rows begin with a const char *name. Returns the row's index, or -1
   with a message that suggests the most similar word or lists all words. `what` names what is
   expected. */
int words_find(struct text_reader *w, struct span word, const char *what, const void *rows,
               size_t row_bytes, size_t count);

/* Reads a number from a piece of text. `what` names the number in messages, such as "a rate". */
int words_number(struct text_reader *w, struct span at, const char *what, double low, double high,
                 double *value);
int words_whole(struct text_reader *w, struct span at, const char *what, uint64_t low,
                uint64_t high, uint64_t *value);
int words_size(struct text_reader *w, struct span at, uint64_t low, uint64_t high, uint64_t *bytes);
int words_time(struct text_reader *w, struct span at, uint64_t *ns);
int words_share(struct text_reader *w, struct span at, double *share);
int words_rate(struct text_reader *w, struct span at, double *rate); /* per second: 500, 5k, 1.5m */

/* Read the rest of the text as a value of workload_spec.h (syntax: workload_spec_text.h). */
int words_arrival(struct text_reader *w, struct arrival_spec *arrival);
int words_phases(struct text_reader *w, struct phases *phases);
int words_duration(struct text_reader *w, struct duration_spec *duration);
int words_address(struct text_reader *w, struct address_spec *address);
int words_sizes(struct text_reader *w, struct stream_spec *stream);
/* Read one priority, and a stream's splits. `usual` is the priority of splits for which the text
   gives none. */
int words_priority(struct text_reader *w, uint16_t *value);
int words_priorities(struct text_reader *w, uint16_t usual, struct stream_spec *stream);

/* ---- profile_reader ---- */

/* The state of reading a profile. */

/* The step "tell LOG" of a transaction. The stream LOG may be defined on a later line. */
struct profile_tell {
    unsigned stream, step;
    size_t line, column;
    struct span name;
};

#define PROFILE_TELLS_MAX (STREAMS_MAX * STEPS_MAX)

struct profile_reader {
    struct workload_spec *spec;
    struct stream_spec *stream; /* stream of the current section; NULL before the first section */
    /* one bit for each key that the current section has; the bit's number is the index of the key's
       row */
    uint32_t seen;
    size_t lines[STREAMS_MAX]; /* line at which each section begins */
    double weights[STREAMS_MAX];
    struct profile_tell tells[PROFILE_TELLS_MAX];
    unsigned tell_count;
};

/* Reads the value of a key, which is the rest of the line in `w`. */
typedef int profile_read_function(struct profile_reader *reader, struct text_reader *w);

/* Where a key is allowed: before the first section (IN_HEAD), or in streams of these kinds. */
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
