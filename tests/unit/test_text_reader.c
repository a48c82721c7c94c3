/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a text: lines, words, comments, and the position of a mistake. */
#include "base/text_reader.h"
#include "check.h"

static bool is(struct span s, const char *text)
{
    return s.length == strlen(text) && !memcmp(s.text, text, s.length);
}

static void test_lines(void)
{
    struct fault fault;
    struct text_reader r = reader_of_lines(span_of("\xef\xbb\xbf"
                                                   "one\r\n\n three\rx\r"),
                                           &fault);
    CHECK_INT(r.number, 0);
    CHECK(reader_next_line(&r) && is(r.line, "one") && is(r.rest, "one") && r.number == 1);
    CHECK(reader_next_line(&r) && is(r.line, "") && r.number == 2);
    CHECK(reader_next_line(&r) && is(r.line, " three\rx") && r.number == 3);
    CHECK_INT(reader_fail(&r, r.line.text + 1, "%s is no number", "three"), -1);
    CHECK_INT(fault.line, 3);
    CHECK_INT(fault.column, 2);
    CHECK_STR(fault.message, "three is no number");
    CHECK(!reader_next_line(&r) && is(r.line, " three\rx") && r.number == 3);

    r = reader_of_lines(span_of("\n"), &fault);
    CHECK(reader_next_line(&r) && is(r.line, "") && !reader_next_line(&r));
    r = reader_of_lines(span_of(""), &fault);
    CHECK(!reader_next_line(&r));
    reader_fail(&r, r.line.text, "empty");
    CHECK_INT(fault.line, 0);
    CHECK_INT(fault.column, 1);
}

static void test_pieces(void)
{
    char by;
    struct text_reader r = reader_of_line(span_of("zipf:1.2/5"), NULL);
    CHECK(is(reader_piece(&r, ":/", &by), "zipf") && by == ':');
    CHECK(is(reader_piece(&r, ":/", &by), "1.2") && by == '/');
    CHECK_INT(reader_column(&r, r.rest.text), 10);
    CHECK(is(reader_piece(&r, ":/", &by), "5") && by == 0);
    CHECK(is(reader_piece(&r, ":/", &by), "") && by == 0);
    r = reader_of_line(span_of("a:"), NULL);
    reader_skip(&r, 1);
    CHECK(is(r.rest, ":") && is(reader_piece(&r, ":", &by), "") && by == ':' && !r.rest.length);
}

static void test_comments(void)
{
    CHECK(is(without_comment(span_of("# all"), false), ""));
    CHECK(is(without_comment(span_of("a#b #c #d"), false), "a#b "));
    CHECK(is(without_comment(span_of("a\t#b"), true), "a\t"));
    CHECK(is(without_comment(span_of("a \" #b\" #c"), false), "a \" "));
    CHECK(is(without_comment(span_of("a \" #b\" #c"), true), "a \" #b\" "));
    CHECK(is(without_comment(span_of("a \" #b"), true), "a \" #b"));
}

int main(void)
{
    test_lines();
    test_pieces();
    test_comments();
    return check_result();
}
