/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seals and checks the heads of chunk files, and the headers and checksums of their chunks. */
#include "base/durable/chunk_file.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/endian.h"

enum { CRC_BYTES = 4 };

/* ---- the head ---- */

static uint32_t head_sum(const struct chunk_form *form, const unsigned char *head)
{
    if (form->head == CHUNK_HEAD_OPEN)
        return 0;
    return crc32c(0, head, form->head_bytes - (form->head == CHUNK_HEAD_MARK ? 0 : CRC_BYTES));
}

uint32_t chunk_head_seal(const struct chunk_form *form, unsigned char *head, uint32_t version)
{
    memcpy(head, form->mark, CHUNK_MARK_BYTES);
    if (form->head == CHUNK_HEAD_MARK)
        return head_sum(form, head);
    store_le32(head + CHUNK_MARK_BYTES, version);
    uint32_t sum = head_sum(form, head);
    store_le32(head + form->head_bytes - CRC_BYTES, sum);
    return sum;
}

bool chunk_head_is_intact(const struct chunk_form *form, const unsigned char *head, uint32_t *seed)
{
    *seed = head_sum(form, head);
    return !memcmp(head, form->mark, CHUNK_MARK_BYTES) &&
           (form->head == CHUNK_HEAD_MARK ||
            load_le32(head + form->head_bytes - CRC_BYTES) == *seed);
}

/* ---- chunks ---- */

static size_t bytes_of(const struct chunk_form *form, size_t length)
{
    return form->header_bytes + length + (form->header_is_sealed ? 0 : CRC_BYTES);
}

static uint32_t sum_of(const struct chunk_form *form, uint32_t seed, const unsigned char *header,
                       size_t length)
{
    return form->header_is_sealed ? crc32c(0, header + form->header_bytes, length)
                                  : crc32c(seed, header, form->header_bytes + length);
}

size_t chunk_seal(const struct chunk_form *form, uint32_t seed, unsigned char *at,
                  const struct chunk *chunk)
{
    unsigned char *end = at + form->header_bytes;
    if (form->header_bytes) {
        store_le32(at, form->marker);
        store_le32(at + form->type_at, chunk->type);
        store_le32(at + form->length_at, (uint32_t)chunk->length);
    }
    if (form->count_at >= 0) {
        store_le32(at + form->count_at, chunk->count);
        store_le64(at + form->number_at, chunk->number);
    } else if (form->number_at >= 0) {
        store_le32(at + form->number_at, (uint32_t)chunk->number);
    }
    uint32_t sum = sum_of(form, seed, at, chunk->length);
    if (form->header_is_sealed) {
        store_le32(end - 2 * CRC_BYTES, sum);
        store_le32(end - CRC_BYTES, crc32c(0, at, form->header_bytes - CRC_BYTES));
    } else {
        store_le32(end + chunk->length, sum);
    }
    return bytes_of(form, chunk->length);
}

bool chunk_header(const struct chunk_form *form, const unsigned char *at, size_t there,
                  struct chunk *chunk)
{
    *chunk = (struct chunk){.count = 1, .payload = at + form->header_bytes};
    if (!form->header_bytes) {
        chunk->length = there < CRC_BYTES ? 0 : there - CRC_BYTES;
        chunk->bytes = bytes_of(form, chunk->length);
        return chunk->bytes <= there;
    }
    if (form->header_is_sealed &&
        (load_le32(at) != form->marker || load_le32(at + form->header_bytes - CRC_BYTES) !=
                                              crc32c(0, at, form->header_bytes - CRC_BYTES)))
        return false;
    chunk->type = load_le32(at + form->type_at);
    chunk->length = load_le32(at + form->length_at);
    chunk->bytes = bytes_of(form, chunk->length);
    if (form->count_at >= 0) {
        chunk->count = load_le32(at + form->count_at);
        chunk->number = load_le64(at + form->number_at);
    } else if (form->number_at >= 0) {
        chunk->number = load_le32(at + form->number_at);
    }
    return chunk->length <= form->payload_max;
}

bool chunk_is_intact(const struct chunk_form *form, uint32_t seed, const struct chunk *chunk)
{
    const unsigned char *header = chunk->payload - form->header_bytes;
    const unsigned char *sum =
        form->header_is_sealed ? chunk->payload - 2 * CRC_BYTES : chunk->payload + chunk->length;
    return load_le32(sum) == sum_of(form, seed, header, chunk->length);
}
