/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the layout of HdrHistogram's bins, and reads and writes their stored form. */
#include "many/merge/bins/bins.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/endian.h"

/* A cookie names the format that follows; 0x10 stands for the size of a count, as a power of 2 or
   "variable". */
#define COOKIE_SIZE_MASK     0xf0u
#define COOKIE_V2            0x1c849303u
#define COOKIE_V2_COMPRESSED 0x1c849304u
#define COOKIE_V1            0x1c849301u
#define COOKIE_V1_COMPRESSED 0x1c849302u
#define COOKIE_V0            0x1c849308u
#define COOKIE_V0_COMPRESSED 0x1c849309u
#define COOKIE_VARIABLE      0x10u
#define COOKIE_DOUBLE        0x0c72124eu
#define COOKIE_DOUBLE_PACKED 0x0c72124fu

#define HEADER_BYTES      40u
#define HEADER_V0_BYTES   32u
#define VARIABLE_BYTES    9u /* maximum bytes of a count in version 2 */
#define ZLIB_STORED_BYTES 65535u

/* ---- layout ---- */

int hdr_layout_of(struct hdr_layout *layout, unsigned digits, uint64_t lowest, uint64_t highest)
{
    uint64_t exact = 2;
    if (digits > HDR_DIGITS_MAX || lowest < 1 || lowest > highest / 2 || highest > INT64_MAX)
        return -1;
    for (unsigned i = 0; i < digits; i++)
        exact *= 10;
    *layout = (struct hdr_layout){.digits = digits,
                                  .unit_bits = 63u - (unsigned)__builtin_clzll(lowest),
                                  .half_bits = 63u - (unsigned)__builtin_clzll(exact - 1),
                                  .highest = highest};
    unsigned octaves = 1, bits = layout->half_bits + 1 + layout->unit_bits;
    if (bits > 62)
        return -1;
    while (bits < 63 && highest >> bits) {
        bits++;
        octaves++;
    }
    layout->bins = (size_t)(octaves + 1) << layout->half_bits;
    return 0;
}

/* The first 2^(half_bits + 1) bins are one wide octave, numbered 0; each further octave has half as
   many. */
static unsigned octave_of(const struct hdr_layout *layout, size_t bin)
{
    size_t half = bin >> layout->half_bits;
    return half ? (unsigned)half - 1 : 0;
}

size_t hdr_bin(const struct hdr_layout *layout, uint64_t value)
{
    uint64_t units = value >> layout->unit_bits;
    unsigned bits = layout->half_bits + 1;
    unsigned octave = units >> bits ? 64u - (unsigned)__builtin_clzll(units) - bits : 0;
    return ((size_t)octave << layout->half_bits) + (size_t)(units >> octave);
}

uint64_t hdr_low(const struct hdr_layout *layout, size_t bin)
{
    unsigned octave = octave_of(layout, bin);
    return (uint64_t)(bin - ((size_t)octave << layout->half_bits)) << (octave + layout->unit_bits);
}

uint64_t hdr_high(const struct hdr_layout *layout, size_t bin)
{
    return hdr_low(layout, bin) + ((uint64_t)1 << (octave_of(layout, bin) + layout->unit_bits)) - 1;
}

/* ---- reading ---- */

void hdr_histogram_free(struct hdr_histogram *h)
{
    free(h->counts);
    free(h->packed);
    free(h->plain);
    *h = (struct hdr_histogram){0};
}

/* Makes the buffer large enough for `count` bytes; the bytes in it are lost. */
static int reserve(unsigned char **bytes, size_t *capacity, size_t count, struct err *e)
{
    if (count <= *capacity)
        return 0;
    free(*bytes);
    *capacity = 0;
    *bytes = malloc(count);
    if (!*bytes)
        return err_no_memory(e, "a histogram");
    *capacity = count;
    return 0;
}

/* The encoding that the cookies state: the bytes of a count, or 0 for numbers of variable
   length. */
struct encoding {
    unsigned version;
    unsigned count_bytes;
    uint64_t total; /* sum of all counts, which only version 0 states */
};

static int cookie_of(uint32_t cookie, bool compressed, unsigned *version, struct err *e)
{
    static const uint32_t cookies[2][3] = {
        {COOKIE_V0, COOKIE_V1, COOKIE_V2},
        {COOKIE_V0_COMPRESSED, COOKIE_V1_COMPRESSED, COOKIE_V2_COMPRESSED}};
    for (*version = 0; *version < 3; ++*version)
        if ((cookie & ~COOKIE_SIZE_MASK) == cookies[compressed][*version])
            return 0;
    if (cookie == COOKIE_DOUBLE || cookie == COOKIE_DOUBLE_PACKED)
        return err_set(e, ERR_USAGE,
                       "it is a DoubleHistogram, which has no whole values: its bins "
                       "have no unit of time");
    return err_set(e, ERR_USAGE, "it is no HdrHistogram of version 0, 1 or 2: cookie 0x%08x",
                   cookie);
}

/* Inflates `max` further bytes, or fewer if the stream properly ends before that. *got: their
   number. */
static int inflate_until_end(z_stream *stream, unsigned char *to, size_t max, size_t *got,
                             struct err *e)
{
    stream->next_out = to;
    stream->avail_out = (unsigned)max;
    int status = inflate(stream, Z_SYNC_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return err_set(e, ERR_USAGE, "its compressed data is damaged");
    *got = max - stream->avail_out;
    if (*got < max && status != Z_STREAM_END)
        return err_set(e, ERR_USAGE, "its compressed data breaks off");
    return 0;
}

/* Inflates exactly `count` further bytes. */
static int inflate_part(z_stream *stream, unsigned char *to, size_t count, struct err *e)
{
    size_t got = 0;
    if (inflate_until_end(stream, to, count, &got, e))
        return -1;
    return got == count ? 0 : err_set(e, ERR_USAGE, "its compressed data breaks off");
}

/* Checks that no data follow, and that the checksum of everything is right. */
static int inflate_rest(z_stream *stream, unsigned char *more, struct err *e)
{
    stream->next_out = more;
    stream->avail_out = 1;
    int status = inflate(stream, Z_SYNC_FLUSH);
    if (!stream->avail_out)
        return err_set(e, ERR_USAGE, "its compressed data goes on after its counts");
    if (status == Z_STREAM_END)
        return 0;
    return err_set(e, ERR_USAGE, "its compressed data %s",
                   status == Z_DATA_ERROR ? "is damaged" : "breaks off");
}

static unsigned count_bytes_of(uint32_t cookie)
{
    return (cookie & COOKIE_SIZE_MASK) >> 4;
}

/* Reads the header of versions 1 and 2; sets *length to the length of the counts. */
static int read_header(struct hdr_layout *layout, const unsigned char *header, uint64_t *length,
                       struct err *e)
{
    const uint64_t one = 0x3ff0000000000000; /* 1.0 */
    *length = load_be32(header + 4);
    if (load_be32(header + 8))
        return err_set(e, ERR_USAGE, "its values are shifted (normalizing index offset %u)",
                       load_be32(header + 8));
    if (load_be64(header + 32) != one)
        return err_set(e, ERR_USAGE, "its values are scaled: it was made of a DoubleHistogram");
    if (hdr_layout_of(layout, load_be32(header + 12), load_be64(header + 16),
                      load_be64(header + 24)))
        return err_set(e, ERR_USAGE, "no layout has %u digits from %llu to %llu",
                       load_be32(header + 12), (unsigned long long)load_be64(header + 16),
                       (unsigned long long)load_be64(header + 24));
    return 0;
}

/* Reads the header of version 0. The counts that follow may end after the last one in use; *total
   is their sum. */
static int read_header_v0(struct hdr_layout *layout, const unsigned char *header, uint64_t *total,
                          struct err *e)
{
    *total = load_be64(header + 24);
    if (hdr_layout_of(layout, load_be32(header + 4), load_be64(header + 8), load_be64(header + 16)))
        return err_set(e, ERR_USAGE, "no layout has %u digits from %llu to %llu",
                       load_be32(header + 4), (unsigned long long)load_be64(header + 8),
                       (unsigned long long)load_be64(header + 16));
    return 0;
}

static int inflate_counts(struct hdr_histogram *h, z_stream *stream, struct encoding *encoding,
                          size_t *length, struct err *e)
{
    unsigned char header[HEADER_BYTES];
    const unsigned outer = encoding->version;
    uint64_t bytes = 0;
    int status;
    if (inflate_part(stream, header, outer ? HEADER_BYTES : HEADER_V0_BYTES, e) ||
        cookie_of(load_be32(header), false, &encoding->version, e))
        return -1;
    if (encoding->version != outer)
        return err_set(e, ERR_USAGE, "version %u lies in one of version %u", encoding->version,
                       outer);
    if (outer ? read_header(&h->layout, header, &bytes, e)
              : read_header_v0(&h->layout, header, &encoding->total, e))
        return -1;
    unsigned size = outer < 2 ? count_bytes_of(load_be32(header)) : 0;
    if (outer < 2 && size != 2 && size != 4 && size != 8)
        return err_set(e, ERR_USAGE, "its counts have %u bytes", size);
    encoding->count_bytes = size;
    uint64_t most = (uint64_t)h->layout.bins * (size ? size : VARIABLE_BYTES);
    if (!outer)
        bytes = most;
    if (bytes > most || (size && bytes % size))
        return err_set(e, ERR_USAGE, "its counts take %llu bytes, and %zu bins cannot",
                       (unsigned long long)bytes, h->layout.bins);
    if (reserve(&h->plain, &h->plain_capacity, (size_t)bytes + 1, e))
        return -1;
    *length = (size_t)bytes;
    status = outer ? inflate_part(stream, h->plain, *length, e)
                   : inflate_until_end(stream, h->plain, *length, length, e);
    return status || inflate_rest(stream, h->plain + *length, e) ? -1 : 0;
}

static int add_count(struct hdr_histogram *h, size_t bin, uint64_t count, struct err *e)
{
    if (count > INT64_MAX || h->total > INT64_MAX - count)
        return err_set(e, ERR_USAGE, "its counts are negative or too large: bin %zu has %lld", bin,
                       (long long)count);
    if (bin >= h->layout.bins)
        return err_set(e, ERR_USAGE, "it has more counts than its %zu bins", h->layout.bins);
    if (!array_grow(&h->counts, sizeof *h->counts, h->used, &h->capacity))
        return err_no_memory(e, "a histogram");
    h->counts[h->used++] = (struct hdr_count){bin, count};
    h->total += count;
    return 0;
}

/* Reads a number with 7 bits in each byte, least significant first; of a ninth byte all 8 bits
   count. Returns the number of bytes used; 0: the data break off. */
static size_t read_variable(const unsigned char *from, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length && i < VARIABLE_BYTES; i++) {
        bool last = i + 1 == VARIABLE_BYTES || !(from[i] & 0x80);
        *value |= (uint64_t)(i + 1 == VARIABLE_BYTES ? from[i] : from[i] & 0x7f) << 7 * i;
        if (last)
            return i + 1;
    }
    return 0;
}

static int read_counts(struct hdr_histogram *h, size_t length, unsigned size, struct err *e)
{
    size_t bin = 0;
    for (size_t at = 0; at < length;) {
        uint64_t word = 0, empty = 0, count = 0;
        size_t used = size ? size : read_variable(h->plain + at, length - at, &word);
        if (!used)
            return err_set(e, ERR_USAGE, "its last count breaks off");
        if (size)
            count = load_be(h->plain + at, size);
        else if (word & 1) /* ZigZag: odd numbers are negative */
            empty = (word >> 1) + 1;
        else
            count = word >> 1;
        if (size && count >> (8 * size - 1))
            count = UINT64_MAX;
        at += used;
        if (empty > h->layout.bins - bin)
            return err_set(e, ERR_USAGE, "it has more counts than its %zu bins", h->layout.bins);
        bin += (size_t)empty;
        if (!empty && bin >= h->layout.bins)
            return err_set(e, ERR_USAGE, "it has more counts than its %zu bins", h->layout.bins);
        if (count && add_count(h, bin, count, e))
            return -1;
        bin += !empty;
    }
    return 0;
}

int hdr_decode(struct hdr_histogram *h, struct span base64, struct err *e)
{
    struct encoding encoding = {0};
    size_t packed = 0, length = 0;
    h->total = h->used = 0;
    if (reserve(&h->packed, &h->packed_capacity, base64.length + 1, e) ||
        span_decode_base64(base64, h->packed, &packed, e))
        return -1;
    if (packed < 8)
        return err_set(e, ERR_USAGE, "its histogram breaks off");
    if (cookie_of(load_be32(h->packed), true, &encoding.version, e))
        return -1;
    if (load_be32(h->packed + 4) > packed - 8)
        return err_set(e, ERR_USAGE, "its histogram breaks off: %u bytes of %zu are there",
                       load_be32(h->packed + 4), packed - 8);
    z_stream stream = {.next_in = h->packed + 8, .avail_in = load_be32(h->packed + 4)};
    if (inflateInit(&stream) != Z_OK)
        return err_no_memory(e, "decompressing a histogram");
    int failed = inflate_counts(h, &stream, &encoding, &length, e);
    inflateEnd(&stream);
    if (failed)
        return -1;
    if (!encoding.version && encoding.count_bytes && length % encoding.count_bytes)
        return err_set(e, ERR_USAGE, "its last count breaks off");
    if (read_counts(h, length, encoding.count_bytes, e))
        return -1;
    if (!encoding.version && h->total != encoding.total)
        return err_set(e, ERR_USAGE, "its counts hold %llu values, its head says %llu",
                       (unsigned long long)h->total, (unsigned long long)encoding.total);
    return 0;
}

/* ---- writing ---- */

static void add_be32(struct text *t, uint32_t value)
{
    unsigned char bytes[4];
    store_be32(bytes, value);
    text_add_bytes(t, (const char *)bytes, sizeof bytes);
}

static void add_be64(struct text *t, uint64_t value)
{
    add_be32(t, (uint32_t)(value >> 32));
    add_be32(t, (uint32_t)value);
}

static void add_variable(struct text *t, uint64_t word)
{
    char bytes[VARIABLE_BYTES];
    size_t n = 0;
    while (n + 1 < VARIABLE_BYTES && word >> 7) {
        bytes[n++] = (char)(word | 0x80);
        word >>= 7;
    }
    bytes[n++] = (char)word;
    text_add_bytes(t, bytes, n);
}

static void add_counts(struct text *t, const struct hdr_count counts[], size_t n)
{
    size_t bin = 0;
    if (!n)
        add_variable(t, 0); /* the C library refuses a histogram without any counts */
    for (size_t i = 0; i < n; bin = counts[i++].bin + 1) {
        if (counts[i].bin > bin + 1)
            add_variable(t, 2 * (uint64_t)(counts[i].bin - bin) - 1); /* ZigZag of a negative
                                                                         number */
        else if (counts[i].bin == bin + 1)
            add_variable(t, 0);
        add_variable(t, 2 * counts[i].count);
    }
}

/* Adds the header and then the counts; their length is known only after they are written. */
static void add_plain(struct text *t, const struct hdr_layout *layout,
                      const struct hdr_count counts[], size_t n)
{
    add_be32(t, COOKIE_V2 | COOKIE_VARIABLE);
    add_be32(t, 0);
    add_be32(t, 0);
    add_be32(t, layout->digits);
    add_be64(t, (uint64_t)1 << layout->unit_bits);
    add_be64(t, layout->highest);
    add_be64(t, 0x3ff0000000000000); /* 1.0 */
    add_counts(t, counts, n);
    if (!t->failed)
        store_be32((unsigned char *)t->data + 4, (uint32_t)(t->length - HEADER_BYTES));
}

/* Adds a zlib stream of stored blocks, each with its length and the complement of its length. */
static void add_zlib(struct text *t, const char *plain, size_t length)
{
    const uint32_t check =
        (uint32_t)adler32(adler32(0, NULL, 0), (const unsigned char *)plain, (unsigned)length);
    text_add_bytes(t, "\x78\x01", 2);
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < ZLIB_STORED_BYTES ? length - at : ZLIB_STORED_BYTES;
        const char block[5] = {at + part == length, (char)part, (char)(part >> 8), (char)~part,
                               (char)(~part >> 8)};
        text_add_bytes(t, block, sizeof block);
        text_add_bytes(t, plain + at, part);
    }
    add_be32(t, check);
}

int hdr_encode(const struct hdr_layout *layout, const struct hdr_count counts[], size_t n,
               struct text *out)
{
    struct text plain = {0}, packed = {0};
    add_plain(&plain, layout, counts, n);
    add_be32(&packed, COOKIE_V2_COMPRESSED | COOKIE_VARIABLE);
    add_be32(&packed, 0);
    if (!plain.failed)
        add_zlib(&packed, plain.data, plain.length);
    out->failed |= plain.failed || packed.failed;
    if (!out->failed) {
        store_be32((unsigned char *)packed.data + 4, (uint32_t)(packed.length - 8));
        text_add_base64(out, (const unsigned char *)packed.data, packed.length);
    }
    text_free(&plain);
    text_free(&packed);
    return out->failed ? -1 : 0;
}
