/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a record, around damage and up to its last whole chunk. Nothing in the file is trusted
   before its checksum. */
#include "run/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/file.h"
#include "run/record_payload.h"

#define RECORD_MAX_BYTES  ((size_t)1 << 31)
#define SEARCH_MOST_BYTES ((size_t)1 << 30)

enum { HEAD_BYTES = 16, FRAME_BYTES = 12 };

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
    chunk->type = payload_u32(&head);
    size_t length = payload_u32(&head);
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
    return payload_u32(&tail) == crc32c(0, chunk->payload.at - 8, chunk->bytes - 4);
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
        if (is_orphan(r, chunk.type) || payload_read(c, chunk.type, &chunk.payload, &why)) {
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
    uint32_t version = payload_u32(&head);
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
