/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored HdrHistograms: layouts, output of the Java library (2.1.11), versions 0 and 1 made by
 * hand, and every way in which a stored histogram can be wrong.
 */
#include <zlib.h>

#include "base/endian.h"
#include "many/merge/bins/bins.h"
#include "tests/unit/check.h"

static struct hdr_histogram h;
static struct err e;

static void test_layouts(void)
{
    for (unsigned digits = 0; digits <= HDR_DIGITS_MAX; digits++)
        for (unsigned unit = 0; unit < 3; unit++) {
            struct hdr_layout l;
            uint64_t lowest = unit == 0 ? 1 : unit == 1 ? 1000 : 65536;
            CHECK_INT(hdr_layout_of(&l, digits, lowest, INT64_MAX), 0);
            CHECK_INT(hdr_low(&l, 0), 0);
            for (size_t bin = 1; bin < l.bins; bin += bin < 5000 ? 1 : 997) {
                CHECK_INT(hdr_low(&l, bin), hdr_high(&l, bin - 1) + 1);
                CHECK_INT(hdr_bin(&l, hdr_low(&l, bin)), bin);
                CHECK_INT(hdr_bin(&l, hdr_high(&l, bin)), bin);
                uint64_t width = hdr_high(&l, bin) - hdr_low(&l, bin) + 1;
                uint64_t share = 1;
                for (unsigned i = 0; i < digits; i++)
                    share *= 10;
                if (width > lowest)
                    CHECK(width <= hdr_low(&l, bin) / share);
            }
            CHECK_INT(hdr_high(&l, l.bins - 1), INT64_MAX);
        }
    struct hdr_layout l;
    CHECK_INT(hdr_layout_of(&l, 6, 1, 1000), -1);
    CHECK_INT(hdr_layout_of(&l, 2, 0, 1000), -1);
    CHECK_INT(hdr_layout_of(&l, 2, 600, 1000), -1);
    CHECK_INT(hdr_layout_of(&l, 2, 1, UINT64_MAX), -1);
    CHECK_INT(hdr_layout_of(&l, 5, (uint64_t)1 << 50, INT64_MAX), -1);
}

/* Compares the decoded bins, as "low-high:count ". */
static void check_decoded(const char *base64, const char *expected)
{
    struct text words = {0};
    if (hdr_decode(&h, span_of(base64), &e)) {
        CHECK_STR(e.msg, expected);
        return;
    }
    for (size_t i = 0; i < h.used; i++)
        text_addf(&words, "%llu-%llu:%llu ",
                  (unsigned long long)hdr_low(&h.layout, h.counts[i].bin),
                  (unsigned long long)hdr_high(&h.layout, h.counts[i].bin),
                  (unsigned long long)h.counts[i].count);
    CHECK_STR(words.data, expected);
    text_free(&words);
}

/* 0, 1, 127, 128, 300, 1000, 12345, 999999, 123456789 and 3600000000, each v % 7 + 1 times; the
   bins are those that the library itself lists. */
static void test_of_java(void)
{
    check_decoded("HISTFAAAADh4nJNpmSzMwMAgwQABTFCaEURcm7yEwf4DVILlJyML20omvqPMfJ3sXE95mF7zslzm"
                  "ZAMACswKog==",
                  "0-0:1 1-1:2 127-127:2 128-128:3 300-301:7 1000-1003:7 12288-12351:5 "
                  "999424-1003519:1 123207680-123731967:2 3590324224-3607101439:3 ");
    CHECK_INT(h.total, 33);
    CHECK_INT(h.layout.digits, 2);
    check_decoded("HISTFAAAAC54nJNpmSzMwMDAywABTBCK+QWIvDZ5CYP9B4iIHJ8211ZOpte8LJc52QC81gh8",
                  "0-511:15 512-1023:7 12288-12799:5 999424-1003519:1 123207680-123731967:2 "
                  "3590324224-3607101439:3 ");
    const char *longest =
        "HISTFAAAAD14nJNpmSzMwMAgwwABrFCaEURcm7yEwf4DRICJ5ScjC9tVJr6vXHzzNzJyrWy0ZVr9"
        "NY/l7EZfNgBSeQ5I";
    CHECK_INT(hdr_decode(&h, span_of(longest), &e), 0);
    CHECK_INT(h.total, 33);
    CHECK_INT(hdr_high(&h.layout, h.counts[h.used - 1].bin), 3600007167);
    /* Integer.MAX squared: counts of 9 bytes. */
    CHECK_INT(
        hdr_decode(&h, span_of("HISTFAAAACh4nJNpmSzMwMDAywABTFCakYHB/j8I2H+ACHD++w8B9p992QAjURFF"),
                   &e),
        0);
    CHECK_INT(h.total, 2305843009213693954);
    CHECK_INT(hdr_high(&h.layout, h.counts[h.used - 1].bin), 35459249995775);
}

/* ---- made by hand ---- */

static char made[8192];

/* Returns the base64 of `plain` as a zlib stream of one stored block, after a cookie and its
   length. */
static const char *make(uint32_t cookie, const unsigned char *plain, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[4096] = {0};
    store_be32(bytes, cookie);
    store_be32(bytes + 4, (uint32_t)(length + 11));
    bytes[8] = 0x78, bytes[9] = 0x01, bytes[10] = 1;
    bytes[11] = (unsigned char)length, bytes[12] = (unsigned char)(length >> 8);
    bytes[13] = (unsigned char)~bytes[11], bytes[14] = (unsigned char)~bytes[12];
    memcpy(bytes + 15, plain, length);
    store_be32(bytes + 15 + length,
               (uint32_t)adler32(adler32(0, NULL, 0), plain, (unsigned)length));
    size_t total = length + 19, out = 0;
    for (size_t i = 0; i < total; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 0; k < 4; k++)
            made[out++] = i + (size_t)k > total ? '=' : digits[bits >> (18 - 6 * k) & 63];
    }
    made[out] = '\0';
    return made;
}

static unsigned char plain[4000];

/* Makes a header of 2 digits, 1 to 1000, followed by counts of `length` bytes. */
static size_t begin(uint32_t cookie, size_t length)
{
    memset(plain, 0, sizeof plain);
    store_be32(plain, cookie);
    store_be32(plain + 4, (uint32_t)length);
    store_be32(plain + 12, 2);
    store_be32(plain + 20, 1);
    store_be32(plain + 28, 1000);
    store_be32(plain + 32, 0x3ff00000);
    return 40 + length;
}

static void test_older_versions(void)
{
    size_t length = begin(0x1c849301 | 0x40, 12);
    store_be32(plain + 40, 5);
    store_be32(plain + 48, 70000);
    check_decoded(make(0x1c849302 | 0x10, plain, length), "0-0:5 2-2:70000 ");
    length = begin(0x1c849301 | 0x80, 16);
    store_be32(plain + 44, 5);
    store_be32(plain + 51, 1);
    check_decoded(make(0x1c849302 | 0x10, plain, length), "0-0:5 1-1:256 ");
    /* Version 0 has a header of 32 bytes, which ends with the sum of the counts, and its bins up to
       the last one in use, or all of them: 512 with 2 digits up to 1000. */
    memset(plain, 0, sizeof plain);
    store_be32(plain, 0x1c849308 | 0x20);
    store_be32(plain + 4, 2);
    store_be32(plain + 12, 1);
    store_be32(plain + 20, 1000);
    store_be16(plain + 32, 9);
    store_be16(plain + 32 + 2 * 511, 7);
    store_be32(plain + 28, 16);
    check_decoded(make(0x1c849309, plain, 32 + 2 * 512), "0-0:9 1020-1023:7 ");
    check_decoded(make(0x1c849309, plain, 32 + 2 * 511),
                  "its counts hold 9 values, its head says 16");
    store_be32(plain + 28, 9);
    check_decoded(make(0x1c849309, plain, 32 + 2), "0-0:9 ");
    check_decoded(make(0x1c849309, plain, 32 + 2 * 100), "0-0:9 ");
    check_decoded(make(0x1c849309, plain, 32 + 3), "its last count breaks off");
    check_decoded(make(0x1c849309, plain, 32), "its counts hold 0 values, its head says 9");
    store_be16(plain + 34, 0x8000);
    check_decoded(make(0x1c849309, plain, 32 + 2 * 512),
                  "its counts are negative or too large: bin 1 has -1");
}

static void test_version_2(void)
{
    const uint32_t cookie = 0x1c849303 | 0x10, packed = 0x1c849304 | 0x10;
    size_t length = begin(cookie, 4);
    memcpy(plain + 40, "\x05\x02\x00\x06", 4); /* 3 empty bins, count 1, an empty bin, count 3 */
    check_decoded(make(packed, plain, length), "3-3:1 5-5:3 ");
    /* The last bin exists, the one after it does not. */
    length = begin(cookie, 3);
    memcpy(plain + 40, "\xfd\x07\x02", 3); /* 511 empty */
    check_decoded(make(packed, plain, length), "1020-1023:1 ");
    memcpy(plain + 40, "\xff\x07\x02", 3);
    check_decoded(make(packed, plain, length), "it has more counts than its 512 bins");
    memcpy(plain + 40, "\x81\x08\x02", 3);
    check_decoded(make(packed, plain, length), "it has more counts than its 512 bins");
    memcpy(plain + 40, "\x02\x02\x80", 3);
    check_decoded(make(packed, plain, length), "its last count breaks off");
    /* Two counts of 2^62 are too many; one of 2^63 cannot be written. */
    length = begin(cookie, 18);
    memcpy(plain + 40, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
           18);
    check_decoded(make(packed, plain, length),
                  "its counts are negative or too large: bin 1 has 4611686018427387904");
    CHECK_INT(h.total, (int64_t)1 << 62);
}

static void test_bad_headers(void)
{
    const uint32_t cookie = 0x1c849303 | 0x10, packed = 0x1c849304 | 0x10;
    size_t length = begin(cookie, 1);
    plain[40] = 2;
    check_decoded(make(0x1c849305, plain, length),
                  "it is no HdrHistogram of version 0, 1 or 2: cookie 0x1c849305");
    check_decoded(make(0x1c849302 | 0x10, plain, length), "version 2 lies in one of version 1");
    store_be32(plain, 0x12345678);
    check_decoded(make(packed, plain, length),
                  "it is no HdrHistogram of version 0, 1 or 2: cookie 0x12345678");
    begin(cookie, 1);
    plain[11] = 3;
    check_decoded(make(packed, plain, length),
                  "its values are shifted (normalizing index offset 3)");
    begin(cookie, 1);
    plain[33] = 0;
    check_decoded(make(packed, plain, length),
                  "its values are scaled: it was made of a DoubleHistogram");
    begin(cookie, 1);
    plain[15] = 6;
    check_decoded(make(packed, plain, length), "no layout has 6 digits from 1 to 1000");
    /* A bomb: it announces 4 GiB, which no layout with 512 bins needs. */
    begin(cookie, 1);
    store_be32(plain + 4, UINT32_MAX);
    check_decoded(make(packed, plain, length),
                  "its counts take 4294967295 bytes, and 512 bins cannot");
    begin(cookie, 1);
    store_be32(plain + 4, 2);
    check_decoded(make(packed, plain, length), "its compressed data breaks off");
    begin(cookie, 1);
    store_be32(plain + 4, 0);
    check_decoded(make(packed, plain, length), "its compressed data goes on after its counts");
    begin(0x1c849301 | 0x30, 3);
    check_decoded(make(0x1c849302, plain, 43), "its counts have 3 bytes");
}

static void test_broken(void)
{
    static const char whole[] =
        "HISTFAAAAC54nJNpmSzMwMDAywABTBCK+QWIvDZ5CYP9B4iIHJ8211ZOpte8LJc52QC81gh8";
    char cut[sizeof whole];
    for (size_t i = 0; i + 1 < sizeof whole; i++) {
        snprintf(cut, sizeof cut, "%.*s", (int)i, whole);
        CHECK_INT(hdr_decode(&h, span_of(cut), &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
    }
    /* Every changed character is detected, by the checksum if not earlier. */
    for (size_t i = 0; i + 1 < sizeof whole; i++) {
        snprintf(cut, sizeof cut, "%s", whole);
        cut[i] = cut[i] == 'A' ? 'B' : 'A';
        if (i >= 12)
            CHECK_INT(hdr_decode(&h, span_of(cut), &e), -1);
    }
    snprintf(cut, sizeof cut, "%s", whole);
    cut[20] = '*';
    check_decoded(cut, "character 21 is not base64");
    check_decoded(
        "DHISTwAAAAIAAAAAAAAAIByEkxQAAAAkeJyTaZkszMDAwMYAAUxQmhFC2f+3b4Cw/jMx7eVmAgBf"
        "TAUa",
        "it is a DoubleHistogram, which has no whole values: its bins have no unit of time");
}

static void test_written(void)
{
    struct hdr_layout layout;
    hdr_layout_of(&layout, 2, 1, ((uint64_t)1 << 42) - 1);
    struct hdr_count counts[400];
    for (size_t n = 0; n <= 400; n += 100) {
        for (size_t i = 0; i < n; i++)
            counts[i] = (struct hdr_count){i * i / 40 + i, (uint64_t)1 << i % 54};
        struct text out = {0};
        CHECK_INT(hdr_encode(&layout, counts, n, &out), 0);
        CHECK_INT(hdr_decode(&h, (struct span){out.data, out.length}, &e), 0);
        CHECK_INT(h.used, n);
        for (size_t i = 0; i < n && i < h.used; i++)
            CHECK(h.counts[i].bin == counts[i].bin && h.counts[i].count == counts[i].count);
        CHECK(!memcmp(&h.layout, &layout, sizeof layout));
        text_free(&out);
    }
}

/* One count of 0, as Java's library writes it: the C library refuses a histogram without counts. */
static void test_written_empty(void)
{
    struct hdr_layout layout;
    struct text out = {0};
    hdr_layout_of(&layout, 2, 1, 1000);
    CHECK_INT(hdr_encode(&layout, NULL, 0, &out), 0);
    /* cookie and length, the headers of zlib and of a block, 40 bytes, 1 count, the checksum */
    CHECK_INT(out.length, (8 + 2 + 5 + 40 + 1 + 4 + 2) / 3 * 4);
    text_free(&out);
}

/* Longer than a stored block of zlib. */
static void test_written_long(void)
{
    struct hdr_layout layout;
    hdr_layout_of(&layout, 5, 1, INT64_MAX);
    struct hdr_count *many = malloc(100000 * sizeof *many);
    struct text out = {0};
    for (size_t i = 0; i < 100000; i++)
        many[i] = (struct hdr_count){i, i + 1};
    CHECK_INT(hdr_encode(&layout, many, 100000, &out), 0);
    CHECK_INT(hdr_decode(&h, (struct span){out.data, out.length}, &e), 0);
    CHECK_INT(h.used, 100000);
    CHECK_INT(h.total, 5000050000);
    text_free(&out);
    free(many);
}

int main(void)
{
    test_layouts();
    test_of_java();
    test_older_versions();
    test_version_2();
    test_bad_headers();
    test_broken();
    test_written();
    test_written_empty();
    test_written_long();
    hdr_histogram_free(&h);
    return check_result();
}
