/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A merge written in other programs' formats: every bucket and interval is read back, fio's rows
 * have the required content, and no file is overwritten or left incomplete.
 */
#include <signal.h>
#include <sys/resource.h>

#include "base/file/file.h"
#include "base/random.h"
#include "many/merge/bins/bins.h"
#include "tests/unit/merge_files.h"

#define EPOCH_S UINT64_C(1700000000)
#define SECOND  UINT64_C(1000000000)
#define FIO     1856

/* ---- a merge of made-up sources ---- */

static uint64_t random_state = 1;

/* Returns latencies of all lengths, from 0 to beyond the last bucket. */
static uint64_t next_value(void)
{
    uint64_t word = random_splitmix64(&random_state);
    return word >> 33 >> (word >> 27 & 31) << (word & 15);
}

static int by_bin(const void *a, const void *b)
{
    size_t x = ((const struct hdr_count *)a)->bin, y = ((const struct hdr_count *)b)->bin;
    return x < y ? -1 : x > y;
}

static void add_row(struct text *log, const char *tag, uint64_t second, size_t values)
{
    static struct hdr_count counts[2000];
    struct hdr_layout layout;
    size_t n = 0;
    hdr_layout_of(&layout, 5, 1, INT64_MAX);
    for (size_t i = 0; i < values; i++)
        counts[n++] = (struct hdr_count){hdr_bin(&layout, next_value()), 1 + i % 5};
    qsort(counts, n, sizeof *counts, by_bin);
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (used && counts[used - 1].bin == counts[i].bin)
            counts[used - 1].count += counts[i].count;
        else
            counts[used++] = counts[i];
    text_addf(log, "Tag=%s,%llu,1.000,%llu.%06u,", tag, (unsigned long long)second,
              (unsigned long long)(hdr_high(&layout, counts[used - 1].bin) / 1000000),
              (unsigned)(hdr_high(&layout, counts[used - 1].bin) % 1000000));
    hdr_encode(&layout, counts, used, log);
    text_add(log, "\n");
}

/* Makes reads in seconds 0, 1 and 5, and writes in 1 and 6, counted from that second. */
static struct merge *make(uint64_t from_s)
{
    struct text log = {0};
    text_addf(&log, "#[BaseTime: %llu.000 (seconds since epoch)]\n", (unsigned long long)from_s);
    add_row(&log, "read", 0, 1000);
    add_row(&log, "read", 1, 1);
    add_row(&log, "write", 1, 700);
    add_row(&log, "read", 5, 2000);
    add_row(&log, "write", 6, 2);
    struct merge *m = merge_file(put_log("/source", log.data, log.length));
    text_free(&log);
    if (!m) {
        fprintf(stderr, "test_merge_write: %s\n", merge_error.msg);
        exit(EXIT_FAILURE);
    }
    return m;
}

static const char *fresh(const char *name)
{
    const char *path = in_merge_folder(name);
    unlink(path);
    return path;
}

/* ---- HdrHistogram ---- */

static void check_same(const struct timeline *a, const struct timeline *b)
{
    CHECK_INT(a->count, b->count);
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        CHECK_INT(a->intervals[i]->number, b->intervals[i]->number);
        for (int op = 0; op < OPERATIONS; op++) {
            const struct timeline_op *x = &a->intervals[i]->op[op], *y = &b->intervals[i]->op[op];
            CHECK_INT(x->n, y->n);
            CHECK_INT(x->over, y->over);
            CHECK_INT(x->max, y->max);
            if (x->n)
                CHECK_NEAR((double)x->min, (double)y->min, 1.0 / 128);
            for (size_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
                CHECK(bucket_count(x, bucket) == bucket_count(y, bucket));
        }
    }
}

static void test_hdr(uint64_t from_s, enum source_time time)
{
    struct merge *m = make(from_s);
    CHECK_INT(merge_write(m, "hdr", fresh("/hdr"), &merge_error), 0);
    struct merge *again = merge_file(in_merge_folder("/hdr"));
    CHECK(again != NULL);
    if (again) {
        check_same(&m->timeline, &again->timeline);
        const struct merge_source *s = &again->sources[0];
        CHECK_INT(s->time, time);
        CHECK(s->bin_error == 0 && s->guessed_unit_ns == 0 && !s->ops_unknown && !s->tags_mixed);
        /* Written a second time, the file is the same, except for its smallest values. */
        CHECK_INT(merge_write(again, "hdr", fresh("/hdr2"), &merge_error), 0);
        struct merge *third = merge_file(in_merge_folder("/hdr2"));
        CHECK(third != NULL);
        if (third)
            check_same(&again->timeline, &third->timeline);
        merge_free(third);
    }
    merge_free(again);
    merge_free(m);
}

/* I/Os with unknown operations do not become reads because they were written as such. */
static void test_unknown_ops(void)
{
    struct merge *m = make(EPOCH_S);
    m->sources[0].ops_unknown = true;
    CHECK_INT(merge_write(m, "hdr", fresh("/unknown"), &merge_error), 0);
    struct merge *again = merge_file(in_merge_folder("/unknown"));
    CHECK(again && again->sources[0].ops_unknown && again->source_count == 1);
    merge_free(again);
    merge_free(m);
}

/* ---- fio's log, parsed here number by number ---- */

struct fio_row {
    uint64_t ms, op, bytes, count[FIO];
};

static bool next_row(FILE *file, struct fio_row *row)
{
    uint64_t *fields[3] = {&row->ms, &row->op, &row->bytes};
    unsigned long long value;
    for (size_t i = 0; i < 3 + FIO; i++) {
        if (fscanf(file, i ? ", %llu" : "%llu", &value) != 1) {
            CHECK(i == 0);
            return false;
        }
        *(i < 3 ? fields[i] : &row->count[i - 3]) = value;
    }
    CHECK_INT(fgetc(file), '\n');
    return true;
}

static void check_row(const struct fio_row *row, const struct timeline_op *op)
{
    uint64_t n = 0, beyond = op ? op->over : 0;
    for (size_t bucket = 0; bucket < FIO - 1; bucket++) {
        CHECK(row->count[bucket] == (op ? bucket_count(op, bucket) : 0));
        n += row->count[bucket];
    }
    for (size_t bucket = FIO - 1; op && bucket < HISTOGRAM_BUCKETS; bucket++)
        beyond += bucket_count(op, bucket);
    CHECK_INT(row->count[FIO - 1], beyond);
    CHECK_INT(n + row->count[FIO - 1], op ? op->n : 0);
}

/* A row of zeros shows the begin of an interval that follows a gap. */
static void test_fio_hist(uint64_t from_s)
{
    static const struct {
        uint64_t end_s;
        int interval; /* -1: no I/O */
    } expected[] = {{0, -1}, {1, 0}, {2, 1}, {5, -1}, {6, 2}, {7, 3}};
    static struct fio_row row;
    struct merge *m = make(from_s);
    CHECK_INT(merge_write(m, "fio-hist", fresh("/hist"), &merge_error), 0);
    FILE *file = fopen(in_merge_folder("/hist"), "r");
    CHECK(file != NULL);
    if (!file)
        return;
    for (size_t i = from_s ? 0 : 1; i < sizeof expected / sizeof *expected; i++)
        for (uint64_t op = 0; op < 2; op++) {
            CHECK(next_row(file, &row));
            CHECK_INT(row.ms, (from_s + expected[i].end_s) * 1000);
            CHECK_INT(row.op, op);
            CHECK_INT(row.bytes, 0);
            check_row(&row, expected[i].interval < 0
                                ? NULL
                                : &m->timeline.intervals[expected[i].interval]->op[op]);
        }
    CHECK(!next_row(file, &row));
    fclose(file);
    merge_free(m);
}

/* The mean block size is in the log's block size column. */
static void test_fio_bytes(void)
{
    static struct fio_row row;
    struct merge *m = make(0);
    m->timeline.intervals[0]->slices[0].op[OPERATION_READ] =
        (struct slice_op){.ios = 3, .bytes = 3 * 4096};
    m->timeline.intervals[0]->slices[4].op[OPERATION_READ] =
        (struct slice_op){.ios = 1, .bytes = 65536};
    for (unsigned i = 1; i < 4; i++)
        m->timeline.intervals[0]->slices[i].op[OPERATION_READ] = (struct slice_op){0};
    CHECK_INT(merge_write(m, "fio-hist", fresh("/hist"), &merge_error), 0);
    FILE *file = fopen(in_merge_folder("/hist"), "r");
    CHECK(file && next_row(file, &row) && row.bytes == (3 * 4096 + 65536) / 4);
    if (file)
        fclose(file);
    m->timeline.length_ns += 1;
    CHECK_INT(merge_write(m, "fio-hist", fresh("/odd"), &merge_error), -1);
    CHECK_INT(merge_error.code, ERR_USAGE);
    CHECK(access(in_merge_folder("/odd"), F_OK));
    merge_free(m);
}

/* ---- JSON+ ---- */

static uint64_t number_after(const char **at, const char *key)
{
    const char *found = *at ? strstr(*at, key) : NULL;
    CHECK(found != NULL);
    *at = found ? found + strlen(key) : NULL;
    return found ? strtoull(*at, NULL, 10) : 0;
}

static void test_fio_json(void)
{
    struct merge *m = make(EPOCH_S);
    char *text = NULL;
    CHECK_INT(merge_write(m, "fio-json", fresh("/json"), &merge_error), 0);
    CHECK_INT(file_read_all(in_merge_folder("/json"), 1 << 20, &text, NULL, &merge_error), 0);
    const char *at = text;
    CHECK_INT(number_after(&at, "\"timestamp\": "), EPOCH_S + 7);
    static const enum operation ops[] = {OPERATION_READ, OPERATION_WRITE, OPERATION_TRIM};
    for (size_t k = 0; k < sizeof ops / sizeof *ops && at; k++) {
        const enum operation op = ops[k];
        uint64_t n = 0, counted = 0, max = 0;
        for (size_t i = 0; i < m->timeline.count; i++) {
            const struct timeline_op *from = &m->timeline.intervals[i]->op[op];
            n += from->n;
            max = from->max > max ? from->max : max;
        }
        CHECK_INT(number_after(&at, "\"total_ios\": "), n);
        at = at ? strstr(at, "\"clat_ns\"") : NULL;
        CHECK_INT(number_after(&at, "\"max\": "), max);
        CHECK_INT(number_after(&at, "\"N\": "), n);
        if (!n)
            continue;
        number_after(&at, "\"bins\": {");
        const char *end = strchr(at, '}');
        for (const char *quote = strchr(at, '"'); quote && quote < end; quote = strchr(at, '"')) {
            uint64_t middle = strtoull(quote + 1, NULL, 10);
            at = strchr(quote + 1, ':') + 1;
            uint64_t count = strtoull(at, NULL, 10), expected = 0;
            size_t bucket = histogram_bucket(middle);
            for (size_t i = 0; i < m->timeline.count; i++) {
                const struct timeline_op *from = &m->timeline.intervals[i]->op[op];
                expected += bucket_count(from, bucket);
                for (size_t b = FIO; bucket == FIO - 1 && b < HISTOGRAM_BUCKETS; b++)
                    expected += bucket_count(from, b);
                expected += bucket == FIO - 1 ? from->over : 0;
            }
            CHECK_INT(count, expected);
            counted += count;
        }
        CHECK_INT(counted, n);
    }
    free(text);
    merge_free(m);
}

/* ---- files ---- */

static void check_refused(const struct merge *m, const char *format, const char *name,
                          const char *words)
{
    const char *path = in_merge_folder(name);
    CHECK_INT(merge_write(m, format, path, &merge_error), -1);
    CHECK_INT(merge_error.code, ERR_USAGE);
    if (!strstr(merge_error.msg, words))
        CHECK_STR(merge_error.msg, words);
}

static void test_refusals(void)
{
    struct merge *m = make(EPOCH_S);
    char *text = NULL;
    check_refused(m, "fio-clat", "/none", "fio-clat logs hold every single I/O");
    check_refused(m, "fio-lat", "/none", "fio-lat logs hold every single I/O");
    check_refused(m, "csv", "/none", "--write csv: this format is not known; there are fio-hist");
    check_refused(m, "fio-hits", "/none", "(fio-hist?)");
    m->sources[0].time = TIME_NONE;
    check_refused(m, "hdr", "/none", "/source holds the sums of a whole run, and hdr needs");
    CHECK_INT(merge_write(m, "fio-json", fresh("/sums"), &merge_error), 0);
    m->sources[0].time = TIME_ABSOLUTE;
    CHECK(access(in_merge_folder("/none"), F_OK));
    tree_bytes(&merge_folder, "/there", "kept", 4);
    check_refused(m, "hdr", "/there", "/there exists: it is not overwritten");
    CHECK_INT(file_read_all(in_merge_folder("/there"), 100, &text, NULL, &merge_error), 0);
    CHECK_STR(text, "kept");
    free(text);
    merge_free(m);
}

/* On a full disk there is an error, and no file is left. */
static void test_full(void)
{
    static const char *const formats[] = {"hdr", "fio-hist", "fio-json"};
    struct merge *m = make(EPOCH_S);
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    for (size_t i = 0; i < 3; i++) {
        const char *path = fresh("/full");
        small.rlim_cur = 1000;
        CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
        int status = merge_write(m, formats[i], path, &merge_error);
        setrlimit(RLIMIT_FSIZE, &before);
        CHECK_INT(status, -1);
        CHECK_INT(merge_error.code, ERR_TARGET);
        CHECK(access(path, F_OK));
    }
    CHECK_INT(merge_write(m, "hdr", in_merge_folder("/no/folder"), &merge_error), -1);
    CHECK_INT(merge_error.code, ERR_TARGET);
    merge_free(m);
}

int main(void)
{
    tree_begin(&merge_folder);
    test_hdr(EPOCH_S, TIME_ABSOLUTE);
    test_hdr(0, TIME_RELATIVE);
    test_unknown_ops();
    test_fio_hist(EPOCH_S);
    test_fio_hist(0);
    test_fio_bytes();
    test_fio_json();
    test_refusals();
    test_full();
    tree_end(&merge_folder);
    return check_result();
}
