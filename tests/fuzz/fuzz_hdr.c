/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HdrHistogram logs, and the content of a row: the bytes inside its base64 and zlib. */
#include <zlib.h>

#include "base/endian.h"
#include "many/merge/bins/bins.h"
#include "many/merge/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

/* A zlib stream of one stored block below a cookie, in base64. */
static void wrap(struct text *to, uint32_t cookie, const uint8_t *plain, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[8192] = {0};
    length = length < 8000 ? length : 8000;
    store_be32(bytes, cookie);
    store_be32(bytes + 4, (uint32_t)(length + 11));
    bytes[8] = 0x78, bytes[9] = 1, bytes[10] = 1;
    bytes[11] = (unsigned char)length, bytes[12] = (unsigned char)(length >> 8);
    bytes[13] = (unsigned char)~bytes[11], bytes[14] = (unsigned char)~bytes[12];
    for (size_t i = 0; i < length; i++)
        bytes[15 + i] = plain[i];
    store_be32(bytes + 15 + length,
               (uint32_t)adler32(adler32(0, NULL, 0), bytes + 15, (unsigned)length));
    const size_t total = length + 19;
    for (size_t i = 0; i < total; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (size_t k = 0; k < 4; k++)
            text_add_bytes(to, i + k > total ? "=" : &digits[bits >> (18 - 6 * k) & 63], 1);
    }
}

static void check_counts(const struct hdr_histogram *h)
{
    uint64_t total = 0;
    for (size_t i = 0; i < h->used; i++) {
        FUZZ_CHECK(h->counts[i].bin < h->layout.bins, "a bin that is not there");
        FUZZ_CHECK(!i || h->counts[i].bin > h->counts[i - 1].bin, "bins out of order");
        FUZZ_CHECK(h->counts[i].count, "an empty bin");
        total += h->counts[i].count;
    }
    FUZZ_CHECK(total == h->total, "a sum that is none");
}

/* What was read is written and read again. */
static void fuzz_row(unsigned version, const uint8_t *data, size_t size)
{
    static const uint32_t cookies[] = {0x1c849309, 0x1c849302, 0x1c849314};
    struct hdr_histogram h = {0}, again = {0};
    struct text row = {0}, written = {0};
    struct err e = {0};
    wrap(&row, cookies[version % 3], data, size);
    if (hdr_decode(&h, (struct span){row.data, row.length}, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a row refused without a reason");
    } else {
        check_counts(&h);
        FUZZ_CHECK(!hdr_encode(&h.layout, h.counts, h.used, &written), "a row not written");
        FUZZ_CHECK(!hdr_decode(&again, (struct span){written.data, written.length}, &e),
                   "a written row that cannot be read");
        FUZZ_CHECK(again.used == h.used && again.total == h.total, "another row than was written");
        for (size_t i = 0; i < h.used; i++)
            FUZZ_CHECK(h.counts[i].bin == again.counts[i].bin &&
                           h.counts[i].count == again.counts[i].count,
                       "other counts than were written");
    }
    text_free(&row);
    text_free(&written);
    hdr_histogram_free(&h);
    hdr_histogram_free(&again);
}

static void fuzz_log(const uint8_t *data, size_t size)
{
    static const char *const inputs[] = {MEMORY_FILE};
    const struct merge_plan plan = {
        .inputs = inputs, .input_count = 1, .interval_ns = UINT64_C(3600000000000)};
    struct merge *m = NULL;
    struct err e = {0};
    memory_file_set(0, data, size);
    if (merge_run(&m, &plan, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a log refused without a reason");
        return;
    }
    for (int op = 0; op < OPERATIONS; op++) {
        uint64_t n = 0;
        for (size_t i = 0; i < m->timeline.count; i++)
            n += m->timeline.intervals[i]->op[op].n;
        for (size_t i = 0; i < m->source_count; i++)
            n -= m->sources[i].op[op].latency.n;
        FUZZ_CHECK(n == 0, "I/Os that got lost");
    }
    merge_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (data[0] % 4)
        fuzz_row(data[0] % 4 - 1u, data + 1, size - 1);
    else
        fuzz_log(data + 1, size - 1);
    return 0;
}
