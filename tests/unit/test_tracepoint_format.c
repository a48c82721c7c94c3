/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's descriptions of tracepoints: fields by name, and invalid texts. */
#include "program/observe/tracepoint/tracepoint.h"
#include "tests/unit/check.h"

static const char issue[] = "name: block_rq_issue\n"
                            "ID: 1042\n"
                            "format:\n"
                            "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                            "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
                            "\n"
                            "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
                            "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
                            "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
                            "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
                            "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n"
                            "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n"
                            "\n"
                            "print fmt: \"%d field:int fake; offset:7; size:4;\", REC->dev\n";

static void check_field(const char *name, int offset, int size, bool is_signed)
{
    struct tracepoint_field f = format_field(issue, name);
    CHECK_INT(f.offset, offset);
    CHECK_INT(f.size, size);
    CHECK_INT(f.is_signed, is_signed);
}

static void test_fields(void)
{
    CHECK_INT(format_number(issue), 1042);
    check_field("dev", 8, 4, false);
    check_field("sector", 16, 8, false);
    check_field("nr_sector", 24, 4, false); /* its end is not taken for "sector" */
    check_field("error", 28, 4, true);
    check_field("rwbs", 34, 10, false);
    check_field("cmd", 60, 4, false);
    check_field("common_pid", 4, 4, true);
    check_field("pid", 0, 0, false);
    check_field("missing", 0, 0, false);
    check_field("de", 0, 0, false);
}

static void test_damage(void)
{
    CHECK_INT(format_number(""), -1);
    CHECK_INT(format_number("ID:"), -1);
    CHECK_INT(format_number("ID: 70000"), -1);
    CHECK_INT(format_field("", "dev").size, 0);
    CHECK_INT(format_field("field:int dev;", "dev").size, 0);
    CHECK_INT(format_field("field:int dev;\toffset:x;\tsize:4;\n", "dev").size, 0);
    CHECK_INT(format_field("field:int dev;\toffset:8;\tsize:999999;\n", "dev").size, 0);
    char cut[sizeof issue];
    for (size_t length = 0; length < sizeof issue; length++) { /* ends anywhere */
        memcpy(cut, issue, length);
        cut[length] = '\0';
        struct tracepoint_field f = format_field(cut, "error");
        CHECK(f.size == 0 || f.offset == 28);
    }
}

static void test_values(void)
{
    unsigned char raw[44] = {0};
    const struct tracepoint_event event = {.raw = raw, .raw_size = sizeof raw};
    raw[8] = 0x10, raw[9] = 0x20;
    memset(raw + 28, 0xff, 4);
    raw[28] = 0xfb;
    CHECK_INT(tracepoint_value(&event, format_field(issue, "dev")), 0x2010);
    CHECK_INT((int64_t)tracepoint_value(&event, format_field(issue, "error")), -5);
    CHECK_INT(tracepoint_value(&event, format_field(issue, "missing")), 0);
    CHECK_INT(tracepoint_value(&event, format_field(issue, "cmd")), 0);  /* past the record */
    CHECK_INT(tracepoint_value(&event, format_field(issue, "rwbs")), 0); /* no number */
}

int main(void)
{
    test_fields();
    test_damage();
    test_values();
    return check_result();
}
