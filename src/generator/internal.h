/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/generator share. */
#ifndef CUPEL_GENERATOR_INTERNAL_H
#define CUPEL_GENERATOR_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/heap.h"
#include "base/random.h"
#include "base/span.h"
#include "base/text_reader.h"
#include "generator/generators.h"
#include "generator/phases.h"
#include "generator/workload_spec.h"

/* ---- chance ---- */

/* An event with a given probability, decided by one comparison of whole numbers. */

struct chance {
    uint64_t threshold; /* of 2^64 */
    bool never, always;
};

static inline struct chance chance_of(double share)
{
    struct chance c = {.never = share <= 0, .always = share >= 1};
    if (!c.never && !c.always)
        c.threshold = (uint64_t)(share * 0x1p64);
    return c;
}

/* Takes a random number only where there is something to decide. */
static inline bool chance_hit(const struct chance *c, struct random *r)
{
    return c->always || (!c->never && random_u64(r) < c->threshold);
}

/* ---- zipf ---- */

/*
 * Ranks 1..n with P(k) proportional to k^-theta, theta > 0, for any n up to 2^53: rejection-
 * inversion (Hormann and Derflinger, "Rejection-inversion to generate variates from monotone
 * discrete distributions", ACM TOMACS 6(3), 1996). No table; at most 1.02 tries a number were
 * measured (theta .01 to 20).
 */

struct zipf {
    double theta;
    double last;  /* n */
    double upper; /* H(n + 1/2) */
    double lower; /* H(3/2) - h(1) */
    double sure;  /* within it of its integer, an x needs no test */
};

void zipf_init(struct zipf *z, uint64_t n, double theta);

/* A rank from 0, the most frequent, to n - 1. */
uint64_t zipf_rank(const struct zipf *z, struct random *r);

/*
 * A one-to-one mapping of [0, n) to itself that looks random: neighbouring ranks land apart. The
 * same key gives the same mapping.
 */
struct scatter {
    uint64_t n, mask, multiplier[2], offset;
    unsigned shift;
};

void scatter_init(struct scatter *s, uint64_t n, struct random *key);
uint64_t scatter_of(const struct scatter *s, uint64_t rank);

/* ---- address ---- */

/*
 * Where requests go: the kinds of enum address_kind over one extent of the region. Some remember a
 * position; address_mark and address_back take back what was drawn and not used, in reverse order.
 * Not for two threads.
 */

/* The range that addresses are drawn from. */
struct address_extent {
    uint64_t begin, end;   /* bytes into the workload's region */
    uint32_t align;        /* 0: of the request's size */
    uint32_t largest;      /* request */
    unsigned copy, copies; /* sequential positions of copies begin apart */
    uint64_t seed;         /* of what is spread by a hash: the same for all copies */
};

struct address {
    enum address_kind kind;
    uint64_t begin, span;  /* bytes */
    uint64_t unit, places; /* random requests begin at begin + place * unit */
    bool aligned;          /* positions are multiples of unit, too */
    uint64_t position; /* bytes after begin: where the next goes, or where the last went (walk) */
    uint64_t follow;   /* the same of the sequential share */
    struct chance follows;

    struct zipf zipf;
    struct scatter scatter;
    double exponent;        /* pareto */
    uint64_t hot;           /* hotspot: places, */
    struct chance is_hot;   /* ... and whether one of them is taken */
    struct chance climbs;   /* walk */
    uint64_t stride;        /* bytes */
    bool backward;          /* stride */
    uint64_t strip, period; /* strips: bytes of one; from its begin to the next one's */
    unsigned zones;         /* zoned: */
    uint64_t zone_end[ADDRESS_ZONES_MAX]; /* places */
    uint64_t
        zone_threshold[ADDRESS_ZONES_MAX]; /* cumulative, of 2^64; the last one's is not used */
    uint64_t *positions;                   /* streams; sequence: places after `position` */
    unsigned streams, turn;                /* how many of them, and which is next */
    uint64_t reach;                        /* sequence: the highest of its numbers */
};

size_t address_bytes(const struct address_spec *spec);

/* ERR_USAGE: the extent is too small (without a name: the caller adds whose it is). ERR_MACHINE:
   the arena is used up. */
int address_init(struct address *a, const struct address_spec *spec, double sequential_share,
                 const struct address_extent *extent, struct arena *arena, struct err *e);

/* Bytes into the workload's region; length <= largest. */
uint64_t address_next(struct address *a, struct random *r, uint32_t length);

struct address_mark {
    uint64_t position, follow;
    unsigned turn;
};

struct address_mark address_mark(const struct address *a);
void address_back(struct address *a, const struct address_mark *mark);

/* ---- arrival ---- */

/*
 * Gaps between arrivals, each kind with a mean of exactly 1: the phases (generator/phases.h) make
 * times of them. Lengths of time (think times) too.
 */

struct arrival {
    enum arrival_kind kind;
    double scale;    /* what the kind's variable is multiplied by */
    double spread;   /* normal: sd over mean; pareto: -1/shape */
    unsigned burst;  /* requests in a burst, */
    unsigned others; /* ... and how many of them are still to come */
};

void arrival_init(struct arrival *a, const struct arrival_spec *spec);

/* Time 0 begins again: a burst that was not over is forgotten. */
void arrival_begin(struct arrival *a);

/* Kinds whose first gap is not random: copies are set apart by the caller. */
static inline bool arrival_is_even(const struct arrival *a)
{
    return a->kind == ARRIVAL_UNIFORM;
}

double arrival_gap(struct arrival *a, struct random *r);

/* Exponential with a mean of 1. */
double random_exponential(struct random *r);

uint64_t duration_draw(const struct duration_spec *duration, struct random *r);

/* ---- shape ---- */

/* The shape of a request: read or write, how large, and where. Not for two threads. */

/* Sizes with their weights. */
struct sizes {
    uint64_t threshold[SIZES_MAX]; /* cumulative, of 2^64; the last one is not looked at */
    uint32_t bytes[SIZES_MAX];
    unsigned count;
};

/* At least one size, and one weight above 0. */
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

/* Which kind of request (priority.h) comes next, of an operation and a size. */
struct kind_draw {
    struct {
        uint32_t bytes;   /* 0: any */
        uint64_t width;   /* of 2^64: the share of these requests */
        uint8_t kind;     /* theirs, ... */
        uint8_t the_rest; /* ... and that of the others of this size */
    } splits[PRIORITY_SPLITS_MAX];
    unsigned count;
    uint8_t other; /* of sizes that no split is about */
};

/* Of a stream whose workload knows its kinds. */
void kind_draw_init(struct kind_draw *draw, const struct workload_spec *workload,
                    const struct stream_spec *spec, unsigned op);
/* Takes a random number only where there is something to decide. */
uint8_t kind_draw_next(const struct kind_draw *draw, struct random *r, uint32_t bytes);

struct shape {
    struct sizes sizes[2]; /* of reads and of writes, as the next one */
    struct kind_draw kinds[2];
    struct chance writes;
    struct address address;
};

/* Op, length and offset. */
struct request_shape {
    uint64_t offset;
    uint32_t length;
    uint8_t op;
    uint8_t kind;
};

static inline struct request_shape shape_draw(struct shape *shape, struct random *r)
{
    struct request_shape request = {.op = chance_hit(&shape->writes, r)};
    request.length = sizes_draw(&shape->sizes[request.op], r);
    request.kind = kind_draw_next(&shape->kinds[request.op], r, request.length);
    request.offset = address_next(&shape->address, r, request.length);
    return request;
}

/* ---- stream ---- */

/*
 * A kind of generator: the event interface of Anderson et al., Buttress (2004), section 4.2. It is
 * called with one event at a time, never by
 * two threads, and answers with requests, arrivals and messages in the future or at once.
 */

enum stream_event_kind {
    EVENT_BEGIN,   /* time 0; value: arrivals that were worked off and whose requests nobody took */
    EVENT_ARRIVAL, /* one that was asked for: worked off ahead of its time, or late */
    EVENT_COMPLETION, /* of a request */
    EVENT_MESSAGE,    /* worked off at its time or later */
};

struct stream_event {
    enum stream_event_kind kind;
    uint64_t now_ns; /* the instant it is of, whenever it is worked off */
    uint64_t value;  /* of the message; of a completion the request's tag */
    unsigned from;   /* message: stream that sent it */
    int error;       /* completion, message: errno or 0 */
};

/* One stream of one copy. */
struct stream {
    const struct workload_spec *workload;
    const struct stream_spec *spec;
    const struct stream_ops *ops;
    struct generators *generators;
    void *state; /* the kind's own */
    struct random random;
    uint64_t region, seed; /* of the workload */
    uint64_t increment;    /* generators_setup */
    unsigned index;        /* in this worker */
    unsigned copy, copies;
    unsigned capacity; /* see stream_ops */
    unsigned room;
    bool stalled;        /* an arrival waits for room, */
    uint64_t stalled_ns; /* ... this one */
};

struct stream_ops {
    const char *name; /* as profiles have it */
    const char *help;

    /* How much it can have under way: arrivals worked off and not given back, requests in the
       queue. 0: none in this copy. */
    unsigned (*capacity)(const struct stream_spec *spec, unsigned copy, unsigned copies);
    /* An arrival is given back when its request is taken; else by stream_give_back. */
    bool taken_is_over;

    size_t (*bytes)(const struct workload_spec *workload, const struct stream_spec *spec,
                    unsigned capacity);
    int (*init)(struct stream *s, struct arena *arena, struct err *e);

    /* Work off one event. EVENT_BEGIN: ask for the first ones. */
    void (*handle)(struct stream *s, const struct stream_event *event);
};

/* The kinds, a file each, and all of them by enum stream_kind_id. */
extern const struct stream_ops stream_open, stream_closed, stream_transaction, stream_log,
    stream_filament;
extern const struct stream_ops *const stream_kinds[STREAM_KINDS + 1];

struct message {
    uint32_t to, from; /* streams */
    int error;
    uint64_t value;
};

/* All streams of a worker, and their queues. */
struct generators {
    const struct workload_spec *spec;
    struct stream *streams;
    unsigned stream_count;
    uint64_t end_ns;
    uint64_t seed, round;
    uint64_t in_flight;

    struct heap requests; /* what: of pool[] */
    struct heap arrivals; /* what: of streams[] */
    struct heap messages; /* what: of posted[] */
    struct generated_request *pool;
    struct message *posted;
    uint32_t *free_requests, *free_messages; /* stacks of indices */
    uint32_t free_request_count, free_message_count;
};

/* --- what a generator asks for --- */

/* The kind of a request that no split is about. */
uint8_t stream_kind(const struct stream *s, unsigned op, uint32_t bytes);

/* A request, once it is due. */
void stream_request(struct stream *s, uint64_t due_ns, const struct request_shape *shape,
                    uint64_t tag);

/* EVENT_ARRIVAL of that time, as soon as there is room; one at a time. */
void stream_arrive(struct stream *s, uint64_t at_ns);

/* An arrival is over. */
void stream_give_back(struct stream *s);

/* A message to stream `to` of the same copy. Each message is sent on behalf of one arrival, or is
   the timer of a filament, and there is one at a time for it: so much memory there is. */
void stream_send(struct stream *s, unsigned to, uint64_t at_ns, uint64_t value, int error);

/* Nothing is begun from this instant on: the end of the phases. */
uint64_t stream_end(const struct stream *s);

/* A part of the workload's region for one shape, both ends multiples of what requests begin at.
   What is spread by a hash differs with the stream and the step, not with the copy. */
struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step);

/* The shape of requests that the stream's own keys describe. */
int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e);

/* ---- arrivals ---- */

/* The arrivals of a stream: gaps carried over to the workload's phases. */

struct arrivals {
    const struct phases *phases;
    struct arrival gaps;
    struct phase_walk walk;
    double scale; /* requests of the whole workload that pass in a mean gap */
    double first; /* equal gaps: the part of one before the first arrival; below 0: any gap */
    bool begun;
};

/* ERR_USAGE: there are no phases. */
int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e);

void arrivals_begin(struct arrivals *a);

/* False: no more. */
bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns);

/* ---- words ---- */

#define REQUEST_MAX_BYTES (64u << 20)

/* The words of a workload. Functions that read something return 0, or -1 with place and reason in
   the reader's fault. */

/* A table of words, as rows that begin with a const char *name: the row that is `word`, -1 with a
   message that has the nearest word or all of them. `what` is what the word should be. */
int words_find(struct text_reader *w, struct span word, const char *what, const void *rows,
               size_t row_bytes, size_t count);

/* Numbers of one piece. `what` names it: "a rate". */
int words_number(struct text_reader *w, struct span at, const char *what, double low, double high,
                 double *value);
int words_whole(struct text_reader *w, struct span at, const char *what, uint64_t low,
                uint64_t high, uint64_t *value);
int words_size(struct text_reader *w, struct span at, uint64_t low, uint64_t high, uint64_t *bytes);
int words_time(struct text_reader *w, struct span at, uint64_t *ns);
int words_share(struct text_reader *w, struct span at, double *share);
int words_rate(struct text_reader *w, struct span at, double *rate); /* 500, 5k, 1.5m: per second */

/* The rest of the text as one of workload_spec.h's parts (forms: workload_spec_text.h). */
int words_arrival(struct text_reader *w, struct arrival_spec *arrival);
int words_phases(struct text_reader *w, struct phases *phases);
int words_duration(struct text_reader *w, struct duration_spec *duration);
int words_address(struct text_reader *w, struct address_spec *address);
int words_sizes(struct text_reader *w, struct stream_spec *stream);
/* One priority, and a stream's splits; `usual`: of those that have none of their own. */
int words_priority(struct text_reader *w, uint16_t *value);
int words_write_modes(struct text_reader *w, struct stream_spec *stream);
int words_priorities(struct text_reader *w, uint16_t usual, struct stream_spec *stream);

/* ---- profile_reader ---- */

/* A profile being read. */

/* A step "tell LOG": the log may stand further down. */
struct profile_tell {
    unsigned stream, step;
    size_t line, column;
    struct span name;
};

#define PROFILE_TELLS_MAX (STREAMS_MAX * STEPS_MAX)

struct profile_reader {
    struct workload_spec *spec;
    struct stream_spec *stream; /* of the section; NULL before the first */
    uint32_t seen;              /* keys of the section, by their row */
    size_t lines[STREAMS_MAX];  /* of the sections' heads */
    double weights[STREAMS_MAX];
    struct profile_tell tells[PROFILE_TELLS_MAX];
    unsigned tell_count;
};

/* Read the value of a key: the rest of `w`. */
typedef int profile_read_function(struct profile_reader *reader, struct text_reader *w);

/* Where a key is possible: before the first section, or in streams of these kinds. */
#define IN_HEAD      (1u << STREAM_KINDS)
#define OF(kind)     (1u << (kind))
#define OF_ARRIVING  (OF(STREAM_OPEN) | OF(STREAM_TRANSACTION))
#define OF_SHAPED    (OF(STREAM_OPEN) | OF(STREAM_CLOSED))
#define OF_ALL_KINDS (OF(STREAM_KINDS) - 1u)

struct profile_key {
    const char *name;
    const char *form; /* of the value */
    const char *help;
    unsigned where;
    bool repeated;
    profile_read_function *read;
};

extern const struct profile_key profile_keys[];
extern const unsigned profile_key_count;

#endif
