/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing strings, copies of short strings, and text that is safe in a line of a report. */
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"

static void formats(void)
{
    struct text t = {0};
    char expected[2048], wide[700];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    text_addf(&t, "%s", "");
    CHECK_STR(t.data, "");
    text_addf(&t, "%s, %s%s.", "one", "", "two");
    CHECK_STR(t.data, "one, two.");
    text_addf(&t, "no conversion ");
    text_addf(&t, "%d%% of %s", 50, "it");
    CHECK_STR(t.data, "one, two.no conversion 50% of it");
    CHECK_INT(t.length, strlen(t.data));
    text_free(&t);
    text_addf(&t, "%s|%d", wide, 7); /* more than there is room for at first */
    text_addf(&t, "|%s|", wide);
    snprintf(expected, sizeof expected, "%s|7|%s|", wide, wide);
    CHECK_STR(t.data, expected);
    CHECK_INT(t.length, strlen(expected));
    CHECK(!t.failed);
    text_free(&t);
}

static void digits(void)
{
    static const uint64_t numbers[] = {0, 7, 10, 4294967296, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char expected[32], written[TEXT_DIGITS];
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)numbers[i]);
        CHECK_STR(text_digits(written, numbers[i]), expected);
    }
}

/* Every length around the eight bytes copied at once; nothing is written beyond the end. */
static void copies(void)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (size_t length = 0; length < sizeof all; length++) {
        char to[48];
        memset(to, '#', sizeof to);
        CHECK(span_copy(to, (struct span){all, length}) == to + length);
        CHECK(!memcmp(to, all, length) && !to[length] && to[length + 1] == '#');
    }
}

static void decodes(const char *text, size_t length, uint32_t expected)
{
    uint32_t code;
    CHECK_INT(span_decode(span_of(text), &code), length);
    CHECK_INT(code, expected);
}

static void characters(void)
{
    decodes("A", 1, 'A');
    decodes("\xc3\xa9", 2, 0xe9);
    decodes("\xe6\xbc\xa2", 3, 0x6f22);
    decodes("\xf4\x8f\xbf\xbf", 4, 0x10ffff);
    decodes("\xed\xa0\x80", 0, 0); /* a surrogate */
    decodes("\xff", 0, 0);
    decodes("", 0, 0);
}

static void shown_is(const char *text, size_t size, const char *expected)
{
    char shown[64];
    CHECK_STR(span_printable(shown, size, span_of(text)), expected);
}

static void printable(void)
{
    shown_is("plain ~", 64, "plain ~");
    shown_is("a\tb\x7f\x1b[2J", 64, "a?b??[2J");
    shown_is("caf\xc3\xa9 \xff!", 64, "caf\xc3\xa9 ?!");
    shown_is("exactly", 8, "exactly");
    shown_is("too long", 8, "too ...");
    shown_is("caf\xc3\xa9 \xc3\xa9", 8, "caf..."); /* no half characters */
    shown_is("a\xe2\x80\xae"
             "b\xe2\x80\x8b\xef\xbb\xbf\xd8\x9c",
             64, "a?b???"); /* U+202E ... */
    shown_is("\xe2\x81\xa0\xe2\x81\xa9\xe2\x80\x8f\xc2\x9b", 64, "????");
    shown_is("\xe2\x80\x90\xe2\x80\xaf\xc2\xa0", 64,
             "\xe2\x80\x90\xe2\x80\xaf\xc2\xa0"); /* beside them */
    shown_is("ab\xe2\x80\xae"
             "cdefg",
             8, "ab?c..."); /* one byte of three */
    CHECK(span_is_text(span_of("tab\tcr\rlf\n \xe2\x82\xac ~")));
    CHECK(!span_is_text(span_of("a\x7f")));
    CHECK(!span_is_text(span_of("a\x01")));
    CHECK(!span_is_text(span_of("a\xe2\x82")));
    CHECK(!span_is_text((struct span){"a\0b", 3}));
}

static void csv_is(const char *field, const char *expected)
{
    struct text t = {0};
    text_add(&t, "");
    text_add_csv(&t, field);
    CHECK_STR(t.data, expected);
    text_free(&t);
}

static void csv_fields(void)
{
    csv_is("", "");
    csv_is("plain\ttab", "plain\ttab");
    csv_is("a,b", "\"a,b\"");
    csv_is("say \"x\"\n", "\"say \"\"x\"\"\n\"");
    csv_is("\x1b[31mred\a\x7f", "?[31mred??");
    csv_is("a\x1b,\xc2\x9b", "\"a?,?\"");
    csv_is("=1+1", "'=1+1");
    csv_is("@SUM(A1,A2)", "\"'@SUM(A1,A2)\"");
    csv_is("+x", "'+x");
    csv_is("-x", "'-x");
    csv_is("\t=1", "'\t=1");
    csv_is("-1.5e3", "-1.5e3");
    csv_is("+7", "+7");
    csv_is("-", "-");
    csv_is("- vs b", "- vs b");
    csv_is("a=1", "a=1");
    csv_is("caf\xc3\xa9 \xff\xe2\x80\xae", "caf\xc3\xa9 ??");
}

int main(void)
{
    csv_fields();
    formats();
    digits();
    copies();
    characters();
    printable();
    return check_result();
}
