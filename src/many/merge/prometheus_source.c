/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms in Prometheus' text (0.0.4) and OpenMetrics' (1.0 and the draft of 2.0). The buckets
 * of a classic histogram are samples NAME_bucket{le="..."} that count everything up to le, or a
 * list {bucket:[le:count,..]}. A native histogram is one value,
 * {count:..,sum:..,schema:..,zero_threshold:..,zero_count:..,positive_spans:[..],
 * positive_buckets:[..]}. Each set of labels is a source. A series that has both kinds counts once,
 * by its native one.
 *
 * The unit is the one at the end of the name (_seconds). Counters hold everything since their
 * program began, and when that was is not stated: there are no instants and no rates. A bucket of a
 * classic histogram reaches from the le below it to its own; bucket i of a native one of schema s
 * from 2^((i-1)/2^s) to 2^(i/2^s).
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "many/merge/bins/bins.h"

#define SERIES_MAX   4096
#define BUCKETS_MAX  4096
#define COUNT_MAX    1e15
#define SCHEMA_MIN   (-4)
#define SCHEMA_MAX   8
#define INDEX_MAX    100000
#define NAMES_LISTED 4

struct le_bucket {
    double le, count; /* `count` is the number of all values up to `le` */
    uint64_t line;
};

/* A histogram: a metric with one set of labels. */
struct series {
    struct span name;   /* name of the metric, without _bucket */
    struct span labels; /* the labels as written, including le */
    struct le_bucket *buckets;
    size_t count, capacity;
    struct span native; /* {...}, or "" */
    double sum;         /* NaN: not stated */
    uint64_t line;      /* the first one */
};

struct scrape {
    struct merge *m;
    const char *path;
    struct series *series;
    size_t count;
    uint64_t line;
};

static int fault(const struct scrape *x, uint64_t line, const char *words, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s: line %llu: %s", x->path, (unsigned long long)line, words);
}

static struct span without_end(struct span s, size_t bytes)
{
    return (struct span){s.text, s.length - bytes};
}

/* ---- samples ---- */

/* Returns true if the labels are equal, not counting le. Writers keep the order of labels. */
static bool same_labels(struct span a, struct span b)
{
    struct span key[2], value[2];
    for (;;) {
        bool more[2];
        struct span *rest[2] = {&a, &b};
        for (int i = 0; i < 2; i++)
            do
                more[i] = prometheus_label_next(rest[i], &key[i], &value[i]);
            while (more[i] && span_is(key[i], "le"));
        if (!more[0] || !more[1])
            return more[0] == more[1];
        if (key[0].length != key[1].length || value[0].length != value[1].length ||
            memcmp(key[0].text, key[1].text, key[0].length) != 0 ||
            memcmp(value[0].text, value[1].text, value[0].length) != 0)
            return false;
    }
}

/* Finds the series of a sample, or adds it. */
static struct series *series_of(struct scrape *x, struct span name, struct span labels,
                                struct err *e)
{
    /* searches backwards, since the last series is nearly always the right one */
    for (size_t i = x->count; i > 0; i--) {
        struct series *s = &x->series[i - 1];
        if (s->name.length == name.length && !memcmp(s->name.text, name.text, name.length) &&
            same_labels(s->labels, labels))
            return s;
    }
    if (x->count == SERIES_MAX) {
        fault(x, x->line, "it has more than 4096 histograms", e);
        return NULL;
    }
    x->series[x->count] = (struct series){
        .name = name, .labels = labels, .native = span_of(""), .sum = NAN, .line = x->line};
    return &x->series[x->count++];
}

static int add_bucket(struct scrape *x, struct series *s, double le, double count, struct err *e)
{
    if (isnan(le) || !(count >= 0) || count > COUNT_MAX || count != floor(count))
        return fault(x, x->line, "its bucket has no bound, or no whole number of I/Os", e);
    for (size_t i = 0; i < s->count; i++)
        if (s->buckets[i].le == le)
            return fault(x, x->line,
                         "this bucket is there already: of several scrapes keep the last one", e);
    if (s->count == BUCKETS_MAX)
        return fault(x, x->line, "its histogram has more than 4096 buckets", e);
    if (!array_grow(&s->buckets, sizeof *s->buckets, s->count, &s->capacity))
        return err_no_memory(e, "the buckets of %s", x->path);
    s->buckets[s->count++] = (struct le_bucket){le, count, x->line};
    return 0;
}

/* Takes a sample that belongs to a histogram. Other samples are counters and gauges, and are
   ignored. */
static int take_sample(struct scrape *x, const struct prometheus_sample *sample, struct err *e)
{
    static const char bucket[] = "_bucket", sum[] = "_sum";
    const struct span le = prometheus_label(sample->labels, "le");
    struct series *s;
    if (*sample->value.text == '{') {
        s = series_of(x, sample->name, sample->labels, e);
        if (s)
            s->native = sample->value;
        return s ? 0 : -1;
    }
    if (span_ends_with(sample->name, bucket) && le.length) {
        s = series_of(x, without_end(sample->name, sizeof bucket - 1), sample->labels, e);
        return s ? add_bucket(x, s, prometheus_number(le), prometheus_number(sample->value), e)
                 : -1;
    }
    for (size_t i = x->count; span_ends_with(sample->name, sum) && i > 0; i--) {
        s = &x->series[i - 1];
        const struct span name = without_end(sample->name, sizeof sum - 1);
        if (s->name.length == name.length && !memcmp(s->name.text, name.text, name.length) &&
            same_labels(s->labels, sample->labels))
            s->sum = prometheus_number(sample->value);
    }
    return 0;
}

static int find_series(struct scrape *x, struct span text, struct err *e)
{
    while (text.length) {
        const char *end = memchr(text.text, '\n', text.length);
        const size_t length = end ? (size_t)(end - text.text) : text.length;
        const struct span line = span_trimmed((struct span){text.text, length});
        struct prometheus_sample sample;
        x->line++;
        text =
            (struct span){text.text + length + (end != NULL), text.length - length - (end != NULL)};
        if (!line.length || *line.text == '#')
            continue;
        if (!prometheus_sample_parse(line, &sample))
            return fault(x, x->line, "it is no sample of Prometheus: NAME{LABELS} VALUE", e);
        if (take_sample(x, &sample, e))
            return -1;
    }
    return 0;
}

/* ---- the unit ---- */

/* Returns the ns of the unit at the end of a name; 0: the name has no unit. */
static double unit_in(struct span name)
{
    static const struct {
        const char *end;
        double ns;
    } ends[] = {{"_seconds", 1e9},
                {"_milliseconds", 1e6},
                {"_ms", 1e6},
                {"_msec", 1e6},
                {"_microseconds", 1e3},
                {"_us", 1e3},
                {"_usec", 1e3},
                {"_nanoseconds", 1},
                {"_ns", 1},
                {"_nsec", 1},
                {"_s", 1e9}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (span_ends_with(name, ends[i].end))
            return ends[i].ns;
    return 0;
}

/* Refuses histograms of several metrics, since nobody can say whether they hold the same I/Os. */
static int check_names(const struct scrape *x, struct err *e)
{
    struct text names = {0};
    size_t others = 0;
    for (size_t i = 1; i < x->count; i++) {
        const struct span name = x->series[i].name;
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = name.length != x->series[k].name.length ||
                     memcmp(name.text, x->series[k].name.text, name.length) != 0;
        if (is_new && others++ < NAMES_LISTED)
            text_addf(&names, ", %.*s", (int)(name.length < 60 ? name.length : 60), name.text);
    }
    if (others) {
        const struct span first = x->series[0].name;
        const int length = (int)(first.length < 60 ? first.length : 60);
        err_set(
            e, ERR_USAGE,
            "%s: it has histograms of several metrics, %.*s%s%s, which may be of the same I/Os: "
            "keep the lines of one (grep '^%.*s' FILE)",
            x->path, length, first.text, names.data ? names.data : "",
            others > NAMES_LISTED ? ", ..." : "", length, first.text);
    }
    text_free(&names);
    return others ? -1 : 0;
}

static int find_unit(const struct scrape *x, const struct series *s, double *unit, struct err *e)
{
    *unit = unit_in(s->name);
    if (!(*unit > 0))
        *unit = (double)x->m->plan->hdr_unit_ns;
    return *unit > 0 ? 0
                     : fault(x, s->line,
                             "the name of its metric states no unit, as in NAME_seconds: "
                             "--hdr-unit ns, us or ms gives it",
                             e);
}

/* ---- buckets ---- */

static uint64_t ns_of(double value, double unit)
{
    const double ns = value * unit;
    return ns < 0x1p62 ? (uint64_t)llround(fmax(ns, 0)) : UINT64_C(1) << 62;
}

static void add_bin(const struct scrape *x, double low, double high, double unit, uint64_t count)
{
    const uint64_t low_ns = ns_of(low, unit), high_ns = ns_of(high, unit);
    if (!count)
        return;
    if (histogram_bucket(low_ns) == histogram_bucket(high_ns > low_ns ? high_ns - 1 : low_ns)) {
        bins_add_bucket(x->m, histogram_bucket(low_ns), count);
        return;
    }
    bins_add(x->m, low_ns, high_ns, count);
    merge_note_width(x->m, low_ns, high_ns);
}

static int by_bound(const void *a, const void *b)
{
    const struct le_bucket *x = a, *y = b;
    return (x->le > y->le) - (x->le < y->le);
}

/* Adds the buckets of a classic histogram. Values above the last finite bound are placed at that
   bound. */
static int add_classic(const struct scrape *x, const struct series *s, double unit, struct err *e)
{
    double low = 0, before = 0;
    if (s->count > 1)
        qsort(s->buckets, s->count, sizeof *s->buckets, by_bound);
    for (size_t i = 0; i < s->count; i++) {
        const struct le_bucket *b = &s->buckets[i];
        if (b->count < before)
            return fault(x, b->line, "its count is smaller than that of the bucket below it", e);
        const uint64_t count = (uint64_t)(b->count - before);
        before = b->count;
        if (isinf(b->le)) {
            bins_add_bucket(x->m, histogram_bucket(ns_of(low, unit)), count);
            merge_current(x->m)->open_end += count;
        } else if (b->le >= 0) {
            add_bin(x, low, b->le, unit, count);
            low = b->le;
        } else if (count) {
            return fault(x, b->line, "it has latencies below 0", e);
        }
    }
    return 0;
}

/* Adds {bucket:[le:count,...]}, the classic histogram of OpenMetrics 2.0. */
static int add_bucket_list(struct scrape *x, struct series *s, struct span list, double unit,
                           struct err *e)
{
    x->line = s->line;
    while (list.length) {
        const double le = prometheus_number_next(&list), count = prometheus_number_next(&list);
        if (add_bucket(x, s, le, count, e))
            return -1;
    }
    return add_classic(x, s, unit, e);
}

/* The state of reading the buckets of a native histogram. */
struct native {
    struct span spans, counts; /* the part that is not yet read */
    bool deltas;               /* `counts` has differences from one bucket to the next */
    double before;             /* the count of the previous bucket, for the next difference */
    double total;              /* sum of the counts */
    int schema;
};

static int add_native_span(const struct scrape *x, struct native *n, long *index, long length,
                           double unit)
{
    for (; length > 0; length--, ++*index) {
        const double at = (double)*index;
        double count = prometheus_number_next(&n->counts);
        if (n->deltas)
            count += n->before;
        n->before = count;
        if (!(count >= 0) || count > COUNT_MAX || count != floor(count) || labs(*index) > INDEX_MAX)
            return -1;
        n->total += count;
        add_bin(x, exp2((at - 1) * exp2(-n->schema)), exp2(at * exp2(-n->schema)), unit,
                (uint64_t)count);
    }
    return 0;
}

static int add_native(struct scrape *x, struct series *s, double unit, struct err *e)
{
    const struct span list = prometheus_field(s->native, "bucket"),
                      zeros = prometheus_field(s->native, "zero_count");
    const struct span schema = prometheus_field(s->native, "schema");
    const struct span deltas = prometheus_field(s->native, "positive_deltas");
    const double given = prometheus_number(schema), zero = prometheus_number(zeros);
    long index = 0;
    struct native n = {.spans = prometheus_field(s->native, "positive_spans"),
                       .counts =
                           deltas.length ? deltas : prometheus_field(s->native, "positive_buckets"),
                       .deltas = deltas.length > 0};
    s->sum = prometheus_number(prometheus_field(s->native, "sum"));
    if (!schema.length && list.length)
        return add_bucket_list(x, s, list, unit, e);
    if (!(given >= SCHEMA_MIN && given <= SCHEMA_MAX && given == floor(given)))
        return fault(x, s->line, "its native histogram has no schema from -4 to 8", e);
    if (prometheus_field(s->native, "negative_spans").length)
        return fault(x, s->line, "it has latencies below 0", e);
    n.schema = (int)given;
    if (zero > 0) {
        const double threshold = prometheus_number(prometheus_field(s->native, "zero_threshold"));
        if (zero > COUNT_MAX || zero != floor(zero))
            return fault(x, s->line, "its zero_count is no whole number of I/Os", e);
        add_bin(x, 0, threshold > 0 ? threshold : 0, unit, (uint64_t)zero);
        n.total += zero;
    }
    while (n.spans.length) {
        const double offset = prometheus_number_next(&n.spans),
                     length = prometheus_number_next(&n.spans);
        if (!(fabs(offset) <= INDEX_MAX) || !(length >= 0 && length <= INDEX_MAX))
            return fault(x, s->line, "its positive_spans are no offset:length,...", e);
        index += (long)offset;
        if (add_native_span(x, &n, &index, (long)length, unit))
            return fault(x, s->line,
                         "its positive_buckets hold something else than the whole "
                         "numbers that positive_spans announce",
                         e);
    }
    const double count = prometheus_number(prometheus_field(s->native, "count"));
    if (!isnan(count) && count != n.total)
        return fault(x, s->line, "its count is another one than the sum of its buckets", e);
    return 0;
}

/* ---- sources ---- */

/* Finds the operation in the labels' values, or in the parts of the metric's name. */
static enum operation op_of(struct scrape *x, const struct series *s)
{
    struct span rest = s->labels, key, value, name = s->name;
    while (prometheus_label_next(&rest, &key, &value)) {
        const enum operation op = operation_of_word(value);
        if (op < OPERATIONS && !span_is(key, "le"))
            return op;
    }
    while (name.length) {
        const char *bar = memchr(name.text, '_', name.length);
        const size_t length = bar ? (size_t)(bar - name.text) : name.length;
        const enum operation op = operation_of_word((struct span){name.text, length});
        if (op < OPERATIONS && length > 1)
            return op;
        name =
            (struct span){name.text + length + (bar != NULL), name.length - length - (bar != NULL)};
    }
    merge_current(x->m)->ops_unknown = true;
    return OPERATION_READ;
}

/* Takes from the labels where a series was measured. Its job is the text of all labels. */
static void describe(struct scrape *x, const struct series *s)
{
    static const char *const hosts[] = {"host", "node", "instance"}, *const devices[] = {"device",
                                                                                         "disk"};
    struct merge_source *source = merge_current(x->m);
    struct text job = {0};
    struct span rest = s->labels, key, value;
    while (prometheus_label_next(&rest, &key, &value)) {
        for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
            if (!source->host[0] && span_is(key, hosts[i]))
                source->host = merge_string(x->m, value.text, value.length);
        for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
            if (!source->device[0] && span_is(key, devices[i]))
                source->device = merge_string(x->m, value.text, value.length);
        if (span_is(key, "le") || operation_of_word(value) < OPERATIONS)
            continue;
        text_addf(&job, "%s%.*s=%.*s", job.length ? "," : "", (int)key.length, key.text,
                  (int)value.length, value.text);
    }
    if (job.data && !job.failed)
        source->job = merge_string(x->m, job.data, job.length);
    text_free(&job);
}

static int add_series(struct scrape *x, struct series *s, struct err *e)
{
    double unit = 0;
    if (find_unit(x, s, &unit, e))
        return -1;
    describe(x, s);
    bins_begin(x->m);
    if (s->native.length ? add_native(x, s, unit, e) : add_classic(x, s, unit, e))
        return -1;
    const struct latency_buckets latency = bins_end(x->m);
    return latency.n ? merge_add_sum(x->m, op_of(x, s), &latency, s->sum * unit, e) : 0;
}

static int read_exposition(struct merge *m, const char *path, struct err *e)
{
    struct text text = {0};
    struct scrape x = {.m = m, .path = path, .series = calloc(SERIES_MAX, sizeof *x.series)};
    const struct merge_source file = *merge_current(m);
    int status = x.series ? merge_read_text(m, path, &text, e) : err_no_memory(e, "histograms");
    if (!status)
        status = find_series(&x, (struct span){text.data ? text.data : "", text.length}, e);
    if (!status && !x.count)
        status = err_set(e, ERR_USAGE,
                         "%s: it has no histogram: neither buckets (NAME_bucket{le="
                         "\"...\"}) nor native ones",
                         path);
    if (!status)
        status = check_names(&x, e);
    for (size_t i = 0; i < x.count && !status; i++)
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): all buckets are freed below
        status = merge_begin_part(m, &file, i, e) || add_series(&x, &x.series[i], e) ? -1 : 0;
    for (size_t i = 0; i < x.count; i++)
        free(x.series[i].buckets);
    free(x.series);
    text_free(&text);
    return status;
}

/* Returns true if the text has comments of the format, buckets, or a native histogram. */
static bool is_exposition(const char *path, const char *head, size_t length)
{
    static const char *const marks[] = {"_bucket{", "# TYPE ", "# HELP ", "positive_spans:[",
                                        "bucket:["};
    (void)path;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memmem(head, length, marks[i], strlen(marks[i])))
            return true;
    return false;
}

const struct merge_format merge_format_prometheus = {
    .name = "Prometheus histogram", .recognise = is_exposition, .read = read_exposition};
