/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of chunks, little endian: a head with a mark (magic bytes) and a version, then chunks, each
 * with its length, the number of its first item, and a CRC-32C. A reader detects what is lost,
 * doubled, moved, changed or cut off. Each format decides what its payloads mean
 * (base/durable/payload.h).
 *
 * A struct chunk_form says which fields the head and the chunks have and at which offsets. Files of
 * each form are kept for years: a form is added, never changed, and tests/cli/old_files.sh has a
 * file of each.
 */
#ifndef CUPEL_BASE_DURABLE_CHUNK_FILE_H
#define CUPEL_BASE_DURABLE_CHUNK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNK_MARK_BYTES 8

enum chunk_head {
    /* the head consists of mark, u32 version, fields of the format, u32 CRC-32C of all these */
    CHUNK_HEAD_SEALED,
    CHUNK_HEAD_OPEN, /* the same fields, but the checksum is always 0 */
    CHUNK_HEAD_MARK  /* the mark alone */
};

enum { CHUNK_NOT_THERE = -1 };

/* The fields type_at to count_at are offsets in the header of a chunk, or CHUNK_NOT_THERE. */
struct chunk_form {
    const char *mark; /* [CHUNK_MARK_BYTES] */
    size_t head_bytes;
    enum chunk_head head;
    /* length of the header before a payload; 0: the file has one chunk without a header, which ends
       with the file */
    size_t header_bytes;
    uint32_t marker; /* first four bytes of a header; 0: headers begin with another field */
    int type_at, length_at;
    /* offset of the number of the first item: u32, but u64 in a form that has count_at */
    int number_at;
    int count_at; /* offset of the number of items, u32; CHUNK_NOT_THERE: each chunk has 1 item */
    /* True: the header ends with the checksum of the payload, followed by the header's own
       checksum. False: one checksum of header and payload follows the payload. Its computation
       starts from the head's checksum, so a chunk of another file does not match. */
    bool header_is_sealed;
    size_t payload_max;
};

struct chunk {
    uint32_t type;
    uint64_t number; /* number of the chunk's first item; 0 when the form has no numbers */
    uint32_t count;  /* items */
    const unsigned char *payload;
    /* `length`: of the payload; `bytes`: of the chunk, with header and checksum */
    size_t length, bytes;
};

/* Writes mark, version and checksum of a head; the caller has written the fields of the format
   already. Returns the seed of the checksums of chunks. */
uint32_t chunk_head_seal(const struct chunk_form *form, unsigned char *head, uint32_t version);
/* Returns true if the head is as it was written; *seed becomes the seed of the checksums of chunks.
   All head_bytes must be there. */
bool chunk_head_is_intact(const struct chunk_form *form, const unsigned char *head, uint32_t *seed);

/* Writes header and checksum of a chunk whose payload already begins header_bytes after `at`. The
   caller has set chunk's type, number, count and length. Returns the bytes of the whole chunk. */
size_t chunk_seal(const struct chunk_form *form, uint32_t seed, unsigned char *at,
                  const struct chunk *chunk);

/* Reads the header at `at`, of which at least header_bytes are readable; only a form without
   headers uses `there`, the bytes up to the end of the file. Returns false if no chunk begins here.
   The payload is neither read nor checked. */
bool chunk_header(const struct chunk_form *form, const unsigned char *at, size_t there,
                  struct chunk *chunk);
/* Returns true if the chunk is as it was written. All its bytes must be there. */
bool chunk_is_intact(const struct chunk_form *form, uint32_t seed, const struct chunk *chunk);

#endif
