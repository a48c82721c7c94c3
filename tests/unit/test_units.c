/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units: what is accepted, what is refused and how, and how numbers are shown. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

static void size_is(const char *text, uint64_t expected)
{
    struct err e = {0};
    uint64_t value = 77;
    CHECK_INT(parse_size(text, &value, &e), 0);
    CHECK(value == expected);
    if (value != expected)
        fprintf(stderr, "  parse_size(\"%s\") gave %" PRIu64 " %s\n", text, value, e.msg);
}

static void time_is(const char *text, uint64_t expected)
{
    struct err e = {0};
    uint64_t value = 77;
    CHECK_INT(parse_time(text, &value, &e), 0);
    CHECK(value == expected);
    if (value != expected)
        fprintf(stderr, "  parse_time(\"%s\") gave %" PRIu64 " %s\n", text, value, e.msg);
}

static void share_is(const char *text, double expected)
{
    struct err e = {0};
    double value = -1;
    CHECK_INT(parse_share(text, &value, &e), 0);
    CHECK(value == expected);
}

static void test_widths(void)
{
    struct err e = {0};
    double full = -1, half = -1, untouched = 77;
    CHECK(!parse_width("5%", &full, &e) && !parse_width("+-2.5%", &half, &e) && full == half);
    CHECK(full == 0.05);
    CHECK_INT(parse_width("+-", &untouched, &e), -1);
    CHECK_INT(parse_width("-2.5%", &untouched, &e), -1);
    CHECK(untouched == 77);
}

typedef int parse_function(const char *text, uint64_t *value, struct err *e);

static void refused(parse_function *parse, const char *text, const char *because)
{
    struct err e = {0};
    uint64_t value = 77;
    CHECK_INT(parse(text, &value, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(value == 77);
    CHECK(strstr(e.msg, because) != NULL);
    if (!strstr(e.msg, because))
        fprintf(stderr, "  \"%s\": %s\n", text, e.msg);
}

static void share_refused(const char *text)
{
    struct err e = {0};
    double value = 77;
    CHECK_INT(parse_share(text, &value, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(value == 77);
    CHECK(strlen(e.msg) > 20);
}

static void shown(char *got, const char *expected)
{
    CHECK_STR(got, expected);
}

static void sizes(void)
{
    size_is("0", 0);
    size_is("512", 512);
    size_is("4k", 4096);
    size_is("4K", 4096);
    size_is("4kb", 4096);
    size_is("4KiB", 4096);
    size_is("1m", 1u << 20);
    size_is("1M", 1u << 20);
    size_is("1G", 1u << 30);
    size_is("2t", 2ull << 40);
    size_is("1.5k", 1536);
    size_is("0.5m", 512 << 10);
    size_is("1.50g", 3ull << 29);
    size_is("18446744073709551615", UINT64_MAX);
    size_is("16777215t", UINT64_MAX - (1ull << 40) + 1);

    struct err e = {0};
    uint64_t value;
    CHECK_INT(parse_size("4q", &value, &e), -1);
    shown(e.msg, "\"4q\" is not a size: a number and one of k, m, g, t is expected, as in 4k");

    const char *const wrong[] = {"",    " ",   "k",     "-4k",  "+4k",  "4 k",  "4k ",
                                 " 4k", "nan", "inf",   "4kk",  "0x10", "1e3",  ".5k",
                                 "5.",  "5.k", "1.2.3", "4,5k", "4k\n", "four", "1..5k"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(parse_size, wrong[i], "is expected");
    refused(parse_size, "18446744073709551616", "too large");
    refused(parse_size, "16777216t", "too large");
    refused(parse_size, "99999999999999999999999999999999999999", "too large");
    refused(parse_size, "0.0000000000000000000000000000000000001", "too long");
    refused(parse_size, "0.5", "no whole number of bytes");
    refused(parse_size, "1.0001k", "no whole number of bytes");
}

static void times(void)
{
    time_is("2", 2000000000);
    time_is("0.1", 100000000);
    time_is("7ns", 7);
    time_is("500us", 500000);
    time_is("1.5us", 1500);
    time_is("10ms", 10000000);
    time_is("2s", 2000000000);
    time_is("5m", 300000000000);
    time_is("5min", 300000000000);
    time_is("1h", 3600000000000);
    refused(parse_time, "5 s", "is expected, as in 10ms");
    refused(parse_time, "-1s", "is expected, as in 10ms");
    refused(parse_time, "1k", "is expected, as in 10ms");
    refused(parse_time, "0.5ns", "no whole number of nanoseconds");
    refused(parse_time, "5124095577h", "too large");
}

static void shares(void)
{
    share_is("5%", 0.05);
    share_is("0.05", 0.05);
    share_is("95%", 0.95);
    share_is("99.9%", 0.999);
    share_is("99.99%", 0.9999);
    share_is("0", 0);
    share_is("1", 1);
    share_is("100%", 1);
    const char *const wrong[] = {"",
                                 "%",
                                 "5",
                                 "101%",
                                 "1.01",
                                 "-5%",
                                 "5%%",
                                 "5 %",
                                 "nan",
                                 "0.05x",
                                 "5k",
                                 "0x1",
                                 "1e-2",
                                 ".05",
                                 "0.",
                                 "inf",
                                 "0.00000000000000000001"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        share_refused(wrong[i]);
}

static void counts(void)
{
    struct err e = {0};
    uint64_t value = 0;
    CHECK_INT(parse_unsigned("18446744073709551615", &value, &e), 0);
    CHECK(value == UINT64_MAX);
    CHECK_INT(parse_unsigned("007", &value, &e), 0);
    CHECK_INT(value, 7);
    refused(parse_unsigned, "", "whole number");
    refused(parse_unsigned, "-1", "whole number");
    refused(parse_unsigned, "1.0", "whole number");
    refused(parse_unsigned, "1.5", "whole number");
    refused(parse_unsigned, "1k", "whole number");
    refused(parse_unsigned, "1 ", "whole number");
    refused(parse_unsigned, "18446744073709551616", "too large");
}

static void display(void)
{
    char b[UNITS_BUFFER];
    shown(format_size(b, sizeof b, 0), "0 B");
    shown(format_size(b, sizeof b, 512), "512 B");
    shown(format_size(b, sizeof b, 1023), "1023 B");
    shown(format_size(b, sizeof b, 1024), "1 KiB");
    shown(format_size(b, sizeof b, 4096), "4 KiB");
    shown(format_size(b, sizeof b, 1.5 * 0x1p30), "1.5 GiB");
    shown(format_size(b, sizeof b, 0x1p40 - 1), "1 TiB");
    shown(format_size(b, sizeof b, 1000 * 0x1p20), "1000 MiB");
    shown(format_rate(b, sizeof b, 523e6), "523 MB/s");
    shown(format_rate(b, sizeof b, 523.4e6), "523 MB/s");
    shown(format_rate(b, sizeof b, 999.6e6), "1.00 GB/s");
    shown(format_count(b, sizeof b, 17900), "17.9k");
    shown(format_count(b, sizeof b, 1.2e6), "1.20M");
    shown(format_count(b, sizeof b, 42), "42");
    shown(format_count(b, sizeof b, 0.01234), "0.0123");
    shown(format_count(b, sizeof b, 9.996), "10.0");
    shown(format_count(b, sizeof b, 99.96), "100");
    shown(format_time(b, sizeof b, 56300), "56.3 us");
    shown(format_time(b, sizeof b, 1.2e6), "1.20 ms");
    shown(format_time(b, sizeof b, 12e9), "12 s");
    shown(format_instant(b, sizeof b, 0), "1970-01-01T00:00:00.000Z");
    shown(format_instant(b, sizeof b, UINT64_C(1700000000987654321)), "2023-11-14T22:13:20.987Z");
    shown(format_time(b, sizeof b, 90e9), "90 s");
    shown(format_time(b, sizeof b, 150e9), "2.50 min");
    shown(format_time(b, sizeof b, 7200e9), "2 h");
    shown(format_time(b, sizeof b, 999700), "1.00 ms");
    shown(format_time(b, sizeof b, -1.25e6), "-1.25 ms");
    shown(format_time(b, sizeof b, (double)NAN), "nan");
    shown(format_time(b, sizeof b, (double)-INFINITY), "-inf");
    char small[4];
    shown(format_rate(small, sizeof small, 523e6), "523");
}

int main(void)
{
    test_widths();
    sizes();
    times();
    shares();
    counts();
    display();
    return check_result();
}
