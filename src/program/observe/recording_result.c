/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the report of a recording: rows, levels, files, series over time, and notes about losses
 * and about I/O that was not seen.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"
#include "program/observe/internal.h"

/* Notes I/O that bypasses the calls that are counted. */
static void note_other_ways(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    if (u->ring_requests > 0 && !rec->sees_rings)
        result_note(r, true,
                    "%" PRIu64 " requests went through io_uring: they are counted where they "
                    "reached the devices, not as calls",
                    u->ring_requests);
    if (u->ring_seen > 0)
        result_note(r, false,
                    "%" PRIu64 " requests went through io_uring; they count like calls, from when "
                    "the kernel takes them to when it reports their result",
                    u->ring_seen);
    if (u->aio_ended > 0)
        result_note(r, false,
                    "%" PRIu64 " requests went through io_submit; they count like calls, from "
                    "io_submit to when io_getevents returned them",
                    u->aio_ended);
    uint64_t beyond = u->aio_requests > u->aio_seen ? u->aio_requests - u->aio_seen : 0;
    if (beyond + u->aio_reused > 0)
        result_note(r, true,
                    "%" PRIu64 " requests of io_submit are counted where they reached the devices, "
                    "not as calls: io_getevents did not return them, or more than %d were handed "
                    "in at once",
                    beyond + u->aio_reused, IO_SUBMIT_MAX);
    if (u->writing_maps > 0)
        result_note(r, true,
                    "files were mapped into memory for writing (mmap), %" PRIu64 " times: that "
                    "I/O is counted where it reached the devices, not as calls",
                    u->writing_maps);
    if (u->reading_maps > 0)
        result_note(r, false,
                    "files mapped into memory for reading, shared: %" PRIu64
                    "; what is read by memory is no call",
                    u->reading_maps);
    if (u->foreign > 0)
        result_note(r, true, "32-bit programs took part: their system calls are not counted");
    if (u->calls[FILE_NONE] > 0)
        result_note(r, false, "calls on descriptors that stand for no file: %" PRIu64,
                    u->calls[FILE_NONE]);
}

static const char *file_class_name(enum file_class kind)
{
    static const char *const names[FILE_CLASSES] = {"files",
                                                    "block devices",
                                                    "folders",
                                                    "pipes",
                                                    "sockets",
                                                    "character devices",
                                                    "files of the kernel",
                                                    "invalid descriptors"};
    return names[kind];
}

/* Adds "not counted, because there is no storage behind them: 12 calls on pipes (34 KiB), ...". */
static void note_uncounted(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    char words[sizeof r->notes[0].text] = "", size[UNITS_BUFFER];
    size_t used = 0;
    for (int kind = FILE_FOLDER; kind < FILE_NONE; kind++) {
        if (u->calls[kind] == 0 || used + 1 >= sizeof words)
            continue;
        int length =
            snprintf(words + used, sizeof words - used, "%s%" PRIu64 " on %s (%s)",
                     used ? ", " : "", u->calls[kind], file_class_name((enum file_class)kind),
                     format_size(size, sizeof size, (double)u->bytes[kind]));
        used += length > 0 ? (size_t)length : 0;
    }
    if (used > 0)
        result_note(r, false, "calls that are not counted, with no storage behind them: %.180s",
                    words);
    if (u->end_of_file > 0)
        result_note(r, false,
                    "reads that found the end of a file: %" PRIu64
                    "; they count in BPS only, with the bytes that they asked for",
                    u->end_of_file);
    if (u->asked_unknown > 0)
        result_note(r, false,
                    "I/Os that count in BPS with the bytes that they moved: %" PRIu64
                    "; how many were asked for is not known (sendfile, copy_file_range, splice, "
                    "more than %d vectors, or %d of io_submit)",
                    u->asked_unknown, IO_CALL_VECTORS_MAX, IO_SUBMIT_VECTORS_MAX);
    if (rec->files.others > 0)
        result_note(r, false, "I/Os on more files than %d, reported as one: %" PRIu64, FILES_MAX,
                    rec->files.others);
    if (rec->devices.others > 0)
        result_note(r, true, "events of more devices than %d are not counted: %" PRIu64,
                    RECORDING_DEVICES_MAX, rec->devices.others);
    if (rec->plan->trace && rec->trace_devices >= TRACE_DEVICES_MAX)
        result_note(r, true,
                    "more than %d files and devices: in the trace the further ones are one",
                    TRACE_DEVICES_MAX - 1);
}

/* Notes I/Os of which only the begin or only the end lies in the recording. */
static void note_parted(const struct recorder *rec, struct result *r)
{
    const struct uncounted *u = &rec->uncounted;
    const bool ran_before = recording_has_calls(&rec->recording) && !rec->plan->command;
    if (u->unmatched > 0 && ran_before)
        result_note(r, false,
                    "calls of which only the begin or the end was seen are not counted: %" PRIu64
                    "; they were under way when the recording began%s",
                    u->unmatched, rec->lost > 0 ? ", or events of them were lost" : "");
    else if (u->unmatched > 0 && rec->lost > 0)
        result_note(r, true,
                    "%" PRIu64 " I/Os of which only the begin or the end was seen are not counted",
                    u->unmatched);
    if (u->under_way > 0)
        result_note(r, false,
                    "calls on files that had not ended when the recording did are not counted: "
                    "%" PRIu64 "%s",
                    u->under_way,
                    u->aio_seen > 0 ? "; a request of io_submit ends when io_getevents returns it"
                                    : "");
}

/* Adds warnings and notes and, once the trace is written, how the recording was made. */
static void recorder_note(struct recorder *rec)
{
    struct result *r = &rec->recording.result;
    const struct uncounted *u = &rec->uncounted;
    int status = rec->child.status;
    size_t unknown = 0;
    if (rec->plan->command && rec->left_running)
        result_note(r, true, "the recording was ended before the program, which goes on");
    else if (rec->plan->command && WIFSIGNALED(status))
        result_note(r, true, "the program was ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else if (rec->plan->command && WEXITSTATUS(status))
        result_note(r, true, "the program failed: exit status %d", WEXITSTATUS(status));

    if (rec->lost > 0 && recording_rates_known(&rec->recording))
        result_note(r, true,
                    "%" PRIu64 " of %" PRIu64 " events (%.2g %%) were lost because the buffers "
                    "were full: counts and rates are too low by about as much; a larger --buffer "
                    "may help",
                    rec->lost, rec->events + rec->lost,
                    100 * recording_lost_share(&rec->recording));
    note_parted(rec, r);
    if (u->crowded > 0)
        result_note(r, true, "%" PRIu64 " I/Os are not counted: too many were in flight",
                    u->crowded);

    note_other_ways(rec, r);
    note_uncounted(rec, r);
    for (size_t i = 0; i < rec->files.count; i++)
        unknown += !rec->files.rows[i].path_known;
    if (unknown > 0)
        result_note(r, false,
                    "of %zu of %zu files only the end of the path is known: they lie deep, and "
                    "their process had closed them",
                    unknown, rec->files.count);
}

/* ---- rows ---- */

static void add_result_row(struct result *r, enum metric_id metric, const char *op, double value,
                           uint64_t n)
{
    result_add(r, metric, op, value)->n = n;
}

/* Adds percentiles with confidence intervals, which follow from the intervals of time into which
   the recording is divided. */
static void add_percentiles(struct recorder *rec, enum recording_op op, const struct histogram *all)
{
    static const struct {
        enum metric_id metric;
        double share;
    } percentiles[] = {
#define PERCENTILE_ENTRY(metric, share) {metric, share},
        PERCENTILE_ROWS(PERCENTILE_ENTRY)
#undef PERCENTILE_ENTRY
    };
    const struct recording *a = &rec->recording;
    for (int i = 0; i < RECORDING_PERCENTILES; i++) {
        struct percentile p =
            stretches_percentile(&rec->stretches, op, all, percentiles[i].share, &rec->arena);
        struct result_row *row = result_add(&rec->recording.result, percentiles[i].metric,
                                            recording_op_name(op), p.value);
        row->n = all->n;
        row->effective_n = p.effective_n;
        percentile_words(&p, a->seconds, "s", row->note, sizeof row->note);
        if (!recording_rates_known(a))
            snprintf(row->note, sizeof row->note, "no interval: too many events were lost");
        else if (!p.lack) {
            row->low = p.low;
            row->high = p.high;
            row->confidence = p.confidence;
        }
    }
}

static void add_rows(struct recorder *rec, const struct level *sums)
{
    struct recording *a = &rec->recording;
    const struct recording_level *level = recording_main_level(a);
    const struct recording_numbers *all = &level->op[RECORDING_ALL];
    struct result *r = &a->result;
    histogram_clear(&rec->all);
    for (int op = 0; op < RECORDING_ALL; op++)
        histogram_merge(&rec->all, &sums->response[op]);
    stretches_end(&rec->stretches);
    for (int op = 0; op < RECORDING_OPS; op++) {
        const struct recording_numbers *of = &level->op[op];
        const char *name = recording_op_name((enum recording_op)op);
        uint64_t n = of->count;
        if (n == 0)
            continue;
        add_result_row(r, METRIC_IOPS, name, (double)n / a->rate_seconds, n);
        add_result_row(r, METRIC_BANDWIDTH, name, (double)of->bytes / a->rate_seconds, n);
        add_result_row(r, METRIC_RESPONSE_TIME, name, of->mean_ns, n);
        add_percentiles(rec, (enum recording_op)op,
                        op == RECORDING_ALL ? &rec->all : &sums->response[op]);
        add_result_row(r, METRIC_LATENCY_MIN, name, of->min_ns, n);
        add_result_row(r, METRIC_LATENCY_MAX, name, of->max_ns, n);
    }
    bool has_bps = level->busy_seconds > 0 && recording_rates_known(a);
    add_result_row(r, METRIC_BPS, "all", has_bps ? level->blocks / level->busy_seconds : NAN,
                   (uint64_t)level->blocks);
    add_result_row(r, METRIC_ERRORS, "all", (double)all->failed, all->count);
    add_result_row(r, METRIC_ELAPSED, "all", a->seconds, 1);
}

/* ---- files ---- */

static uint64_t weight_of(const struct recording_file *f)
{
    return f->bytes[RECORDING_READ] + f->bytes[RECORDING_WRITE];
}

static int heavier_first(const void *a, const void *b)
{
    const struct recording_file *x = &((const struct file *)a)->sums;
    const struct recording_file *y = &((const struct file *)b)->sums;
    return (weight_of(x) < weight_of(y)) - (weight_of(x) > weight_of(y));
}

static void add_files(struct recorder *rec, struct recording *a)
{
    struct files *f = &rec->files;
    qsort(f->rows, f->count, sizeof *f->rows, heavier_first);
    size_t max_files = f->others > 0 ? RECORDING_FILES_MAX - 1 : RECORDING_FILES_MAX;
    for (size_t i = 0; i < f->count; i++) {
        const struct recording_file *sums = &f->rows[i].sums;
        bool used = sums->count[RECORDING_READ] + sums->count[RECORDING_WRITE] +
                        sums->count[RECORDING_FLUSH] >
                    0;
        if (used && a->file_count < max_files)
            a->files[a->file_count++] = *sums;
        else if (used)
            a->files_more++;
    }
    if (f->others > 0)
        a->files[a->file_count++] = f->rows[FILES_MAX].sums;
}

/* ---- the whole report ---- */

static enum recording_subject subject_of(const struct recording_plan *plan)
{
    return plan->device     ? RECORDING_DEVICE
           : plan->command  ? RECORDING_PROGRAM
           : plan->cgroup   ? RECORDING_CGROUP
           : plan->everyone ? RECORDING_EVERYONE
                            : RECORDING_PROCESSES;
}

static void name_target(const struct recorder *rec, char *to, size_t size)
{
    const struct recording_plan *plan = rec->plan;
    snprintf(to, size, "%.*s", (int)size - 1,
             plan->device     ? plan->device
             : plan->cgroup   ? rec->group.path
             : plan->everyone ? "all processes but cupel"
                              : rec->running.words);
    size_t used = 0;
    for (char *const *word = plan->command; word && *word && used + 1 < size; word++) {
        int length = snprintf(to + used, size - used, "%s%s", used > 0 ? " " : "", *word);
        used += length > 0 ? (size_t)length : 0;
    }
}

static void add_series(struct recorder *rec, struct result *r)
{
    size_t count = series_rates(&rec->series, rec->end_ns, rec->iops, rec->bandwidth);
    const double seconds = (double)rec->series.slice_ns / 1e9;
    if (count == 0)
        return;
    r->series[0] = (struct result_series){.name = metric_of(METRIC_IOPS)->name,
                                          .unit = metric_of(METRIC_IOPS)->unit,
                                          .kind = METRIC_KIND_COUNT_RATE,
                                          .values = rec->iops};
    r->series[1] = (struct result_series){.name = metric_of(METRIC_BANDWIDTH)->name,
                                          .unit = metric_of(METRIC_BANDWIDTH)->unit,
                                          .kind = METRIC_KIND_BYTE_RATE,
                                          .values = rec->bandwidth};
    r->series_count = 2;
    for (size_t i = 0; i < 2; i++) {
        r->series[i].count = r->series[i].stable_end = count;
        r->series[i].slice_seconds = seconds;
    }
}

static void add_histograms(struct recorder *rec, const struct level *level, struct result *r)
{
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        rec->edges[i] = histogram_edge(i);
    for (int op = RECORDING_READ; op <= RECORDING_WRITE; op++) {
        if (level->response[op].n == 0)
            continue;
        memcpy(rec->counts[op], level->response[op].count, sizeof rec->counts[op]);
        struct result_histogram *h = &r->histograms[r->histogram_count++];
        *h = (struct result_histogram){
            .edges = rec->edges, .counts = rec->counts[op], .count = HISTOGRAM_BUCKETS};
        snprintf(h->op, sizeof h->op, "%s", recording_op_name((enum recording_op)op));
    }
}

void recorder_report(struct recorder *rec)
{
    struct recording *a = &rec->recording;
    struct result *r = &a->result;
    const struct level *main_level = rec->plan->device ? &rec->device_levels[0] : &rec->calls;
    a->subject = subject_of(rec->plan);
    a->interrupted = rec->interrupted;
    a->seconds = (double)(rec->end_ns - rec->begin_ns) / 1e9;
    a->processes = rec->process_count;
    a->events = rec->events;
    a->lost = rec->lost;
    bool known = recording_rates_known(a);
    a->rate_seconds = known ? a->seconds : NAN;
    r->verdict = known ? VERDICT_COMPLETE : VERDICT_LIMIT;
    r->headline = METRIC_BPS;
    snprintf(r->headline_op, sizeof r->headline_op, "all");
    name_target(rec, r->target, sizeof r->target);
    rec->uncounted.under_way = rec->calls.in_flight;
    level_report(&rec->calls, &rec->all, &a->calls);
    for (size_t i = 0; i < rec->devices.count; i++) {
        const struct device *device = &rec->devices.rows[i];
        struct recording_level *to = &a->devices[a->device_count++];
        level_report(device->level, &rec->all, to);
        snprintf(to->name, sizeof to->name, "%s", device->name);
        to->size = device->size;
    }
    add_files(rec, a);
    add_rows(rec, main_level);
    if (known)
        add_series(rec, r);
    add_histograms(rec, main_level, r);
    recorder_note(rec);
}
