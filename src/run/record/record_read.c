/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a record: its chunks in order, around damage and up to its last whole chunk. Nothing in
   the file is trusted before its checksum. */
#include "run/record/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/file.h"
#include "run/record/internal.h"

#define RECORD_MAX_BYTES ((size_t)1 << 31)
#define SEARCH_MAX_BYTES ((size_t)1 << 30)
/* Notes on losses must find room beside the session's own. */
#define NOTES_ON_DAMAGE 5

struct reading {
    const unsigned char *data;
    size_t size, at;
    unsigned version;
    size_t frame_bytes;
    uint32_t seed;   /* with which checksums of chunks begin */
    uint32_t number; /* that the next chunk should have */
    uint32_t all;    /* CRC-32C over the checksums of the chunks so far */
    uint32_t seen[RECORD_KINDS];
    bool ended; /* DONE of format 1, LAST */

    /* the losses */
    size_t damaged_from, damaged; /* bytes left out before `at` */
    uint64_t missing;             /* chunks, by their numbers */
    uint64_t misplaced;           /* chunks that came again, or too late */
    bool is_not_as_written;       /* LAST counts others, or has another checksum */
    uint32_t lost[RECORD_KINDS];  /* by LAST */
    size_t search_left;           /* bytes that a search may still compute checksums of */
};

struct chunk {
    enum record_kind kind; /* RECORD_KINDS: none that is known */
    uint32_t number;
    const unsigned char *payload;
    size_t length, bytes; /* bytes: with its frame */
};

/* The chunk at `at`; false when the file ends before the chunk does. */
static bool chunk_at(const struct reading *r, size_t at, struct chunk *chunk)
{
    if (r->size - at < r->frame_bytes)
        return false;
    const unsigned char *from = r->data + at;
    size_t length = load_le32(from + 4);
    if (length > r->size - at - r->frame_bytes)
        return false;
    *chunk = (struct chunk){.kind = record_kind_of(load_le32(from)),
                            .number = r->version < 2 ? r->number : load_le32(from + 8),
                            .payload = from + r->frame_bytes - 4,
                            .length = length,
                            .bytes = length + r->frame_bytes};
    return true;
}

static bool is_intact(const struct reading *r, const struct chunk *chunk)
{
    const unsigned char *end = chunk->payload + chunk->length;
    return load_le32(end) == crc32c(r->seed, end + 4 - chunk->bytes, chunk->bytes - 4);
}

static bool has_lost(const struct reading *r)
{
    return r->damaged || r->missing || r->misplaced;
}

static void leave_out(struct reading *r, size_t bytes)
{
    if (!r->damaged)
        r->damaged_from = r->at;
    r->damaged += bytes;
    r->at += bytes;
}

/*
 * From a damaged chunk on to the next whole one of a known kind. False when there is none. The
 * writer's buffer bounds a chunk, and a budget the work that a file made for this purpose can ask
 * for.
 */
static bool find_next_chunk(struct reading *r)
{
    struct chunk chunk;
    for (size_t at = r->at + 1; r->size - at >= r->frame_bytes; at++) {
        if (!chunk_at(r, at, &chunk) || chunk.kind == RECORD_KINDS || chunk.bytes > RECORD_BUFFER)
            continue;
        if (chunk.bytes > r->search_left)
            return false;
        r->search_left -= chunk.bytes;
        if (is_intact(r, &chunk)) {
            leave_out(r, at - r->at);
            return true;
        }
    }
    return false;
}

/* The end counts what stands before it. */
static void read_last(struct reading *r, struct payload *p)
{
    uint32_t written[RECORD_KINDS] = {0};
    uint64_t chunks = payload_number(p, UINT32_MAX);
    uint32_t all = payload_u32(p);
    while (p->at < p->end && !p->refused) {
        enum record_kind kind = record_kind_of(payload_u32(p));
        uint32_t count = (uint32_t)payload_number(p, UINT32_MAX);
        if (kind == RECORD_KINDS)
            payload_refuse(p, "it counts chunks of a kind that there is not");
        else
            written[kind] = count;
    }
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        r->is_not_as_written |= written[kind] != r->seen[kind];
        r->lost[kind] = written[kind] > r->seen[kind] ? written[kind] - r->seen[kind] : 0;
    }
    r->is_not_as_written |= chunks != r->number || all != r->all;
    r->ended = !p->refused;
}

/* Put a whole chunk in its place into the contents. */
static int take_chunk(struct contents *c, struct reading *r, const struct chunk *chunk,
                      struct err *why)
{
    struct payload p = {.at = chunk->payload,
                        .end = chunk->payload + chunk->length,
                        .version = r->version,
                        .lossy = has_lost(r),
                        .why = why};
    if (chunk->kind == RECORD_KINDS)
        payload_refuse(&p, "this version does not know its kind: use a newer one");
    else if (record_kinds[chunk->kind].once && r->seen[chunk->kind])
        payload_refuse(&p, "it is the second one of its kind");
    else if (chunk->kind == RECORD_LAST)
        read_last(r, &p);
    else if (!payload_read(c, chunk->kind, &p) && chunk->kind == RECORD_DONE)
        r->ended = r->version < 2;
    if (!p.refused)
        return 0;
    return err_context(why, "damaged: its chunk %s at byte %zu",
                       chunk->kind < RECORD_KINDS ? record_kinds[chunk->kind].name : "", r->at);
}

/*
 * Read chunks until the end, or until the rest holds no whole one, and leave out damaged ones
 * between. A whole chunk in its place with impossible contents is an error; after a loss it may
 * merely lack the lost ones, and is left out.
 */
static int read_chunks(struct contents *c, struct reading *r, struct err *e)
{
    struct chunk chunk;
    while (r->size > r->at && !r->ended) {
        if (!chunk_at(r, r->at, &chunk) || !is_intact(r, &chunk)) {
            if (!find_next_chunk(r))
                return 0;
            continue;
        }
        if (chunk.number < r->number) { /* it came before, or others have come after it */
            r->misplaced++;
            leave_out(r, chunk.bytes);
            continue;
        }
        if (chunk.number > r->number) {
            r->missing += chunk.number - r->number;
            c->batch_timing_read = false; /* it may have been of a batch that is missing */
            c->batch_wall_ns = 0;
            c->batch_span = 0;
            c->batch_span_lost = c->has_spans;
            r->number = chunk.number;
        }
        if (!take_chunk(c, r, &chunk, e)) {
            r->at += chunk.bytes;
        } else if (has_lost(r)) {
            leave_out(r, chunk.bytes);
        } else {
            return -1;
        }
        if (chunk.kind < RECORD_KINDS)
            r->seen[chunk.kind]++;
        r->all = crc32c(r->all, chunk.payload + chunk.length, 4);
        r->number = chunk.number + 1;
    }
    return 0;
}

static void note_losses(struct contents *c, const struct reading *r)
{
    if (c->note_count > RESULT_NOTES_MAX - NOTES_ON_DAMAGE)
        c->note_count = RESULT_NOTES_MAX - NOTES_ON_DAMAGE;
    if (r->damaged)
        contents_note(c, true,
                      "%zu bytes of the record are damaged or out of place and were left out (from "
                      "byte %zu)",
                      r->damaged, r->damaged_from);
    if (r->missing) {
        struct text words = {0}; /* "3 x readings, 1 x note", as far as there is room */
        for (int kind = 0; kind < RECORD_KINDS; kind++)
            if (r->lost[kind])
                text_addf(&words, "%s%u x %s", words.length ? ", " : "", r->lost[kind],
                          record_kinds[kind].words);
        contents_note(c, true, "%llu part%s of the record %s missing%s%.160s",
                      (unsigned long long)r->missing, r->missing == 1 ? "" : "s",
                      r->missing == 1 ? "is" : "are", words.length ? ": " : "",
                      words.data ? words.data : "");
        text_free(&words);
    }
    if (r->misplaced)
        contents_note(c, true, "parts of the record stand twice or out of order: %llu",
                      (unsigned long long)r->misplaced);
    if (r->is_not_as_written && !has_lost(r))
        contents_note(c, true, "the parts of the record are not those that were written");
    if (r->at < r->size && r->ended)
        contents_note(c, true, "%zu bytes follow the record's end; they were not used",
                      r->size - r->at);
    else if (r->at < r->size)
        contents_note(c, true, "the record %s up to byte %zu of %zu; the rest was not used",
                      r->damaged ? "was read" : "is whole", r->at, r->size);
    if (r->version < 2)
        contents_note(c, false,
                      "this record is of format 1, which has no numbers in its parts: missing ones "
                      "would not be noticed");
}

static int read_head(struct reading *r, const char *path, struct err *e)
{
    if (r->size < RECORD_OLD_HEAD_BYTES)
        return err_set(e, ERR_USAGE, "%s: not a cupel record", path);
    r->version = load_le32(r->data + 8);
    if (r->version < 1)
        return err_set(e, ERR_USAGE, "%s: damaged: a record has no version 0", path);
    if (r->version > RECORD_VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: its format is version %u, this program reads up to %d: use a newer one",
                       path, r->version, RECORD_VERSION);
    bool old = r->version < 2;
    r->frame_bytes = old ? RECORD_OLD_FRAME_BYTES : RECORD_FRAME_BYTES;
    r->at = old ? RECORD_OLD_HEAD_BYTES : RECORD_HEAD_BYTES;
    bool whole = r->size >= r->at;
    if (whole && !old)
        r->seed = crc32c(0, r->data, RECORD_HEAD_BYTES - 4);
    if (!whole || load_le32(r->data + r->at - 4) != r->seed)
        return err_set(e, ERR_USAGE, "%s: damaged in its first %zu bytes", path, r->at);
    return 0;
}

static int read_data(struct contents *c, const char *path, struct reading *r, struct err *e)
{
    if (read_head(r, path, e))
        return -1;
    if (read_chunks(c, r, e))
        return err_context(e, "%s", path);
    if (!c->plan.block_size)
        return err_set(e, ERR_USAGE, "%s: damaged from byte %zu on, %s", path,
                       r->damaged ? r->damaged_from : r->at,
                       has_lost(r) ? "where its plan stood" : "before any measurement");
    /* The verdict that the session gave itself holds for a record without losses alone. */
    bool damaged = has_lost(r) || r->is_not_as_written || (r->ended && r->at < r->size);
    c->ended = r->ended;
    if (!r->ended)
        c->verdict = damaged ? VERDICT_DAMAGED : VERDICT_CUT_SHORT;
    else if (damaged && c->verdict != VERDICT_FAILED)
        c->verdict = VERDICT_DAMAGED;
    note_losses(c, r);
    return 0;
}

int record_read(struct contents *c, const char *path, struct err *e)
{
    char *data = NULL;
    size_t size = 0;
    if (file_read_kind(path, "CUPELREC", "a cupel record", RECORD_MAX_BYTES, &data, &size, e))
        return -1;
    struct reading r = {
        .data = (const unsigned char *)data, .size = size, .search_left = SEARCH_MAX_BYTES};
    int status = read_data(c, path, &r, e);
    free(data);
    return status;
}
