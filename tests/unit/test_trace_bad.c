/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bad traces: unreadable lines are left out, counted and named, and are an error with --strict; a
   file that is not a trace is refused with the reason. */
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_samples.h"

/* ---------------------------------------------------------------- bad lines */

/* The lines before and after the bad one. */
struct text {
    const char *before, *behind;
    unsigned number; /* of the bad line */
    unsigned events; /* in the good ones */
};

static const struct text msr = {"128166372003061629,hm,1,Read,3154132992,4096,41286\n",
                                "128166372003061700,hm,1,Write,2822144,512,1963\n", 2, 2};
static const struct text alibaba = {"419,W,0,16384,1577808000000626\n",
                                    "725,R,4096,16384,1577808000001046\n", 2, 2};
static const struct text tencent = {"1538323200,12910952,128,0,1063\n",
                                    "1538323200,6265688,8,1,1071\n", 2, 2};
static const struct text spc = {"0,303567,3584,w,0.000000\n", "1,1209856,8192,R,0.026214\n", 2, 2};
static const struct text fiu = {"1000 4892 syslogd 904265560 8 W 6 0 531e779aeb2d\n",
                                "2000 2559 kjournald 11 16 W 6 0 0cc175b9\n", 2, 2};
static const struct text iolog2 = {"fio version 2 iolog\n/d add\n/d read 0 4096\n",
                                   "/d write 8192 4096\n", 4, 2};
static const struct text iolog3 = {"fio version 3 iolog\n0 /d add\n5 /d read 0 4096\n",
                                   "9 /d write 8192 4096\n", 4, 2};
static const struct text blkparse = {
    "  8,0 1 1 0.000000000 697 Q W 223490 + 8 [x]\n  8,0 1 2 0.000001000 697 D W 223490 + 8 [x]\n",
    "  8,0 1 4 0.000009000 0 C W 223490 + 8 [0]\n  8,0 1 5 0.000010000 697 Q R 8 + 8 [x]\n", 3, 2};

#define LONG_NAME                                                                                  \
    "nameofeightybytesnameofeightybytesnameofeightybytesnameofeightybytesnameofeightybytes"

static const struct bad_line {
    const struct text *text;
    const char *line;
    enum trace_skip reason;
    const char *words;
} bad_lines[] = {
    {&msr, "12x,hm,1,Read,0,4096,1\n", TRACE_SKIP_MALFORMED, "the time \"12x\" is no number"},
    {&msr, "-5,hm,1,Read,0,4096,1\n", TRACE_SKIP_MALFORMED, "the time \"-5\" is no number"},
    {&msr, "128166372003061630,hm,1,Read,0\n", TRACE_SKIP_MALFORMED, "the size is missing"},
    {&msr, "128166372003061630,hm,1,Read,0,4096,1,9\n", TRACE_SKIP_MALFORMED,
     "what follows, is one column too many"},
    {&msr, "128166372003061630,hm,1,Erase,0,4096,1\n", TRACE_SKIP_MALFORMED,
     "the type \"Erase\" is neither a read nor a write"},
    {&msr, "128166372003061630,,1,Read,0,4096,1\n", TRACE_SKIP_MALFORMED, "the host is no name"},
    {&msr, "\1\2\377\n", TRACE_SKIP_MALFORMED, "the time \"???\" is no number"},
    {&msr, "128166372003061630,hm,1,Read,18446744073709551616,4096,1\n", TRACE_SKIP_RANGE,
     "the offset \"18446744073709551616\" is too large"},
    {&msr, "128166372003061630,hm,1,Read,9223372036854775807,4096,1\n", TRACE_SKIP_RANGE,
     "its end is beyond 2^63 bytes"},
    {&msr, "999999999999999999,hm,1,Read,0,4096,1\n", TRACE_SKIP_RANGE,
     "the time \"999999999999999999\" is too large"},
    {&msr, "128166372003061630,hm,1,Read,0,4294967296,1\n", TRACE_SKIP_RANGE,
     "the size \"4294967296\" is too large"},
    {&msr, "128166372003061630," LONG_NAME ",1,Read,0,4096,1\n", TRACE_SKIP_RANGE,
     "the host \"nameofeightybytesnameofeightybytesnameofeigh...\" is too long"},
    {&msr, "128166372003061630,hm,1,Read,0,0,1\n", TRACE_SKIP_EMPTY, "its length is 0"},
    {&msr, "419,W,0,16384,1577808000000626\n", TRACE_SKIP_FOREIGN,
     "the type \"16384\" is neither a read nor a write"},
    {&alibaba, "725,R,4096,16384\n", TRACE_SKIP_MALFORMED, "the time is missing"},
    {&alibaba, "725,R,+4096,16384,7\n", TRACE_SKIP_MALFORMED, "the offset \"+4096\" is no number"},
    {&alibaba, "1538323200,6265688,8,1,1071\n", TRACE_SKIP_FOREIGN,
     "the opcode \"6265688\" is neither a read nor a write"},
    {&tencent, "1538323200,6265688,8,2,1071\n", TRACE_SKIP_MALFORMED,
     "the type \"2\" is neither a read nor a write"},
    {&tencent, "1538323200,36028797018963968,8,1,1071\n", TRACE_SKIP_RANGE,
     "the offset \"36028797018963968\" is too large"},
    {&spc, "0,303567,3584,w,1e5\n", TRACE_SKIP_MALFORMED, "the time \"1e5\" is no number"},
    {&spc, "0,303567,3584,w,18446744073.709551616\n", TRACE_SKIP_RANGE,
     "the time \"18446744073.709551616\" is too large"},
    {&spc, "0,303567,,w,1.5\n", TRACE_SKIP_MALFORMED, "the size is no number"},
    {&fiu, "1500 4892 syslogd 904265560 8\n", TRACE_SKIP_MALFORMED, "the LBA is missing"},
    {&fiu, "1500 4294967296 syslogd 9 8 W 6 0 531e\n", TRACE_SKIP_RANGE,
     "the process \"4294967296\" is too large"},
    {&iolog2, "/d erase 0 4096\n", TRACE_SKIP_MALFORMED, "the action \"erase\" is not known"},
    {&iolog2, "/d read 0\n", TRACE_SKIP_MALFORMED, "the length is no number"},
    {&iolog2, "/d wait soon 0\n", TRACE_SKIP_MALFORMED, "the time \"soon\" is no number"},
    {&iolog2, "/d wait 99999999999999999 0\n", TRACE_SKIP_RANGE,
     "the time \"99999999999999999\" is too large"},
    {&iolog2, "/d\n", TRACE_SKIP_MALFORMED, "the action is not known"},
    {&iolog3, "/d read 0 4096\n", TRACE_SKIP_MALFORMED, "the time \"/d\" is no number"},
    {&iolog3, "7 /" LONG_NAME " read 0 4096\n", TRACE_SKIP_RANGE,
     "the file \"/nameofeightybytesnameofeightybytesnameofeig...\" is too long a name"},
    {&iolog3, "7 /d trim 0 0\n", TRACE_SKIP_EMPTY, "its length is 0"},
    {&blkparse, "  8,0 1 3 0.000002000 697 Q W\n", TRACE_SKIP_EMPTY, "its length is 0"},
    {&blkparse, "  8,0 1 3 0.000002000 697 QQ W 8 + 8 [x]\n", TRACE_SKIP_MALFORMED,
     "the action \"QQ\" is not known"},
    {&blkparse, "  8,0 1 3 soon 697 Q W 8 + 8 [x]\n", TRACE_SKIP_MALFORMED,
     "the time \"soon\" is no number"},
    {&blkparse, "  8,0 1 3 0.000002000 697 Q W x + 8 [x]\n", TRACE_SKIP_MALFORMED,
     "the sector \"x\" is no number"},
    {&blkparse, "  8,0 1 3 0.000002000 697 Q W 18014398509481984 + 8 [x]\n", TRACE_SKIP_RANGE,
     "the sector, their number or the process is too large"},
    {&blkparse, "  8,0 1 3 0.000002000 0 C W 4096 + 8 [0]\n", TRACE_SKIP_UNMATCHED,
     "it ends at byte 2101248 of 8,0"},
};

static void check_skip(const struct read *r, const struct bad_line *bad)
{
    const struct trace_skips *skips = trace_skipped(r->trace, bad->reason);
    CHECK_STR(r->error.msg, "");
    CHECK_INT(r->count, bad->text->events);
    CHECK_INT(skips->count, 1);
    CHECK_INT(read_left_out(r), 1);
    CHECK_INT(skips->first_number, bad->text->number);
    CHECK_STR(skips->first_words, bad->words);
    CHECK_STR(skips->first_file, "bad.txt");
}

static void one_bad_line(const struct bad_line *bad)
{
    struct read r;
    char text[6000], message[480];
    long failures = check_failures;
    snprintf(text, sizeof text, "%s%s%s", bad->text->before, bad->line, bad->text->behind);
    const char *path = trace_text("bad.txt", text);
    read_trace(&r, path, NULL);
    check_skip(&r, bad);
    read_end(&r);

    read_trace(&r, path, &(struct trace_options){.strict = true});
    CHECK(r.opened);
    CHECK_INT(r.error.code, ERR_USAGE);
    snprintf(message, sizeof message, "bad.txt: event %u %s: %s", bad->text->number,
             trace_skip_words(bad->reason), bad->words);
    CHECK_STR(r.error.msg, message);
    if (check_failures > failures)
        fprintf(stderr, "the bad line is %s", bad->line);
    read_end(&r);
}

static void bad_line_lengths(void)
{
    struct read r;
    char *text = malloc(1 << 20);
    if (!text)
        return;
    size_t used = (size_t)sprintf(text, "%s", msr.before);
    memset(text + used, '7', 700000);
    used += 700000;
    used += (size_t)sprintf(text + used, "\n%s", msr.behind);
    read_trace(&r, trace_file("long", text, used), NULL);
    CHECK_INT(r.count, 2);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_MALFORMED), 1);
    CHECK_STR(trace_skipped(r.trace, TRACE_SKIP_MALFORMED)->first_words,
              "it is longer than 4096 bytes");
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_MALFORMED)->first_number, 2);
    CHECK_INT(r.events[1].number, 3);
    read_end(&r);
    free(text);
}

/* The last line: cut in its middle, or only without its end. */
static void last_lines(void)
{
    struct read r;
    char text[400];
    snprintf(text, sizeof text, "%s128166372003061700,hm,1,Wri", msr.before);
    read_trace(&r, trace_text("cut", text), NULL);
    CHECK_INT(r.count, 1);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_TRUNCATED), 1);
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_TRUNCATED)->first_number, 2);
    read_end(&r);

    snprintf(text, sizeof text, "%s\r\n\n# a comment\n%.*s", "# made by hand",
             (int)strlen(msr.before) - 1, msr.before);
    read_trace(&r, trace_text("cut", text), NULL);
    CHECK_INT(r.count, 1);
    CHECK_INT(read_left_out(&r), 0);
    CHECK_INT(r.events[0].number, 4);
    read_end(&r);
}

static void too_many_devices(void)
{
    struct read r;
    char *text = malloc(1 << 16);
    if (!text)
        return;
    size_t used = 0;
    for (unsigned i = 0; i < TRACE_DEVICES_MAX + 5; i++)
        used += (size_t)sprintf(text + used, "%u,R,0,4096,%u\n%u,R,0,4096,%u\n", i, 1000 + i, i,
                                1000 + i);
    read_trace(&r, trace_file("many", text, used), NULL);
    CHECK_INT(r.count, 2 * TRACE_DEVICES_MAX);
    CHECK_INT(trace_device_count(r.trace), TRACE_DEVICES_MAX);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_DEVICES), 10);
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_DEVICES)->first_number, 2 * TRACE_DEVICES_MAX + 1);
    CHECK_STR(trace_skipped(r.trace, TRACE_SKIP_DEVICES)->first_words, "device \"256\" is new");
    for (size_t i = 0; i < r.count; i++)
        CHECK_INT(r.events[i].device, i / 2);
    read_end(&r);
    free(text);
}

/* ---------------------------------------------------------------- bad binaries */

#define RECORDS 40 /* of four bytes' magic and 44 others; five of each event */

static size_t records(unsigned char *to, bool big)
{
    struct trace_event event = {.length = 4096, .op = OPERATION_READ, .response_ns = 5000};
    char *bytes = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&bytes, &length);
    for (event.number = 1; event.number <= RECORDS / 5; event.number++) {
        event.time_ns += 10000;
        event.offset += 8192;
        (big ? sample_blktrace_big : sample_blktrace)(f, &event);
    }
    fclose(f);
    memcpy(to, bytes, length);
    free(bytes);
    return length;
}

/* Bytes that are not a record, in the middle: the records after them are found. */
static void no_record(void)
{
    struct read r;
    unsigned char bytes[RECORDS * 48 + 100];
    size_t length = records(bytes, false);
    memmove(bytes + 10 * 48 + 33, bytes + 10 * 48, length - 10 * 48);
    memset(bytes + 10 * 48, 0x65, 33);
    read_trace(&r, trace_file("binary", bytes, length + 33), NULL);
    CHECK_INT(r.count, 8);
    CHECK_INT(read_left_out(&r), 1);
    CHECK_STR(trace_skipped(r.trace, TRACE_SKIP_MALFORMED)->first_words, "33 bytes are no record");
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_MALFORMED)->first_number, 11);
    read_end(&r);
    /* At the very beginning. */
    bytes[2] ^= 1;
    read_trace(&r, trace_file("binary", bytes, length + 33), NULL);
    CHECK_STR(trace_format_name(r.trace), "blktrace");
    CHECK_INT(r.count,
              8); /* the first event is known by its issue, because its queue event is missing */
    CHECK_INT(read_skipped(&r, TRACE_SKIP_MALFORMED), 2);
    CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_MALFORMED)->first_number, 1);
    read_end(&r);
    bytes[2] ^= 1;
    trace_file("binary", bytes, length + 33);
    read_trace(&r, trace_path("binary"), &(struct trace_options){.strict = true});
    CHECK_STR(r.error.msg, "binary: event 11 cannot be read: 33 bytes are no record");
    read_end(&r);
}

/* The stated length after a record leads out of the file, or into another record. */
static void wrong_length(void)
{
    struct read r;
    unsigned char bytes[RECORDS * 48 + 100];
    size_t length = records(bytes, false);
    for (unsigned value = 1; value < 65536; value += 1000) {
        bytes[3 * 48 + 46] = (unsigned char)value;
        bytes[3 * 48 + 47] = (unsigned char)(value >> 8);
        read_trace(&r, trace_file("binary", bytes, length), NULL);
        CHECK_INT(r.count, 8);
        CHECK_INT(read_left_out(&r), 0);
        read_end(&r);
    }
}

static void cut_records(void)
{
    struct read r;
    unsigned char bytes[RECORDS * 48 + 100];
    size_t length = records(bytes, true);
    for (size_t cut = 1; cut < 48; cut++) {
        read_trace(&r, trace_file("binary", bytes, length - cut), NULL);
        CHECK_INT(r.count, 8);
        CHECK_INT(r.events[7].response_ns, TRACE_UNKNOWN); /* its completion is cut */
        CHECK_INT(read_skipped(&r, TRACE_SKIP_TRUNCATED), 1);
        CHECK_INT(read_left_out(&r), 1);
        CHECK_INT(trace_skipped(r.trace, TRACE_SKIP_TRUNCATED)->first_number, RECORDS);
        read_end(&r);
    }
}

/* Records of both byte orders behind each other. */
static void both_orders(void)
{
    struct read r;
    unsigned char bytes[2 * RECORDS * 48];
    size_t length = records(bytes, true);
    length += records(bytes + length, false);
    read_trace(&r, trace_file("binary", bytes, length), NULL);
    CHECK_INT(r.count, 16);
    CHECK_INT(read_left_out(&r), 0);
    CHECK_INT(r.events[15].response_ns, 5000);
    read_end(&r);
}

/* ---------------------------------------------------------------- refused at once */

static void refused(const char *path, const char *format, const char *words)
{
    struct trace *t = NULL;
    struct err e = {0};
    const struct trace_options options = {.format = format};
    CHECK_INT(trace_open(&t, &path, 1, &options, &e), -1);
    CHECK(t == NULL);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    in %s\n", e.msg);
}

#define KNOWN "cupel, blktrace, iolog, blkparse, msr, alibaba, tencent, spc, fiu"

static void refusals(void)
{
    refused(trace_path("absent"), NULL, "absent: it cannot be opened: No such file");
    refused(trace_text("e", ""), NULL, "e: it is empty");
    refused(trace_text("e", "hello\033[31m,\nworld\n"), NULL,
            "e: no trace in a format that is known (" KNOWN "); it begins with \"hello?[31m,\"; "
            "--trace-format says which it is, --columns what");
    refused(trace_text("e", msr.before), "mrs", "mrs: no format of traces; known: " KNOWN);
    refused(trace_text("e", msr.before), "blktrace", "e: it is no file of blktrace");
    refused(trace_text("e", msr.before), "iolog", "its first line is not \"fio version 2 iolog\"");
    refused(trace_text("e", msr.before), "cupel", "it does not begin as cupel's traces do");
    refused(trace_text("e", "fio version 1 iolog\n/d read 0 4096\n"), NULL, "no other is read");
    refused(trace_text("e", "\6tae01234567"), NULL, "version 6 of blktrace's format; version 7");
    refused(trace_text("e", "eat\5 01234567"), NULL, "version 5 of blktrace's format; version 7");
    refused(trace_text("e", "\x28\xb5\x2f\xfd data"), NULL,
            "compressed by zstd: decompress it first: zstd -d FILE");
    refused(trace_text("e", "BZh9data"), NULL, "decompress it first: bzip2 -d FILE");
    refused(trace_text("e", "\xfd"
                            "7zXZ data"),
            NULL, "decompress it first: xz -d FILE");
    refused("/proc/self/mem", NULL, "mem: it cannot be read");
    refused(trace_folder_path, NULL, "a folder without files of blktrace");
}

static void several_of_text(void)
{
    struct trace *t = NULL;
    struct err e = {0};
    const char *paths[] = {trace_text("one", msr.before), trace_text("two", msr.behind)};
    CHECK_INT(trace_open(&t, paths, 2, NULL, &e), -1);
    CHECK(strstr(e.msg, "must be one of blktrace; this is MSR Cambridge CSV") != NULL);
    paths[1] = "-";
    CHECK_INT(trace_open(&t, paths, 2, NULL, &e), -1);
    CHECK(strstr(e.msg, "standard input cannot be one of several") != NULL);
    CHECK_INT(trace_open(&t, paths, 0, NULL, &e), -1);
    CHECK_INT(trace_open(&t, paths, 0, NULL, NULL), -1);
}

int main(void)
{
    trace_folder();
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++)
        one_bad_line(&bad_lines[i]);
    bad_line_lengths();
    last_lines();
    too_many_devices();
    no_record();
    wrong_length();
    cut_records();
    both_orders();
    refusals();
    several_of_text();
    trace_folder_end();
    return check_result();
}
