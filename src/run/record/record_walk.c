/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks from chunk to chunk of a record, around damage and up to its last whole chunk. Nothing in
   the file is used before its checksum was verified. */
#include "run/record/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/endian.h"

/* Bytes for which searches may compute checksums: this limits the work that a malicious file can
   cause. */
#define SEARCH_MAX_BYTES ((uint64_t)1 << 30)

/* ---- the file ---- */

int record_walk_open(struct record_walk *w, const char *path, bool grows, struct err *e)
{
    *w = (struct record_walk){.fd = -1, .grows = grows, .search_left = SEARCH_MAX_BYTES};
    w->buffer = malloc(RECORD_WALK_BUFFER);
    w->path = strdup(path);
    if (!w->buffer || !w->path) {
        record_walk_close(w);
        return err_no_memory(e, "reading %s", path);
    }
    w->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (w->fd < 0) {
        record_walk_close(w);
        return err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno));
    }
    return 0;
}

void record_walk_close(struct record_walk *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    free(w->buffer);
    free(w->path);
    w->buffer = NULL;
    w->path = NULL;
}

void record_walk_rest(struct record_walk *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    free(w->buffer);
    w->buffer = NULL;
    if (w->held > 0)
        w->size = w->base + w->held;
    w->base = w->search_at > w->at ? w->search_at : w->at;
    w->held = 0;
}

/* Returns the kind of a chunk type, or RECORD_KINDS if it is unknown. */
static enum record_kind record_kind_of(uint32_t type)
{
    enum record_kind kind = 0;
    while (kind < RECORD_KINDS && record_kinds[kind].type != type)
        kind++;
    return kind;
}

/* Checks whether the file of that name is the one that was read before. Returns WAIT for a file
   that is too short to be recognised, such as a copy that is still being written, and FAILED with
   the error for another record. */
static enum record_scan_state look_again(struct record_walk *w, struct err *e)
{
    unsigned char head[64];
    struct stat st;
    uint32_t seed;
    if (w->grows && !fstat(w->fd, &st) && (uint64_t)st.st_size == w->size)
        return RECORD_SCAN_WAIT;
    ssize_t got = pread(w->fd, head, record_form.head_bytes, 0);
    if (w->version < 2)
        return RECORD_SCAN_ITEM;
    if (got < (ssize_t)record_form.head_bytes)
        return RECORD_SCAN_WAIT;
    if (chunk_head_is_intact(&record_form, head, &seed) && seed == w->seed)
        return RECORD_SCAN_ITEM;
    err_set(e, ERR_USAGE, "%s: another record has taken its place while it was read", w->path);
    return RECORD_SCAN_FAILED;
}

/* Opens the file again after record_walk_rest has closed it. Returns ITEM if it can be read. */
static enum record_scan_state wake(struct record_walk *w, struct err *e)
{
    enum record_scan_state state = RECORD_SCAN_WAIT;
    w->fd = open(w->path, O_RDONLY | O_CLOEXEC);
    if (w->fd >= 0)
        state = look_again(w, e);
    if (state == RECORD_SCAN_ITEM && !(w->buffer = malloc(RECORD_WALK_BUFFER))) {
        err_no_memory(e, "reading %s", w->path);
        state = RECORD_SCAN_FAILED;
    }
    if (state == RECORD_SCAN_ITEM)
        lseek(w->fd, (off_t)w->base, SEEK_SET);
    else
        record_walk_rest(w);
    if (state == RECORD_SCAN_FAILED)
        w->failure = *e;
    return state == RECORD_SCAN_WAIT && !w->grows ? RECORD_SCAN_END : state;
}

/* Drops the bytes before `at` and fills the buffer. If `at` is before the buffer, reads everything
   anew. */
static void fill(struct record_walk *w, uint64_t at)
{
    if (at < w->base)
        lseek(w->fd, (off_t)at, SEEK_SET);
    size_t dropped = at < w->base ? w->held : (size_t)(at - w->base);
    memmove(w->buffer, w->buffer + dropped, w->held - dropped);
    w->base = at;
    w->held -= dropped;
    while (w->held < RECORD_WALK_BUFFER) {
        ssize_t got = read(w->fd, w->buffer + w->held, RECORD_WALK_BUFFER - w->held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            w->read_error = errno;
        if (got <= 0)
            return;
        w->held += (size_t)got;
    }
}

/* Returns `n` bytes of the file from `at` on, or NULL if it ends before. `at` may lie before the
   buffer: a search returns to the byte after a false chunk's head, whose payload may have moved the
   buffer on. */
static const unsigned char *bytes_at(struct record_walk *w, uint64_t at, size_t n)
{
    if (w->base + w->held < at)
        return NULL;
    if (at < w->base || w->base + w->held < at + n)
        fill(w, at);
    return w->base + w->held < at + n ? NULL : w->buffer + (at - w->base);
}

/* ---- chunks ---- */

enum chunk_state {
    CHUNK_WHOLE,
    CHUNK_DAMAGED,
    CHUNK_UNFINISHED /* the file ends before the chunk */
};

/* Reads the chunk at `at`, without checking its checksum. */
static enum chunk_state chunk_at(struct record_walk *w, uint64_t at, struct chunk *chunk)
{
    const unsigned char *from = bytes_at(w, at, w->form->header_bytes);
    if (!from)
        return CHUNK_UNFINISHED;
    if (!chunk_header(w->form, from, 0, chunk))
        return CHUNK_DAMAGED;
    from = bytes_at(w, at, chunk->bytes);
    if (!from)
        return CHUNK_UNFINISHED;
    chunk->payload = from + w->form->header_bytes;
    if (w->version < 2)
        chunk->number = w->number;
    return CHUNK_WHOLE;
}

bool record_walk_has_lost(const struct record_walk *w)
{
    const struct record_damage *d = &w->damage;
    return d->left_out || d->missing || d->misplaced;
}

static void leave_out(struct record_walk *w, uint64_t bytes)
{
    if (!w->damage.left_out)
        w->damage.left_out_from = w->at;
    w->damage.left_out += bytes;
    w->at += bytes;
}

/*
 * Searches from a damaged chunk on for the next whole chunk of a known kind. Returns false if there
 * is none so far. In a growing file the search continues later at the same place: an unfinished
 * chunk may be completed.
 */
static bool find_next_chunk(struct record_walk *w)
{
    struct chunk chunk;
    for (uint64_t at = w->search_at > w->at ? w->search_at : w->at + 1;; at++) {
        w->search_at = at;
        const unsigned char *type = bytes_at(w, at, w->form->header_bytes);
        if (!type)
            return false;
        if (record_kind_of(load_le32(type)) == RECORD_KINDS)
            continue;
        enum chunk_state state = chunk_at(w, at, &chunk);
        if (state == CHUNK_UNFINISHED && w->grows)
            return false;
        if (state != CHUNK_WHOLE)
            continue;
        if (chunk.bytes > w->search_left)
            return false;
        w->search_left -= chunk.bytes;
        if (chunk_is_intact(w->form, w->seed, &chunk)) {
            leave_out(w, at - w->at);
            return true;
        }
    }
}

/*
 * Gives the whole chunk at w->at, or the first one after damage there. Returns false if there is
 * none so far.
 */
static bool next_intact(struct record_walk *w, struct chunk *chunk)
{
    if (w->search_at <= w->at) { /* no search is in progress */
        enum chunk_state state = chunk_at(w, w->at, chunk);
        if (state == CHUNK_WHOLE && chunk_is_intact(w->form, w->seed, chunk))
            return true;
        if (state == CHUNK_UNFINISHED && w->grows)
            return false;
    }
    return find_next_chunk(w) && chunk_at(w, w->at, chunk) == CHUNK_WHOLE;
}

/* ---- the walk ---- */

static int read_head(struct record_walk *w, struct err *e)
{
    const unsigned char *head = bytes_at(w, 0, record_form_1.head_bytes);
    if (w->read_error)
        return err_set(e, ERR_USAGE, "cannot read %s: %s", w->path, strerror(w->read_error));
    if (!head || memcmp(head, RECORD_MARK, CHUNK_MARK_BYTES) != 0)
        return err_set(e, ERR_USAGE, "%s: not a cupel record", w->path);
    w->version = load_le32(head + 8);
    if (w->version < 1)
        return err_set(e, ERR_USAGE, "%s: damaged: a record has no version 0", w->path);
    if (w->version > RECORD_VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: its format is version %u, this program reads up to %d: use a newer one",
                       w->path, w->version, RECORD_VERSION);
    w->form = w->version < 2 ? &record_form_1 : &record_form;
    w->at = w->form->head_bytes;
    head = bytes_at(w, 0, w->at);
    if (!head || !chunk_head_is_intact(w->form, head, &w->seed))
        return err_set(e, ERR_USAGE, "%s: damaged in its first %zu bytes", w->path,
                       w->form->head_bytes);
    return 0;
}

/* Returns true if enough of the file is there to show whether it is a record. A wrong mark is
   enough. */
static bool has_head(struct record_walk *w)
{
    const unsigned char *head = bytes_at(w, 0, record_form.head_bytes);
    size_t there = w->held < CHUNK_MARK_BYTES ? w->held : CHUNK_MARK_BYTES;
    return head || !w->grows || w->read_error ||
           (w->buffer && memcmp(w->buffer, RECORD_MARK, there) != 0);
}

/* Counts the bytes after the last usable chunk. */
static void count_rest(struct record_walk *w)
{
    uint64_t end = w->base + w->held;
    while (fill(w, end), w->held > 0)
        end += w->held;
    w->damage.rest = end - w->at;
}

static enum record_scan_state failed(struct record_walk *w, struct err *e)
{
    w->failure = *e;
    return RECORD_SCAN_FAILED;
}

static enum record_scan_state at_end(struct record_walk *w, struct err *e)
{
    if (!w->counted_rest)
        count_rest(w);
    w->counted_rest = true;
    if (!w->read_error)
        return RECORD_SCAN_END;
    err_set(e, ERR_USAGE, "cannot read %s: %s", w->path, strerror(w->read_error));
    return failed(w, e);
}

enum record_scan_state record_walk_next(struct record_walk *w, struct chunk *chunk, struct err *e)
{
    if (w->failure.code) {
        *e = w->failure;
        return RECORD_SCAN_FAILED;
    }
    if (!w->buffer) {
        enum record_scan_state state = wake(w, e);
        if (state != RECORD_SCAN_ITEM)
            return state;
    }
    if (!w->version && !has_head(w))
        return RECORD_SCAN_WAIT;
    if (!w->version && read_head(w, e))
        return failed(w, e);
    while (!w->damage.ended) {
        if (!next_intact(w, chunk))
            return w->grows && !w->read_error ? RECORD_SCAN_WAIT : at_end(w, e);
        /* the chunk came before, or later chunks have come already */
        if (chunk->number < w->number) {
            w->damage.misplaced++;
            leave_out(w, chunk->bytes);
            continue;
        }
        w->kind = record_kind_of(chunk->type);
        w->after_gap = chunk->number > w->number;
        w->damage.missing += chunk->number - w->number;
        w->number = (uint32_t)chunk->number;
        return RECORD_SCAN_ITEM;
    }
    return at_end(w, e);
}

/* Reads LAST, which counts the chunks before it. */
static void read_last(struct record_walk *w, struct payload *p)
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
    bool *differs = &w->damage.is_not_as_written;
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        *differs |= written[kind] != w->seen[kind];
        w->lost[kind] = written[kind] > w->seen[kind] ? written[kind] - w->seen[kind] : 0;
    }
    *differs |= chunks != w->number || all != w->all;
    w->damage.ended = !p->refused;
}

struct payload record_walk_payload(struct record_walk *w, const struct chunk *chunk,
                                   struct err *why)
{
    struct payload p = {.at = chunk->payload,
                        .end = chunk->payload + chunk->length,
                        .version = w->version,
                        .lossy = record_walk_has_lost(w),
                        .why = why};
    if (w->kind == RECORD_KINDS)
        payload_refuse(&p, "this version does not know its kind: use a newer one");
    else if (record_kinds[w->kind].once && w->seen[w->kind])
        payload_refuse(&p, "it is the second one of its kind");
    else if (w->kind == RECORD_LAST)
        read_last(w, &p);
    return p;
}

int record_walk_pass(struct record_walk *w, const struct chunk *chunk, struct payload *p,
                     struct err *e)
{
    if (p->refused && !record_walk_has_lost(w)) {
        *e = *p->why;
        err_context(e, "damaged: its chunk %s at byte %llu",
                    w->kind < RECORD_KINDS ? record_kinds[w->kind].name : "",
                    (unsigned long long)w->at);
        err_context(e, "%s", w->path);
        failed(w, e);
        return -1;
    }
    if (w->kind == RECORD_DONE && w->version < 2 && !p->refused)
        w->damage.ended = true;
    if (p->refused)
        leave_out(w, chunk->bytes);
    else
        w->at += chunk->bytes;
    if (w->kind < RECORD_KINDS)
        w->seen[w->kind]++;
    w->all = crc32c(w->all, chunk->payload + chunk->length, 4);
    w->number = (uint32_t)chunk->number + 1;
    return 0;
}

enum verdict record_walk_verdict(const struct record_walk *w, enum verdict own)
{
    const struct record_damage *d = &w->damage;
    /* The verdict that the session stored is valid only for a record without losses. */
    bool damaged = record_walk_has_lost(w) || d->is_not_as_written || (d->ended && d->rest);
    if (!d->ended)
        return damaged ? VERDICT_DAMAGED : VERDICT_CUT_SHORT;
    return damaged && own != VERDICT_FAILED ? VERDICT_DAMAGED : own;
}
