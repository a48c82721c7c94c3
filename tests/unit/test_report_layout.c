/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout in a terminal's columns: wide characters, combining marks, control characters. */
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "report/layout/layout.h"
#include "tests/unit/check.h"

#define WIDE      "\xe6\xbc\xa2"     /* U+6F22, two columns */
#define EMOJI     "\xf0\x9f\x92\xbe" /* U+1F4BE, two columns */
#define ACUTE     "\xcc\x81"         /* U+0301, a combining mark */
#define OVERRIDE  "\xe2\x80\xae"     /* U+202E */
#define FIVE_WIDE WIDE WIDE WIDE WIDE WIDE

static const struct report_style narrow = {.width = 60};

static void check_lengths(void)
{
    CHECK_INT(layout_length("plain"), 5);
    CHECK_INT(layout_length(WIDE WIDE), 4);
    CHECK_INT(layout_length(EMOJI "x"), 3);
    CHECK_INT(layout_length("e" ACUTE ACUTE "a"), 2);
    CHECK_INT(layout_length("a" OVERRIDE "b"), 3); /* comes out as '?' */
    CHECK_INT(layout_length("\xff\x01\xc2\x9b"), 3);
    CHECK_INT(layout_length("\xf4\x8f\xbf\xbf"), 1); /* U+10FFFF: unknown */
}

static void check_cells(void)
{
    struct text out = {0};
    layout_left(&out, WIDE, 4);
    layout_right(&out, "e" ACUTE, 3);
    layout_left(&out, "|" OVERRIDE "\xe2\x80\x8b\xef\xbb\xbf\x1b", 0);
    CHECK_STR(out.data, WIDE "    e" ACUTE "|????");
    text_free(&out);
}

static void check_shortened(const char *s, size_t width, const char *expected)
{
    char to[64];
    CHECK_STR(layout_shorten(to, sizeof to, s, width), expected);
    CHECK(layout_length(to) <= width);
}

static void check_shortening(void)
{
    char small[10];
    check_shortened(FIVE_WIDE, 10, FIVE_WIDE);
    check_shortened(FIVE_WIDE, 9, WIDE "..." WIDE WIDE);
    check_shortened(FIVE_WIDE, 7, "..." WIDE); /* half a character does not fit at either end */
    check_shortened("abcdefghijk" ACUTE "lmno", 8, "a...lmno");
    CHECK_STR(layout_shorten(small, sizeof small, "abcdefg" WIDE WIDE, 20), "abcdefg");
    CHECK_STR(layout_shorten(small, sizeof small, "abcdefghijklmnop", 15), "abcd...ij");
}

/* No line exceeds the width, whatever the words are; no text is lost. */
static void check_wrapping(void)
{
    struct text words = {0}, out = {0};
    text_add(&words, "x");
    for (int i = 0; i < 20; i++)
        text_add(&words, FIVE_WIDE);
    layout_paragraph(&out, &narrow, "lead: ", TONE_PLAIN, words.data);
    size_t wide = 0, lines = 0;
    for (char *line = out.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        CHECK(layout_length(line) <= 60);
        lines++;
        for (const char *at = line; (at = strstr(at, WIDE)); at += strlen(WIDE))
            wide++;
    }
    CHECK_INT(wide, 100);
    CHECK_INT(lines, 4); /* 54 columns for 201 */
    text_free(&words);
    text_free(&out);
}

int main(void)
{
    /* The sanitizer build has another C library, in which the locale must be set first. */
    if (wcwidth(0x6f22) != 2)
        setlocale(LC_CTYPE, "C.UTF-8");
    if (wcwidth(0x6f22) != 2) {
        printf("the C library knows no wide characters here: skipped\n");
        return 77;
    }
    check_lengths();
    check_cells();
    check_shortening();
    check_wrapping();
    return check_result();
}
