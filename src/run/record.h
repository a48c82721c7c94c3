/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The record file: everything needed to compute a result again, readable around damage and up to
 * the last whole chunk.
 *
 * Layout, little endian: "CUPELREC", u32 version, u32 0; then chunks of u32 type, u32 length,
 * payload, u32 CRC-32C of type, length and payload. A reader of this version refuses a higher
 * version and skips chunks whose type it does not know. Behind a damaged chunk it goes on at the
 * next chunk of a known type whose checksum is right; where there is none, what stands before
 * counts. Numbers in payloads are LEB128 unless a comment says otherwise.
 *
 *   PLAN  text, key=value lines (run/plan.h)
 *   NODE  name, kind, name of the parent ("": none) of a node of the hardware, each ended by NUL
 *   FACT  u8 list (0 settings, 1 hardware), then node, key, value, unit, source (each ended by
 *         NUL), u8 status
 *   SLEN  length of a slice in ns
 *   RBEG  u8 trial; begin in ns since the session began
 *   TIMG  of the batch that follows, when its requests had due times: the number of slices, their
 *         timings, histograms of issue errors and of service times
 *   BTCH  a batch (run/measurement.h); of older versions without the bytes asked for and the busy
 *         time of each slice, which come last
 *   REND  length in ns; the totals of a slice
 *   GAUG  a gauge: node, key, unit; limit (double); in the order of SMPL's values
 *   PART  a part of the data path or beside it: u8 flags, name, kind, measure; depth; its limits
 *         (doubles) and the gauges that tell of it
 *   PATH  the path's limits (doubles), u8 complete, edges as pairs of parts, then for reads and
 *         for writes the part that limits it + 1 (0: none)
 *   SMPL  time in ns since the session began, u8 counts; the gauges' values (floats)
 *   OWNS  name of a core; share of its time that workers used in measured rounds (double)
 *   EVNT  time in s since the session began (double), text
 *   OVER  the four doubles of struct overhead, IEEE 754
 *   BLKL  the seven doubles of struct block_layer
 *   AWAY  a suspension of the program: begin in ns since the session began, length in ns
 *   NOTE  u8 warning, text
 *   FIDE  what the trace of a replay was like: index of the first number, how many, the numbers
 *         (fidelity_number of run/fidelity.h)
 *   LATE  the totals of struct timing_totals
 *   DONE  u8 verdict; elapsed ns; records seen, lost; text of the failure
 */
#ifndef CUPEL_RUN_RECORD_H
#define CUPEL_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "run/contents.h"

#define RECORD_VERSION 1

#define RECORD_CHUNKS(CHUNK)                                                                       \
    CHUNK(PLAN)                                                                                    \
    CHUNK(NODE)                                                                                    \
    CHUNK(FACT)                                                                                    \
    CHUNK(SLEN)                                                                                    \
    CHUNK(RBEG)                                                                                    \
    CHUNK(TIMG)                                                                                    \
    CHUNK(BTCH)                                                                                    \
    CHUNK(REND)                                                                                    \
    CHUNK(GAUG)                                                                                    \
    CHUNK(PART)                                                                                    \
    CHUNK(PATH)                                                                                    \
    CHUNK(SMPL)                                                                                    \
    CHUNK(OWNS)                                                                                    \
    CHUNK(EVNT)                                                                                    \
    CHUNK(OVER)                                                                                    \
    CHUNK(BLKL)                                                                                    \
    CHUNK(AWAY)                                                                                    \
    CHUNK(NOTE)                                                                                    \
    CHUNK(FIDE)                                                                                    \
    CHUNK(LATE)                                                                                    \
    CHUNK(DONE)

/* A chunk's type is its four letters, first one in the lowest byte. */
#define RECORD_TYPE(a, b, c, d)                                                                    \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/*
 * The writer. Chunks gather in a fixed buffer and go to the file when record_flush is called or the
 * buffer fills up. A write that fails (disk full) is remembered in `error`, once; the session goes
 * on without a record from there. A writer with fd -1 writes nothing.
 */
struct record_writer {
    int fd;
    char path[1100];
    unsigned char *buffer;
    size_t used, capacity;
    size_t chunk; /* where the open chunk begins */
    size_t settings_written;
    int nodes_written, facts_written; /* of the hardware */
    struct err error;
};

#define RECORD_BUFFER (512 * 1024)

/* `path` NULL: no record. ERR_USAGE when the file exists or cannot be made. */
int record_create(struct record_writer *w, const char *path, struct arena *arena, struct err *e);
void record_plan(struct record_writer *w, const struct plan *plan);
void record_facts(struct record_writer *w, const struct contents *c); /* those not yet written */
void record_slice_length(struct record_writer *w, double seconds);
void record_watch(struct record_writer *w, const struct watch *watch); /* gauges, parts, path */
void record_sample(struct record_writer *w, const struct watch *watch,
                   const struct watch_sample *sample);
void record_own(struct record_writer *w, const struct watch *watch);
void record_events(struct record_writer *w, const struct watch *watch);
void record_suspension(struct record_writer *w, const struct suspended *suspended);
void record_begin_round(struct record_writer *w, const struct round *round);
void record_batch(struct record_writer *w, const struct batch *batch);
void record_end_round(struct record_writer *w, const struct round *round);
void record_end(struct record_writer *w, const struct contents *c);
void record_flush(struct record_writer *w);
void record_close(struct record_writer *w);
void record_remove(
    struct record_writer *w); /* before it is closed: the file, if it is still that */

/*
 * Read a record into freshly initialised contents. 0 also when it breaks off (c->ended is then
 * false and a note says where) or has damaged parts (left out; a note says how many bytes).
 * ERR_USAGE: cannot be read, no record, a later version, or without a plan that could be read.
 */
int record_read(struct contents *c, const char *path, struct err *e);

#endif
