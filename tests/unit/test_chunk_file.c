/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of chunks in each layout: sealed chunks are read back; no bit of a head or a chunk can
   change without being noticed; where the layout says so, a chunk of another file has a wrong
   checksum. */
#include "check.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/durable/chunk_file.h"
#include "base/endian.h"

enum { HEAD_MAX = 32, LENGTH = 300, CHUNK_MAX = 400 };

static const struct {
    struct chunk_form form;
    bool seeded; /* the chunks' checksums begin with the file's seed */
} layouts[] = {
    {{.mark = "ABCDEFGH",
      .head_bytes = 24,
      .head = CHUNK_HEAD_SEALED,
      .header_bytes = 12,
      .length_at = 4,
      .number_at = 8,
      .count_at = CHUNK_NOT_THERE,
      .payload_max = LENGTH},
     true},
    {{.mark = "ABCDEFGH",
      .head_bytes = 16,
      .head = CHUNK_HEAD_OPEN,
      .header_bytes = 8,
      .length_at = 4,
      .number_at = CHUNK_NOT_THERE,
      .count_at = CHUNK_NOT_THERE,
      .payload_max = LENGTH},
     true},
    {{.mark = "ABCDEFGH",
      .head_bytes = 16,
      .head = CHUNK_HEAD_SEALED,
      .header_bytes = 32,
      .marker = 0xc5a3c7e1u,
      .type_at = 4,
      .length_at = 8,
      .number_at = 16,
      .count_at = 12,
      .header_is_sealed = true,
      .payload_max = LENGTH},
     false},
    {{.mark = "ABCDEFGH",
      .head_bytes = 8,
      .head = CHUNK_HEAD_MARK,
      .number_at = CHUNK_NOT_THERE,
      .count_at = CHUNK_NOT_THERE},
     true},
};

static bool is_whole(const struct chunk_form *form, uint32_t seed, const unsigned char *at,
                     size_t there, struct chunk *chunk)
{
    return chunk_header(form, at, there, chunk) && chunk->bytes <= there &&
           chunk_is_intact(form, seed, chunk);
}

static void in_layout(const struct chunk_form *form, bool seeded)
{
    unsigned char head[HEAD_MAX] = {0}, bytes[CHUNK_MAX];
    uint32_t seed, read;
    for (size_t i = 12; i + 4 < form->head_bytes; i++)
        head[i] = (unsigned char)i;
    seed = chunk_head_seal(form, head, 7);
    CHECK(chunk_head_is_intact(form, head, &read) && read == seed);
    CHECK(form->head == CHUNK_HEAD_MARK || load_le32(head + 8) == 7);
    for (size_t bit = 0; bit < 8 * form->head_bytes; bit++) {
        bool of_sum = bit >= 8 * CHUNK_MARK_BYTES && bit < 8 * (form->head_bytes - 4);
        head[bit / 8] ^= (unsigned char)(1 << bit % 8);
        /* In an open head the version has no checksum. */
        CHECK_INT(chunk_head_is_intact(form, head, &read), form->head == CHUNK_HEAD_OPEN && of_sum);
        head[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t length = 0; length <= LENGTH; length += LENGTH / 3) {
        const struct chunk made = {.type = 0x44434241, .number = 9, .count = 3, .length = length};
        struct chunk chunk;
        memset(bytes, 0x5a, sizeof bytes);
        const size_t size = chunk_seal(form, seed, bytes, &made);
        CHECK(is_whole(form, seed, bytes, size, &chunk));
        CHECK(chunk.bytes == size && chunk.length == length);
        CHECK(chunk.payload == bytes + form->header_bytes);
        CHECK_INT(chunk.type, form->header_bytes ? made.type : 0);
        CHECK_INT((long long)chunk.number, form->number_at >= 0 ? 9 : 0);
        CHECK_INT(chunk.count, form->count_at >= 0 ? 3 : 1);
        CHECK_INT(is_whole(form, seed ^ 1, bytes, size, &chunk), !seeded);
        CHECK(!is_whole(form, seed, bytes, size - 1, &chunk));
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            CHECK(!is_whole(form, seed, bytes, size, &chunk));
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
    /* A length above the limit is refused, so that no reader allocates that much. */
    if (form->header_bytes) {
        const struct chunk long_one = {.type = 1, .number = 1, .length = LENGTH + 1};
        struct chunk chunk;
        chunk_seal(form, seed, bytes, &long_one);
        CHECK(!chunk_header(form, bytes, sizeof bytes, &chunk));
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        in_layout(&layouts[i].form, layouts[i].seeded);
    return check_result();
}
