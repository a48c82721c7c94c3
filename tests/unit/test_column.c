/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers: exact parsing, layouts of files, and refusals that name file, line and text.
 */
#include "check.h"

#include "base/err.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "cmd/column/column.h"
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "column_file.h"

static void one_column(void)
{
    reads("1\n2\n3\n", NULL, "", VALUES(1, 2, 3));
    reads("1\n2\n3", NULL, "", VALUES(1, 2, 3));
    reads("1\r\n2.5\r\n", NULL, "", VALUES(1, 2.5));
    reads("\xef\xbb\xbf"
          "1\n2\n",
          NULL, "", VALUES(1, 2));
    reads("# made by hand\n\n 1 \n\t\n  # more\n-2e-3\n", NULL, "", VALUES(1, -2e-3));
    reads("latency\n5\n6\n", NULL, "latency", VALUES(5, 6));
    reads("\"x\"\n\"5\"\n6\n", NULL, "x", VALUES(5, 6));
    reads("\"5\"\n\"6\"\n", NULL, "", VALUES(5, 6)); /* a number in quotes is not a header */
    reads("\"time=5 ms\"\n\"time=6 ms\"\n", NULL, "time (ms)", VALUES(5, 6));
    reads("latency\n5\n6\n", "latency", "latency", VALUES(5, 6));
    reads("latency\n5\n6\n", "1", "latency", VALUES(5, 6));
    reads("\x1b[31mred\n5\n", NULL, "?[31mred", VALUES(5));
    reads("0.1\n+7\n.5\n5.\n1E2\n", NULL, "", VALUES(0.1, 7, .5, 5, 100));
}

static void tables(void)
{
    reads("time,lat,dir\n1,0.5,r\n2,0.25,w\n", "lat", "lat", VALUES(.5, .25));
    reads("time,lat,dir\n1,0.5,r\n2,0.25,w\n", "2", "lat", VALUES(.5, .25));
    reads("1,0.5,r\n2,0.25,w\n", "2", "", VALUES(.5, .25));
    reads("1, 0.5 ,r\n2,\t0.25,w\n", "2", "", VALUES(.5, .25));
    reads("a;b\n1;2\n3;4\n", "b", "b", VALUES(2, 4));
    reads("a b\tc d\n1\t2\n3\t4\n", "c d", "c d", VALUES(2, 4));
    reads("a   b\n 1    2\n3 \t 4\n", "b", "b", VALUES(2, 4));
    reads("\"\",\"x, y\"\n\"1\",5\n\"2\",\"6\"\n", "x, y", "x, y", VALUES(5, 6));
    reads("p50,99th\n1,2\n", "2", "99th", VALUES(2));
    reads("1,2,3\n4,5\n", "2", "", VALUES(2, 5));
    reads("name,v\nsda,1\n", "v", "v", VALUES(1));
    reads("x;\n1;7\n", "1", "x", VALUES(1));
}

static void refusals(void)
{
    refuses("", NULL, " holds no numbers: one number a line is expected");
    refuses("\n# nothing\n", NULL, " holds no numbers: one number a line is expected");
    refuses("latency\n", NULL, " holds no numbers: one number a line is expected");
    refuses("1\n2\nabc\n4\n", NULL, ", line 3: \"abc\" is not a number");
    refuses("latency\nagain\n4\n", NULL, ", line 2: \"again\" is not a number");
    refuses("1\n2x\n", NULL, ", line 2: \"2x\" is not a number");
    refuses("\"2x\"\n1\n", NULL, ", line 1: \"2x\" is not a number");
    refuses("2x\n1\n", NULL, ", line 1: \"2x\" is not a number");
    refuses("0x10\n1\n", NULL, ", line 1: \"0x10\" is not a number");
    refuses("nan\n1\n", NULL,
            ", line 1: \"nan\" is no finite number: remove or replace such lines");
    refuses("1\n-Inf\n", NULL,
            ", line 2: \"-Inf\" is no finite number: remove or replace such lines");
    refuses("1\n1e999\n", NULL, ", line 2: \"1e999\" is too large: readings are of at most 1e60");
    refuses("1\n-1.1e60\n", NULL,
            ", line 2: \"-1.1e60\" is too large: readings are of at most 1e60");
    refuses("1 ns\n9e59 h\n", NULL,
            ", line 2: \"9e59 h\" is too large in the unit of the readings before");
    refuses("[1, 1e80]\n", NULL, ": element 2, 1e80, is too large: readings are of at most 1e60");
    refuses("1\n2,5\n", NULL, ", line 2: \"2,5\" is not a number");
    refuses("1\n\"\"\n", NULL, ", line 2: column 1 is empty, a number is expected");
    refuses("1\n\x1b]0;title\x07 and a text that is much longer than it may be\n", NULL,
            ", line 2: \"?]0;title? and a text that is much longe...\" is not a number");
    refuses("a,b\n1,2\n", NULL,
            " has 2 columns (line 1 is \"a,b\"): choose one with --column NAME or --column NUMBER");
    refuses("a,b\n1,2\n", "c", " has no column \"c\": line 1, taken as the header, is \"a,b\"");
    refuses("1,2\n", "lat", " has no column \"lat\": line 1, taken as the header, is \"1,2\"");
    refuses("a,b\n1,2\n", "3", " has no column 3: line 1 has 2");
    refuses("a,b\n1,2\n", "0", " has no column 0: line 1 has 2");
    refuses("a,b\n1,2\n", "18446744073709551615",
            " has no column 18446744073709551615: line 1 has 2");
    refuses("a,b,a\n1,2,3\n", "a", " has columns 1 and 3 called \"a\": choose one by its number");
    refuses("a,b\n1,2\n3\n", "b", ", line 3 has no column 2: it has 1");
    refuses("a,b\n1,\n", "b", ", line 2: column 2 is empty, a number is expected");
    refuses("a,b\n1,nan\n", "2",
            ", line 2: \"nan\" is no finite number: remove or replace such lines");
    refuses("1,x\n2,3\n", "2", ", line 1: \"x\" is not a number");
    refuses_bytes("1\n2\0\n", 5, NULL, ", line 2 holds a zero byte: this is no text file");

    struct column c;
    struct err e = {0};
    CHECK_INT(column_read(&c, "/nonexistent/readings.txt", &(struct column_request){0}, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_STR(e.msg, "cannot read /nonexistent/readings.txt: No such file or directory");
    CHECK_INT(column_read(&c, "/", &(struct column_request){0}, &e), -1);
    CHECK_STR(e.msg, "cannot read /: Is a directory");
}

static void text_from_outside(void)
{
    char to[16];
    CHECK_STR(span_printable(to, sizeof to, span_of("caf\xc3\xa9 \xff!")), "caf\xc3\xa9 ?!");
    CHECK_STR(span_printable(to, sizeof to, span_of("0123456789abcde")), "0123456789abcde");
    CHECK_STR(span_printable(to, sizeof to, span_of("0123456789abcdef")), "0123456789ab...");
    CHECK_STR(span_printable(to, sizeof to, span_of("0123456789a\xc3\xa9xyzuvw")),
              "0123456789a...");
    CHECK_STR(span_printable(to, 4, span_of("0123")), "");
    CHECK_STR(span_printable(to, 1, span_of("0123")), "");
    CHECK(span_is_text(span_of("a\tb\r\n\xe2\x82\xac")));
    CHECK(!span_is_text(span_of("\x01")));
    CHECK(!span_is_text(span_of("\xc3")));
    CHECK(!span_is_text(span_of("\xc0\xaf")));
    CHECK(!span_is_text(span_of("\xed\xa0\x80")));
    CHECK(!span_is_text((struct span){"a\0b", 3}));
}

static void long_line(void)
{
    size_t length = 300u << 10;
    char *text = malloc(length);
    CHECK(text != NULL);
    if (!text)
        return;
    memset(text, '1', length);
    text[1] = '\n';
    refuses_bytes(text, length, NULL,
                  ", line 2 is longer than 256 KiB: this is no table of numbers");
    free(text);
}

/* A file larger than one buffer, and an array that grows more than once; a pipe is read by the same
   code. */
static void many_lines(void)
{
    const size_t count = 200000;
    FILE *f = fopen(file_path, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%zu,%.17g\n", i, (double)i / 7);
    fclose(f);
    struct column c;
    struct err e = {0};
    CHECK_INT(column_read(&c, file_path, &(struct column_request){.column = "2"}, &e), 0);
    CHECK_INT(c.count, count);
    size_t wrong = 0;
    for (size_t i = 0; i < c.count; i++)
        wrong += c.values[i] != (double)i / 7;
    CHECK_INT(wrong, 0);
    column_free(&c);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool same_as_strtod(const char *text)
{
    double value = 0, expected = strtod(text, NULL);
    bool same = number_parse(text, strlen(text), &value) == NUMBER_OK && value == expected &&
                signbit(value) == signbit(expected);
    if (!same)
        fprintf(stderr, "  %s: got %.17g, expected %.17g\n", text, value, expected);
    return same;
}

static void numbers(void)
{
    const char *const hard[] = {"0",
                                "-0",
                                "0e999",
                                "1e22",
                                "1e23",
                                "9007199254740993",
                                "9007199254740992",
                                "9007199254740991e22",
                                "8.5e-7",
                                "1e-22",
                                "123456789012345678901234567890",
                                "0.000000000000000000000001",
                                "1.7976931348623157e308",
                                "4.9e-324",
                                "2.2250738585072011e-308",
                                "1e-400",
                                "00000000000000000000000000001.5",
                                "1000000000000000000000.000",
                                "10000000000000000000000000e-25"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        CHECK(same_as_strtod(hard[i]));

    uint64_t state = 20240607;
    long differ = 0;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        uint64_t whole = next_random(&state) >> (next_random(&state) % 64);
        uint64_t fraction = next_random(&state) >> (next_random(&state) % 64);
        int exponent = (int)(next_random(&state) % 60) - 30;
        if (i % 2)
            snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, whole, fraction);
        else
            snprintf(text, sizeof text, "%" PRIu64 "e%d", whole, exponent);
        differ += !same_as_strtod(text);
    }
    CHECK_INT(differ, 0);

    double value;
    const char *const wrong[] = {"",   "+",    "-",     ".",   "e5",  "1e",    "1e+", "--1",  "1 ",
                                 " 1", "1..2", "0x1p3", "nan", "inf", "1e5.0", "1,0", "1_000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_INT(number_parse(wrong[i], strlen(wrong[i]), &value), NUMBER_NONE);
    CHECK_INT(number_parse("1e309", 5, &value), NUMBER_TOO_LARGE);
    CHECK_INT(number_parse("12345", 3, &value), NUMBER_OK);
    CHECK(value == 123);
}

/* A number at the beginning of another text. */
static void number_beginnings(void)
{
    static const struct {
        const char *text;
        double value;
        size_t length;
    } cases[] = {{"500us", 500, 3}, {"2.5%", 2.5, 3},  {".5", .5, 2},  {"99.9<3", 99.9, 4},
                 {"1e3x", 1000, 3}, {"2E-1", 0.2, 4},  {"2EiB", 2, 1}, {"2e+", 2, 1},
                 {"1.", 1, 2},      {"1.2.3", 1.2, 3}, {"0x10", 0, 1}, {"1e999,", INFINITY, 5},
                 {"7,5", 7, 1},     {"3e", 3, 1}};
    const char *const none[] = {"", ".", "-1", "+1", "e5", "inf", "nan", " 1", ".e1"};
    const char *end;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(number_begin(cases[i].text, &end) == cases[i].value);
        CHECK_INT(end - cases[i].text, cases[i].length);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK(isnan(number_begin(none[i], &end)));
        CHECK(end == none[i]);
    }
}

int main(void)
{
    snprintf(file_path, sizeof file_path, "/tmp/cupel-test-column-XXXXXX");
    int fd = mkstemp(file_path);
    CHECK(fd >= 0);
    if (fd < 0)
        return check_result();
    close(fd);
    numbers();
    number_beginnings();
    one_column();
    tables();
    refusals();
    text_from_outside();
    long_line();
    many_lines();
    unlink(file_path);
    return check_result();
}
