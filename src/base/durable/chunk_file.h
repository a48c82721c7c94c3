/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of chunks, little endian: a head with a mark and a version, then chunks, each with its
 * length, the number of its first item, and a CRC-32C. A reader knows what is lost, doubled, moved,
 * changed or cut off; what a payload means is the format's own affair (base/durable/payload.h).
 *
 * A form says where things stand. Files of each form are kept for years: a form is added, never
 * changed, and tests/cli/old_files.sh has a file of each.
 */
#ifndef CUPEL_BASE_DURABLE_CHUNK_FILE_H
#define CUPEL_BASE_DURABLE_CHUNK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNK_MARK_BYTES 8

enum chunk_head {
    CHUNK_HEAD_SEALED, /* mark, u32 version, what the format adds, u32 CRC-32C of these */
    CHUNK_HEAD_OPEN,   /* the same, with 0 for the checksum */
    CHUNK_HEAD_MARK    /* the mark alone */
};

enum { CHUNK_NOT_THERE = -1 };

/* Offsets are in the header of a chunk. */
struct chunk_form {
    const char *mark; /* CHUNK_MARK_BYTES */
    size_t head_bytes;
    enum chunk_head head;
    size_t header_bytes; /* before the payload; 0: the file has one chunk, to its end */
    uint32_t marker;     /* first in the header; 0: there is none */
    int type_at, length_at;
    int number_at; /* u32; where there is a count, u64 */
    int count_at;  /* u32, items in the chunk; CHUNK_NOT_THERE: 1 */
    /* True: the header ends with the checksum of the payload and then its own. False: one checksum
       over header and payload follows the payload; it is begun with the head's, so that a chunk of
       another file has a wrong one. */
    bool header_is_sealed;
    size_t payload_max;
};

struct chunk {
    uint32_t type;
    uint64_t number; /* of its first item; 0 when the form has no numbers */
    uint32_t count;  /* items */
    const unsigned char *payload;
    size_t length, bytes; /* bytes: length with header and checksum */
};

/* Completes a head: what the format adds is in its place. Returns the seed of the chunks. */
uint32_t chunk_head_seal(const struct chunk_form *form, unsigned char *head, uint32_t version);
/* Is the head, whose bytes are all there, as it was written? */
bool chunk_head_is_intact(const struct chunk_form *form, const unsigned char *head, uint32_t *seed);

/* Completes a chunk whose payload stands header_bytes after `at`: type, number, count and length
   are set. Returns its bytes. */
size_t chunk_seal(const struct chunk_form *form, uint32_t seed, unsigned char *at,
                  const struct chunk *chunk);

/* Reads the header at `at`, where at least header_bytes are there; `there` matters only to a form
   without headers. False: no chunk begins here. The payload is neither read nor checked. */
bool chunk_header(const struct chunk_form *form, const unsigned char *at, size_t there,
                  struct chunk *chunk);
/* Is the chunk, of which all bytes are there, as it was written? */
bool chunk_is_intact(const struct chunk_form *form, uint32_t seed, const struct chunk *chunk);

#endif
