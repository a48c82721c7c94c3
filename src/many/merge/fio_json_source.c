/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads fio's results with --output-format=json+: for each job and direction the bins of its
 * histogram, over the whole run. Each job becomes a separate source. With --client the jobs of all
 * servers are in "client_stats", followed by their sum, "All clients".
 *
 * A bin's name is its middle, in ns, rounded down, which is a value of the same bin.
 */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/number_parse.h"
#include "many/merge/fio_log.h"

#define NS_MS     1000000u
#define LAST_BIN  (29 * HISTOGRAM_SUBBUCKETS - 1) /* this bin also holds everything longer */
#define COUNT_MAX 1000000000000000

struct json_reader {
    struct merge *m;
    const char *path;
    struct span whole; /* the object with the jobs */
    struct span job;   /* the job that is being read */
    struct span name;  /* the name of that job */
    uint64_t begin_ns, end_ns;
    uint64_t jobs;
    bool total; /* latencies since submission; otherwise since the kernel accepted the I/O */
    bool some_missing;
    uint64_t flushes_as_reads; /* flushes that fio counted as short reads */
};

/* ---- values ---- */

static bool whole_of(struct span s, uint64_t *value)
{
    return merge_take_whole(&s, value) && !s.length;
}

/* Returns the whole number at a place; 0 when there is no such number. */
static uint64_t whole_at(struct span object, const char *place)
{
    struct span found;
    uint64_t value;
    return json_find(object, span_of(place), &found) == JSON_FOUND && whole_of(found, &value)
               ? value
               : 0;
}

static struct span text_at(struct span object, const char *place)
{
    struct span found;
    return json_find(object, span_of(place), &found) == JSON_FOUND ? found : span_of("");
}

static double number_at(struct span object, const char *place)
{
    double value;
    struct span found = text_at(object, place);
    return number_parse(found.text, found.length, &value) == NUMBER_OK ? value : NAN;
}

/* ---- latencies of one direction ---- */

static int fault(const struct json_reader *r, const char *direction, const char *words,
                 struct err *e)
{
    char name[64];
    return err_set(e, ERR_USAGE, "%s: job \"%s\", %s: %s", r->path,
                   span_printable(name, sizeof name, r->name), direction, words);
}

/* Finds the statistics with bins: of total latencies, or else of completion latencies. False:
   neither has bins. */
static bool find_latencies(struct json_reader *r, struct span direction, struct span *latencies)
{
    static const char *const kinds[] = {"lat_ns", "clat_ns"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *latencies = text_at(direction, kinds[i]);
        if (text_at(*latencies, "bins").length > 2) {
            r->total = r->total || i == 0;
            return true;
        }
    }
    return false;
}

/* Adds the I/Os of the last bin, which also holds all longer latencies. Only the longest of them is
   known. */
static void add_last_bin(struct json_reader *r, uint64_t count, uint64_t max)
{
    const size_t longest = histogram_bucket(max);
    if (longest > LAST_BIN && count > 0) {
        bins_add_bucket(r->m, longest, 1);
        count--;
    }
    if (longest > LAST_BIN || !max)
        merge_current(r->m)->open_end += count;
    bins_add_bucket(r->m, LAST_BIN, count);
}

static int read_bins(struct json_reader *r, const char *direction, struct span latencies,
                     struct latency_buckets *to, struct err *e)
{
    struct span name, value;
    uint64_t last = 0;
    const uint64_t min = whole_at(latencies, "min"), max = whole_at(latencies, "max");
    struct json_walk w = json_walk_of(text_at(latencies, "bins"));
    bins_begin(r->m);
    while (json_next(&w, &name, &value)) {
        uint64_t ns, count;
        if (!whole_of(name, &ns) || !whole_of(value, &count) || count > COUNT_MAX)
            return fault(r, direction, "a bin has no whole numbers", e);
        if (histogram_bucket(ns) > LAST_BIN)
            return fault(r, direction, "a bin is longer than those of fio", e);
        if (histogram_bucket(ns) == LAST_BIN)
            last += count;
        else
            bins_add_bucket(r->m, histogram_bucket(ns), count);
    }
    add_last_bin(r, last, max);
    *to = bins_end(r->m);
    if (w.broken || !to->used)
        return fault(r, direction, "its bins hold nothing that can be read", e);
    if (histogram_bucket(min) == to->bucket[0])
        to->min = min;
    if (histogram_bucket(max) == to->bucket[to->used - 1])
        to->max = max;
    return 0;
}

/*
 * Returns the number of the job's flushes that fio counted elsewhere. With synchronous engines fio
 * (3.33) leaves total_ios of "sync" at 0 and counts each flush as a short read; only the latencies
 * of "sync" have the right number.
 */
static uint64_t miscounted_flushes(const struct json_reader *r)
{
    const struct span sync = text_at(r->job, operation_names[OPERATION_SYNC]);
    return whole_at(sync, "total_ios") ? 0 : whole_at(sync, "lat_ns.N");
}

/* Returns the number of I/Os that failed or were short, without flushes that were counted as short
   reads. */
static uint64_t errors_of(struct json_reader *r, struct span direction, enum operation op)
{
    uint64_t shorts = whole_at(direction, "short_ios");
    const uint64_t flushes = op == OPERATION_READ ? miscounted_flushes(r) : 0;
    const uint64_t none = flushes < shorts ? flushes : shorts;
    r->flushes_as_reads += none;
    return shorts - none + whole_at(direction, "drop_ios");
}

static int add_direction(struct json_reader *r, enum operation op, struct err *e)
{
    const struct span direction = text_at(r->job, operation_names[op]);
    uint64_t ios = whole_at(direction, "total_ios");
    if (op == OPERATION_SYNC && !ios)
        ios = miscounted_flushes(r);
    struct span latencies;
    struct merge_latencies add = {.op = op,
                                  .begin_ns = r->begin_ns,
                                  .end_ns = r->end_ns,
                                  .sum = {.ios = ios,
                                          .bytes = whole_at(direction, "io_bytes"),
                                          .errors = errors_of(r, direction, op)}};
    if (!ios && !add.sum.errors)
        return 0;
    const bool found = find_latencies(r, direction, &latencies);
    if (!found && op == OPERATION_SYNC) /* fio counts flushes without recording their latencies */
        return 0;
    if (!found)
        return fault(r, operation_names[op],
                     "it has no bins: run fio with --output-format=json+, and without "
                     "clat_percentiles=0 and disable_clat=1",
                     e);
    if (read_bins(r, operation_names[op], latencies, &add.latency, e))
        return -1;
    const double mean = number_at(latencies, "mean");
    if (mean > 0 && mean < (double)UINT64_MAX / 2 / (double)ios)
        add.sum.latency_ns = (uint64_t)llround(mean * (double)ios);
    r->some_missing = r->some_missing || add.latency.n != ios;
    return merge_add_latencies(r->m, &add, e);
}

/* ---- jobs ---- */

/* Finds when the job ran: fio 3.34 and later state its start, earlier versions only the time of the
   output. */
static void find_time(struct json_reader *r)
{
    const uint64_t runtime_ms = whole_at(r->job, "job_runtime");
    uint64_t begin_ms = whole_at(r->job, "job_start"),
             written_ms = whole_at(r->whole, "timestamp_ms");
    if (!written_ms)
        written_ms = whole_at(r->whole, "timestamp") % FIO_EPOCH_MS * 1000;
    if (begin_ms < FIO_EPOCH_MS || begin_ms > FIO_EPOCH_MS * 100)
        begin_ms = written_ms < FIO_EPOCH_MS * 100 && written_ms > runtime_ms
                       ? written_ms - runtime_ms
                       : 0;
    r->begin_ns = begin_ms * NS_MS;
    r->end_ns =
        r->begin_ns + (runtime_ms > 0 && runtime_ms < FIO_EPOCH_MS ? runtime_ms : 1) * NS_MS;
}

static void describe(struct json_reader *r)
{
    struct merge_source *s = merge_current(r->m);
    const struct span host = text_at(r->job, "hostname");
    const uint64_t error = whole_at(r->job, "error");
    struct span file = text_at(r->job, "job options.filename");
    if (!file.length)
        file = text_at(r->whole, "global options.filename");
    s->time = TIME_NONE;
    s->job = merge_string(r->m, r->name.text, r->name.length);
    s->host = merge_string(r->m, host.text, host.length);
    s->device = merge_string(r->m, file.text, file.length);
    if (error) {
        char words[128], name[64];
        snprintf(words, sizeof words, "job %s: %s", span_printable(name, sizeof name, r->name),
                 strerror((int)(error & INT16_MAX)));
        s->failed = true;
        s->failure = merge_string(r->m, words, strlen(words));
    }
}

static int read_jobs(struct json_reader *r, struct span jobs, bool of_clients, struct err *e)
{
    const struct merge_source file = *merge_current(r->m);
    struct span ignored;
    struct json_walk w = json_walk_of(jobs);
    while (json_next(&w, &ignored, &r->job)) {
        r->name = text_at(r->job, "jobname");
        if (of_clients && span_is(r->name, "All clients"))
            continue;
        if (merge_begin_part(r->m, &file, r->jobs++, e))
            return -1;
        find_time(r);
        describe(r);
        for (int op = 0; op < OPERATIONS; op++)
            if (add_direction(r, (enum operation)op, e))
                return -1;
    }
    if (w.broken || !r->jobs)
        return err_set(e, ERR_USAGE, "%s: it holds no job of fio that can be read", r->path);
    if (r->flushes_as_reads)
        merge_note(r->m, false, "%.60s: fio counted %llu flushes as short reads: they are flushes",
                   r->path, (unsigned long long)r->flushes_as_reads);
    if (r->some_missing)
        merge_note(r->m, false,
                   "%.60s: fio counts more I/Os than its bins hold: percentiles are "
                   "those of the bins",
                   r->path);
    return 0;
}

/* ---- the file ---- */

/* Returns the text from a brace at the start of a line; empty when there is no such brace. */
static struct span object_after(struct span text, bool line_start)
{
    for (size_t i = 0; i < text.length; i++) {
        if (line_start && text.text[i] == '{')
            return (struct span){text.text + i, text.length - i};
        line_start = text.text[i] == '\n' || (line_start && strchr(" \t\r", text.text[i]) != NULL);
    }
    return (struct span){text.text + text.length, 0};
}

/* Finds the object with fio's jobs: the last complete one. With --status-interval there are
   several, and each one holds everything until its time. */
static int find_whole(struct json_reader *r, struct span text, struct span *jobs, bool *of_clients,
                      struct err *e)
{
    struct span rest = object_after(text, true), object, after;
    size_t count = 0;
    for (; rest.length; rest = object_after(after, false)) {
        if (!json_first(rest, &object, &after)) {
            merge_current(r->m)->cut_short = true;
            break;
        }
        struct span of_jobs = text_at(object, "jobs"), clients = text_at(object, "client_stats");
        if (!of_jobs.length && !clients.length)
            continue;
        count++;
        r->whole = object;
        *of_clients = clients.length > 0;
        *jobs = *of_clients ? clients : of_jobs;
    }
    if (!count)
        return err_set(e, ERR_USAGE, "%s: %s", r->path,
                       merge_current(r->m)->cut_short
                           ? "its JSON breaks off or is damaged"
                           : "there are no jobs in JSON in it: run fio with --output-format=json+");
    return 0;
}

static int read_json(struct merge *m, const char *path, struct err *e)
{
    struct text text = {0};
    struct json_reader r = {.m = m, .path = path};
    struct span jobs = {0};
    bool of_clients = false;
    int status = merge_read_text(m, path, &text, e);
    if (!status)
        status = find_whole(&r, (struct span){text.data ? text.data : "", text.length}, &jobs,
                            &of_clients, e);
    if (!status)
        status = read_jobs(&r, jobs, of_clients, e);
    text_free(&text);
    return status;
}

static bool holds(const char *head, size_t length, const char *words)
{
    return memmem(head, length, words, strlen(words)) != NULL;
}

/* Recognises JSON, or fio's text for people, with or without JSON after it. */
static bool is_json(const char *path, const char *head, size_t length)
{
    (void)path;
    return holds(head, length, "\"fio version\"") ||
           (holds(head, length, "fio-") && holds(head, length, "\nStarting "));
}

const struct merge_format merge_format_fio_json = {
    .name = "fio JSON+", .recognise = is_json, .read = read_json};
