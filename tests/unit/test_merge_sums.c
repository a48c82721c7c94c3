/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms of biolatency and of Prometheus, and latencies of btt: every bin at its place, the
   known facts of sources, and faults in a file, reported with their line. */
#include "tests/unit/merge_files.h"

#include "many/merge/merge.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static struct merge *merge_text(const char *name, const char *text)
{
    struct merge *m =
        merge_file_as(put_log(name, text, strlen(text)), (struct merge_plan){.interval_ns = 0});
    if (!check_that(m != NULL, __FILE__, __LINE__, name))
        fprintf(stderr, "    %s\n", merge_error.msg);
    return m;
}

/* Returns the I/Os of a source in [low, high). */
static uint64_t between(const struct merge_source *s, enum operation op, uint64_t low,
                        uint64_t high)
{
    const struct latency_buckets *l = &s->op[op].latency;
    uint64_t n = 0;
    for (size_t i = 0; i < l->used; i++)
        if (l->bucket[i] >= histogram_bucket(low) && l->bucket[i] <= histogram_bucket(high - 1))
            n += l->count[i];
    return n;
}

static const struct merge_source *source_of(const struct merge *m, const char *device)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (!strcmp(m->sources[i].device, device))
            return &m->sources[i];
    check_that(false, __FILE__, __LINE__, device);
    return &m->sources[0];
}

/* ---- biolatency ---- */

static void test_biolatency(void)
{
    static const char text[] = "Tracing block device I/O... Hit Ctrl-C to end.\n^C\n"
                               "     usecs               : count     distribution\n"
                               "         0 -> 1          : 0        |        |\n"
                               "        64 -> 127        : 30       |***     |\n"
                               "       128 -> 255        : 0        |        |\n"
                               "       256 -> 511        : 12       |*       |\n";
    struct merge *m = merge_text("/b", text);
    if (!m)
        return;
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->format, "biolatency histogram");
    CHECK_INT(m->source_count, 1);
    CHECK_INT(s->time, TIME_NONE);
    CHECK(s->ops_unknown && !source_has_length(s));
    CHECK_INT(s->op[OPERATION_READ].latency.n, 42);
    CHECK_INT(between(s, OPERATION_READ, 64 * US, 128 * US), 30);
    CHECK_INT(between(s, OPERATION_READ, 256 * US, 512 * US), 12);
    CHECK_NEAR(s->bin_error, 1, 0.001);
    merge_free(m);
}

/* Intervals are added up; each disk is a source; flags after the operation's name are ignored. */
static void test_biolatency_parts(void)
{
    static const char text[] =
        "06:20:16\n\ndisk = 'vda'  flags = Sync-Read\n     msecs : count  distribution\n"
        "  0 -> 1 : 3 |**|\n  2 -> 3 : 1 |*|\n"
        "\nBucket disk = b'vdb'\n     msecs : count  distribution\n  0 -> 1 : 5 |**|\n"
        "\n06:20:17\n\ndisk = vda\tflags = ReadAhead-Read\n     msecs : count  distribution\n"
        "  0 -> 1 : 4 |**|\n"
        "\ndisk = vda\tflags = Write\n     nsecs : count  distribution\n  512 -> 1023 : 6 |**|\n"
        "\ndisk = vda\tflags = Discard\n     usecs : count  distribution\n  2 -> 3 : 7\n"
        "\ndisk = vda\tflags = Flush\n     usecs : count  distribution\n  4 -> 7 : 8\n";
    struct merge *m = merge_text("/b", text);
    if (!m)
        return;
    CHECK_INT(m->source_count, 2);
    const struct merge_source *a = source_of(m, "vda"), *b = source_of(m, "vdb");
    CHECK(!a->ops_unknown && b->ops_unknown);
    CHECK_INT(between(a, OPERATION_READ, 0, 2 * MS), 7);
    CHECK_INT(between(a, OPERATION_READ, 2 * MS, 4 * MS), 1);
    CHECK_INT(between(a, OPERATION_WRITE, 512, 1024), 6);
    CHECK_INT(between(a, OPERATION_TRIM, 2 * US, 4 * US), 7);
    CHECK_INT(between(a, OPERATION_SYNC, 4 * US, 8 * US), 8);
    CHECK_INT(between(b, OPERATION_READ, 0, 2 * MS), 5);
    merge_free(m);
}

static void test_biolatency_json(void)
{
    static const char *const texts[] = {
        "^C\n{'ts': '2026-11-28 14:37:59', 'val_type': 'usecs', 'data': [{'interval-start': 0, "
        "'interval-end': 1, 'count': 0}, {'interval-start': 2, 'interval-end': 3, 'count': 17}], "
        "'flags': 'Sync-Write', 'Bucket ptr': b'sda'}\n{'ts': '2026-11-28 14:38:00', 'val_type': "
        "'usecs', 'data': [{'interval-start': 2, 'interval-end': 3, 'count': 4}], 'flags': "
        "'Write', "
        "'Bucket ptr': b'sda'}\n",
        "{\"ts\": \"x\", \"val_type\": \"usecs\", \"data\": [{\"interval-start\": 2, "
        "\"interval-end\": 3, "
        "\"count\": 21}], \"flags\": \"Write\", \"disk\": \"sda\"}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct merge *m = merge_text("/b", texts[i]);
        if (!m)
            continue;
        CHECK_INT(m->source_count, 1);
        CHECK_STR(m->sources[0].device, "sda");
        CHECK_INT(between(&m->sources[0], OPERATION_WRITE, 2 * US, 4 * US), 21);
        CHECK(!m->sources[0].ops_unknown);
        merge_free(m);
    }
}

/* ---- Prometheus ---- */

static void test_classic(void)
{
    static const char text[] =
        "# HELP disk_io_seconds Time of requests.\n# TYPE disk_io_seconds histogram\n"
        "disk_io_seconds_bucket{op=\"read\",host=\"n1\",disk=\"sda\",le=\"0.001024\"} 10\n"
        "disk_io_seconds_bucket{op=\"read\",host=\"n1\",disk=\"sda\",le=\"0.002048\"} 25\n"
        "disk_io_seconds_bucket{op=\"read\",host=\"n1\",disk=\"sda\",le=\"+Inf\"} 28 "
        "1795507200000\n"
        "disk_io_seconds_sum{op=\"read\",host=\"n1\",disk=\"sda\"} 0.0353\n"
        "disk_io_seconds_count{op=\"read\",host=\"n1\",disk=\"sda\"} 28\n"
        "disk_io_seconds_bucket{op=\"write\",host=\"n1\",disk=\"sda\",le=\"0.001024\"} 2.0\n"
        "disk_io_seconds_bucket{op=\"write\",host=\"n1\",disk=\"sda\",le=\"+Inf\"} 2\n"
        "other_total{op=\"read\"} 5\n";
    struct merge *m = merge_text("/p", text);
    if (!m)
        return;
    CHECK_INT(m->source_count, 2);
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        const bool reads = s->op[OPERATION_READ].latency.n > 0;
        CHECK_STR(s->format, "Prometheus histogram");
        CHECK_STR(s->host, "n1");
        CHECK_STR(s->device, "sda");
        CHECK(!s->ops_unknown && !source_has_length(s));
        CHECK_INT(s->op[reads ? OPERATION_READ : OPERATION_WRITE].latency.n, reads ? 28 : 2);
        CHECK_INT(s->open_end, reads ? 3 : 0);
        if (!reads)
            continue;
        CHECK_INT(between(s, OPERATION_READ, 0, 1024000), 10);
        CHECK_INT(between(s, OPERATION_READ, 1024000, 2048000), 15);
        CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 35300000);
    }
    merge_free(m);
}

/* Bucket i of schema 0 ends at 2^i s; the first offset is that of the first bucket, later offsets
   are gaps. */
static void test_native(void)
{
    static const char *const texts[] = {
        "io_seconds{op=\"read\"} {count:20,sum:0.1,schema:0,zero_threshold:1e-6,zero_count:2,"
        "positive_spans:[-9:2,3:1],positive_buckets:[5,12,1]} 1795507200 # {id=\"x\"} 0.1\n",
        "# TYPE io_seconds histogram\nio_seconds{op=\"read\"} "
        "{sum:0.1,count:20,schema:0,zero_threshold:1e-6,"
        "zero_count:2,positive_spans:[-9:2,3:1],positive_deltas:[5,7,-11]}\n"
        "io_seconds_bucket{op=\"read\",le=\"1\"} 20\nio_seconds_bucket{op=\"read\",le=\"+Inf\"} "
        "20\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct merge *m = merge_text("/p", texts[i]);
        if (!m)
            continue;
        const struct merge_source *s = &m->sources[0];
        CHECK_INT(m->source_count, 1);
        CHECK_INT(s->op[OPERATION_READ].latency.n, 20);
        CHECK_INT(between(s, OPERATION_READ, 0, 1000), 2);
        CHECK_INT(between(s, OPERATION_READ, S >> 10, S >> 9), 5);
        CHECK_INT(between(s, OPERATION_READ, S >> 9, S >> 8), 12);
        CHECK_INT(between(s, OPERATION_READ, S >> 5, S >> 4), 1);
        CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 100000000);
        merge_free(m);
    }
    struct merge *m = merge_text("/p", "io_ms {count:7,sum:9,bucket:[1:3,2:7,+Inf:7]}\n");
    if (!m)
        return;
    CHECK_INT(between(&m->sources[0], OPERATION_READ, 0, MS), 3);
    CHECK_INT(between(&m->sources[0], OPERATION_READ, MS, 2 * MS), 4);
    CHECK(m->sources[0].ops_unknown);
    merge_free(m);
}

/* The unit is the one in the metric's name, or that of --hdr-unit. */
static void test_unit(void)
{
    static const struct {
        const char *name;
        uint64_t asked, ns;
    } cases[] = {{"io_read_seconds", 0, S},
                 {"io_read_milliseconds", 0, MS},
                 {"io_read_ms", 1, MS},
                 {"io_read_us", 0, US},
                 {"io_read_latency", US, US}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s_bucket{le=\"1\"} 3\n%s_bucket{le=\"2\"} 8\n", cases[i].name,
                 cases[i].name);
        struct merge *m = merge_file_as(put_log("/p", text, strlen(text)),
                                        (struct merge_plan){.hdr_unit_ns = cases[i].asked});
        CHECK(m != NULL);
        if (!m)
            continue;
        CHECK_INT(between(&m->sources[0], OPERATION_READ, cases[i].ns, 2 * cases[i].ns), 5);
        CHECK(!m->sources[0].ops_unknown);
        merge_free(m);
    }
}

/* ---- btt ---- */

static void test_btt(void)
{
    static const char text[] = "0.001000 0.000250\n0.002000 0.000500\n1.500000 0.001500\n";
    struct merge *m = merge_text("/run_008,016_q2c.dat", text);
    if (!m)
        return;
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->format, "btt q2c latencies");
    CHECK_STR(s->device, "8,16");
    CHECK_INT(s->time, TIME_RELATIVE);
    CHECK_INT(s->op[OPERATION_READ].latency.n, 3);
    CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 2250000);
    CHECK_INT(s->begin_ns, 750000);
    CHECK_INT(s->end_ns, 1500000000);
    CHECK(s->ops_unknown && source_has_length(s));
    merge_free(m);
    m = merge_text("/run_008,016_d2c.dat", text);
    CHECK(m && !strcmp(m->sources[0].format, "btt d2c latencies"));
    merge_free(m);
    m = merge_text("/cut_d2c.dat", "0.001000 0.000250\n0.002000 0.00");
    CHECK(m && m->sources[0].cut_short && m->sources[0].op[OPERATION_READ].latency.n == 1);
    merge_free(m);
}

/* ---- faults ---- */

static void test_refused(void)
{
#define TABLE "     usecs : count     distribution\n"
    static const struct {
        const char *name, *text, *words;
    } cases[] = {
        {"/b", TABLE " 0 -> 1 : 3 |*|\n 2 -> 3 : x |*|\n",
         "/b: line 3: it is no LOW -> HIGH : COUNT"},
        {"/b", TABLE " 4 -> 1 : 3 |*|\n", "/b: line 2: a bin from 4 to 1"},
        {"/b", "{'val_type': 'years', 'data': [], 'x': 'usecs interval-start'}\n",
         "/b: line 1: its val_type"},
        {"/b",
         "\n{'val_type': 'usecs', 'data': [{'interval-start': 'a', 'interval-end': 1, 'count': "
         "2}]}\n",
         "/b: line 2: interval-start of a bin is no whole number"},
        {"/p", "a_s_bucket{le=\"1\"} 3\na_s_bucket{le=\"2\"} 2\n",
         "/p: line 2: its count is smaller than that of the bucket below it"},
        {"/p", "a_s_bucket{le=\"1\"} 3\na_s_bucket{le=\"1\"} 4\n",
         "/p: line 2: this bucket is there already"},
        {"/p", "a_s_bucket{le=\"x\"} 3\n", "/p: line 1: its bucket has no bound"},
        {"/p", "a_s_bucket{le=\"1\"} 3.5\n", "or no whole number of I/Os"},
        {"/p", "a_s_bucket{le=\"1\"} 3\n\nnothing\n", "/p: line 3: it is no sample of Prometheus"},
        {"/p", "a_bucket{le=\"1\"} 3\n", "/p: line 1: the name of its metric states no unit"},
        {"/p", "a_s_bucket{le=\"1\"} 3\nb_s_bucket{le=\"1\"} 3\n",
         "histograms of several metrics, a_s, b_s, which may be of the same I/Os: keep the lines "
         "of "
         "one (grep '^a_s' FILE)"},
        {"/p", "# TYPE x counter\nx 1\n", "/p: it has no histogram"},
        {"/p", "a_s {count:3,sum:1,schema:9,positive_spans:[0:1],positive_buckets:[3]}\n",
         "/p: line 1: its native histogram has no schema from -4 to 8"},
        {"/p", "a_s {count:3,sum:1,schema:0,positive_spans:[0:2],positive_buckets:[3]}\n",
         "/p: line 1: its positive_buckets hold something else"},
        {"/p", "a_s {count:4,sum:1,schema:0,positive_spans:[0:1],positive_buckets:[3]}\n",
         "/p: line 1: its count is another one than the sum of its buckets"},
        {"/a_q2c.dat", "0.001000 0.000250\n0.002000 fast\n", "line 2: it is not when a request"},
        {"/a_q2c.dat", "0.001000 0.000250\n0.002000 90000.000000\n", "line 2: it is not when"},
        {"/x.avg", "==================== All Devices ====================\n", "btt -q NAME"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct merge *m = merge_file_as(
            put_log(cases[i].name, cases[i].text, strlen(cases[i].text)), (struct merge_plan){0});
        CHECK(m == NULL);
        CHECK_INT(merge_error.code, ERR_USAGE);
        if (!check_that(strstr(merge_error.msg, cases[i].words) != NULL, __FILE__, __LINE__,
                        cases[i].words))
            fprintf(stderr, "    says: %s\n", merge_error.msg);
        merge_free(m);
    }
}

int main(void)
{
    tree_begin(&merge_folder);
    test_biolatency();
    test_biolatency_parts();
    test_biolatency_json();
    test_classic();
    test_native();
    test_unit();
    test_btt();
    test_refused();
    tree_end(&merge_folder);
    return check_result();
}
