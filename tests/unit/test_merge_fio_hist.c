/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's histogram logs: layouts, periods, sums, and faults in them. */
#include "base/json/json_read.h"
#include "tests/unit/fio_fixture.h"

#define NS_MS 1000000u

struct bin {
    size_t column;
    uint64_t count;
};

/* Adds a row in fio's format; bins in the order of their columns, ended by a count of 0. */
static void add_row(struct text *t, uint64_t ms, int ddir, unsigned bs, size_t columns,
                    const struct bin *bins)
{
    text_addf(t, "%llu, %d, %u, ", (unsigned long long)ms, ddir, bs);
    for (size_t i = 0; i < columns; i++) {
        bool used = bins->count && bins->column == i;
        text_addf(t, "%llu%s", used ? (unsigned long long)bins->count : 0ull,
                  i + 1 < columns ? ", " : "\n");
        bins += used;
    }
}

static const struct bin some[] = {{0, 2},   {64, 1},      {700, 12}, {701, 345}, {702, 6789},
                                  {703, 1}, {711, 70000}, {1854, 3}, {0, 0}};
#define SOME_IOS (2 + 1 + 12 + 345 + 6789 + 1 + 70000 + 3)

static void test_bins_and_sums(void)
{
    struct text t = {0};
    const struct bin one[] = {{640, 9}, {0, 0}}, open_end[] = {{1855, 4}, {0, 0}};
    add_row(&t, 501, 0, 4096, 1856, some);
    add_row(&t, 502, 1, 8192, 1856, one);
    add_row(&t, 1001, 0, 4096, 1856, one);
    add_row(&t, 1002, 2, 0, 1856, open_end);
    struct merge *m = fio_merged(fio_text("j_clat_hist.3.log.node7", t.data), 0);
    const struct merge_source *s = &m->sources[0];
    CHECK_INT(m->source_count, 1);
    CHECK_STR(s->host, "node7");
    CHECK_STR(s->job, "j.3");
    CHECK_INT(s->time, TIME_RELATIVE);
    CHECK_INT(s->op[OPERATION_READ].sum.ios, SOME_IOS + 9);
    CHECK_INT(s->op[OPERATION_READ].sum.bytes, (SOME_IOS + 9) * 4096ull);
    CHECK_INT(s->op[OPERATION_WRITE].sum.ios, 9);
    CHECK_INT(s->op[OPERATION_WRITE].sum.bytes, 9 * 8192);
    CHECK_INT(s->op[OPERATION_TRIM].sum.ios, 4);
    CHECK_INT(s->open_end, 4);
    CHECK_INT(s->begin_ns, 0);
    CHECK_INT(s->end_ns, 1002ull * NS_MS);
    CHECK(!s->cut_short && s->bin_error <= 0 && !s->has_stretches);
    const struct latency_buckets *l = &s->op[OPERATION_READ].latency;
    CHECK_INT(l->used, 9);
    for (size_t i = 0, k = 0; i < l->used; i++) {
        bool extra = l->bucket[i] == 640;
        CHECK_INT(l->bucket[i], extra ? 640 : some[k].column);
        CHECK_INT(l->count[i], extra ? 9 : some[k].count);
        k += !extra;
    }
    merge_free(m);
    text_free(&t);
}

/* Every layout that fio can write: all I/Os of a column lie within its edges. */
static void test_layouts(void)
{
    for (int version = 2; version <= 3; version++)
        for (unsigned c = 0; c <= 6; c++) {
            const size_t columns = (version == 3 ? 1856u : 1216u) >> c, column = columns / 2 + 1;
            const double unit = version == 3 ? 1 : 1000;
            const double low = histogram_edge(column << c) * unit;
            const double high = histogram_edge((column + 1) << c) * unit;
            const struct bin bins[] = {{column, 100000}, {0, 0}};
            struct text t = {0};
            add_row(&t, 1000, 1, 512, columns, bins);
            struct merge *m = fio_merged(fio_text("j_clat_hist.1.log", t.data), 0);
            const struct merge_source *s = &m->sources[0];
            const struct latency_buckets *l = &s->op[OPERATION_WRITE].latency;
            const double ours = histogram_edge(histogram_bucket((uint64_t)high - 1) + 1);
            const double first = histogram_edge(histogram_bucket((uint64_t)low));
            CHECK_INT(l->n, 100000);
            CHECK_INT(fio_count_within(l, first, ours), 100000);
            CHECK(low >= first && high <= ours);
            CHECK_NEAR(s->bin_error, version == 3 && c == 0 ? 0 : (high - low) / low, 1e-6);
            merge_free(m);
            text_free(&t);
        }
}

/* Checks the begin of the first row's period, and the kind of time in the log. */
static void begins(const uint64_t ms[], size_t rows, uint64_t begin_ms, enum source_time time)
{
    const struct bin bins[] = {{20, 5}, {0, 0}};
    struct text t = {0};
    for (size_t i = 0; i < rows; i++)
        add_row(&t, ms[i], 0, 4096, 29, bins);
    struct merge *m = fio_merged(fio_text("x_clat_hist.1.log", t.data), 0);
    CHECK_INT(m->sources[0].begin_ns, begin_ms * NS_MS);
    CHECK_INT(m->sources[0].end_ns, ms[rows - 1] * NS_MS);
    CHECK_INT(m->sources[0].time, time);
    merge_free(m);
    text_free(&t);
}

static void test_periods(void)
{
    begins((uint64_t[]){501, 1001, 1502}, 3, 0, TIME_RELATIVE);
    begins((uint64_t[]){740}, 1, 0, TIME_RELATIVE);
    begins((uint64_t[]){60501, 61001, 61501}, 3, 60001, TIME_RELATIVE); /* it began later */
    begins((uint64_t[]){1795447444067, 1795447445067}, 2, 1795447443067, TIME_ABSOLUTE);
    begins((uint64_t[]){1795447444067}, 1, 1795447443067, TIME_ABSOLUTE);
}

/* Each row's I/Os are in the interval of its period, whichever rows come between. */
static void test_intervals(void)
{
    struct text t = {0};
    for (unsigned i = 1; i <= 8; i++) {
        const struct bin reads[] = {{500, i}, {0, 0}}, writes[] = {{600, 10 * i}, {0, 0}};
        add_row(&t, 1000u * i, 0, 4096, 1856, reads);
        if (i % 2 == 0)
            add_row(&t, 1000u * i + 3, 1, 4096, 1856, writes);
    }
    struct merge *m = fio_merged(fio_text("x_clat_hist.1.log", t.data), 1000u * NS_MS);
    uint64_t reads = 0;
    for (size_t i = 0; i < m->timeline.count; i++) {
        const struct timeline_interval *at = m->timeline.intervals[i];
        if (at->op[OPERATION_READ].n)
            CHECK_INT(at->op[OPERATION_READ].n, at->number + 1);
        reads += at->op[OPERATION_READ].n;
    }
    CHECK_INT(reads, 36);
    CHECK_INT(m->sources[0].op[OPERATION_WRITE].sum.ios, 200);
    merge_free(m);
    text_free(&t);
}

static void test_several_jobs_in_one(void)
{
    const struct bin bins[] = {{40, 5}, {0, 0}};
    struct text t = {0};
    for (int job = 0; job < 2; job++)
        for (unsigned i = 1; i <= 4; i++)
            add_row(&t, 500u * i, 0, 4096, 58, bins);
    add_row(&t, 1200, 3, 4096, 58, bins);
    struct merge *m = fio_merged(fio_text("x_clat_hist.log", t.data), 0);
    CHECK_INT(m->sources[0].op[OPERATION_READ].sum.ios, 40);
    CHECK_INT(m->sources[0].end_ns, 2000u * NS_MS);
    CHECK_STR(m->sources[0].job, "x");
    CHECK(fio_noted(m, "on line 5 time goes back"));
    CHECK(fio_noted(m, "neither of reads nor of writes nor of trims"));
    merge_free(m);
    text_free(&t);
}

static void test_broken_off(void)
{
    const struct bin bins[] = {{3, 5}, {0, 0}};
    struct text t = {0};
    add_row(&t, 500, 0, 4096, 29, bins);
    const size_t row = t.length;
    add_row(&t, 1000, 0, 4096, 29, bins);
    for (size_t left = row; left < t.length; left++) {
        struct merge *m = fio_merged(fio_file("x_clat_hist.1.log", t.data, left), 0);
        CHECK_INT(m->sources[0].op[OPERATION_READ].sum.ios, 5);
        CHECK_INT(m->sources[0].cut_short, left > row);
        merge_free(m);
    }
    text_free(&t);
}

/* Checks that a row of `columns` bins followed by this line is refused. */
static void refused_below(size_t columns, const char *line, const char *words)
{
    const struct bin bins[] = {{3, 5}, {0, 0}};
    struct text t = {0};
    add_row(&t, 500, 0, 4096, columns, bins);
    text_add(&t, line);
    fio_refused(fio_text("x_clat_hist.1.log", t.data), words);
    text_free(&t);
}

static void test_refused(void)
{
    refused_below(29, "1000, 0, 4096, 0, 0, x, 0\n", "line 2, column 22: \"x\" is no whole number");
    refused_below(29, "1000, 0, 4096, 0, 0, -4, 0\n", "line 2, column 22: \"-4\" is no whole");
    refused_below(29, "1000, 0, 4096, 0, 0, 0\n",
                  "line 2, column 23: the row ends here: rows above have more columns");
    refused_below(29, "1000, 0\n", "line 2, column 7: \"0\" ends the row before its bins");
    refused_below(29, "\n", "line 2, column 1: is no whole number");
    refused_below(29, "1000, 0, 4096, 99999999999999, 0\n", "\"99999999999999\" is too large");
    refused_below(29, "99999999999999, 0, 4096, 1\n", "\"99999999999999\" is too large");

    struct text t = {0};
    const struct bin bins[] = {{3, 5}, {0, 0}};
    add_row(&t, 500, 0, 4096, 29, bins);
    add_row(&t, 1000, 0, 4096, 58, bins); /* a later row with another coarseness */
    fio_refused(fio_text("x_clat_hist.1.log", t.data), "has no bin: rows above have fewer columns");
    t.length = 0;
    add_row(&t, 500, 0, 4096, 1855, bins);
    fio_refused(fio_text("x_clat_hist.1.log", t.data), "line 1 has 1858 numbers");
    text_free(&t);
}

/* Numbers that the fast parser must not misread, at every place among zeros. */
static void test_places_of_numbers(void)
{
    static const uint64_t counts[] = {1, 10, 100, 101, 1000, 12345, 1000000000000};
    for (size_t column = 0; column < 29; column++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const struct bin bins[] = {{column, counts[i]}, {0, 0}};
            struct text t = {0};
            add_row(&t, 500, 0, 1, 29, bins);
            struct merge *m = fio_merged(fio_text("x_clat_hist.1.log", t.data), 0);
            const double low = histogram_edge(64 * column), high = histogram_edge(64 * column + 64);
            CHECK_INT(fio_count_within(&m->sources[0].op[OPERATION_READ].latency, low, high),
                      counts[i]);
            merge_free(m);
            text_free(&t);
        }
}

/* ---- logs of fio --client ---- */

#define SUM_ROWS 12
#define SUM_BINS 20

/* Returns the I/Os of a row's period in a bin; a few bins have some. */
static uint64_t true_count(unsigned row, unsigned bin)
{
    const uint32_t mixed = (row * 2654435761u) ^ (bin * 40503u);
    return bin % 4 ? (mixed >> 7) % 50 : (mixed >> 5) % 3;
}

/* Adds correct rows, and the rows as fio's server sends them: sums so far minus the previous row.
 */
static void add_rows(struct text *sound, struct text *sent, unsigned rows, int ddir)
{
    uint64_t until[SUM_BINS] = {0}, before[SUM_BINS] = {0};
    for (unsigned row = 1; row <= rows; row++) {
        struct bin bins[SUM_BINS + 1] = {{0}}, sums[SUM_BINS + 1] = {{0}};
        size_t n = 0, k = 0;
        for (unsigned i = 0; i < SUM_BINS; i++) {
            const uint64_t count = true_count(row, i);
            until[i] += count;
            before[i] = until[i] - before[i];
            if (count)
                bins[n++] = (struct bin){600 + i, count};
            if (before[i])
                sums[k++] = (struct bin){600 + i, before[i]};
        }
        add_row(sound, 500u * row, ddir, 4096, 1856, bins);
        add_row(sent, 500u * row, ddir, 4096, 1856, sums);
    }
}

static void test_rows_that_are_sums(void)
{
    struct text sound = {0}, sent = {0};
    char sound_path[400];
    add_rows(&sound, &sent, SUM_ROWS, 0);
    add_rows(&sound, &sent, 3, 1);
    add_rows(&sound, &sent, SUM_ROWS, 0); /* of another job */
    snprintf(sound_path, sizeof sound_path, "%s", fio_text("a_clat_hist.1.log", sound.data));
    struct merge *m = fio_merged(sound_path, 0);
    struct merge *of_sent = fio_merged(fio_text("b_clat_hist.1.log.node1", sent.data), 0);
    CHECK(!fio_noted(m, "a fault of fio's server"));
    CHECK(fio_noted(of_sent, "a fault of fio's server"));
    for (int op = 0; op < OPERATIONS; op++) {
        const struct source_op *a = &m->sources[0].op[op], *b = &of_sent->sources[0].op[op];
        CHECK_INT(a->sum.ios, b->sum.ios);
        CHECK_INT(a->latency.n, b->latency.n);
        CHECK_INT(a->latency.used, b->latency.used);
        for (size_t i = 0; i < a->latency.used && i < b->latency.used; i++)
            CHECK(a->latency.bucket[i] == b->latency.bucket[i] &&
                  a->latency.count[i] == b->latency.count[i]);
    }
    merge_free(m);
    merge_free(of_sent);

    /* A faulty row late in the log, where it is known to contain sums. */
    const struct bin one[] = {{600, 1}, {0, 0}};
    sent.length = 0;
    add_rows(&sound, &sent, 300, 0);
    add_row(&sent, 500u * 301, 0, 4096, 1856, one);
    fio_refused(fio_text("b_clat_hist.1.log.node1", sent.data), "this row has less than one above");
    text_free(&sound);
    text_free(&sent);
}

/* ---- logs of fio itself, compared with the raw latencies ---- */

static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    struct text t = {0};
    char part[4096];
    size_t n;
    while (file && (n = fread(part, 1, sizeof part, file)) > 0)
        text_add_bytes(&t, part, n);
    if (file)
        fclose(file);
    *length = t.length;
    return t.data;
}

static double number_at(struct span text, const char *place)
{
    struct span value;
    return json_find(text, span_of(place), &value) == JSON_FOUND ? strtod(value.text, NULL) : NAN;
}

/* Checks that percentiles of buckets are in the bin of the exact ones. Returns false if none are
   expected. */
static void check_shares(struct span exact, const struct latency_buckets *l, double width)
{
    struct span name, value;
    struct json_walk w = json_walk_of(exact);
    while (json_next(&w, &name, &value)) {
        double share = strtod(name.text, NULL) / 100, ns = strtod(value.text, NULL);
        if (name.text[0] < '0' || name.text[0] > '9')
            continue; /* the least, and the mean */
        size_t bucket = fio_bucket_of_share(l, share);
        double low = histogram_edge(bucket), high = histogram_edge(bucket + 1);
        bool within = width > 0 ? ns >= low * (1 - width) && ns <= high * (1 + width)
                                : bucket == histogram_bucket((uint64_t)ns);
        if (!check_that(within, __FILE__, __LINE__, "a percentile in the bin of the exact one"))
            fprintf(stderr, "    %.*s: bucket %g to %g, exact %g\n", (int)name.length, name.text,
                    low, high, ns);
    }
}

/* The buckets of an interval's operation as those of a source. */
static struct latency_buckets flat(const struct timeline_op *op)
{
    static uint16_t bucket[HISTOGRAM_BUCKETS];
    static uint64_t count[HISTOGRAM_BUCKETS];
    struct latency_buckets l = {.n = op->n, .bucket = bucket, .count = count};
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const uint64_t *group = op->group[i / HISTOGRAM_SUBBUCKETS];
        if (group && group[i % HISTOGRAM_SUBBUCKETS]) {
            bucket[l.used] = (uint16_t)i;
            count[l.used++] = group[i % HISTOGRAM_SUBBUCKETS];
        }
    }
    return l;
}

static void test_case(const char *root, const char *folder, const char *log, uint64_t interval_ms,
                      double width)
{
    char path[600];
    size_t length;
    snprintf(path, sizeof path, "%s/%s/expected.json", root, folder);
    char *text = read_all(path, &length);
    const struct span expected = {text ? text : "", length};
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, log);
    struct merge *m = fio_merged(path, interval_ms * NS_MS);
    struct span rows, row, name, exact;
    size_t read = 0;
    CHECK(json_find(expected, span_of("intervals"), &rows) == JSON_FOUND);
    struct json_walk w = json_walk_of(rows);
    while (m && json_next(&w, &name, &row)) {
        const double ms = number_at(row, "time_ms"), ddir = number_at(row, "ddir");
        const uint64_t number = (uint64_t)(ms - (double)interval_ms / 2) / interval_ms;
        for (size_t i = 0; i < m->timeline.count; i++)
            if (m->timeline.intervals[i]->number == number) {
                const struct timeline_op *op = &m->timeline.intervals[i]->op[(int)ddir];
                const struct latency_buckets l = flat(op);
                CHECK_NEAR((double)op->n, number_at(row, "samples"), 0);
                CHECK(json_find(row, span_of("exact"), &exact) == JSON_FOUND);
                check_shares(exact, &l, width);
                read++;
            }
    }
    CHECK_NEAR((double)read, number_at(expected, "hist_rows"), 0);
    for (int op = 0; m && op < 2; op++) {
        char place[64];
        snprintf(place, sizeof place, "hist_log_total.%d", op);
        if (!isfinite(number_at(expected, place)))
            continue;
        CHECK_NEAR((double)m->sources[0].op[op].sum.ios, number_at(expected, place), 0);
    }
    merge_free(m);
    free(text);
}

static void test_cases(void)
{
    const char *root = getenv("CUPEL_CASES");
    if (!root) {
        check_part_skipped("CUPEL_CASES is not set");
        return;
    }
    test_case(root, "fio_hist", "h1_clat_hist.1.log", 500, 0);
    test_case(root, "fio_hist_coarse", "h3_clat_hist.1.log", 1000, 1.0 / 16);
}

int main(void)
{
    test_bins_and_sums();
    test_layouts();
    test_periods();
    test_intervals();
    test_several_jobs_in_one();
    test_broken_off();
    test_refused();
    test_places_of_numbers();
    test_rows_that_are_sums();
    test_cases();
    return check_result();
}
