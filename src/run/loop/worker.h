/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker: one thread that keeps `iodepth` requests in flight for the length of a round
 * (request_loop.c), or issues each request at its due time (timed_loop.h). The two hot loops have
 * no lock, no allocation, no system call for time and no output.
 *
 * Every completion is added to a histogram and a time slice (run/measurement/interval_ring.h) and
 * appended to a ring of 24-byte records. A full record ring drops records, counted in `lost`;
 * histograms and slices never miss an I/O. The thread exists for the whole session and waits
 * between rounds.
 *
 * The session starts workers with worker_start and ends them with worker_stop. All memory comes
 * from the arena. The collector reads the fields below "shared" while the worker runs.
 */
#ifndef CUPEL_RUN_LOOP_WORKER_H
#define CUPEL_RUN_LOOP_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "io/io.h"
#include "io/readback/verify_ledger.h"
#include "io/target/target.h"
#include "io/target/write_content.h"
#include "io/zone/zones.h"
#include "run/loop/request_source.h"
#include "run/measurement/interval_ring.h"
#include "run/plan/plan.h"

/*
 * Chooses the requests: the next block, and read or write. One per worker; the same seed gives
 * the same requests.
 *
 * Random offsets are uniform over the whole region, with replacement. Sequential offsets begin at
 * the worker's own share of the region and wrap round at the region's end. Backward ones begin at
 * the end of that share and go down. A stride advances by WORKLOAD_STRIDE blocks; each pass over
 * the region begins one block further, so that every block is reached. PATTERN_SAME is one block,
 * the first of the share. The position is kept from round to round.
 *
 * On a zoned device (zones), a workload of reads uses only the blocks that are written at its
 * begin. Writes and mixes are decided one at a time, with one request in flight per worker, so
 * that each request has completed when the next one is made. zones.h describes where writes go.
 *
 * Trims go where writes would go. With trims before writes, a slot trims a block and then writes
 * the same block: as many blocks are under way as there are slots. In a trim of several ranges,
 * each range is a separate block. Trims without writes go over the worker's share of the region
 * and reach each block once before any is trimmed again; random ones use an order that depends on
 * the seed. If there is only one pass, the round ends with it.
 *
 * After every flush_every writes, the next request is a flush. It has a slot like any other
 * request and does not wait for requests in flight before it. With one request at a time the
 * order is write, flush, write.
 */

/*
 * Gives the calling thread this priority for the rest of its life, and checks that its requests
 * may have each of the priorities values[0..n). ERR_MACHINE: it is not permitted, or this kernel
 * does not support it.
 *
 * 0 stands for the priority that ionice gave this program, or for the usual one of its nice
 * value. This priority is set explicitly, too, because otherwise the kernel puts the I/O of a
 * thread with real-time priority into class rt, and schedulers would serve it before all other
 * I/O.
 */
int io_priority_begin(uint16_t own, const uint16_t values[], unsigned n, struct err *e);

/* Number of requests that are decided at a time. A tight loop costs less than deciding one request
   between two I/Os. */
#define WORKLOAD_AHEAD 256

/* Blocks from one request of a stride to the next; the same as in IOzone. */
#define WORKLOAD_STRIDE 17

struct workload {
    uint64_t ahead[WORKLOAD_AHEAD]; /* offset << REQUEST_OPERATION_BITS | command */
    unsigned next;                  /* index into ahead[] */
    uint32_t block_size;
    uint64_t writes; /* sequence number of the next write; it is different for all workers */
    unsigned char *buffers;
    size_t buffer_stride;
    struct write_maker *maker; /* makes the data of writes; NULL: noise */
    /* the data of writes are made just before they are issued (struct worker's ledger), or writes
       have no data */
    bool stamped;

    struct random random;
    uint64_t base;            /* bytes: offset = base + block * block_size */
    uint64_t blocks;          /* number of blocks of the region */
    uint64_t next_sequential; /* next block of all patterns except the random one */
    enum plan_pattern pattern;
    uint64_t random_threshold; /* share of random offsets, times 2^64 */
    uint64_t write_threshold;
    unsigned change; /* command of the requests that are not reads */
    /* trims before writes: for each slot 1 + the offset (bytes) of its last trim, whose write comes
       next; 0: a trim comes next; NULL: other workloads */
    uint64_t *trimmed;
    /* trims in order: blocks [first, first + share), of which `met` were trimmed in this pass */
    bool in_order;
    uint64_t first, share, met;
    uint64_t order_seed;
    unsigned order_bits; /* number of bits of a block's number in the share */
    /* a single pass: `left` requests remain; after the last of them `over` is set, and the
       `left_out` requests that were made later must not be issued */
    bool once, over;
    uint64_t left;
    unsigned left_out;
    uint64_t *slice_end; /* the worker's slice_end: set to 0 to make its loop check for the end;
                            or NULL */
    /* number of ranges of each trim; each has `step` bytes, all together block_size */
    unsigned ranges;
    uint32_t step;        /* bytes from one block to the next */
    uint32_t flush_every; /* number of writes before a flush; 0: no flushes */
    uint32_t since_flush; /* writes since the last flush */
    bool always_random, never_random, always_read, never_read;

    struct zones *zones;      /* zones, shared by all workers; NULL: the target is not used by
                                 zones */
    struct zone_job zone_job; /* the zone to which the job's writes go */
    bool write_failed;        /* the last write has failed */
};

/* Initializes the workload of worker `job` for region [offset, offset + size) of the target. */
void workload_init(struct workload *w, const struct plan *plan, uint64_t region_size, unsigned job,
                   unsigned char *buffers, size_t buffer_stride);
/* Uses these zones of the region. Call it after workload_init. */
void workload_use_zones(struct workload *w, const struct plan *plan, struct zones *zones,
                        unsigned job);

/* Decides the next WORKLOAD_AHEAD requests. If each depends on earlier completions, decides only
   the next request of this slot. */
void workload_refill(struct workload *w, uint16_t slot);

/*
 * Write the ranges of a trim into its buffer, the first one at `offset`. With workload_fill_ranges
 * the other ranges are the next blocks that the workload chooses. With workload_part_ranges, for
 * requests with due times, the ranges follow each other and divide `length`.
 */
void workload_fill_ranges(struct workload *w, unsigned char *buffer, uint64_t offset);
void workload_part_ranges(const struct workload *w, unsigned char *buffer, uint64_t offset,
                          uint32_t length);

/* Makes the data of the next write. */
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
    uint64_t offset_and_command = w->ahead[w->next++];
    request->offset = offset_and_command >> REQUEST_OPERATION_BITS;
    request->length = w->block_size;
    request->slot = slot;
    request->command = (uint8_t)request_operation((unsigned)offset_and_command);
    if (__builtin_expect(request->command == REQUEST_READ, 1))
        return;
    if (request->command == REQUEST_WRITE) {
        workload_fill(w, w->buffers + (size_t)slot * w->buffer_stride, w->block_size,
                      request->offset);
        w->writes++;
    } else if (request->command == REQUEST_FLUSH) {
        request->length = 0;
    } else if (w->ranges > 1) {
        request->kind = (uint8_t)(w->ranges - 1);
        workload_fill_ranges(w, w->buffers + (size_t)slot * w->buffer_stride, request->offset);
    }
}

/* Completions are accounted for about this many at a time. */
#define BLOCK_RECORDS 128u

/*
 * A ring of completion records from one worker to the collector. Beyond its end there is room for a
 * block and iodepth more records, so that completions can always be written in one piece. If
 * lengths differ (requests with due times), `bytes` is the length asked for, not the length moved.
 */
struct record_ring {
    struct io_done *records;
    uint64_t capacity;                  /* a power of two */
    bool shared;                        /* false: the ring is not read, and never full */
    _Alignas(64) _Atomic uint64_t head; /* written by the worker */
    _Alignas(64) _Atomic uint64_t tail; /* written by the collector */
};

/* A completed request, with data that its completion record does not have. 32 bytes. */
struct finished_request {
    uint64_t begin, end; /* ticks */
    uint64_t offset;     /* bytes into the target */
    uint32_t length;     /* bytes that were asked for */
    uint16_t worker;
    uint8_t command; /* enum request_command */
    bool failed;
};

#define SLOWEST_KEPT 64

/*
 * The slowest requests of a worker, kept while it measures. A report shows them with the state of
 * the machine at that moment. As long as only faster requests complete, a whole block of
 * completions costs one comparison (completion_account.c). One thread at a time uses it: the
 * worker's thread, and between rounds the session's thread. worker_slowest.c has the functions.
 */
struct slowest {
    uint64_t floor; /* ticks: only slower requests are kept; UINT64_MAX: none are kept */
    unsigned count;
    struct finished_request at[SLOWEST_KEPT]; /* the slowest requests, not sorted */
};

/* Keeps the request if it took longer than the floor, in place of the fastest one if the list is
   full. */
void slowest_add(struct slowest *s, const struct finished_request *request);

/* Sorts the slowest first; among equal ones the earlier first. */
void slowest_sort(struct slowest *s);

/*
 * Finished requests on their way from a worker to the writer of a trace (--trace). A full ring
 * drops requests and counts them: the worker never waits. One thread writes, another one reads. The
 * ring continues from round to round.
 */
struct finished_ring {
    struct finished_request *at;        /* NULL: there is no ring */
    uint64_t capacity;                  /* a power of two */
    _Alignas(64) _Atomic uint64_t head; /* written by the worker, like `lost` */
    _Atomic uint64_t lost;
    _Alignas(64) _Atomic uint64_t tail; /* written by the reader */
};

/* Returns how many of n requests fit into the ring, and counts the others as lost. *head becomes
   the number of the first of them. */
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

/* Returns the request with that number, which must still be in the ring. */
static inline struct finished_request *finished_ring_at(const struct finished_ring *r,
                                                        uint64_t number)
{
    return &r->at[number & (r->capacity - 1)];
}

/*
 * What the workers do in a round: when it begins and ends, and what they record. All
 * workers have the same order; only its end may change during the round.
 */
struct round_order {
    uint64_t begin_ticks;
    _Atomic uint64_t end_ticks; /* the collector may bring it forward (group_end_round) */
    uint64_t slice_ticks;
    /* slices are counted from this time before the beginning, so that intervals begin at multiples
       of their length on the wall clock */
    uint64_t lead_ticks;
    uint64_t wall_ns;     /* wall clock at the begin of the first slice, since 1970; 0: not known */
    uint64_t interval_ns; /* length of an interval */
    bool recording;       /* false: only counts I/Os, to measure the cost of recording */
    bool counts;          /* a measured round: the slowest requests are kept */
    bool traced;          /* every request goes to the ring of finished requests, if there is one */
};

/* Returns the end of the round, as far as it is known now. */
static inline uint64_t round_end(const struct round_order *order)
{
    return atomic_load_explicit(&order->end_ticks, memory_order_relaxed);
}

/* Returns the begin of slice 0. */
static inline uint64_t round_slices_begin(const struct round_order *order)
{
    return order->begin_ticks - order->lead_ticks;
}

/* The first failed I/O of a worker. */
struct io_failure {
    int error; /* errno, or 0 for a short I/O */
    enum operation op;
    uint64_t offset;
    uint32_t asked, moved;
};

/* What a worker that shares its thread asks its carrier to do (processor_carrier.h). */
enum carried_work { CARRIED_OPEN, CARRIED_ROUND, CARRIED_CLOSE };

struct worker {
    /* set up by the session */
    unsigned number;
    const struct clock *clock;
    const struct io_ops *ops;
    struct io_setup setup;
    struct workload workload;
    int cpu;           /* processor to pin the thread to, or -1 */
    uint16_t priority; /* priority of its I/O (source/priority.h); 0: not set */
    /* kind_count priorities, one for each kind of request */
    uint16_t kind_priorities[REQUEST_KINDS_MAX];
    unsigned kind_count;
    bool realtime; /* real-time priority is wanted */
    /* number of completions that a closed loop waits for before it issues requests */
    unsigned batch;
    const struct round_order *order;
    /* ledger of the stamps that writes carry, shared by all workers; NULL: writes carry no stamps
     */
    struct ledger *ledger;
    unsigned stamped_left; /* requests at the begin of `waiting` that are already stamped */
    /* source of requests with due times, for timed_loop.h; `ops` NULL: requests come from
       `workload` and are issued as soon as a slot is free */
    struct request_source source;
    unsigned in_flight_max; /* limit of requests in flight for timed requests; 0: iodepth */
    struct timed *timed;    /* data of the timed loop (timed_loop.h), or NULL */
    /* timed loop: how far its processor's counter is ahead of the first worker's, and the
       uncertainty (run/loop/clock_skew.h) */
    int64_t skew_ns;
    uint64_t skew_within_ns;

    /* the following members are used by the loop only */
    struct io_backend backend;
    struct io_req *waiting;      /* [iodepth], requests that the backend has not taken */
    uint64_t *slot_offset;       /* [iodepth], offset of the request in each slot, in bytes */
    struct io_done *completions; /* memory for iodepth completions */
    /* Offsets of the requests in the current block: memory for BLOCK_RECORDS + iodepth offsets. A
       slot gets its next request before its completion is accounted for. */
    uint64_t *block_offset;
    const struct io_done *block; /* first completion of the current block */
    struct slowest slowest;      /* slowest requests of the session's measured rounds */
    uint64_t slowest_floor_ns;   /* floor of `slowest` in this round, in ns; UINT64_MAX: none are
                                    kept */
    struct interval *interval;
    struct slice *slice;
    /* counter to which busy time of the current slice is added, in ticks */
    uint64_t *busy;
    struct slice discarded;  /* slice that is used while slices cannot be published */
    uint64_t discarded_busy; /* busy time of slices that cannot be published */
    uint64_t slice_end;      /* ticks */
    uint64_t slice_number;   /* number of the current slice in the round */
    bool loss;               /* the interval ring was full, so that slices were lost */
    bool block_failed;       /* the current block has a record of a failed I/O */
    size_t failed_in_a_row;
    unsigned left;       /* requests in `waiting` that the last round did not issue */
    uint64_t busy_until; /* ticks: busy time before this instant has been counted */
    bool overlaps;       /* several requests are in flight at a time (see completion_account.c) */
    bool was_idle;       /* nothing was in flight after the last completion that was accounted
                            for */
    uint64_t busy_since; /* with `overlaps`: when the worker stopped being idle */
    uint64_t counted;    /* I/Os in a round without recording */

    /* shared */
    struct interval_ring intervals;
    struct record_ring records;
    struct finished_ring traced;
    _Atomic uint64_t lost;     /* records dropped */
    _Atomic bool running;      /* a round is going on */
    _Atomic bool halt;         /* end the round now */
    _Atomic bool exhausted;    /* the round ended because its source has no more requests */
    struct io_failure failure; /* valid when failed != 0; read after the round */
    bool fatal;                /* the target is gone, or nothing succeeds */
    uint64_t failed;           /* failed or short I/Os in the session; read after the round */
    uint64_t cpu_ns;           /* processor time of the last round; read after the round */
    /* when the last I/O of the round completed; 0 until then; set before the last interval is
       published */
    _Atomic uint64_t ended_ticks;
    uint64_t in_flight_since; /* used by the collector: in_flight_since of the last interval that
                                 it took */
    struct err error;         /* the error that ended the worker, or ERR_NONE; read after the
                                 round */
    bool realtime_granted;    /* valid after worker_start */
    bool spins;               /* set by the session: the worker uses its processor all the time */
    char placement_note[96];

    struct carriers *carriers; /* set up by the session; NULL: the worker has a thread of its own */
    struct carrier *carrier;   /* the carrier whose thread this worker shares; or NULL */
    enum carried_work work;    /* what the carrier was last asked to do */
    pthread_t thread;          /* the worker's own thread, or the thread of its carrier */
    sem_t go, finished;
    bool quit, started;
};

/* Returns how many bytes of the arena one worker of this plan needs. */
size_t worker_bytes(const struct plan *plan, size_t buffer_stride, unsigned intervals,
                    uint64_t records);

/* Allocates the worker's memory from the arena and fills in setup.buffers, iodepth and so on.
   Returns -1 if the arena is used up. */
int worker_init(struct worker *w, const struct plan *plan, size_t buffer_stride, unsigned intervals,
                uint64_t records, struct arena *arena);

/* Starts the thread, which pins itself and opens its backend. Returns after that, with the thread's
   error. */
int worker_start(struct worker *w, struct err *e);

/* Lets the worker run one round, as *w->order says. */
void worker_round(struct worker *w);

/* Waits for the end of the round that worker_round began. */
void worker_wait(struct worker *w);

/* Asks the thread to close the backend and to end. Call it only between rounds. Does not wait. */
void worker_ask_to_end(struct worker *w);

/* Asks the thread to close the backend and to end, and waits until it has ended. */
void worker_stop(struct worker *w);

#endif
