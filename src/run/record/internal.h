/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/record share. */
#ifndef CUPEL_RUN_RECORD_INTERNAL_H
#define CUPEL_RUN_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/durable/chunk_file.h"
#include "base/durable/payload.h"
#include "run/record/contents.h"
#include "run/record/record.h"
#include "run/record/record_scan.h"

/* ---- the frame of the file: run/record/record.h describes the layout ---- */

/* Longest payload: a batch with all buckets in use and counts of 35 bits is below 40 KiB, its
   timing below 64 KiB, a plan below 8 KiB. */
enum { RECORD_CHUNK_MAX = 128 * 1024, RECORD_IDENTITY_AT = 12 /* in the head */ };

/* The frames of formats 2 and later, and of format 1. */
extern const struct chunk_form record_form, record_form_1;

/* A row of RECORD_CHUNKS. */
struct record_kind_row {
    char name[5];
    uint32_t type;
    bool once; /* a second chunk of this kind in a record is an error */
    const char *words;
};

extern const struct record_kind_row record_kinds[RECORD_KINDS];

/* ---- record_chunk.c: writing a chunk ---- */

/* Begins a chunk. Returns false if there is no record to write to; in that case nothing must be
   put, and the chunk must not be ended. At most RECORD_CHUNK_MAX bytes may be put. */
bool chunk_begin(struct record_writer *w, enum record_kind kind);
void chunk_end(struct record_writer *w);

/* Writes the end of the record, LAST. */
void chunk_put_last(struct record_writer *w);

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n);
void chunk_put_u8(struct record_writer *w, uint8_t v);
void chunk_put_number(struct record_writer *w, uint64_t v);      /* as LEB128 */
void chunk_put_seconds(struct record_writer *w, double seconds); /* as whole ns */
void chunk_put_double(struct record_writer *w, double v); /* IEEE 754; infinite values become NaN */
void chunk_put_float(struct record_writer *w, float v);
void chunk_put_text(struct record_writer *w, const char *s); /* the text, with a NUL at the end */

/* ---- record_chunk.c: limits of what a payload may hold ---- */

/* Maximum length of a session, and of any time in it. */
#define PAYLOAD_SECONDS_MAX 1e9
#define PAYLOAD_NS_MAX      1000000000000000000u
/* Limit of I/Os, blocks, slices and bucket counts. */
#define PAYLOAD_COUNT_MAX 1000000000000000u
#define PAYLOAD_BYTES_MAX 1000000000000000000u /* limit of the bytes of a slice or a round */
#define PAYLOAD_RATE_MAX  1e18                 /* limit in bytes/s or I/Os per second */

double payload_seconds(struct payload *p); /* reads what chunk_put_seconds wrote */

/* ---- record_walk.c: from chunk to chunk of a file ---- */

enum { RECORD_WALK_BUFFER = 256 * 1024 }; /* large enough for the longest chunk */

struct record_walk {
    int fd;
    char *path;
    bool grows; /* the file may grow */
    int read_error;
    struct err failure; /* code 0: no failure */

    unsigned char *buffer; /* [RECORD_WALK_BUFFER] */
    size_t held;           /* bytes in the buffer */
    uint64_t base;         /* position of the buffer in the file */
    uint64_t size;         /* size of the file at the time when record_walk_rest closed it */

    unsigned version; /* 0: the head was not read yet */
    const struct chunk_form *form;
    uint32_t seed;   /* initial value of the chunks' checksums */
    uint32_t number; /* expected number of the next chunk */
    uint32_t all;    /* CRC-32C over the checksums of all chunks so far */
    uint32_t seen[RECORD_KINDS];
    enum record_kind kind; /* kind of the chunk that was given last; RECORD_KINDS: unknown */
    bool after_gap;        /* chunks before the current one are missing */
    uint64_t at;           /* position in the file of the next chunk, or of the begin of damage */

    struct record_damage damage;
    uint32_t lost[RECORD_KINDS]; /* chunks lost, according to LAST */
    /* after damage: position up to which the file was searched, beyond `at` */
    uint64_t search_at;
    uint64_t search_left; /* bytes for which searches may still compute checksums */
    bool counted_rest;
};

/* Opens the record; record_walk_close closes it. ERR_USAGE: there is no such file. ERR_MACHINE: no
   memory. */
int record_walk_open(struct record_walk *w, const char *path, bool grows, struct err *e);
void record_walk_close(struct record_walk *w);
/* Closes the file and frees the buffer until the next record_walk_next. */
void record_walk_rest(struct record_walk *w);

/* Gives the next whole chunk in the order of the file. The caller hands each chunk back with
   record_walk_pass. */
enum record_scan_state record_walk_next(struct record_walk *w, struct chunk *chunk, struct err *e);

/* Returns the chunk's payload. The payload is already refused if the kind is unknown, or if the
   kind occurred before and may occur only once. The payload of LAST is read here. */
struct payload record_walk_payload(struct record_walk *w, const struct chunk *chunk,
                                   struct err *why);

/*
 * Continues after a chunk whose payload was read or refused. Returns -1 if the payload was refused
 * although no earlier chunk is lost, which is an error of the whole record. After a loss, a refused
 * chunk is left out, because it may depend on a lost one.
 */
int record_walk_pass(struct record_walk *w, const struct chunk *chunk, struct payload *p,
                     struct err *e);

bool record_walk_has_lost(const struct record_walk *w);
/* Returns the verdict at the end of the record; `own` is the verdict that the session stored. */
enum verdict record_walk_verdict(const struct record_walk *w, enum verdict own);

/* ---- record_batch.c: rounds and batches, used by all readers ---- */

/* Notes that chunks are missing: the next batch may depend on them. */
void timeline_gap(struct record_timeline *t);

/* Reads a payload. Nothing is changed if it is refused. */
void timeline_read_slice_length(struct record_timeline *t, struct payload *p);
void timeline_read_when(struct record_timeline *t, struct payload *p);
void timeline_read_span(struct record_timeline *t, struct payload *p);
void timeline_read_round_begin(struct record_timeline *t, struct payload *p,
                               struct record_round *round);
void timeline_read_round_end(struct record_timeline *t, struct payload *p,
                             struct record_round *round);
/* Reads the busy stretches (times with I/O in flight) of the batch that follows. */
void timeline_read_stretches(struct record_timeline *t, struct payload *p,
                             struct record_batch *batch);
void timeline_read_timing(struct record_timeline *t, struct payload *p,
                          struct record_timing *timing);
/* Reads a batch. `timing` has the values of the TIMG before the batch, for batch->timing. */
void timeline_read_batch(struct record_timeline *t, struct payload *p, struct record_batch *batch,
                         const struct record_timing *timing);

void timeline_read_job(const struct record_timeline *t, struct payload *p, struct record_job *job);

void payload_histogram(struct payload *p, struct sparse_histogram *h);

/* ---- record_read.c, record_payload.c: all other kinds ---- */

void payload_plan(struct payload *p, struct plan *plan);
void payload_host(struct payload *p, struct host_identity *host);
void payload_clock(struct payload *p, struct clock_error *clock);
void payload_fact(struct payload *p, struct record_fact *fact);
void payload_note(struct payload *p, struct record_note *note);
void payload_done(struct payload *p, struct record_done *done);
/* Reads LATE, and the DUES chunk that follows it. */
void payload_timing_totals(struct payload *p, struct timing_totals *to);
void payload_never_issued(struct payload *p, struct timing_totals *to);

/* ---- the readers ---- */

/* Working memory of record_read besides the contents. */
struct record_pieces {
    struct record_batch batch;
    struct record_timing timing;
    struct record_job job;
    struct sparse_histogram kind; /* histogram of one kind of requests, from KIND */
    struct batch whole;           /* a batch with all of its buckets */
    struct interval_histogram job_latency[OPERATIONS];
};

/* Checks that the whole payload was read. */
void payload_end(struct payload *p);

/* Reads the payload of one kind of chunk. */
typedef void record_reader(struct contents *c, struct payload *p);

/* The reader of a kind of chunk, for kinds that one file both writes and reads. Each such file has
   a table of these rows. */
struct record_reader_row {
    enum record_kind kind;
    record_reader *read; /* NULL: the end of the table */
};

extern const struct record_reader_row record_watch_readers[], record_kernel_log_readers[],
    record_slowest_readers[];

#endif
