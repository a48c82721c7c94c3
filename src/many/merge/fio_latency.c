/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads fio's logs of latencies (write_lat_log): `ms, latency in ns, direction, bs[, offset],
 * priority [, when it was issued in ns]`, a row for each I/O. ms is the time of its completion, in
 * whole ms since the job's start or since 1970. With log_avg_msec a row is the mean of a period
 * instead; its bs is 0.
 *
 * Single I/Os become disjoint stretches with I/O in flight, in order of time. I/Os come nearly in
 * the order in which they completed. Short I/Os of which only the ms of their end is known are
 * summed ms by ms; the others become stretches. When there are many stretches, the oldest are
 * passed on, and a later I/O that begins before their end counts only from there.
 */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

struct busy_gatherer {
    struct merge_stretch *at;
    size_t count;
    uint64_t given_ns; /* the merge already has all times with I/O in flight before this instant */
};

#define NS_MS    1000000u
#define CAPACITY ((size_t)1 << 18)

#define FIELDS_MIN     4
#define FIELDS_MAX     7
#define ISSUE_FIELD    6 /* time of issue (log_issue_time), in clat logs since the job's start */
#define DIRECTIONS_MAX 16
#define MS_MAX         10000000000000
#define LATENCY_MAX    86400000000000 /* a day in ns: a longer latency is a mistake */

enum { FIELD_MS, FIELD_LATENCY, FIELD_DDIR, FIELD_BS };

struct latency_reader {
    struct merge *m;
    struct fio_rows rows;
    struct busy_gatherer busy;
    size_t fields;
    uint64_t unit_ns; /* unit of latencies in ns */
    bool absolute, issue_times;
    uint64_t shift_ns; /* added to the time of issue plus latency, to get the absolute time of
                          completion; 0: not found yet */
    bool others_left_out;
    uint64_t field[FIELDS_MAX];
};

static bool is_exact(const struct merge_stretch *s)
{
    return s->busy_ns == s->end_ns - s->begin_ns;
}

static int by_begin(const void *a, const void *b)
{
    const struct merge_stretch *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns); /* the longest first */
}

/* Returns the part of a time in flight from `begin` to `end`, with the same share of gaps. */
static struct merge_stretch part_of(const struct merge_stretch *s, uint64_t begin, uint64_t end)
{
    struct merge_stretch part = {begin, end, end - begin};
    if (!is_exact(s))
        part.busy_ns = (uint64_t)((double)s->busy_ns * (double)(end - begin) /
                                  (double)(s->end_ns - s->begin_ns));
    return part;
}

/*
 * Joins two overlapping times in flight, of which `last` begins first. If only one has no gaps, it
 * keeps its whole length, and the other is cut. Returns true if the rest of `next` follows *last;
 * false if *last contains it.
 */
static bool join(struct merge_stretch *last, struct merge_stretch *next)
{
    const uint64_t begin = next->begin_ns, end = next->end_ns;
    if (is_exact(last) && is_exact(next)) {
        last->end_ns = end > last->end_ns ? end : last->end_ns;
        last->busy_ns = last->end_ns - last->begin_ns;
        return false;
    }
    if (is_exact(last)) {
        if (end <= last->end_ns)
            return false;
        *next = part_of(next, last->end_ns, end);
        return true;
    }
    if (is_exact(next) && begin > last->begin_ns) {
        *last = part_of(last, last->begin_ns, begin);
        return true;
    }
    uint64_t busy = is_exact(next) ? end - begin : last->busy_ns + next->busy_ns;
    last->end_ns = end > last->end_ns ? end : last->end_ns;
    last->busy_ns = busy < last->end_ns - last->begin_ns ? busy : last->end_ns - last->begin_ns;
    return false;
}

static void make_disjoint(struct busy_gatherer *g)
{
    size_t n = 0;
    if (g->count > 1)
        qsort(g->at, g->count, sizeof *g->at, by_begin);
    for (size_t i = 0; i < g->count; i++) {
        struct merge_stretch next = g->at[i];
        if (n && next.begin_ns < g->at[n - 1].end_ns && !join(&g->at[n - 1], &next))
            continue;
        g->at[n++] = next;
    }
    g->count = n;
}

/* Adds the oldest times in flight to the merge; `keep` of them stay in the gatherer. */
static int give_out(struct merge *m, struct busy_gatherer *g, size_t keep, struct err *e)
{
    make_disjoint(g);
    if (g->count <= keep)
        return 0;
    size_t n = g->count - keep;
    g->given_ns = g->at[n - 1].end_ns;
    if (merge_add_stretches(m, g->at, n, e))
        return -1;
    memmove(g->at, g->at + n, keep * sizeof *g->at);
    g->count = keep;
    return 0;
}

/* Allocates memory for the times in flight. Errors: ERR_MACHINE. busy_gatherer_free must follow in
   any case. */
static int busy_gatherer_begin(struct busy_gatherer *g, struct err *e)
{
    *g = (struct busy_gatherer){.at = malloc(CAPACITY * sizeof *g->at)};
    return g->at ? 0 : err_no_memory(e, "stretches of time");
}

static void busy_gatherer_free(struct busy_gatherer *g)
{
    free(g->at);
    *g = (struct busy_gatherer){0};
}

/* Adds a short I/O to the sum of its ms, if the previous I/O is of the same ms. */
static bool joins_last(struct busy_gatherer *g, const struct merge_stretch *add)
{
    struct merge_stretch *last = &g->at[g->count ? g->count - 1 : 0];
    if (!g->count || last->begin_ns != add->begin_ns || last->end_ns != add->end_ns)
        return false;
    last->busy_ns += add->busy_ns;
    if (last->busy_ns > NS_MS)
        last->busy_ns = NS_MS;
    return true;
}

/* Adds one I/O, nearly in order of completion; !exact: only the ms of end_ns is known. */
static int busy_gather(struct merge *m, struct busy_gatherer *g, uint64_t end_ns,
                       uint64_t latency_ns, bool exact, struct err *e)
{
    const uint64_t ms = end_ns / NS_MS;
    struct merge_stretch add = {end_ns > latency_ns ? end_ns - latency_ns : 0, end_ns, 0};
    if (end_ns <= g->given_ns) { /* time went back: the rows are of another job */
        if (give_out(m, g, 0, e))
            return -1;
        g->given_ns = 0;
    }
    if (add.begin_ns < g->given_ns)
        add.begin_ns = g->given_ns;
    add.busy_ns = add.end_ns - add.begin_ns;
    if (!exact && latency_ns < NS_MS) {
        add = (struct merge_stretch){ms * NS_MS, (ms + 1) * NS_MS, latency_ns};
        if (joins_last(g, &add))
            return 0;
    }
    if (!latency_ns || add.end_ns <= add.begin_ns)
        return 0;
    g->at[g->count++] = add;
    return g->count < CAPACITY ? 0 : give_out(m, g, CAPACITY / 2, e);
}

/* Adds the remaining times in flight to the merge. */
static int busy_gatherer_end(struct merge *m, struct busy_gatherer *g, struct err *e)
{
    return give_out(m, g, 0, e);
}

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
    const uint64_t asked = r->fields == FIELDS_MIN ? r->m->plan->hdr_unit_ns : 1;
    if (!asked)
        merge_note(r->m, true,
                   "%.60s: rows of 4 columns may be of fio 2, which wrote us; they are taken as ns "
                   "(--hdr-unit us where they are us)",
                   r->rows.path);
    r->unit_ns = asked ? asked : 1;
    return 0;
}

/* Reads a row. Returns 1; 0 when the file ends within this row; -1 on an error. */
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
        if (r->field[i] > max[i] / (i == FIELD_LATENCY ? r->unit_ns : 1))
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
    r->field[FIELD_LATENCY] *= r->unit_ns;
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
