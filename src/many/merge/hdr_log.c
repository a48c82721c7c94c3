/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Longer than 500 lines because rows can be read only with what comments and tags say about them.
 *
 * Reads logs of HdrHistogram, versions 1.2 and 1.3. Each interval is a row,
 * [Tag=NAME,]start,length,max, histogram, with instants and lengths in seconds. Comments give the
 * instants that starts count from. The format has neither operations nor a unit: a tag may name an
 * operation, a comment may state the unit or name a writer whose unit is known, and the column of
 * maxima is by custom in ms, 10^6 smaller than values in ns. The C library writes the column in the
 * unit of the values, which does not show the unit; and its legend announces ends instead of
 * lengths, although one of its functions writes lengths below it. Values below 10 us, or more than
 * 1000 in flight at once, contradict what the column shows.
 *
 * Rows of operations form one source, and the rows of any other tag form one source each. Rows of
 * all tags are mixed in the file, while sources are read one after the other, so each source takes
 * a pass of its own.
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/span.h"
#include "facts/labels.h"
#include "many/merge/bins/bins.h"
#include "source/trace/input.h"

#define LINE_BYTES_MAX (16u << 20)
#define READ_BYTES     (256u << 10)
#define SECOND_NS      UINT64_C(1000000000)
#define YEAR_NS        (UINT64_C(365) * 24 * 3600 * SECOND_NS)
#define TAGS_MAX       256u
#define INTERVALS_MAX  100000u /* maximum number of intervals in one row */

/* A unit that the column of maxima shows is believed only between these limits. A wrong unit makes
   values 1000 times too short or too long, which lie beyond them. */
#define GUESSED_MIN_NS        10000
#define GUESSED_IN_FLIGHT_MAX 1000

/* later instants count from 1970: no log's own clock runs for 31 years */
#define ABSOLUTE_FROM_NS (UINT64_C(1000000000) * SECOND_NS)

/* The state that begins anew with each pass over the file. */
struct pass {
    struct input in;
    uint64_t line;            /* number of the current line */
    bool has_start, has_base; /* a comment states the start time, the base time */
    bool is_placed;           /* the first row was read, which shows what instants count from */
    bool states_ns, announces_ends;
    uint64_t writer_unit_ns; /* unit that a comment states or implies; 0: no comment does */
    struct span logged_for;  /* NAME in "#[Logged for: NAME]"; points into `words` */
    char words[64];
    uint64_t start_ns, base_ns;
    uint64_t unit_ns; /* 0: not yet decided */
    double column;    /* values over the column of maxima, a power of 1000; 0: unknown */
};

struct hdr_log {
    struct merge *m;
    struct hdr_histogram histogram;
    /* tags in the order of their first rows; "": rows whose tag is an operation, or without a tag
     */
    const char *tags[TAGS_MAX];
    size_t tag_count;
    size_t number; /* number of the pass, which is the index of its tag */
    struct pass pass;
};

/* ---- what a file begins with ---- */

static bool begins(struct span text, const char *with)
{
    return text.length >= strlen(with) && !memcmp(text.text, with, strlen(with));
}

static bool recognise(const char *path, const char *head, size_t length)
{
    (void)path;
    for (struct span rest = {head, length}; rest.length;) {
        const char *end = memchr(rest.text, '\n', rest.length);
        struct span line = {rest.text, end ? (size_t)(end - rest.text) : rest.length};
        size_t taken = line.length + (end != NULL);
        if (begins(line, "#[Histogram log format version") || begins(line, "#[StartTime:") ||
            begins(line, "#[BaseTime:") || begins(line, "\"StartTimestamp\"") ||
            memmem(line.text, line.length, ",HIST", 5))
            return true;
        if (!begins(line, "#"))
            return false;
        rest = (struct span){rest.text + taken, rest.length - taken};
    }
    return false;
}

/* ---- numbers ---- */

/* Parses all of `text` as seconds. -1: it is no number of seconds. */
static int parse_seconds(struct span text, uint64_t *ns)
{
    return merge_take_seconds(&text, ns) && !text.length ? 0 : -1;
}

/* Reads an instant from a comment such as "#[StartTime: 1441812279.474 (seconds since epoch), ...".
 */
static void read_instant(struct span comment, const char *name, bool *has, uint64_t *ns)
{
    if (!begins(comment, name))
        return;
    struct span rest = {comment.text + strlen(name), comment.length - strlen(name)};
    rest = span_trimmed(rest);
    size_t length = 0;
    while (length < rest.length && rest.text[length] != ' ' && rest.text[length] != ']' &&
           rest.text[length] != ',')
        length++;
    if (!parse_seconds((struct span){rest.text, length}, ns))
        *has = true;
}

/* First words of comments that state the unit of values, or that name a writer whose unit is known:
   jHiccup and cassandra-stress log ns, YCSB us. */
static const struct {
    const char *words;
    uint64_t unit_ns;
} unit_comments[] = {
    {HDR_LOG_UNIT, 1}, {"nanoseconds", 1},      {"microseconds", 1000},  {"milliseconds", 1000000},
    {"jHiccup", 1},    {"Cassandra Stress", 1}, {"[Logged for: ", 1000},
};

static void read_unit(struct hdr_log *log, struct span comment)
{
    const bool own = begins(comment, HDR_LOG_UNIT);
    struct pass *pass = &log->pass;
    pass->states_ns |= own;
    if (memmem(comment.text, comment.length, "epoch", 5))
        return; /* a comment about an instant states the unit of that instant only */
    for (size_t i = 0; i < sizeof unit_comments / sizeof *unit_comments && !pass->writer_unit_ns;
         i++) {
        const char *words = unit_comments[i].words;
        char shown[80];
        if (!memmem(comment.text, comment.length, words, strlen(words)))
            continue;
        pass->writer_unit_ns = unit_comments[i].unit_ns;
        if (!own && !log->number)
            merge_note(log->m, false, "%.60s: values are taken as %s, as \"%s\" says",
                       merge_current(log->m)->path,
                       pass->writer_unit_ns == 1      ? "ns"
                       : pass->writer_unit_ns == 1000 ? "us"
                                                      : "ms",
                       span_printable(shown, sizeof shown, comment));
    }
}

/* Splits "#[KEY: VALUE]". -1: the comment has another form. */
static int parse_label(struct span comment, struct span *key, struct span *value)
{
    if (!begins(comment, "#["))
        return -1;
    const char *text = comment.text + 2, *colon = memchr(text, ':', comment.length - 2);
    size_t length = comment.length - 2;
    if (!colon)
        return -1;
    *key = (struct span){text, (size_t)(colon - text)};
    length -= key->length + 1;
    length -= length && colon[length] == ']';
    *value = span_trimmed((struct span){colon + 1, length});
    return value->length ? 0 : -1;
}

/* Comments of other writers label the log. The value of "Logged for" names what its rows
   are of, as a tag does. A comment without a name and a value is no label. */
static void read_label(struct hdr_log *log, struct span comment)
{
    struct merge_source *s = merge_current(log->m);
    struct span key, value;
    char text[LABEL_KEY_MAX + LABEL_VALUE_MAX + 2];
    struct labels labels = {0};
    struct err ignored;
    if (parse_label(comment, &key, &value) || span_is(key, "StartTime") || span_is(key, "BaseTime"))
        return;
    if (span_is(key, "Logged for") && value.length < sizeof log->pass.words) {
        span_copy(log->pass.words, value);
        log->pass.logged_for = (struct span){log->pass.words, value.length};
    }
    if (span_is(key, "Host") || span_is(key, "host"))
        s->host = merge_string(log->m, value.text, value.length);
    if (key.length > LABEL_KEY_MAX || value.length > LABEL_VALUE_MAX)
        return;
    snprintf(labels.text, sizeof labels.text, "%s", s->labels);
    snprintf(text, sizeof text, "%.*s=%.*s", (int)key.length, key.text, (int)value.length,
             value.text);
    if (!labels_add(&labels, text, &ignored))
        s->labels = merge_string(log->m, labels.text, strlen(labels.text));
}

/* ---- one row ---- */

struct row {
    struct span tag, histogram;
    uint64_t start_ns, length_ns;
    double max; /* maximum, as written in its column */
};

/* Returns the text up to the next comma; the comma is consumed too. */
static struct span next_field(struct span *rest)
{
    const char *comma = rest->length ? memchr(rest->text, ',', rest->length) : NULL;
    size_t length = comma ? (size_t)(comma - rest->text) : rest->length;
    struct span field = {rest->text, length};
    length += comma != NULL;
    *rest = (struct span){rest->text + length, rest->length - length};
    return span_trimmed(field);
}

static int parse_row(struct span line, struct row *row, struct err *e)
{
    static const char tag[] = "Tag=";
    char words[40];
    *row = (struct row){.tag = {"", 0}};
    struct span rest = line, field = next_field(&rest);
    if (begins(field, tag)) {
        row->tag = (struct span){field.text + strlen(tag), field.length - strlen(tag)};
        field = next_field(&rest);
    }
    if (parse_seconds(field, &row->start_ns))
        return err_set(e, ERR_USAGE, "its start \"%s\" is no number of seconds",
                       span_printable(words, sizeof words, field));
    field = next_field(&rest);
    if (parse_seconds(field, &row->length_ns))
        return err_set(e, ERR_USAGE, "its length \"%s\" is no number of seconds",
                       span_printable(words, sizeof words, field));
    field = next_field(&rest);
    if (number_parse(field.text, field.length, &row->max) != NUMBER_OK || row->max < 0)
        return err_set(e, ERR_USAGE, "its greatest value \"%s\" is no number",
                       span_printable(words, sizeof words, field));
    row->histogram = next_field(&rest);
    return rest.length ? err_set(e, ERR_USAGE, "more follows its histogram") : 0;
}

/* Finds the base of instants. Without a stated base, starts more than a year before the log's start
   time count from that time; other starts count from 1970. */
static void find_base(struct hdr_log *log, uint64_t row_start_ns)
{
    if (!log->pass.has_base && log->pass.has_start && row_start_ns + YEAR_NS < log->pass.start_ns)
        log->pass.base_ns = log->pass.start_ns;
    merge_current(log->m)->time =
        log->pass.base_ns + row_start_ns < ABSOLUTE_FROM_NS ? TIME_RELATIVE : TIME_ABSOLUTE;
    log->pass.is_placed = true;
}

/* Refuses a unit that was derived from the column of maxima but is contradicted by the values. */
static int check_guess(const struct hdr_log *log, double greatest, uint64_t length_ns,
                       struct err *e)
{
    const struct hdr_histogram *h = &log->histogram;
    const double unit = (double)log->pass.unit_ns;
    double sum = 0;
    for (size_t i = 0; i < h->used; i++)
        sum += (double)h->counts[i].count * (double)hdr_low(&h->layout, h->counts[i].bin);
    if (unit == 1 && greatest < GUESSED_MIN_NS)
        return err_set(e, ERR_USAGE,
                       "its values have no unit; its column of greatest values shows ns, and then "
                       "none is longer than %.0f ns: --hdr-unit ns, us or ms gives it",
                       greatest);
    if (unit > 1 && length_ns && sum * unit > GUESSED_IN_FLIGHT_MAX * (double)length_ns)
        return err_set(e, ERR_USAGE,
                       "its values have no unit; its column of greatest values shows us, and then "
                       "%.0f are in flight at once: --hdr-unit ns, us or ms gives it",
                       sum * unit / (double)length_ns);
    return 0;
}

/*
 * Finds the unit of the values. The column holds the histogram's maximum, divided by 10^6 or 10^3.
 * By custom the column is in ms, so the divisor shows the unit of the values; a divisor of 1 shows
 * nothing. The column has three decimals, so with 10^6 values below 1000 become 0; for larger
 * values a 0 shows nothing either.
 */
static int find_unit(struct hdr_log *log, double max, uint64_t length_ns, struct err *e)
{
    const uint64_t asked = log->m->plan->hdr_unit_ns;
    const struct hdr_histogram *h = &log->histogram;
    double greatest = (double)hdr_high(&h->layout, h->counts[h->used - 1].bin);
    if (!(greatest > 0))
        return 0;
    double decades = max > 0 ? log10(greatest / max) : greatest < 1000 ? 6 : 0;
    log->pass.column = decades < 1.5 ? 1 : decades < 4.5 ? 1e3 : decades < 7.5 ? 1e6 : 1e9;
    log->pass.unit_ns = log->pass.states_ns ? 1 : asked ? asked : log->pass.writer_unit_ns;
    if (log->pass.unit_ns)
        return 0;
    if (log->pass.column < 1e3)
        return err_set(e, ERR_USAGE,
                       "its values have no unit, and its column of greatest values shows none: "
                       "--hdr-unit ns, us or ms gives it");
    log->pass.unit_ns = log->pass.column < 1e6 ? 1000 : 1;
    merge_current(log->m)->guessed_unit_ns = log->pass.unit_ns;
    return check_guess(log, greatest, length_ns, e);
}

static uint64_t scaled(uint64_t value, uint64_t unit)
{
    return value < INT64_MAX / unit ? value * unit : INT64_MAX;
}

/* Converts the row's histogram to our buckets; a bin that lies within one bucket is added to it
   whole. */
static struct latency_buckets find_buckets(struct hdr_log *log, double max, uint64_t *sum_ns)
{
    const struct hdr_histogram *h = &log->histogram;
    const uint64_t unit = log->pass.unit_ns ? log->pass.unit_ns : 1;
    struct merge_source *s = merge_current(log->m);
    uint64_t low = 0, end = 0;
    double sum = 0;
    bins_begin(log->m);
    for (size_t i = 0; i < h->used; i++) {
        low = scaled(hdr_low(&h->layout, h->counts[i].bin), unit);
        end = scaled(hdr_high(&h->layout, h->counts[i].bin) + 1, unit);
        size_t bucket = histogram_bucket(low);
        sum += (double)h->counts[i].count * ((double)low + (double)(end - 1)) / 2;
        if (bucket == HISTOGRAM_BUCKETS || bucket == histogram_bucket(end - 1)) {
            bins_add_bucket(log->m, bucket, h->counts[i].count);
        } else {
            bins_add(log->m, low, end, h->counts[i].count);
            s->bin_error = fmax(s->bin_error, (double)(end - low) / (double)end);
        }
    }
    *sum_ns = sum < 0x1p63 ? (uint64_t)sum : INT64_MAX;
    struct latency_buckets to = bins_end(log->m);
    if (h->used) {
        double column_ns = max * log->pass.column * (double)unit;
        bool inside = column_ns >= (double)low && column_ns < (double)end;
        to.min = scaled(hdr_low(&h->layout, h->counts[0].bin), unit);
        to.max = inside ? (uint64_t)llround(column_ns) : end - 1;
    }
    return to;
}

/* Decides whether the row belongs to this pass. New tags are added to the tags of later passes. */
static int find_tag(struct hdr_log *log, struct span tag, bool *is_ours, struct err *e)
{
    size_t i = 0;
    if (operation_of_word(tag) < OPERATIONS)
        tag = (struct span){"", 0};
    while (i < log->tag_count && !span_is(tag, log->tags[i]))
        i++;
    *is_ours = i == log->number;
    if (i < log->tag_count)
        return 0;
    if (i == TAGS_MAX)
        return err_set(e, ERR_USAGE, "it has more than %u tags", TAGS_MAX);
    log->tags[log->tag_count++] = merge_string(log->m, tag.text, tag.length);
    return 0;
}

/* An operation that the log does not state is taken for a read, and noted. */
static enum operation take_op(struct hdr_log *log, struct span tag)
{
    const enum operation op = operation_of_word(tag);
    if (op < OPERATIONS)
        return op;
    merge_current(log->m)->ops_unknown = true;
    return OPERATION_READ;
}

/* Limits the length of a row, because its sums are distributed over all intervals in it. */
static int check_length(const struct hdr_log *log, uint64_t length_ns, struct err *e)
{
    const struct timeline *t = &log->m->timeline;
    if (length_ns / INTERVALS_MAX <= (t->asked ? t->length_ns : SECOND_NS))
        return 0;
    return err_set(e, ERR_USAGE,
                   "it lasts %llu s, more than %u intervals: ask for longer ones (--interval)",
                   (unsigned long long)(length_ns / SECOND_NS), INTERVALS_MAX);
}

static int add_row(struct hdr_log *log, struct span line, struct err *e)
{
    struct row row;
    bool is_ours = false;
    if (parse_row(line, &row, e))
        return -1;
    if (!row.tag.length)
        row.tag = log->pass.logged_for;
    if (find_tag(log, row.tag, &is_ours, e))
        return -1;
    if (!is_ours)
        return 0;
    if (log->pass.announces_ends && row.length_ns > row.start_ns)
        row.length_ns -= row.start_ns;
    if (hdr_decode(&log->histogram, row.histogram, e) || check_length(log, row.length_ns, e))
        return -1;
    if (!log->pass.is_placed)
        find_base(log, row.start_ns);
    if (!log->pass.unit_ns && log->histogram.used && find_unit(log, row.max, row.length_ns, e))
        return -1;
    const uint64_t begin_ns = log->pass.base_ns + row.start_ns;
    struct merge_latencies add = {
        .op = take_op(log, row.tag),
        .begin_ns = begin_ns,
        .end_ns = begin_ns + row.length_ns,
        .sum = {.ios = log->histogram.total},
    };
    add.latency = find_buckets(log, row.max, &add.sum.latency_ns);
    return merge_add_latencies(log->m, &add, e);
}

/* ---- the file ---- */

/* Returns 1 for a line, without its end; 0 when no line is left. `whole`: the line had an end. */
static int next_line(struct hdr_log *log, struct span *line, bool *whole, struct err *e)
{
    struct input *in = &log->pass.in;
    for (size_t searched = 0;;) {
        const char *at = (const char *)input_bytes(in);
        size_t left = input_left(in);
        const char *end = left > searched ? memchr(at + searched, '\n', left - searched) : NULL;
        *whole = end != NULL;
        if (end || (in->ended && left)) {
            *line = (struct span){at, end ? (size_t)(end - at) : left};
            input_take(in, line->length + (end != NULL));
            log->pass.line++;
            return 1;
        }
        if (in->ended)
            return 0;
        if (left == in->capacity)
            return err_set(e, ERR_USAGE, "line %llu is longer than %u MiB",
                           (unsigned long long)log->pass.line + 1, LINE_BYTES_MAX >> 20);
        searched = left;
        if (input_fill(in, left + READ_BYTES < in->capacity ? left + READ_BYTES : in->capacity, e))
            return -1;
    }
}

/* A last line without an end may have been cut off: the lines before it count. */
static int read_lines(struct hdr_log *log, struct err *e)
{
    struct span line = {"", 0};
    bool whole;
    int status;
    while ((status = next_line(log, &line, &whole, e)) > 0) {
        line = span_trimmed(line);
        if (begins(line, "#")) {
            read_instant(line, "#[StartTime:", &log->pass.has_start, &log->pass.start_ns);
            read_instant(line, "#[BaseTime:", &log->pass.has_base, &log->pass.base_ns);
            read_unit(log, line);
            read_label(log, line);
            merge_current(log->m)->ops_unknown |= begins(line, HDR_LOG_OPS_UNKNOWN);
        } else if (begins(line, "\"")) {
            log->pass.announces_ends = memmem(line.text, line.length, "EndTimestamp", 12) != NULL;
        } else if (line.length && add_row(log, line, e)) {
            if (whole || (e && e->code == ERR_MACHINE))
                return err_context(e, "line %llu", (unsigned long long)log->pass.line);
            merge_current(log->m)->cut_short = true;
        }
    }
    if (log->pass.in.broken)
        merge_current(log->m)->cut_short = true;
    return status;
}

/* Reads the rows of one tag, or of all operations. */
static int read_pass(struct hdr_log *log, const char *path, struct err *e)
{
    struct err local = {0};
    log->pass = (struct pass){.line = 0};
    int status = input_open(&log->pass.in, path, LINE_BYTES_MAX, e);
    if (!status && read_lines(log, &local))
        status = err_set(e, local.code, "%s: %s", path, local.msg);
    input_close(&log->pass.in);
    if (log->number < log->tag_count)
        merge_current(log->m)->job = log->tags[log->number];
    merge_current(log->m)->tags_mixed = log->tag_count > 1;
    return status;
}

/* Refuses response, service and waiting times of the same I/Os, as cassandra-stress logs them under
   NAME-rt, NAME-st and NAME-wt. */
static int check_tags(const struct hdr_log *log, const char *path, struct err *e)
{
    for (size_t i = 0; i < log->tag_count; i++) {
        const struct span tag = span_of(log->tags[i]);
        if (!span_ends_with(tag, "-rt"))
            continue;
        for (size_t k = 0; k < log->tag_count; k++) {
            const struct span other = span_of(log->tags[k]);
            if (other.length == tag.length && !memcmp(other.text, tag.text, tag.length - 2) &&
                (span_ends_with(other, "-st") || span_ends_with(other, "-wt")))
                return err_set(
                    e, ERR_USAGE,
                    "%s: its tags %.60s and %.60s are of the same I/Os, which would count "
                    "twice: keep the rows of one (grep -v 'Tag=%.60s,' FILE)",
                    path, tag.text, other.text, other.text);
        }
    }
    return 0;
}

/* Reads the log, with a further source for each further tag. */
static int read_log(struct merge *m, const char *path, struct err *e)
{
    struct hdr_log *log = calloc(1, sizeof *log);
    if (!log)
        return err_no_memory(e, "reading %s", path);
    log->m = m;
    struct merge_source is = *merge_current(m);
    int status = read_pass(log, path, e) || check_tags(log, path, e) ? -1 : 0;
    for (log->number = 1; log->number < log->tag_count && !status; log->number++) {
        is.identity[1] += UINT64_C(1) << 48; /* several sources of one file, in the order of their
                                                tags */
        status = source_end(m, e) || source_begin(m, &is, e) ? -1 : 0;
        if (!status)
            status = read_pass(log, path, e);
    }
    hdr_histogram_free(&log->histogram);
    free(log);
    return status;
}

const struct merge_format merge_format_hdr_log = {
    .name = "HdrHistogram log", .recognise = recognise, .read = read_log};
