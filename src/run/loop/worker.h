/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker: one thread that keeps `iodepth` requests in flight for the length of a round
 * (request_loop.c), or issues each at its due time (timed_loop.h). In these two hot loops there is
 * no lock, no allocation, no system call for time and no print.
 *
 * Every completion is added to a histogram and a time slice (run/measurement/interval.h) and
 * appended to a ring of 24-byte records. A full record ring drops records, counted in `lost`;
 * histograms and slices never miss an I/O. The thread lives for the whole session and stands still
 * between rounds.
 *
 * Owner: the session, which makes workers with worker_start and ends them with worker_stop. All
 * memory is the arena's. Fields below "shared" are read by the collector while the worker runs.
 */
#ifndef CUPEL_RUN_LOOP_WORKER_H
#define CUPEL_RUN_LOOP_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/random.h"
#include "generator/write_mode.h"
#include "io/io.h"
#include "io/target/target.h"
#include "io/target/write_content.h"
#include "io/zone/zones.h"
#include "readback/ledger.h"
#include "run/loop/request_source.h"
#include "run/measurement/interval.h"
#include "run/plan/plan.h"

/*
 * Requests: which block next, read or write. One per worker; the same seed gives the same requests.
 *
 * Random offsets are uniform over the whole region, with replacement. Sequential offsets begin at
 * the worker's own share of the region and wrap round at the region's end. Backward ones begin at
 * the end of that share and go down. A stride goes on by WORKLOAD_STRIDE blocks and, after the
 * region's end, from one block further than the last time, so that every block is met. PATTERN_SAME
 * is one block, the first of the share. The position is kept from round to round.
 *
 * On a zoned device (zones) reads alone go over the blocks that are written when it begins, as if
 * these were all. Writes and mixes are decided one at a time, so that a request is known to be over
 * when the next one is made: a worker has one in flight. Where a write goes, zones.h says.
 *
 * Trims go where writes would. Of trims before writes a slot has the trim of a block and then, when
 * that is done, the write of the same block: as many blocks are under way as there are slots. Of a
 * trim of several ranges each range is a block of its own. Trims without writes go over the
 * worker's share of the region and meet each block of it once before any a second time; random ones
 * in an order that the seed makes. Where one pass is all there is, the round ends with it.
 *
 * After every flush_every writes comes a flush: the request that is made next, in a slot of its own
 * as any other, so that it waits for none of those in flight before it. One at a time: a write, a
 * flush, a write.
 */

/* Requests are decided this many at a time: a tight loop costs less than one in between the I/O. */
#define WORKLOAD_AHEAD 256

/* Blocks from one request of a stride to the next: IOzone's. */
#define WORKLOAD_STRIDE 17

struct workload {
    uint64_t ahead[WORKLOAD_AHEAD]; /* offset << IO_OP_BITS | op */
    unsigned next;                  /* of ahead[] */
    uint32_t block_size;
    uint64_t writes; /* sequence number of the next write, no two workers' alike */
    unsigned char *buffers;
    size_t buffer_stride;
    struct write_maker *maker; /* of the data of writes; NULL: noise */
    bool stamped; /* writes get their data right before they are issued (struct worker's ledger), or
                     have none */

    struct random random;
    uint64_t base;            /* bytes: offset = base + block * block_size */
    uint64_t blocks;          /* of the region */
    uint64_t next_sequential; /* block, of all patterns but the random one */
    enum plan_pattern pattern;
    uint64_t random_threshold; /* of 2^64: below it, a random offset */
    uint64_t write_threshold;
    unsigned change; /* what is no read: IO_WRITE or IO_TRIM */
    /* trims before writes: of each slot 1 + the block (bytes) whose trim it had last, 0: its write
       is next to be followed by another trim; NULL: there are none */
    uint64_t *trimmed;
    /* trims in order: blocks [first, first + share), of which `met` were trimmed in this pass */
    bool in_order;
    uint64_t first, share, met;
    uint64_t order_seed;
    unsigned order_bits; /* that number the share's blocks */
    /* one pass alone: so many requests are left of it; when none is, it is over, and those that are
       asked for all the same are to be left out */
    bool once, over;
    uint64_t left;
    unsigned left_out;
    uint64_t *slice_end;  /* the worker's: 0 makes its loop look whether it is over; or NULL */
    unsigned ranges;      /* of each trim; `step` bytes each, block_size together */
    uint32_t step;        /* bytes from one block to the next */
    uint32_t flush_every; /* writes; 0: no flushes */
    uint32_t since_flush; /* writes */
    bool always_random, never_random, always_read, never_read;

    struct zones *zones;      /* of all workers; NULL: not by zones */
    struct zone_job zone_job; /* of writes */
    bool write_failed;        /* the last write did */
};

/* Region [offset, offset + size) of the target for worker `job` of `jobs`. */
void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride);
/* After workload_init: the region has these zones. */
void workload_use_zones(struct workload *w, const struct plan *plan, struct zones *zones,
                        unsigned job);

/* Decide the next WORKLOAD_AHEAD requests; where each depends on what was done before, the one that
   this slot has next. */
void workload_refill(struct workload *w, uint16_t slot);

/* The ranges of a trim into its buffer: the first is at `offset`, others where the workload goes
   on; those of a request with a due time follow each other. */
void workload_fill_ranges(struct workload *w, unsigned char *buffer, uint64_t offset);
void workload_part_ranges(const struct workload *w, unsigned char *buffer, uint64_t offset,
                          uint32_t length);

/* The data of the next write. */
static inline void workload_fill(struct workload *w, unsigned char *buffer, size_t length,
                                 uint64_t offset)
{
    if (__builtin_expect(w->maker != NULL, 0))
        write_maker_fill(w->maker, buffer, length);
    else if (__builtin_expect(!w->stamped, 1))
        write_data_fill(buffer, length, offset, w->writes);
}

static inline void workload_next(struct workload *w, uint16_t slot, struct io_req *request)
{
    if (__builtin_expect(w->next == WORKLOAD_AHEAD, 0))
        workload_refill(w, slot);
    uint64_t offset_and_op = w->ahead[w->next++];
    request->offset = offset_and_op >> IO_OP_BITS;
    request->length = w->block_size;
    request->slot = slot;
    request->op = (uint8_t)io_counts_as((unsigned)offset_and_op);
    if (__builtin_expect(request->op == IO_READ, 1))
        return;
    if (request->op == IO_WRITE) {
        workload_fill(w, w->buffers + (size_t)slot * w->buffer_stride, w->block_size,
                      request->offset);
        w->writes++;
    } else if (request->op == IO_FLUSH) {
        request->length = 0;
    } else if (w->ranges > 1) {
        request->kind = (uint8_t)(w->ranges - 1);
        workload_fill_ranges(w, w->buffers + (size_t)slot * w->buffer_stride, request->offset);
    }
}

/* Completions are accounted for about this many at a time. */
#define BLOCK_RECORDS 128u

/*
 * Completion records from one worker to the collector. After the last one there is room for a
 * block and iodepth more, so that completions can always be written in one piece. Where lengths
 * differ (requests with due times) `bytes` is the length asked for, not the length moved.
 */
struct record_ring {
    struct io_done *records;
    uint64_t capacity;                  /* a power of two */
    bool shared;                        /* false: nobody reads it, and it is never full */
    _Alignas(64) _Atomic uint64_t head; /* written by the worker */
    _Alignas(64) _Atomic uint64_t tail; /* by the collector */
};

/* A request that has completed, with what its completion record does not hold. 32 bytes. */
struct finished_request {
    uint64_t begin, end; /* ticks */
    uint64_t offset;     /* bytes into the target */
    uint32_t length;     /* bytes that were asked for */
    uint16_t worker;
    uint8_t op; /* enum io_op */
    bool failed;
};

#define SLOWEST_KEPT 64

/*
 * The slowest requests of a worker, kept while it measures: what a report shows beside the state of
 * the machine at that moment. A request that is faster than all that are kept costs one comparison
 * for a whole run of completions (completion_account.c). One thread at a time: the worker's own,
 * and between rounds the session's. slowest.c has the functions.
 */
struct slowest {
    uint64_t floor; /* ticks: only what took longer comes in; UINT64_MAX: nothing does */
    unsigned count;
    struct finished_request at[SLOWEST_KEPT]; /* in no order */
};

/* Keep the request if it took longer than the floor: the fastest one that is kept goes. */
void slowest_add(struct slowest *s, const struct finished_request *request);

/* Slowest first; of equal ones the earlier. */
void slowest_sort(struct slowest *s);

/*
 * Finished requests on their way from a worker to the writer of a trace (--trace). A full ring
 * drops requests and counts them: it never makes the worker wait. One thread writes, another one
 * reads; it goes on from round to round.
 */
struct finished_ring {
    struct finished_request *at;        /* NULL: nobody wants them */
    uint64_t capacity;                  /* a power of two */
    _Alignas(64) _Atomic uint64_t head; /* written by the worker ... */
    _Atomic uint64_t lost;
    _Alignas(64) _Atomic uint64_t tail; /* ... and by the reader */
};

/* How many of n there is room for, the others being counted as lost; the first goes to *head. */
static inline unsigned finished_ring_room(struct finished_ring *r, unsigned n, uint64_t *head)
{
    *head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint64_t used = *head - atomic_load_explicit(&r->tail, memory_order_acquire);
    if (__builtin_expect(n <= r->capacity - used, 1))
        return n;
    unsigned room = (unsigned)(r->capacity - used);
    atomic_fetch_add_explicit(&r->lost, n - room, memory_order_relaxed);
    return room;
}

/* The one with that number, while it is in the ring. */
static inline struct finished_request *finished_ring_at(const struct finished_ring *r,
                                                        uint64_t number)
{
    return &r->at[number & (r->capacity - 1)];
}

/* The order for a round; the same struct for all, constant while the round runs but for its end. */
struct round_order {
    uint64_t begin_ticks;
    _Atomic uint64_t end_ticks; /* the collector may bring it forward: group_end_round */
    uint64_t slice_ticks;
    /* Slices are counted from so long before the beginning, so that intervals begin at multiples of
       their length on the wall clock. */
    uint64_t lead_ticks;
    uint64_t wall_ns;     /* since 1970, when the first slice began; 0: not known */
    uint64_t interval_ns; /* length of an interval */
    bool recording;       /* false: count I/Os only, to measure what recording costs */
    bool counts;          /* a measured round: the slowest requests are kept */
    bool traced;          /* every request goes to the ring of finished ones, where there is one */
};

/* When it ends, as far as is known now. */
static inline uint64_t round_end(const struct round_order *order)
{
    return atomic_load_explicit(&order->end_ticks, memory_order_relaxed);
}

/* When slice 0 began. */
static inline uint64_t round_slices_begin(const struct round_order *order)
{
    return order->begin_ticks - order->lead_ticks;
}

/* The first failed I/O of a worker. */
struct io_failure {
    int error; /* errno, or 0 for a short I/O */
    enum io_op op;
    uint64_t offset;
    uint32_t asked, moved;
};

struct worker {
    /* set up by the session */
    unsigned number;
    const struct clock *clock;
    const struct io_ops *ops;
    struct io_setup setup;
    struct workload workload;
    int cpu;           /* to be pinned to, or -1 */
    uint16_t priority; /* of its I/O (generator/priority.h); 0: as it is */
    uint16_t kind_priorities[PRIORITY_KINDS_MAX]; /* of its requests by their kind, of so many */
    uint8_t kind_writes[PRIORITY_KINDS_MAX]; /* enum io_op that a write is issued as; 0: as it is */
    unsigned kind_count;
    bool realtime; /* wanted */
    const struct round_order *order;
    struct ledger *ledger; /* of all workers: their writes carry its stamps; NULL: they do not */
    unsigned
        stamped_left; /* requests in `waiting` that have been stamped already: the first ones */
    /* requests with due times come from here, and timed_loop.h is the loop; ops NULL: from
       `workload`, as soon as there is room for them */
    struct request_source source;
    unsigned in_flight_max; /* of timed requests; 0: iodepth */
    struct timed *timed;    /* the timed loop's own (timed_loop.h), or NULL */
    /* timed loop: how far its processor's counter is ahead of the first worker's, and within how
       much that is known (run/loop/clock_skew.h) */
    int64_t skew_ns;
    uint64_t skew_within_ns;

    /* the loop's own */
    struct io_backend backend;
    struct io_req *waiting;      /* iodepth requests not yet taken by the backend */
    uint64_t *slot_offset;       /* iodepth: where the request in each slot goes, in bytes */
    struct io_done *completions; /* iodepth */
    /* Where the requests of the block went that is being filled: BLOCK_RECORDS and iodepth. A slot
       has its next request before its completion is accounted for. */
    uint64_t *block_offset;
    const struct io_done *block; /* its first completion */
    struct slowest slowest;      /* of the session's measured rounds */
    uint64_t slowest_floor_ns;   /* of these, in this round; UINT64_MAX: none is wanted */
    struct interval *interval;
    struct slice *slice;
    uint64_t *busy;          /* busy_ticks of that slice */
    struct slice discarded;  /* where slices go that cannot be handed over, ... */
    uint64_t discarded_busy; /* ... and their busy time */
    uint64_t slice_end;      /* ticks */
    uint64_t slice_number;   /* in the round */
    bool loss;               /* the interval ring was full */
    bool block_failed;       /* a record not yet accounted for is of a failed I/O */
    size_t failed_in_a_row;
    unsigned left;       /* requests in `waiting` that the last round did not get to */
    uint64_t busy_until; /* ticks: busy time before it is accounted for */
    bool overlaps;       /* several requests are in flight at a time: see completion_account.c */
    bool was_idle;       /* they were not, after the last completion that was accounted for */
    uint64_t busy_since; /* overlaps: when the first request after that was handed over */
    uint64_t counted;    /* I/Os of a round without recording */

    /* shared */
    struct interval_ring intervals;
    struct record_ring records;
    struct finished_ring traced;
    _Atomic uint64_t lost;     /* records dropped */
    _Atomic bool running;      /* a round is going on */
    _Atomic bool halt;         /* end the round now */
    _Atomic bool exhausted;    /* the round ended because its source has no more requests */
    struct io_failure failure; /* valid when failed != 0; read after the round */
    bool fatal;                /* a failure after which nothing can succeed, or nothing does */
    uint64_t failed;           /* failed or short I/Os in the session; read after the round */
    uint64_t cpu_ns;           /* processor time of the last round; read after the round */
    /* when its last I/O of the round had completed; 0 until then, known before its last interval */
    _Atomic uint64_t ended_ticks;
    uint64_t in_flight_since; /* the collector's own: of the last interval that it took */
    struct err error;         /* that ended the worker, or ERR_NONE; read after the round */
    bool realtime_granted;    /* after worker_start */
    bool spins;               /* set by the session: uses its processor all the time */
    char placement_note[96];

    pthread_t thread;
    sem_t go, finished;
    bool quit, started;
};

/* What a write of that command is asked for as. */
enum io_op worker_write_op(enum write_mode mode);

/* Arena bytes of one worker with this plan. */
size_t worker_bytes(const struct plan *plan, size_t buffer_stride, unsigned intervals,
                    uint64_t records);

/* Take memory out of the arena; -1 when it is used up. Fills setup.buffers, iodepth and so on. */
int worker_init(struct worker *w, const struct plan *plan, size_t buffer_stride, unsigned intervals,
                uint64_t records, struct arena *arena);

/* Start the thread; it pins itself and opens its backend. Returns when that is done, with its
 * error. */
int worker_start(struct worker *w, struct err *e);

/* Let it run one round as *w->order says. */
void worker_round(struct worker *w);

/* Wait for the end of the round that worker_round began. */
void worker_wait(struct worker *w);

/* Ask the thread to close the backend and to end; only while it stands still. Does not wait. */
void worker_ask_to_end(struct worker *w);

/* The same, and wait for the end. */
void worker_stop(struct worker *w);

#endif
