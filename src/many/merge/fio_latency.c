/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio's logs of latencies (write_lat_log): `ms, latency in ns, direction, bs[, offset], priority
 * [, when it was issued in ns]`, a row for each I/O. ms is the time of its completion, in whole ms
 * since the job's start or since 1970. With log_avg_msec a row is the mean of a period instead; its
 * bs is 0.
 */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <string.h>

#define NS_MS          1000000u
#define FIELDS_MIN     4
#define FIELDS_MAX     7
#define ISSUE_FIELD    6 /* log_issue_time; in clat logs, relative to the job's start */
#define DIRECTIONS_MAX 16
#define MS_MAX         10000000000000
#define LATENCY_MAX    86400000000000 /* a day in ns: a longer latency is a mistake */

enum { FIELD_MS, FIELD_LATENCY, FIELD_DDIR, FIELD_BS };

struct latency_reader {
    struct merge *m;
    struct fio_rows rows;
    struct busy_gatherer busy;
    size_t fields;
    bool absolute, issue_times;
    uint64_t shift_ns; /* added to the time of issue plus latency, to get the absolute time of
                          completion; 0: not found yet */
    bool others_left_out;
    uint64_t field[FIELDS_MAX];
};

/* ---- rows ---- */

static int begin(struct latency_reader *r, struct err *e)
{
    bool whole;
    const unsigned char *head = r->rows.row;
    r->fields = fio_log_fields((const char *)head, (size_t)(r->rows.end - head), &whole);
    if (r->fields < FIELDS_MIN || r->fields > FIELDS_MAX)
        return err_set(e, ERR_USAGE,
                       "%s: line 1 has %zu numbers; a row of fio's logs of latencies has %d to %d",
                       r->rows.path, r->fields, FIELDS_MIN, FIELDS_MAX);
    if (r->fields == FIELDS_MIN)
        merge_note(r->m, true,
                   "%.60s: rows of 4 columns may be of fio 2, which wrote us; they are taken as ns",
                   r->rows.path);
    return 0;
}

/* Returns 1; 0 when the file ends within this row; -1 on an error. */
static int read_row(struct latency_reader *r, const unsigned char **p, struct err *e)
{
    static const uint64_t max[FIELDS_MAX] = {MS_MAX,
                                             LATENCY_MAX,
                                             UINT64_MAX,
                                             UINT32_MAX,
                                             UINT64_MAX,
                                             UINT64_MAX,
                                             (uint64_t)MS_MAX * NS_MS};
    for (size_t i = 0; i < r->fields; i++) {
        const unsigned char *at = *p;
        enum fio_field status = fio_field(p, r->rows.end, &r->field[i]);
        if (status == FIELD_FAULT)
            return fio_fault(r->m, &r->rows, *p, "is no whole number", e);
        if ((status == FIELD_LAST) != (i + 1 == r->fields))
            return fio_fault(r->m, &r->rows, at,
                             "is where the first row goes on or ends: this one "
                             "has another number of columns",
                             e);
        if (r->field[i] > max[i])
            return fio_fault(r->m, &r->rows, at, "is too large", e);
        if (i == FIELD_DDIR && r->field[i] >= DIRECTIONS_MAX)
            return fio_fault(r->m, &r->rows, at,
                             "is no direction of data: where log_window_value="
                             "both writes means and maxima, log every I/O "
                             "instead, with log_avg_msec=0",
                             e);
    }
    return 1;
}

/* ---- into the merge ---- */

/* Returns when the I/O completed: exact to the ns where its time of issue is known, else the middle
   of its ms. */
static uint64_t completion_ns(struct latency_reader *r)
{
    const uint64_t middle_ns = r->field[FIELD_MS] * NS_MS + NS_MS / 2;
    if (!r->issue_times)
        return middle_ns;
    uint64_t end_ns = r->field[ISSUE_FIELD] + r->field[FIELD_LATENCY];
    if (r->absolute && !r->shift_ns)
        r->shift_ns = middle_ns > end_ns ? middle_ns - end_ns : 1;
    return end_ns + r->shift_ns;
}

static int add_row(struct latency_reader *r, struct err *e)
{
    struct merge_source *s = merge_current(r->m);
    if (r->rows.line == 1) {
        r->absolute = r->field[FIELD_MS] >= FIO_EPOCH_MS;
        s->time = r->absolute ? TIME_ABSOLUTE : TIME_RELATIVE;
        r->issue_times = r->fields == FIELDS_MAX && r->field[ISSUE_FIELD] > 0;
    }
    if (r->field[FIELD_DDIR] >= FIO_DDIRS) {
        r->others_left_out = true;
        return 1;
    }
    s->values_averaged = s->values_averaged || r->field[FIELD_BS] == 0;
    const uint64_t end_ns = completion_ns(r), latency_ns = r->field[FIELD_LATENCY];
    const enum operation op = (enum operation)fio_ddir_op[r->field[FIELD_DDIR]];
    if (merge_add_value(r->m, op, end_ns, latency_ns, r->field[FIELD_BS], true, e) ||
        (!s->values_averaged && busy_gather(r->m, &r->busy, end_ns, latency_ns, r->issue_times, e)))
        return -1;
    return 1;
}

static int read_rows(struct latency_reader *r, struct err *e)
{
    const unsigned char *at = NULL;
    int status;
    while ((status = fio_rows_next(r->m, &r->rows, at, e)) == 1) {
        at = r->rows.row;
        if (r->rows.line == 1 && begin(r, e))
            return -1;
        status = read_row(r, &at, e);
        if (status == 1)
            status = add_row(r, e);
        if (status != 1)
            break;
    }
    return status;
}

static void note_what_differs(struct latency_reader *r)
{
    if (r->others_left_out)
        merge_note(r->m, false,
                   "%.60s: rows that are neither of reads nor of writes nor of trims are left out",
                   r->rows.path);
    if (!r->issue_times && merge_current(r->m)->has_stretches)
        merge_note(r->m, false,
                   "%.60s: of each I/O the ms is known: of short ones time in flight is the sum of "
                   "latencies in it (a clat log with log_issue_time=1 is exact)",
                   r->rows.path);
}

static int read_latencies(struct merge *m, const char *path, struct err *e)
{
    struct fio_log_name name;
    struct latency_reader r = {.m = m};
    fio_log_name_of(path, &name);
    fio_log_known(m, &name);
    int status = fio_rows_open(&r.rows, path, e);
    if (!status)
        status = busy_gatherer_begin(&r.busy, e);
    if (!status)
        status = read_rows(&r, e);
    if (!status)
        status = busy_gatherer_end(m, &r.busy, e);
    if (!status)
        note_what_differs(&r);
    busy_gatherer_free(&r.busy);
    fio_rows_close(&r.rows);
    return status;
}

/* ---- the formats ---- */

/* A log without rows is recognised by its name alone. Other tables of numbers have no blanks after
   their commas. */
static bool is_log(enum fio_kind kind, const char *head, size_t length)
{
    bool whole;
    if (!length)
        return kind != FIO_UNKNOWN;
    const char *comma = memchr(head, ',', length);
    const size_t fields = fio_log_fields(head, length, &whole);
    return whole && fields >= FIELDS_MIN && fields <= FIELDS_MAX && comma[1] == ' ';
}

static bool is_total(const char *path, const char *head, size_t length)
{
    const enum fio_kind kind = fio_log_kind(path);
    return (kind == FIO_LAT || kind == FIO_UNKNOWN) && is_log(kind, head, length);
}

static bool is_completion(const char *path, const char *head, size_t length)
{
    const enum fio_kind kind = fio_log_kind(path);
    return kind == FIO_CLAT && is_log(kind, head, length);
}

static bool is_other(const char *path, const char *head, size_t length)
{
    const enum fio_kind kind = fio_log_kind(path);
    return (kind == FIO_SLAT || kind == FIO_BW || kind == FIO_IOPS) && is_log(kind, head, length);
}

static int refuse(struct merge *m, const char *path, struct err *e)
{
    (void)m;
    return err_set(e, ERR_USAGE,
                   "%s: %s: merge the lat or the clat logs beside it, or clat_hist logs", path,
                   fio_log_kind(path) == FIO_SLAT
                       ? "a log of the time that it took to submit I/Os, which is no latency"
                       : "a log of rates, which has no latencies");
}

const struct merge_format merge_format_fio_latency = {
    .name = "fio lat log", .recognise = is_total, .read = read_latencies};
const struct merge_format merge_format_fio_clat = {
    .name = "fio clat log", .recognise = is_completion, .read = read_latencies};
const struct merge_format merge_format_fio_other = {
    .name = "fio slat, bw or iops log", .is_beside = true, .recognise = is_other, .read = refuse};
