/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HdrHistogram logs in a merge: buckets, times, units, tags, and every kind of bad row. */
#include "tests/unit/merge_files.h"

#include "many/merge/bins/bins.h"

/* Written by the Java library 2.1.11: for k from 1 to 20 k times the value k^3 us, twice as many in
   the second interval; reads are k ns longer. */
static const char of_java[] =
    "#[Logged with test]\n"
    "#[Histogram log format version 1.3]\n"
    "#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]\n"
    "#[BaseTime: 1700000000.000 (seconds since epoch)]\n"
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histog"
    "ram\"\n"
    "Tag=READ,0.000,1.000,8.004,HISTFAAAAF142pNpmSzMwMBgwwABzFCaEUzW//9v/wEicJGf6bQ+S7c02"
    "3sRjvn8XC+5eY5y8S3nEvjNJrSQQ+Qhq1grm8R6NqnJLDJPWeT2syrsZlbay6zymVltNYsGALHIFrM=\n"
    "Tag=Write,0.000,1.000,8.004,HISTFAAAAF142pNpmSzMwMBgwwABzFCaEUzW//9v/wEicJ6f6aw+S7c0"
    "23sRjvn8XC+5eY5y8S3nEvjNJrSQQ+Qhq1grm8R6NqnJLDJPWeT2syrsZlbay6zymVltNYsGALHCFrM=\n"
    "Tag=READ,1.000,1.000,16.007,HISTFAAAAF142pNpmSzMwMBgwwABzFCaEUz+///f/gNEYKE80299lm5p"
    "tvciHPP5uV5y8xzl4lvOJfCbTWghh8hDVrFWNon1bFKTWWSessjtZ1XYzay0l1nlM7PaahYNANhoF0M=\n"
    "Tag=Write,1.000,1.000,16.007,HISTFAAAAF142pNpmSzMwMBgwwABzFCaEUz+///f/gNEYL480199lm5"
    "ptvciHPP5uV5y8xzl4lvOJfCbTWghh8hDVrFWNon1bFKTWWSessjtZ1XYzay0l1nlM7PaahYNANhiF0M=\n";

#define EPOCH_S UINT64_C(1700000000)
#define SECOND  UINT64_C(1000000000)

static void test_of_java(void)
{
    struct merge *m = merge_file(put_log("/java", of_java, sizeof of_java - 1));
    CHECK(m != NULL);
    if (!m)
        return;
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->format, "HdrHistogram log");
    CHECK(s->time == TIME_ABSOLUTE && !s->ops_unknown && !s->cut_short);
    CHECK_INT(s->guessed_unit_ns, 1);
    CHECK(s->bin_error == 0);
    CHECK_INT(s->begin_ns, EPOCH_S * SECOND);
    CHECK_INT(s->end_ns, (EPOCH_S + 2) * SECOND);
    CHECK_INT(m->timeline.count, 2);
    for (size_t i = 0; i < m->timeline.count; i++) {
        const struct timeline_interval *interval = m->timeline.intervals[i];
        CHECK_INT(interval->number, EPOCH_S + i);
        for (int op = 0; op < OPERATIONS; op++) {
            static struct histogram expected;
            histogram_clear(&expected);
            for (uint64_t k = 1; k <= 20 && op <= OPERATION_WRITE; k++)
                for (uint64_t n = 0; n < k; n++)
                    histogram_add(&expected,
                                  k * k * k * 1000 * (i + 1) + (op == OPERATION_READ ? k : 0));
            CHECK_INT(interval->op[op].n, expected.n);
            for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
                CHECK(bucket_count(&interval->op[op], bucket) == expected.count[bucket]);
            if (!expected.n)
                continue;
            CHECK_NEAR((double)interval->op[op].min, (double)expected.min, 0.001);
            CHECK_NEAR((double)interval->op[op].max, (double)expected.max, 0.001);
        }
    }
    CHECK_INT(s->op[OPERATION_READ].sum.ios, 420);
    CHECK_INT(s->op[OPERATION_WRITE].sum.ios, 420);
    merge_free(m);
}

/* ---- logs made here ---- */

static struct text made;

/* Adds one row with `count` times a value. */
static void add_row(const char *head, uint64_t value, uint64_t count, unsigned digits,
                    const char *max)
{
    struct hdr_layout layout;
    hdr_layout_of(&layout, digits, 1, INT64_MAX);
    const struct hdr_count one = {hdr_bin(&layout, value), count};
    text_addf(&made, "%s,%s,", head, max);
    hdr_encode(&layout, &one, 1, &made);
    text_add(&made, "\n");
}

static struct merge *merge_made_as(struct merge_plan plan)
{
    struct merge *m = merge_file_as(put_log("/made", made.data, made.length), plan);
    text_free(&made);
    return m;
}

static struct merge *merge_made(void)
{
    return merge_made_as((struct merge_plan){.interval_ns = SECOND});
}

/* Checks in which second a row with these comments and this start is found. */
static void check_instant(const char *comments, const char *start, uint64_t start_ns,
                          uint64_t second, enum source_time time)
{
    char head[80];
    text_add(&made, "#[Histogram log format version 1.3]\n");
    text_add(&made, comments);
    snprintf(head, sizeof head, "Tag=read,%s,0.1", start);
    add_row(head, 1000000, 1, 3, "1.000");
    struct merge *m =
        merge_made_as((struct merge_plan){.interval_ns = SECOND, .start_ns = start_ns});
    CHECK(m != NULL);
    if (!m)
        return;
    CHECK_INT(m->timeline.count, 1);
    CHECK_INT(m->timeline.intervals[0]->number, second);
    CHECK_INT(m->sources[0].time, time);
    merge_free(m);
}

static void test_instants(void)
{
    const char *start = "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 2015]\n";
    check_instant(start, "0.127", 0, 1441812279, TIME_ABSOLUTE);
    check_instant(start, "1.6", 0, 1441812281, TIME_ABSOLUTE);
    check_instant(start, "1441812300.25", 0, 1441812300, TIME_ABSOLUTE);
    check_instant("#[BaseTime: 1500000000.000 (seconds since epoch)]\n", "7.25", 0, 1500000007,
                  TIME_ABSOLUTE);
    /* The base time takes precedence over the start time. */
    check_instant("#[StartTime: 1441812279.474 (seconds since epoch), x]\n"
                  "#[BaseTime: 1500000000.000 (seconds since epoch)]\n",
                  "7.25", 0, 1500000007, TIME_ABSOLUTE);
    check_instant("", "1441812279.5", 0, 1441812279, TIME_ABSOLUTE);
    check_instant("", "3.25", 0, 3, TIME_RELATIVE);
    check_instant("#[BaseTime: 0.000 (seconds since epoch)]\n", "3.25", 0, 3, TIME_RELATIVE);
    check_instant("", "3.25", 1600000000 * SECOND, 1600000003, TIME_ABSOLUTE);
    check_instant("", "3.123456789123", 0, 3, TIME_RELATIVE);
}

/* The largest value is also in a column of its own, which shows the unit of the values. */
static void check_unit(uint64_t value, unsigned digits, const char *column, uint64_t asked,
                       uint64_t guessed, uint64_t low_ns, uint64_t end_ns)
{
    text_add(&made, "#[StartTime: 1441812279.474 (seconds since epoch), x]\n");
    add_row("Tag=READ,0,0.1", value, 1000, digits, column);
    struct merge *m =
        merge_made_as((struct merge_plan){.interval_ns = SECOND, .hdr_unit_ns = asked});
    CHECK(m != NULL);
    if (!m)
        return;
    const struct timeline_op *op = &m->timeline.intervals[0]->op[OPERATION_READ];
    CHECK_INT(m->sources[0].guessed_unit_ns, guessed);
    CHECK_INT(op->n, 1000);
    CHECK(op->min >= low_ns && op->max < end_ns);
    uint64_t inside = op->over;
    for (size_t bucket = histogram_bucket(low_ns); bucket <= histogram_bucket(end_ns - 1); bucket++)
        inside += bucket < HISTOGRAM_BUCKETS ? bucket_count(op, bucket) : 0;
    CHECK_INT(inside, 1000);
    bool nests = histogram_bucket(low_ns) == histogram_bucket(end_ns - 1);
    CHECK(nests ? m->sources[0].bin_error == 0 : m->sources[0].bin_error > 0);
    merge_free(m);
}

static void test_units(void)
{
    check_unit(2000000, 3, "2.000", 0, 1, 1999872, 2000896);
    check_unit(300, 3, "0.000", 1, 0, 300, 301);
    check_unit(2000, 3, "2.000", 0, 1000, 2000000, 2001000);
    check_unit(12, 3, "0.012", 0, 1000, 12000, 13000);
    check_unit(20, 3, "20.0", 1000000, 0, 20000000, 21000000);
    check_unit(20, 3, "20.0", 1, 0, 20, 21);
    check_unit(2000000, 3, "0.002", 0, 1, 1999872, 2000896);
    check_unit(2000000, 3, "2.000", 1000, 0, 1999872000, 2000896000);
    /* One digit is coarser than cupel's buckets: 32 and 33 become 32 to 33, 1000 becomes 960 to
       1023. */
    check_unit(1000, 1, "0.001", 1, 0, 960, 1024);
    check_unit((uint64_t)1 << 45, 2, "35184372.089", 0, 1, (uint64_t)1 << 45,
               ((uint64_t)1 << 45) + ((uint64_t)1 << 38));
    check_unit(INT64_MAX - 1, 2, "1000000", 1000, 0, (uint64_t)1 << 62, UINT64_C(1) << 63);
}

/* A column that contradicts the values is refused: us logged as ns, or ns with a column in us. */
static void test_contradicted(void)
{
    static const struct {
        uint64_t value, count;
        const char *column, *words;
    } cases[] = {
        {300, 5, "0.000",
         "its column of greatest values shows ns, and then none is longer than 300 ns"},
        {9000, 5, "0.009", "and then none is longer than 9"},
        {2000000, 1000, "2000.0", "its column of greatest values shows us, and then 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_row("Tag=read,1600000000,1", cases[i].value, cases[i].count, 3, cases[i].column);
        CHECK(merge_made() == NULL);
        CHECK(strstr(merge_error.msg, "line 1: its values have no unit; ") != NULL);
        if (!check_that(strstr(merge_error.msg, cases[i].words) != NULL, __FILE__, __LINE__,
                        cases[i].words))
            fprintf(stderr, "    says: %s\n", merge_error.msg);
    }
}

/* A comment states the unit, or names a writer with a known unit; --hdr-unit overrides it. */
static void test_writers(void)
{
    static const struct {
        const char *comment;
        uint64_t asked, unit;
    } cases[] = {
        {"#[Logged for: READ]", 0, 1000},
        {"#[Logged with jHiccup version 2.0.10]", 0, 1},
        {"#Logging op latencies for Cassandra Stress", 0, 1},
        {"#[Logged with x 1.0] Times reported in microseconds", 0, 1000},
        {"#[Values are nanoseconds]", 0, 1},
        {"#[Unit: milliseconds]", 0, 1000000},
        {"#[Logged for: READ]", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_addf(&made, "%s\n#[StartTime: 1600000000.000 (seconds since epoch), x]\n",
                  cases[i].comment);
        add_row("Tag=read,0,1", 300, 5, 3, "0.000");
        struct merge *m = merge_made_as(
            (struct merge_plan){.interval_ns = SECOND, .hdr_unit_ns = cases[i].asked});
        CHECK(m != NULL);
        if (!m)
            continue;
        CHECK_INT(m->sources[0].op[OPERATION_READ].latency.min, 300 * cases[i].unit);
        CHECK_INT(m->sources[0].guessed_unit_ns, 0);
        merge_free(m);
    }
}

/* Comments label a log; "Logged for" gives the operation of rows without a tag. */
static void test_labels(void)
{
    text_add(&made, "#[Logged for: UPDATE]\n#[StartTime: 1600000000.000 (seconds since epoch), x]\n"
                    "#[rack: r7]\n#[Host: node3]\n#[two words: no]\n#[rack: again]\n");
    add_row("0,1", 300, 5, 3, "0.000");
    struct merge *m = merge_made();
    CHECK(m != NULL);
    if (!m)
        return;
    CHECK_STR(m->sources[0].job, "UPDATE");
    CHECK_STR(m->sources[0].host, "node3");
    CHECK_STR(m->sources[0].labels, "rack=r7\nHost=node3\n");
    merge_free(m);
    text_add(&made, "#[Logged for: Write]\n");
    add_row("1600000000,1", 300, 5, 3, "0.000");
    m = merge_made();
    CHECK(m && m->sources[0].op[OPERATION_WRITE].latency.n == 5 && !m->sources[0].ops_unknown);
    merge_free(m);
}

/* Response times and service times of the same I/Os are not added up. */
static void test_same_ios(void)
{
    static const char *const others[] = {"write-st", "write-wt", "read-st"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char head[40];
        snprintf(head, sizeof head, "Tag=%s,1600000000,1", others[i]);
        add_row(head, 5000000, 2, 3, "5.0");
        add_row("Tag=write-rt,1600000000,1", 5000000, 2, 3, "5.0");
        struct merge *m = merge_made();
        CHECK_INT(m != NULL, i == 2);
        CHECK(m || strstr(merge_error.msg, "of the same I/Os, which would count twice"));
        merge_free(m);
    }
}
/* Under a heading of end times, a row's length may still equal its start. */
static void test_lengths_below_ends(void)
{
    text_add(&made, "#[StartTime: 1600000000.000 (seconds since epoch), x]\n\"StartTimestamp\","
                    "\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    for (int i = 0; i < 3; i++) {
        char head[40];
        snprintf(head, sizeof head, "Tag=read,%d.000,1.000", i);
        add_row(head, 2000000, 5, 3, "2.0");
    }
    struct merge *m = merge_made();
    CHECK(m && m->timeline.count == 3 && m->sources[0].end_ns == 1600000003 * SECOND);
    for (size_t i = 0; m && i < m->timeline.count; i++)
        CHECK_INT(m->timeline.intervals[i]->op[OPERATION_READ].n, 5);
    merge_free(m);
}

/* A column of zeros is ignored. */
static void test_no_column(void)
{
    add_row("Tag=read,1600000000,1", 5000000, 5, 3, "0.000");
    CHECK(merge_made() == NULL);
    CHECK(strstr(merge_error.msg, "line 1: its values have no unit"));
    add_row("Tag=read,1600000000,1", 5000000, 5, 3, "0.000");
    struct merge *m = merge_made_as((struct merge_plan){.interval_ns = SECOND, .hdr_unit_ns = 1});
    CHECK(m && m->sources[0].op[OPERATION_READ].latency.max == 5001215);
    merge_free(m);
}

/* The C library's format: exact maxima, and end times, or lengths below "End". */
static void test_of_c(void)
{
    for (int ends = 0; ends < 2; ends++)
        for (uint64_t asked = 0; asked <= 1000; asked += 1000) {
            text_add(&made, "#[StartTime: 1441812279.474 (seconds since epoch), x]\n"
                            "\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_"
                            "Compressed_Histogram\"\n");
            add_row(ends ? "1441812279.500,1441812281.500" : "1441812279.500,2.000", 300, 5, 3,
                    "300.0");
            struct merge *m =
                merge_made_as((struct merge_plan){.interval_ns = SECOND, .hdr_unit_ns = asked});
            CHECK_INT(m != NULL, asked != 0);
            if (!m) {
                CHECK(strstr(merge_error.msg, "line 3: its values have no unit"));
                CHECK(strstr(merge_error.msg, "--hdr-unit"));
                continue;
            }
            CHECK_INT(m->sources[0].begin_ns, 1441812279500000000);
            CHECK_INT(m->sources[0].end_ns, 1441812281500000000);
            CHECK_INT(m->sources[0].op[OPERATION_READ].latency.min, 300000);
            merge_free(m);
        }
}

/* The column is more exact than the bin: with one digit, 960 to 1023 ns, it says 1001. */
static void test_longest(void)
{
    text_add(&made, "#[StartTime: 1441812279.474 (seconds since epoch), x]\n");
    add_row("Tag=READ,0,0.1", 1001, 5, 1, "0.001001");
    struct merge *m = merge_made_as((struct merge_plan){.interval_ns = SECOND, .hdr_unit_ns = 1});
    CHECK(m && m->timeline.intervals[0]->op[OPERATION_READ].max == 1001);
    merge_free(m);
}

static void test_tags(void)
{
    static const struct {
        const char *first, *second;
        enum operation op;
        const char *job, *other; /* the second source's job; NULL: there is one source */
        bool unknown;            /* the first source's operations are unknown */
    } cases[] = {
        {"Tag=read,", "Tag=READ,", OPERATION_READ, "", NULL, false},
        {"Tag=Write,", "Tag=write,", OPERATION_WRITE, "", NULL, false},
        {"Tag=TRIM,", "Tag=trim,", OPERATION_TRIM, "", NULL, false},
        {"", "", OPERATION_READ, "", NULL, true},
        {"Tag=INSERT,", "Tag=INSERT,", OPERATION_READ, "INSERT", NULL, true},
        {"Tag=readers,", "Tag=INSERT,", OPERATION_READ, "readers", "INSERT", true},
        {"Tag=write,", "Tag=x,", OPERATION_WRITE, "", "x", false},
        {"", "Tag=x,", OPERATION_READ, "", "x", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char head[64];
        for (int second = 0; second < 4; second++) {
            snprintf(head, sizeof head, "%s160000000%d,1",
                     second % 2 ? cases[i].second : cases[i].first, second);
            add_row(head, 5000000, second % 2 ? 3 : 2, 3, "5.0");
        }
        struct merge *m = merge_made();
        CHECK(m != NULL);
        if (!m)
            continue;
        const struct merge_source *s = &m->sources[0];
        CHECK_INT(m->source_count, cases[i].other ? 2 : 1);
        CHECK_INT(s->op[cases[i].op].latency.n, cases[i].other ? 4 : 10);
        CHECK_STR(s->job, cases[i].job);
        CHECK_INT(s->ops_unknown, cases[i].unknown);
        CHECK_INT(s->tags_mixed, cases[i].other != NULL);
        CHECK_INT(s->begin_ns, 1600000000 * SECOND);
        CHECK_INT(s->end_ns, (cases[i].other ? 1600000003 : 1600000004) * SECOND);
        if (cases[i].other && m->source_count == 2) {
            CHECK_STR(s[1].job, cases[i].other);
            CHECK_INT(s[1].op[OPERATION_READ].latency.n, 6);
            CHECK(s[1].ops_unknown && s[1].tags_mixed && s[1].time == TIME_ABSOLUTE);
            CHECK_INT(s[1].begin_ns, 1600000001 * SECOND);
        }
        /* What the log does not state is assumed only with a note. */
        bool noted = false;
        for (size_t k = 0; k < m->note_count; k++)
            noted |= strstr(m->notes[k].text, "operation") != NULL;
        CHECK_INT(noted, cases[i].unknown || cases[i].other);
        merge_free(m);
    }
}

/* 256 tags are a source each; more are refused. */
static void test_many_tags(void)
{
    for (int count = 256; count <= 257; count++) {
        char head[64];
        for (int i = 0; i < count; i++) {
            snprintf(head, sizeof head, "Tag=t%d,160000000%d,1", i, i % 10);
            add_row(head, 5000000, (uint64_t)i + 1, 3, "5.0");
        }
        struct merge *m = merge_made();
        CHECK_INT(m != NULL, count == 256);
        if (!m) {
            CHECK(strstr(merge_error.msg, "line 257: it has more than 256 tags"));
            continue;
        }
        CHECK_INT(m->source_count, 256);
        for (size_t i = 0; i < m->source_count; i++) {
            snprintf(head, sizeof head, "t%llu",
                     (unsigned long long)m->sources[i].op[OPERATION_READ].latency.n - 1);
            CHECK_STR(m->sources[i].job, head);
        }
        merge_free(m);
    }
}

/* In an interval without I/O the source was measuring. */
static void test_empty_rows(void)
{
    struct hdr_layout layout;
    hdr_layout_of(&layout, 3, 1, 3600000000);
    text_add(&made, "Tag=read,1600000000,1,0.000,");
    hdr_encode(&layout, NULL, 0, &made);
    text_add(&made, "\n");
    add_row("Tag=read,1600000001,1", 5000000, 2, 3, "5.0");
    struct merge *m = merge_made();
    CHECK(m && m->timeline.count == 2 && m->timeline.intervals[0]->op[OPERATION_READ].n == 0 &&
          m->sources[0].begin_ns == 1600000000 * SECOND);
    merge_free(m);
}

static void check_refused(const char *row, const char *words)
{
    add_row("Tag=read,1600000000,1", 5000000, 2, 3, "5.0");
    text_add(&made, row);
    text_add(&made, "\n");
    CHECK(merge_made() == NULL);
    CHECK_INT(merge_error.code, ERR_USAGE);
    if (!strstr(merge_error.msg, words) || !strstr(merge_error.msg, "/made: line 2: "))
        CHECK_STR(merge_error.msg, words);
}

static void test_bad_rows(void)
{
    check_refused("Tag=read,x,1,5.0,HISTFAAA", "its start \"x\" is no number of seconds");
    check_refused("Tag=read,-1,1,5.0,HISTFAAA", "its start \"-1\" is no number of seconds");
    check_refused("1600000000,1e99,5.0,HISTFAAA", "its length \"1e99\" is no number of seconds");
    check_refused("99999999999,1,5.0,HISTFAAA", "its start \"99999999999\"");
    check_refused("1600000000,1.2.3,5.0,HISTFAAA", "its length \"1.2.3\"");
    check_refused("1600000000,1,nan,HISTFAAA", "its greatest value \"nan\" is no number");
    check_refused("1600000000,1,-5,HISTFAAA", "its greatest value \"-5\" is no number");
    check_refused("1600000000,1,5", "its histogram breaks off");
    check_refused("1600000000,1,5,HISTFAAA,x", "more follows its histogram");
    check_refused("1600000000,1,5,HISTFAA", "its base64 breaks off");
    check_refused("1600000000,1,5,HIST**AA", "character 5 is not base64");
    check_refused("1600000000,1,5,HISTFAAAAC54", "its histogram breaks off: 46 bytes of 1");
    text_add(&made, "#[BaseTime: 1600000000 (seconds since epoch)]\n");
    add_row("Tag=read,0,100001", 5000000, 2, 3, "5.0");
    CHECK(merge_made() == NULL);
    CHECK(strstr(merge_error.msg, "line 2: it lasts 100001 s, more than 100000 intervals"));
    check_refused("garbage", "its start \"garbage\"");
}

/* A log that is cut off is used as far as it goes. */
static void test_cut_short(void)
{
    for (size_t cut = 1; cut < 90; cut += 11) {
        struct merge *m = merge_file(put_log("/cut", of_java, sizeof of_java - 1 - cut));
        CHECK(m != NULL);
        if (!m)
            continue;
        /* The first log lacks only the end of its line. */
        CHECK_INT(m->sources[0].cut_short, cut > 1);
        CHECK_INT(m->sources[0].op[OPERATION_READ].sum.ios, 420);
        CHECK_INT(m->sources[0].op[OPERATION_WRITE].sum.ios, cut > 1 ? 210 : 420);
        merge_free(m);
    }
}

static void test_recognised(void)
{
    const struct merge_format *f = &merge_format_hdr_log;
    CHECK(f->recognise("x", of_java, sizeof of_java - 1));
    CHECK(f->recognise("x", "0.1,1.0,2.0,HISTFAAA", 20));
    CHECK(f->recognise("x", "#comment\n#[StartTime: 1 (seconds since epoch)]\n", 48));
    CHECK(!f->recognise("x", "#comment\n", 9));
    CHECK(!f->recognise("x", "1000, 0, 4096, 0, 0, 1\n", 23));
    CHECK(!f->recognise("x", "", 0));
}

int main(void)
{
    tree_begin(&merge_folder);
    test_of_java();
    test_instants();
    test_units();
    test_contradicted();
    test_writers();
    test_labels();
    test_lengths_below_ends();
    test_same_ios();
    test_of_c();
    test_no_column();
    test_longest();
    test_tags();
    test_many_tags();
    test_empty_rows();
    test_bad_rows();
    test_cut_short();
    test_recognised();
    tree_end(&merge_folder);
    return check_result();
}
