/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a record, around damage and up to its last whole chunk. Nothing in the file is trusted
   before its checksum. */
#include "run/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/file.h"

#define RECORD_MAX_BYTES  ((size_t)1 << 31)
#define SEARCH_MOST_BYTES ((size_t)1 << 30)

enum { HEAD_BYTES = 16, FRAME_BYTES = 12 };

/* What is left of a chunk's payload. `short_of` is set by any read past its end. */
struct payload {
    const unsigned char *at, *end;
    bool short_of;
};

static uint8_t get_u8(struct payload *p)
{
    if (p->at == p->end) {
        p->short_of = true;
        return 0;
    }
    return *p->at++;
}

static uint32_t get_u32(struct payload *p)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v |= (uint32_t)get_u8(p) << (8 * i);
    return v;
}

static uint64_t get_number(struct payload *p)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_u8(p);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    p->short_of = true;
    return 0;
}

static double get_seconds(struct payload *p)
{
    return (double)get_number(p) * 1e-9;
}

/* A text ended by NUL, inside the payload; "" when there is none. */
static const char *get_text(struct payload *p)
{
    const unsigned char *nul = memchr(p->at, 0, (size_t)(p->end - p->at));
    if (!nul) {
        p->short_of = true;
        return "";
    }
    const char *text = (const char *)p->at;
    p->at = nul + 1;
    return text;
}

static struct slice get_slice(struct payload *p)
{
    struct slice slice;
    for (int op = 0; op < IO_OPS; op++) {
        slice.op[op].ios = get_number(p);
        slice.op[op].bytes = get_number(p);
        slice.op[op].latency_ns = get_number(p);
        slice.op[op].errors = get_number(p);
    }
    return slice;
}

static void get_histogram(struct payload *p, struct interval_histogram *h)
{
    h->min = get_number(p);
    h->max = get_number(p);
    h->over = get_number(p);
    size_t last = 0;
    for (;;) {
        uint64_t step = get_number(p);
        if (!step)
            return;
        if (step > HISTOGRAM_BUCKETS - last) {
            p->short_of = true;
            return;
        }
        last += (size_t)step;
        h->count[last - 1] = (uint32_t)get_number(p);
    }
}

static int read_plan(struct contents *c, struct payload *p, struct err *e)
{
    struct plan plan;
    if (plan_read(&plan, (const char *)p->at, (size_t)(p->end - p->at), e))
        return -1;
    c->plan = plan;
    return 0;
}

static void read_fact(struct contents *c, struct payload *p)
{
    struct facts *list = get_u8(p) == 0 ? &c->settings : &c->hardware;
    const char *node = get_text(p), *key = get_text(p), *value = get_text(p);
    const char *unit = get_text(p), *source = get_text(p);
    uint8_t status = get_u8(p);
    if (status > FACT_INVALID)
        p->short_of = true;
    if (!p->short_of)
        facts_add(list, node, key, value, unit, source, (enum fact_status)status);
}

/* Once, and before the slices it is the length of. */
static void read_slice_length(struct contents *c, struct payload *p)
{
    double seconds = get_seconds(p);
    if (!(seconds > 0) || c->measurement.original_slices)
        p->short_of = true;
    if (!p->short_of)
        c->measurement.slice_seconds = seconds;
}

static void read_batch(struct contents *c, struct payload *p)
{
    struct batch batch;
    batch_clear(&batch);
    uint64_t count = get_number(p);
    if (count > INTERVAL_SLICES || !c->measurement.round_count ||
        !(c->measurement.slice_seconds > 0)) {
        p->short_of = true;
        return;
    }
    batch.slice_count = (unsigned)count;
    for (unsigned i = 0; i < batch.slice_count; i++)
        batch.slices[i] = get_slice(p);
    batch.blocks = get_number(p);
    batch.busy_ns = get_number(p);
    batch.lost_slices = get_number(p);
    for (int op = 0; op < IO_OPS; op++)
        get_histogram(p, &batch.latency[op]);
    if (!p->short_of)
        measurement_add(&c->measurement, &batch);
}

static int read_round_begin(struct contents *c, struct payload *p, struct err *e)
{
    bool trial = get_u8(p) != 0;
    return measurement_begin_round(&c->measurement, trial, get_seconds(p), e);
}

static void read_round_end(struct contents *c, struct payload *p)
{
    double seconds = get_seconds(p);
    struct slice total = get_slice(p);
    if (!c->measurement.round_count)
        p->short_of = true;
    if (!p->short_of)
        measurement_end_round(&c->measurement, seconds, &total);
}

static void read_overhead(struct contents *c, struct payload *p)
{
    double *to[4] = {&c->overhead.null_ns, &c->overhead.recorded_iops, &c->overhead.unrecorded_iops,
                     &c->overhead.noise_share};
    for (int i = 0; i < 4; i++) {
        uint64_t bits = get_u32(p);
        bits |= (uint64_t)get_u32(p) << 32;
        memcpy(to[i], &bits, 8);
    }
}

static void read_note(struct contents *c, struct payload *p)
{
    bool warning = get_u8(p) != 0;
    const char *text = get_text(p);
    if (!p->short_of)
        contents_note(c, warning, "%s", text);
}

static void read_done(struct contents *c, struct payload *p)
{
    uint8_t verdict = get_u8(p);
    c->elapsed_seconds = get_seconds(p);
    c->records_seen = get_number(p);
    c->records_lost = get_number(p);
    snprintf(c->failure, sizeof c->failure, "%s", get_text(p));
    if (verdict > VERDICT_CUT_SHORT)
        p->short_of = true;
    c->verdict = (enum verdict)verdict;
    c->ended = !p->short_of;
}

/* 0, or -1 when the payload is not what its type says. Unknown types are skipped. */
static int read_payload(struct contents *c, uint32_t type, struct payload *p, struct err *e)
{
    switch (type) {
    case RECORD_TYPE('P', 'L', 'A', 'N'):
        return read_plan(c, p, e);
    case RECORD_TYPE('F', 'A', 'C', 'T'):
        read_fact(c, p);
        break;
    case RECORD_TYPE('S', 'L', 'E', 'N'):
        read_slice_length(c, p);
        break;
    case RECORD_TYPE('R', 'B', 'E', 'G'):
        if (read_round_begin(c, p, e))
            return -1;
        break;
    case RECORD_TYPE('B', 'T', 'C', 'H'):
        read_batch(c, p);
        break;
    case RECORD_TYPE('R', 'E', 'N', 'D'):
        read_round_end(c, p);
        break;
    case RECORD_TYPE('O', 'V', 'E', 'R'):
        read_overhead(c, p);
        break;
    case RECORD_TYPE('N', 'O', 'T', 'E'):
        read_note(c, p);
        break;
    case RECORD_TYPE('D', 'O', 'N', 'E'):
        read_done(c, p);
        break;
    default:
        return 0;
    }
    return p->short_of ? err_set(e, ERR_USAGE, "a chunk says less than its type asks for") : 0;
}

static bool is_known(uint32_t type)
{
#define CHUNK_TYPE(name) RECORD_TYPE(#name[0], #name[1], #name[2], #name[3]),
    const uint32_t known[] = {RECORD_CHUNKS(CHUNK_TYPE)};
#undef CHUNK_TYPE
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == type)
            return true;
    return false;
}

/* What stands in the file, how far it was read, and what was left out on the way. */
struct reading {
    const unsigned char *data;
    size_t size, at;
    size_t damaged_from, damaged; /* bytes left out before `at` */
    bool in_round;                /* between the begin of a round and its end */
    size_t search_left;           /* bytes that a search may still compute checksums of */
};

struct chunk {
    uint32_t type;
    struct payload payload;
    size_t bytes; /* with its frame */
};

/* The type and the length at `at`; false when the file ends before the chunk does. */
static bool frame_at(const struct reading *r, size_t at, struct chunk *chunk)
{
    if (r->size - at < FRAME_BYTES)
        return false;
    const unsigned char *from = r->data + at;
    struct payload head = {from, from + 8, false};
    chunk->type = get_u32(&head);
    size_t length = get_u32(&head);
    if (length > r->size - at - FRAME_BYTES)
        return false;
    chunk->payload = (struct payload){from + 8, from + 8 + length, false};
    chunk->bytes = length + FRAME_BYTES;
    return true;
}

static bool is_intact(const struct chunk *chunk)
{
    const unsigned char *end = chunk->payload.end;
    struct payload tail = {end, end + 4, false};
    return get_u32(&tail) == crc32c(0, chunk->payload.at - 8, chunk->bytes - 4);
}

static void leave_out(struct reading *r, size_t bytes)
{
    if (!r->damaged)
        r->damaged_from = r->at;
    r->damaged += bytes;
    r->at += bytes;
}

/*
 * From a damaged chunk on to the next whole one of a known type. False when there is none. The
 * writer's buffer bounds a chunk, and a budget the work that a file made for this purpose can ask
 * for.
 */
static bool find_next_chunk(struct reading *r)
{
    struct chunk chunk;
    for (size_t at = r->at + 1; r->size - at >= FRAME_BYTES; at++) {
        if (!frame_at(r, at, &chunk) || !is_known(chunk.type) || chunk.bytes > RECORD_BUFFER)
            continue;
        if (chunk.bytes > r->search_left)
            return false;
        r->search_left -= chunk.bytes;
        if (is_intact(&chunk)) {
            leave_out(r, at - r->at);
            return true;
        }
    }
    return false;
}

/* A part of a round whose begin was damaged: it must not be counted to the round before. */
static bool is_orphan(const struct reading *r, uint32_t type)
{
    bool of_round =
        type == RECORD_TYPE('B', 'T', 'C', 'H') || type == RECORD_TYPE('R', 'E', 'N', 'D');
    return r->damaged && !r->in_round && of_round;
}

static void follow_rounds(struct reading *r, uint32_t type)
{
    if (type == RECORD_TYPE('R', 'B', 'E', 'G'))
        r->in_round = true;
    if (type == RECORD_TYPE('R', 'E', 'N', 'D'))
        r->in_round = false;
}

/*
 * Read chunks until the rest holds no whole one, and leave out damaged ones between. A chunk that
 * came whole but says nonsense ends it as well, and `nonsense` says why; behind damage it may
 * merely lack what was lost, and is left out.
 */
static void read_chunks(struct contents *c, struct reading *r, struct err *nonsense)
{
    struct chunk chunk;
    while (r->size > r->at) {
        if (!frame_at(r, r->at, &chunk) || !is_intact(&chunk)) {
            if (!find_next_chunk(r))
                return;
            continue;
        }
        struct err why = {0};
        if (is_orphan(r, chunk.type) || read_payload(c, chunk.type, &chunk.payload, &why)) {
            if (!r->damaged) {
                *nonsense = why;
                return;
            }
            leave_out(r, chunk.bytes);
            continue;
        }
        follow_rounds(r, chunk.type);
        r->at += chunk.bytes;
    }
}

static void note_damage(struct contents *c, const struct reading *r)
{
    if (r->damaged)
        contents_note(c, true, "%zu bytes of the record were damaged and left out (from byte %zu)",
                      r->damaged, r->damaged_from);
    if (r->at < r->size)
        contents_note(c, true, "the record %s up to byte %zu of %zu; the rest was not used",
                      r->damaged ? "was read" : "is whole", r->at, r->size);
}

static int read_data(struct contents *c, const char *path, const unsigned char *data, size_t size,
                     struct err *e)
{
    if (size < HEAD_BYTES)
        return err_set(e, ERR_USAGE, "%s: not a cupel record", path);
    struct payload head = {data + 8, data + 12, false};
    uint32_t version = get_u32(&head);
    if (version < 1)
        return err_set(e, ERR_USAGE, "%s: damaged: a record has no version 0", path);
    if (version > RECORD_VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: its format is version %u, this program reads up to %d: use a newer one",
                       path, version, RECORD_VERSION);

    struct reading r = {
        .data = data, .size = size, .at = HEAD_BYTES, .search_left = SEARCH_MOST_BYTES};
    struct err nonsense = {0};
    read_chunks(c, &r, &nonsense);
    if (!c->plan.block_size && nonsense.code)
        return err_set(e, ERR_USAGE, "%s: %s", path, nonsense.msg);
    if (!c->plan.block_size)
        return err_set(e, ERR_USAGE, "%s: damaged from byte %zu on, %s", path,
                       r.damaged ? r.damaged_from : r.at,
                       r.damaged ? "where its plan stood" : "before any measurement");
    if (!c->ended)
        c->verdict = VERDICT_CUT_SHORT;
    note_damage(c, &r);
    return 0;
}

int record_read(struct contents *c, const char *path, struct err *e)
{
    char *data = NULL;
    size_t size = 0;
    if (file_read_kind(path, "CUPELREC", "a cupel record", RECORD_MAX_BYTES, &data, &size, e))
        return -1;
    int failed = read_data(c, path, (const unsigned char *)data, size, e);
    free(data);
    return failed;
}
