/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables with named columns: units, words, separators, names in the first line, known tables; and
   faults in a list or a line. */
#include "tests/unit/trace_check.h"

#define S UINT64_C(1000000000)

static void read_table(struct read *r, const char *columns, const char *text)
{
    const struct trace_options options = {.columns = columns};
    read_trace(r, trace_text("table", text), &options);
    if (!check_that(r->opened, __FILE__, __LINE__, columns))
        fprintf(stderr, "    %s\n", r->error.msg);
}

/* Returns the last of two events; its time counts from the first one, which is at 0. */
struct expected {
    uint64_t time_ns, offset, response_ns;
    uint32_t length;
    enum operation op;
    const char *device;
};

static void check_last(const char *columns, const char *text, struct expected is)
{
    struct read r;
    read_table(&r, columns, text);
    CHECK_INT(r.count, 2);
    if (r.opened && r.count == 2) {
        const struct trace_event *got = &r.events[1];
        CHECK_INT(got->time_ns, is.time_ns);
        CHECK_INT(got->offset, is.offset);
        CHECK_INT(got->length, is.length);
        CHECK_INT(got->op, is.op);
        CHECK_INT(got->response_ns, is.response_ns);
        CHECK_STR(trace_device(r.trace, got->device)->name, is.device);
        CHECK_STR(trace_format_name(r.trace), "named columns");
        CHECK_INT(read_left_out(&r), 0);
    } else {
        fprintf(stderr, "    of %s\n", columns);
    }
    read_end(&r);
}

static void test_units(void)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } times[] = {{"s", 1500000000}, {"ms", 1500000}, {"us", 1500}, {"100ns", 150}, {"ns", 1}};
    char columns[100];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        snprintf(columns, sizeof columns, "time=1,offset=2,len=3,unit=%s", times[i].unit);
        check_last(columns, "0,0,512\n1.5,4096,512\n",
                   (struct expected){times[i].ns, 4096, TRACE_UNKNOWN, 512, OPERATION_READ, "-"});
    }
    /* filetime of this century, exactly */
    check_last("time=1,offset=2,len=3,unit=filetime",
               "128166372003061629,0,512\n128166372003061630,512,512\n",
               (struct expected){100, 512, TRACE_UNKNOWN, 512, OPERATION_READ, "-"});
    check_last("time=1,unit=s,offset=2,len=3,unit=sectors", "0,0,1\n1,8,16\n",
               (struct expected){S, 4096, TRACE_UNKNOWN, 8192, OPERATION_READ, "-"});
    check_last("time=1,unit=s,offset=2,len=3,offset-unit=4k,len-unit=bytes", "0,0,1\n1,8,16\n",
               (struct expected){S, 32768, TRACE_UNKNOWN, 16, OPERATION_READ, "-"});
    check_last("time=1,time-unit=s,offset=2,len=3,response=4,response-unit=us",
               "0,0,1,1\n1,8,16,7.25\n", (struct expected){S, 8, 7250, 16, OPERATION_READ, "-"});
    check_last("offset=2,len=3", "x,0,1\ny,8,16\n",
               (struct expected){0, 8, TRACE_UNKNOWN, 16, OPERATION_READ, "-"});
}

static void test_words(void)
{
    static const struct {
        const char *words, *word;
        enum operation op;
    } cases[] = {
        {"", "R", OPERATION_READ},
        {"", "read", OPERATION_READ},
        {"", "W", OPERATION_WRITE},
        {"", "WRITE", OPERATION_WRITE},
        {"", "Discard", OPERATION_TRIM},
        {"", "flush", OPERATION_SYNC},
        {",read=0,write=1", "0", OPERATION_READ},
        {",read=0,write=1", "1", OPERATION_WRITE},
        {",read=1,write=0", "0", OPERATION_WRITE},
        {",read=0,write=1,trim=3", "3", OPERATION_TRIM},
        {",read=8/40/136,write=10/42/138", "138", OPERATION_WRITE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char columns[100], text[100];
        snprintf(columns, sizeof columns, "time=1,unit=s,op=2,offset=3,len=4%s", cases[i].words);
        snprintf(text, sizeof text, "0,%s,0,512\n1,%s,512,512\n", cases[i].word, cases[i].word);
        check_last(columns, text, (struct expected){S, 512, TRACE_UNKNOWN, 512, cases[i].op, "-"});
    }
}

static void test_separators(void)
{
    static const char *const texts[][2] = {
        {"", "0,R,0,512,a\n1,R,512,512,b\n"},
        {"", "0;R;0;512;a\r\n1;R;512;512;b\r\n"},
        {"", "0\tR\t0\t512\ta\n1\tR\t512\t512\tb\n"},
        {"", "0 R 0 512 a\n 1  R   512 512   b\n"},
        {"", "0|R|0|512|a\n1|R|512|512|b"},
        {"", "\"0\",\"R\",\"0\",\"512\",\"a\"\n1,R,512,512,\"b\"\n"},
        {",sep=:", "0:R:0:512:a\n1:R:512:512:b\n"},
        {",sep=comma", "0,R,0,512,a;\n1,R,512,512,b\n"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char columns[100];
        snprintf(columns, sizeof columns, "time=1,unit=s,op=2,offset=3,len=4,device=5%s",
                 texts[i][0]);
        check_last(columns, texts[i][1],
                   (struct expected){S, 512, TRACE_UNKNOWN, 512, OPERATION_READ, "b"});
    }
}

/* The first line has column names, or already numbers; lines above it are skipped. */
static void test_first_line(void)
{
    const struct expected is = {S, 512, TRACE_UNKNOWN, 512, OPERATION_WRITE, "v"};
    check_last("time=Stamp (s),unit=s,op=Type,offset=LBA512,len=Size,device=Vol",
               "Vol,Stamp (s),Type,LBA512,Size\nv,5,W,0,512\nv,6,W,512,512\n", is);
    check_last("time=2,unit=s,op=3,offset=4,len=5,device=1",
               "Vol,time2,Type,LBA512,Size\nv,5,W,0,512\nv,6,W,512,512\n", is);
    check_last("skip=2,time=2,unit=s,op=3,offset=4,len=5,device=1",
               "1,1,R,1,1\n2,2,R,2,2\nv,5,W,0,512\nv,6,W,512,512\n", is);
    check_last("time=2,unit=s,op=3,offset=4,len=5,device=1",
               "# a remark\n\nv,5,W,0,512\n# another\nv,6,W,512,512\n", is);
}

static void test_known_tables(void)
{
    check_last("disksim", "13.191135 30 0 5 1\n14.314779 17 24 8 0\n",
               (struct expected){1123644, 24 * 512, TRACE_UNKNOWN, 4096, OPERATION_WRITE, "17"});
    check_last("mqsim", "1000 0 0 8 1\n3500 1 64 16 1\n",
               (struct expected){2500, 64 * 512, TRACE_UNKNOWN, 8192, OPERATION_READ, "1"});
    check_last("systor17",
               "Timestamp,Response,IOType,LUN,Offset,Size\n1456000000.000100000,0.000250000,R,3,0,"
               "4096\n1456000000.500100000,,W,4,8192,512\n",
               (struct expected){500000000, 8192, TRACE_UNKNOWN, 512, OPERATION_WRITE, "4"});
    check_last(
        "vscsi",
        "#Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp\n"
        "2147483692,4096,1,write,100,2756778716647\n2147483769,512,1,read,200,2756778716650\n",
        (struct expected){3000, 200 * 512, TRACE_UNKNOWN, 512, OPERATION_READ, "-"});
    /* what follows the name of a table changes it */
    check_last("disksim,read=0,write=1", "0 30 0 5 1\n1 17 24 8 0\n",
               (struct expected){1000000, 24 * 512, TRACE_UNKNOWN, 4096, OPERATION_WRITE, "17"});
}

static void check_refused(const char *columns, const char *words)
{
    struct trace *t = NULL;
    struct err e = {0};
    const char *path = trace_text("table", "time,op\n1,R,0,512\n");
    const struct trace_options options = {.columns = columns};
    CHECK_INT(trace_open(&t, &path, 1, &options, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, words) != NULL, __FILE__, __LINE__, columns))
        fprintf(stderr, "    says: %s\n", e.msg);
}

static void test_bad_lists(void)
{
    check_refused("time=1,unit=s", "offset=COLUMN and len=COLUMN are needed");
    check_refused("time=1,offset=2,len=3", "unit=s, ms, us, ns or 100ns is needed");
    check_refused("offset=2,len=3,response=4", "response-unit=s, ms, us, ns or 100ns is needed");
    check_refused("offset=0,len=3", "--columns offset=0: columns have numbers from 1 to 64");
    check_refused("offset=65,len=3", "columns have numbers from 1 to 64");
    check_refused("offset=where,len=3", "--columns offset=where: the first line has no column");
    check_refused("offset=1,len=2,unit=hour", "--columns unit=hour: a unit is s, ms, us");
    check_refused("offset=1,len=2,offset-unit=ms", "it is no unit of size");
    check_refused("offset=1,len=2,time-unit=4k", "it is no unit of time");
    check_refused("offset=1,len=2,colour=3", "--columns colour=3: a key is time, offset");
    check_refused("offset=1,len=2,sep=abc", "a separator is comma");
    check_refused("offset=1,len=2,skip=x", "a number of lines is expected");
    check_refused("offset=1,len=2,read=", "KEY=VALUE is expected");
    check_refused("offset=1,len=2,,", "KEY=VALUE is expected");
    check_refused("nonsense", "KEY=VALUE is expected");
}

/* An unreadable line is counted, with its number; with --strict reading ends there. */
static void test_bad_lines(void)
{
    static const struct {
        const char *line;
        enum trace_skip reason;
        const char *words;
    } cases[] = {
        {"x,R,0,512", TRACE_SKIP_MALFORMED, "the time \"x\" is no number"},
        {"-1,R,0,512", TRACE_SKIP_MALFORMED, "the time \"-1\" is no number"},
        {"1e3,R,0,512", TRACE_SKIP_MALFORMED, "the time \"1e3\" is no number"},
        {"1,0,0,512", TRACE_SKIP_MALFORMED, "the op \"0\" is no operation"},
        {"1,R,0", TRACE_SKIP_MALFORMED, "the length is missing"},
        {"1,R,0,0", TRACE_SKIP_EMPTY, "its length is 0"},
        {"1,R,99999999999999999999,512", TRACE_SKIP_RANGE, "is too large"},
        {"99999999999,R,0,512", TRACE_SKIP_RANGE, "the time \"99999999999\" is too large"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        struct read r;
        snprintf(text, sizeof text, "0,R,0,512\n%s\n2,W,512,512\n", cases[i].line);
        read_table(&r, "time=1,unit=s,op=2,offset=3,len=4", text);
        CHECK_INT(r.count, 2);
        const struct trace_skips *skips = trace_skipped(r.trace, cases[i].reason);
        CHECK_INT(skips->count, 1);
        CHECK_INT(skips->first_number, 2);
        CHECK(strstr(skips->first_words, cases[i].words) != NULL);
        read_end(&r);
        const struct trace_options strict = {.strict = true,
                                             .columns = "time=1,unit=s,op=2,offset=3,len=4"};
        read_trace(&r, trace_text("table", text), &strict);
        CHECK_INT(r.error.code, ERR_USAGE);
        CHECK(strstr(r.error.msg, "table: event 2 ") != NULL);
        read_end(&r);
    }
}

int main(void)
{
    trace_folder();
    test_units();
    test_words();
    test_separators();
    test_first_line();
    test_known_tables();
    test_bad_lists();
    test_bad_lines();
    trace_folder_end();
    return check_result();
}
