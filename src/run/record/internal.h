/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/run/record share. */
#ifndef CUPEL_RUN_RECORD_INTERNAL_H
#define CUPEL_RUN_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "run/record/contents.h"
#include "run/record/record.h"
#include "run/record/record_scan.h"

/* ---- the frame of the file: run/record/record.h has the layout ---- */

enum {
    RECORD_HEAD_BYTES = 24,
    RECORD_FRAME_BYTES = 16, /* of a chunk, around its payload */
    RECORD_OLD_HEAD_BYTES = 16,
    RECORD_OLD_FRAME_BYTES = 12, /* format 1 */

    /* No payload is longer: a batch with all buckets in use and counts of 35 bits is below 40 KiB,
       its timing below 64 KiB, a plan below 8 KiB. */
    RECORD_CHUNK_MAX = 128 * 1024,
};

/* A row of RECORD_CHUNKS. */
struct record_kind_row {
    char name[5];
    uint32_t type;
    bool once; /* a second one is an error */
    const char *words;
};

extern const struct record_kind_row record_kinds[RECORD_KINDS];

/* RECORD_KINDS: there is none of that type. */
enum record_kind record_kind_of(uint32_t type);

/* ---- record_chunk.c: writing a chunk ---- */

/* False when there is no record to write to: then nothing is put, and the chunk not ended. Between
   begin and end at most RECORD_CHUNK_MAX are put. */
bool chunk_begin(struct record_writer *w, enum record_kind kind);
void chunk_end(struct record_writer *w);

/* The end of the record: LAST. */
void chunk_put_last(struct record_writer *w);

void chunk_put_bytes(struct record_writer *w, const void *bytes, size_t n);
void chunk_put_u8(struct record_writer *w, uint8_t v);
void chunk_put_u32(struct record_writer *w, uint32_t v);
void chunk_put_number(struct record_writer *w, uint64_t v);      /* LEB128 */
void chunk_put_seconds(struct record_writer *w, double seconds); /* as whole ns */
void chunk_put_double(struct record_writer *w, double v); /* IEEE 754; NaN when it is infinite */
void chunk_put_float(struct record_writer *w, float v);
void chunk_put_text(struct record_writer *w, const char *s); /* ended by NUL */

/* ---- record_chunk.c: reading a payload whose checksum is right ---- */

/*
 * One reader a kind takes the fields one after the other, and puts them into the contents when
 * nothing was refused. Every number has limits: a value that no session can have measured is
 * refused, not computed with.
 */

/* No session is longer, and no time in it. */
#define PAYLOAD_SECONDS_MAX 1e9
#define PAYLOAD_NS_MAX      1000000000000000000u
#define PAYLOAD_COUNT_MAX   1000000000000000u    /* I/Os, blocks, slices, of a bucket */
#define PAYLOAD_BYTES_MAX   1000000000000000000u /* of a slice or a round */
#define PAYLOAD_RATE_MAX    1e18                 /* bytes/s, I/Os per second */

/* The rest of a chunk's payload. */
struct payload {
    const unsigned char *at, *end; /* of the file's bytes, which the walk owns */
    unsigned version;              /* of the record's format */
    bool lossy;                    /* chunks before this one were lost: it may need one of them */
    bool refused;
    struct err *why; /* of the first refusal */
};

void payload_refuse(struct payload *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Take one piece, as chunk_put_... wrote it. A text stays in the payload.
 * Past the end, or outside of the limits, the payload is refused and 0 or "" returned.
 */
uint8_t payload_u8(struct payload *p);
uint32_t payload_u32(struct payload *p);
uint64_t payload_number(struct payload *p, uint64_t max);
bool payload_flag(struct payload *p); /* u8 0 or 1 */
double payload_seconds(struct payload *p);
double payload_double(struct payload *p, double min, double max);
double payload_measure(struct payload *p, double min, double max); /* or NaN: not known */
float payload_float(struct payload *p);                            /* finite, or NaN */
const char *payload_text(struct payload *p);

/* ---- record_walk.c: from chunk to chunk of a file ---- */

enum { RECORD_WALK_BUFFER = 256 * 1024 }; /* holds the longest chunk */

struct chunk {
    enum record_kind kind; /* RECORD_KINDS: none that is known */
    uint32_t number;
    bool after_gap;               /* chunks before it are missing */
    const unsigned char *payload; /* in the walk's buffer, until the next call */
    size_t length, bytes;         /* bytes: with its frame */
};

struct record_walk {
    int fd;
    char *path;
    bool grows; /* at the end of the file there may be more later */
    int read_error;
    struct err failure; /* code 0: none */

    unsigned char *buffer; /* RECORD_WALK_BUFFER */
    size_t held;           /* bytes in it */
    uint64_t base;         /* where in the file it begins */
    uint64_t size;         /* of the file, when it was put to rest */

    unsigned version; /* 0: its head was not read yet */
    uint64_t identity;
    size_t frame_bytes;
    uint32_t seed;   /* with which checksums of chunks begin */
    uint32_t number; /* that the next chunk should have */
    uint32_t all;    /* CRC-32C over the checksums of the chunks so far */
    uint32_t seen[RECORD_KINDS];
    uint64_t at; /* of the file: the next chunk, or where the damage begins */

    struct record_damage damage;
    uint32_t lost[RECORD_KINDS]; /* by LAST */
    uint64_t search_at;          /* beyond `at`: after damage, how far it was searched */
    uint64_t search_left;        /* bytes that searches may still compute checksums of */
    bool counted_rest;
};

/* ERR_USAGE: there is no such file; ERR_MACHINE without memory. To be closed otherwise. */
int record_walk_open(struct record_walk *w, const char *path, bool grows, struct err *e);
void record_walk_close(struct record_walk *w);
/* Without its file and buffer until record_walk_next. */
void record_walk_rest(struct record_walk *w);

/* The next whole chunk in its place; each is handed back with record_walk_pass. */
enum record_scan_state record_walk_next(struct record_walk *w, struct chunk *chunk, struct err *e);

/* Its payload; refused already when the kind is not known or came before. LAST is read here. */
struct payload record_walk_payload(struct record_walk *w, const struct chunk *chunk,
                                   struct err *why);

/*
 * Go on after a chunk, whose payload was read or refused. -1: it was refused although nothing
 * before it is lost, which is an error of the whole record. After a loss it may merely lack what
 * was lost: it is left out.
 */
int record_walk_pass(struct record_walk *w, const struct chunk *chunk, struct payload *p,
                     struct err *e);

bool record_walk_has_lost(const struct record_walk *w);
/* At the end, of the verdict that the session gave itself. */
enum verdict record_walk_verdict(const struct record_walk *w, enum verdict own);

/* ---- record_batch.c: rounds and batches, for all readers ---- */

/* Chunks are missing: what the next batch depends on may be among them. */
void timeline_gap(struct record_timeline *t);

/* Read a payload; nothing is changed when it is refused. */
void timeline_read_slice_length(struct record_timeline *t, struct payload *p);
void timeline_read_when(struct record_timeline *t, struct payload *p);
void timeline_read_span(struct record_timeline *t, struct payload *p);
void timeline_read_round_begin(struct record_timeline *t, struct payload *p,
                               struct record_round *round);
void timeline_read_round_end(struct record_timeline *t, struct payload *p,
                             struct record_round *round);
/* Into the batch that follows. */
void timeline_read_stretches(struct record_timeline *t, struct payload *p,
                             struct record_batch *batch);
void timeline_read_timing(struct record_timeline *t, struct payload *p,
                          struct record_timing *timing);
/* `timing`: into which TIMG was read, for batch->timing. */
void timeline_read_batch(struct record_timeline *t, struct payload *p, struct record_batch *batch,
                         const struct record_timing *timing);

void timeline_read_job(const struct record_timeline *t, struct payload *p, struct record_job *job);

void payload_histogram(struct payload *p, struct sparse_histogram *h);
/* All its values; buckets that are not in use become 0. */
void sparse_histogram_spread(const struct sparse_histogram *h, struct interval_histogram *to);

/* ---- record_payload.c: the other kinds ---- */

void payload_plan(struct payload *p, struct plan *plan);
void payload_host(struct payload *p, struct host_identity *host);
void payload_clock(struct payload *p, struct clock_error *clock);
void payload_fact(struct payload *p, struct record_fact *fact);
void payload_note(struct payload *p, struct record_note *note);
void payload_done(struct payload *p, struct record_done *done);
/* Of LATE, and then of DUES, which follows it. */
void payload_timing_totals(struct payload *p, struct timing_totals *to);
void payload_never_issued(struct payload *p, struct timing_totals *to);

/* ---- the readers ---- */

/* What record_read needs beside the contents. */
struct record_pieces {
    struct record_batch batch;
    struct record_timing timing;
    struct record_job job;
    struct sparse_histogram kind; /* of requests, out of KIND */
    struct batch whole;           /* the batch, with all its buckets */
    struct interval_histogram job_latency[IO_OPS];
};

/* record_payload.c: put the payload of a chunk of this kind into `c`. */
void payload_read(struct contents *c, struct record_pieces *pieces, enum record_kind kind,
                  struct payload *p);
/* All of the payload was read. */
void payload_end(struct payload *p);

/* record_watch.c: readers of the watched machine's chunks. */
void record_read_gauge(struct contents *c, struct payload *p);
void record_read_part(struct contents *c, struct payload *p);
void record_read_path(struct contents *c, struct payload *p);
void record_read_sample(struct contents *c, struct payload *p);
void record_read_own(struct contents *c, struct payload *p);
void record_read_event(struct contents *c, struct payload *p);

/* record_kernel_log.c */
void record_read_kernel_line(struct contents *c, struct payload *p);
void record_read_kernel_log(struct contents *c, struct payload *p);

/* record_slowest.c: the slowest requests. */
void record_read_slowest(struct contents *c, struct payload *p);

#endif
