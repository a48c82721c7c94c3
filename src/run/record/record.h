/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The record file: everything needed to compute a session's result again.
 *
 * Format 4, little endian:
 *
 *   head   "CUPELREC", u32 version, u64 identity (random, of this record), u32 CRC-32C of these
 *   chunk  u32 type, u32 length, u32 number (0, 1, 2, ...), payload, u32 CRC-32C of all of these,
 *          begun with the head's checksum, so that a chunk of another record has a wrong one
 *   LAST   the end: the number of chunks of each kind before it, and one checksum over theirs
 *
 * So every lost, doubled, moved, changed or added byte is noticed. A reader continues after damage
 * at the next whole chunk, notes the missing ones, and calls the result damaged. A record without
 * LAST is cut short: its session was killed. A chunk with a correct checksum and impossible
 * contents (an infinite rate, a round in a round) was not written by cupel: the record is refused.
 *
 * Format 1 had no identity, no numbers and no LAST: u32 0 in the head after the version; chunks of
 * u32 type, u32 length, payload, u32 CRC-32C of these; DONE was the end. It is still read, and the
 * report says that missing chunks would not be noticed.
 *
 * Format 2 had no flushes (sync) among the operations: each list by operation ended after writes.
 * Format 3 had no trims: the lists ended after flushes.
 *
 * Payloads. Numbers are LEB128 unless a comment says otherwise.
 *
 *   PLAN  text, key=value lines (run/plan/plan.h)
 *   HOST  name of the machine (ended by NUL), 16 bytes identity of its boot (0: not known)
 *   CLCK  wall clock's time, ns since 1970; bound of its error + 1 in ns (0: not synchronised); its
 *         source (text, base/machine/clock_error.h): at the session's begin and end, and sometimes
 *         in between
 *   NODE  a node of the hardware: name, kind, name of the parent ("": none), each ended by NUL
 *   FACT  u8 list (0 settings, 1 hardware), then node, key, value, unit, source (each ended by
 *         NUL), u8 status
 *   SLEN  length of a slice in ns
 *   RBEG  u8 trial; begin in ns since the session began
 *   WHEN  the wall clock's time at which the interval of the batch that follows began, ns since
 *         1970 (0: not known); a batch without one follows the batch before it at once
 *   SPAN  number of slices of length SLEN in each slice of the batch that follows; 1 without SPAN
 *   BUSY  times in which I/O was in flight, for the batch that follows: number of stretches, then
 *         for each, in ns, the time since the end of the one before (for the first: since the
 *         interval began), its length, and its time without I/O in flight (gaps that were too many
 *         to keep)
 *   JOBH  a job in a period that has ended: number of the job, begin (ns since 1970), length in ns,
 *         histograms
 *   TIMG  timing of the batch that follows, if its requests had due times: number of slices, their
 *         timings, histograms of issue errors and of service times
 *   KIND  kinds of the batch that follows, if its requests are of several kinds: their number, then
 *         for each, in the order of the plan's kinds, the sum of latencies in ns and a histogram
 *   BTCH  a batch (run/measurement/measurement.h): number of slices, their counts, lost slices,
 *         histograms, then for each slice the bytes asked for and the busy time; in format 1 sums
 *         of blocks and of busy time before the lost slices instead
 *   REND  length in ns; the totals of a slice
 *   GAUG  a gauge: node, key, unit; limit (double); in the order of SMPL's values
 *   PART  a part of the data path or beside it: u8 flags, name, kind, measure; depth; its limits
 *         (doubles) and the gauges that measure it
 *   PATH  number of GAUG and PART chunks (not in format 1); the path's limits (doubles), u8
 *         complete, edges as pairs of parts, then for reads and for writes the part that limits it
 *         + 1 (0: none)
 *   SMPL  time in ns since the session began, u8 counts; the gauges' values (floats)
 *   OWNS  name of a core; share of its time that workers used in measured rounds (double)
 *   EVNT  time in s since the session began (double), text
 *   KLOG  a line of the kernel's log: its place (a later line with the same place replaces it),
 *         time in s since the session began, uncertainty, time of the last equal line (doubles),
 *         number of equal lines, its number in the kernel's log, kind (text), severity,
 *         u8 scattered, u8 about the target, u8 by a program, text
 *   KEND  totals of the kernel's log: state (text), lines seen, lost, left out
 *   SLOW  the slowest requests: their number, then for each: op (text), offset, length, job, begin
 *         in ns since the session began, latency in ns, u8 failed
 *   OVER  the four doubles of struct overhead, IEEE 754
 *   BLKL  the seven doubles of struct block_layer
 *   AWAY  a suspension of the program: begin in ns since the session began, length in ns
 *   NOTE  u8 warning, text
 *   FIDE  the shape of a replay's trace: index of the first number, their count, the numbers
 *         (fidelity_number of run/replay/fidelity.h)
 *   LATE  the totals of struct timing_totals, except those of DUES
 *   DUES  requests that were due and never issued, in all measured rounds; u8 there may be more
 *   DONE  u8 verdict; elapsed ns; records seen, lost; text of the failure
 *   LAST  number of chunks before it, u32 CRC-32C over their checksums, then for each kind that
 *         occurs: u32 type, number of chunks
 *
 * To add a kind: a row in RECORD_CHUNKS below, its line above, a writer (chunk_begin,
 * chunk_put_..., chunk_end: run/record/internal.h), a reader (payload_...: base/durable/payload.h)
 * and its row in the table of readers (record_read.c). Numbers, checksums and counts are
 * automatic. New fields of an existing kind need a new version: readers check payload->version.
 */
#ifndef CUPEL_RUN_RECORD_RECORD_H
#define CUPEL_RUN_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/machine/clock_error.h"
#include "base/machine/host_identity.h"
#include "run/record/contents.h"

#define RECORD_MARK "CUPELREC" /* the first bytes of every record */

/* The kinds of chunks: type, how often it may occur in a record, and a name of its contents. */
#define RECORD_CHUNKS(CHUNK)                                                                       \
    CHUNK(PLAN, ONCE, "plan")                                                                      \
    CHUNK(HOST, ONCE, "host")                                                                      \
    CHUNK(CLCK, MANY, "error of the clock")                                                        \
    CHUNK(NODE, MANY, "hardware")                                                                  \
    CHUNK(FACT, MANY, "fact")                                                                      \
    CHUNK(SLEN, ONCE, "length of a slice")                                                         \
    CHUNK(RBEG, MANY, "begin of a round")                                                          \
    CHUNK(WHEN, MANY, "time of day")                                                               \
    CHUNK(SPAN, MANY, "length of a batch")                                                         \
    CHUNK(JOBH, MANY, "latencies of a job")                                                        \
    CHUNK(BUSY, MANY, "time in flight")                                                            \
    CHUNK(TIMG, MANY, "issue errors")                                                              \
    CHUNK(KIND, MANY, "kinds of requests")                                                         \
    CHUNK(BTCH, MANY, "readings")                                                                  \
    CHUNK(REND, MANY, "end of a round")                                                            \
    CHUNK(GAUG, MANY, "gauge")                                                                     \
    CHUNK(PART, MANY, "part of the data path")                                                     \
    CHUNK(PATH, ONCE, "data path")                                                                 \
    CHUNK(SMPL, MANY, "sample of the gauges")                                                      \
    CHUNK(OWNS, MANY, "own processor time")                                                        \
    CHUNK(EVNT, MANY, "event")                                                                     \
    CHUNK(KLOG, MANY, "line of the kernel's log")                                                  \
    CHUNK(KEND, ONCE, "the kernel's log")                                                          \
    CHUNK(SLOW, ONCE, "slowest requests")                                                          \
    CHUNK(OVER, ONCE, "own cost")                                                                  \
    CHUNK(BLKL, ONCE, "block layer")                                                               \
    CHUNK(AWAY, MANY, "suspension")                                                                \
    CHUNK(NOTE, MANY, "note")                                                                      \
    CHUNK(FIDE, MANY, "trace of a replay")                                                         \
    CHUNK(LATE, ONCE, "lateness")                                                                  \
    CHUNK(DUES, ONCE, "requests never issued")                                                     \
    CHUNK(DONE, ONCE, "verdict")                                                                   \
    CHUNK(LAST, ONCE, "end")

enum record_kind {
#define RECORD_KIND(name, times, words) RECORD_##name,
    RECORD_CHUNKS(RECORD_KIND)
#undef RECORD_KIND
        RECORD_KINDS
};

/* A chunk's type is its four letters, the first one in the lowest byte. */
#define RECORD_TYPE(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/*
 * The writer. Chunks collect in a fixed buffer and go to the file when record_flush is called or
 * the buffer is full. The first failed write (disk full) is stored in `error`; the session
 * continues without a record. A writer with fd -1 writes nothing.
 */
struct record_writer {
    int fd;
    char path[1100];
    unsigned char *buffer;
    size_t used, capacity;
    size_t chunk;          /* begin of the open chunk */
    enum record_kind kind; /* kind of the open chunk */
    uint32_t seed;         /* the head's checksum, the initial value of the chunks' checksums */
    uint32_t number;       /* number of the next chunk */
    uint32_t all;          /* CRC-32C over the checksums of the chunks so far */
    uint32_t counts[RECORD_KINDS];
    uint64_t batch_ns;     /* length of a batch with slices of the original length */
    uint64_t next_wall_ns; /* begin of the next batch if it directly follows the last one */
    unsigned since_when;   /* number of batches since the last WHEN */
    size_t settings_written;
    /* numbers of nodes and facts of the hardware that are already written */
    int nodes_written, facts_written;
    struct err error;
};

#define RECORD_BUFFER (512 * 1024)

/* A path that begins with this is an empty file that the caller has opened, for a record in memory.
 */
#define RECORD_OPEN_FILE "/proc/self/fd/"

/* Creates the record. If `path` is NULL, there is no record. ERR_USAGE: the file exists or cannot
   be created. */
int record_create(struct record_writer *w, const char *path, struct arena *arena, struct err *e);
void record_plan(struct record_writer *w, const struct plan *plan);
void record_host(struct record_writer *w, const struct host_identity *host);
void record_clock(struct record_writer *w, const struct clock_error *clock);
void record_facts(struct record_writer *w, const struct contents *c); /* writes the facts that were
                                                                         not written yet */
void record_slice_length(struct record_writer *w, double seconds);
void record_watch(struct record_writer *w,
                  const struct watch *watch); /* writes gauges, parts and path */
void record_sample(struct record_writer *w, const struct watch *watch,
                   const struct watch_sample *sample);
void record_own(struct record_writer *w, const struct watch *watch);
void record_events(struct record_writer *w, const struct watch *watch);
/* record_kernel_line writes the present state of the line at that place; record_kernel_log writes
   the totals at the end of the log. */
void record_kernel_line(struct record_writer *w, const struct kernel_log *log, size_t place);
void record_kernel_log(struct record_writer *w, const struct kernel_log *log);
void record_slowest(struct record_writer *w, const struct contents *c);
void record_suspension(struct record_writer *w, const struct suspended *suspended);
void record_begin_round(struct record_writer *w, const struct round *round);
void record_batch(struct record_writer *w, const struct batch *batch);
void record_jobs(struct record_writer *w,
                 const struct job_histories *jobs); /* writes the period that is open */
void record_end_round(struct record_writer *w, const struct round *round);
void record_end(struct record_writer *w, const struct contents *c);
void record_flush(struct record_writer *w);
void record_close(struct record_writer *w);
/* Removes the file before it is closed, if its name still refers to it. */
void record_remove(struct record_writer *w);

/*
 * Reads a record into freshly initialised contents. Also returns 0 if the record is cut short
 * (c->ended is then false, the verdict VERDICT_CUT_SHORT), or if something was lost, changed or
 * added. Damaged parts are left out, the verdict is VERDICT_DAMAGED unless the session failed, and
 * notes describe the damage. ERR_USAGE: it cannot be read, is not a record, has a later version or
 * impossible contents, or its plan cannot be read.
 */
int record_read(struct contents *c, const char *path, struct err *e);

#endif
