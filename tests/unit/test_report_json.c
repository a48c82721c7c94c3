/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON writer with difficult input, and JSON reports compared with golden output. */
#include "base/json.h"
#include "report/document/document.h"
#include "report/report.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/report_fixture.h"

static struct fixture f;
static const struct report_style style = {.full = true, .width = 80};

static void check_string(const char *value, const char *expected)
{
    struct text out = {0};
    struct json j = json_on(&out);
    json_string(&j, NULL, value);
    CHECK_STR(out.data, expected);
    text_free(&out);
}

static void check_strings(void)
{
    check_string("", "\"\"");
    check_string("a\"b\\c/", "\"a\\\"b\\\\c/\"");
    check_string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
    check_string("\xc2\x9b[2J\xe2\x80\xae", "\"\\u009b[2J\\u202e\""); /* terminal controls */
    check_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                 "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    /* Stray continuation, cut off, overlong, surrogate, above U+10FFFF: one replacement character
       per byte. */
    check_string("\x80", "\"\xef\xbf\xbd\"");
    check_string("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    check_string("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    check_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    check_string("\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void check_structure(void)
{
    static const double numbers[] = {1, NAN, -INFINITY, 0.1};
    struct text out = {0};
    struct json j = json_on(&out);
    json_begin_object(&j, NULL);
    json_begin_array(&j, "empty");
    json_end_array(&j);
    json_numbers(&j, "numbers", numbers, 4);
    json_sizes(&j, "sizes", (const size_t[]){3, 5}, 2);
    json_begin_array(&j, "objects");
    json_begin_object(&j, NULL);
    json_bool(&j, "yes", true);
    json_unsigned(&j, "most", UINT64_MAX);
    json_end_object(&j);
    json_end_array(&j);
    json_number(&j, "nan", NAN);
    json_end_object(&j);
    CHECK_STR(out.data, "{\n"
                        "  \"empty\": [],\n"
                        "  \"numbers\": [1, null, null, 0.1],\n"
                        "  \"sizes\": [3, 5],\n"
                        "  \"objects\": [\n"
                        "    {\n"
                        "      \"yes\": true,\n"
                        "      \"most\": 18446744073709551615\n"
                        "    }\n"
                        "  ],\n"
                        "  \"nan\": null\n"
                        "}\n");
    text_free(&out);
}

static void check_reports(void)
{
    static double values[400];
    struct text out = {0};
    fixture_fill(&f);
    fixture_label(&f.result);
    f.result.series[0].count = 40;
    f.result.series[0].stable_end = 40;
    f.result.series_count = 1;
    report_print(&result_report, &f.result, "json", &style, &out);
    golden_check("report/precise.json", &out);
    text_free(&out);

    struct analysis a = fixture_analysis(values);
    report_print(&analysis_report, &a, "json", &style, &out);
    golden_check("report/analysis.json", &out);
    text_free(&out);
}

int main(void)
{
    check_strings();
    check_structure();
    check_reports();
    return check_result();
}
