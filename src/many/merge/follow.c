/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows growing records: finds them, reads on, and notices which have ended or become silent. */
#include "many/merge/follow.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/endian.h"
#include "many/merge/internal.h"

/* Looking through folders takes at most 1 / LIST_SHARE of the time. */
#define LIST_SHARE 10u
/* Bytes of a record's mark, version and identity. */
#define HEAD_BYTES 20

/* ---- the records ---- */

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_known(const struct follow *f, const char *path)
{
    return f->known_count &&
           bsearch(&path, f->known, f->known_count, sizeof *f->known, compare_paths);
}

static int make_room(struct follow *f, struct err *e)
{
    size_t capacity = f->capacity;
    if (!array_grow(&f->records, sizeof *f->records, f->count, &capacity) ||
        !array_grow(&f->known, sizeof *f->known, f->count, &f->capacity))
        return err_no_memory(e, "more than %zu records", f->count);
    return 0;
}

struct finding {
    struct follow *f;
    const char *input;
    struct err *e;
    int status;
};

static void found(void *context, const char *path)
{
    struct finding *finding = context;
    struct follow *f = finding->f;
    if (finding->status || is_known(f, path))
        return;
    finding->status = make_room(f, finding->e);
    if (finding->status)
        return;
    const char *kept = merge_string(f->m, path, strlen(path));
    f->records[f->count] = (struct growing_record){.path = kept,
                                                   .named = !strcmp(path, finding->input),
                                                   .state = FOLLOWED_STARTING,
                                                   .grew_ns = f->now_ns,
                                                   .p99 = NAN};
    f->known[f->count++] = kept;
}

static void sort_known(struct follow *f)
{
    if (f->count > f->known_count)
        qsort(f->known, f->count, sizeof *f->known, compare_paths);
    f->known_count = f->count;
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A folder that cannot be read at the moment is looked through again later, except the first
   time. */
static int find_records(struct follow *f, struct err *e)
{
    const bool first = !f->list_next_ns;
    const uint64_t begin = monotonic_ns();
    if (f->now_ns < f->list_next_ns)
        return 0;
    for (size_t i = 0; i < f->plan->input_count; i++) {
        struct err why;
        struct finding finding = {.f = f, .input = f->plan->inputs[i], .e = e};
        int status = sources_find_records(finding.input, found, &finding, &why);
        sort_known(f);
        if (finding.status)
            return -1;
        if (status && first) {
            *e = why;
            return -1;
        }
    }
    f->list_next_ns = f->now_ns + LIST_SHARE * (monotonic_ns() - begin) + 1;
    return 0;
}

/* ---- one record ---- */

enum head { HEAD_NOT_YET, HEAD_OF_RECORD, HEAD_OF_OTHER };

static enum head read_head(const char *path, uint64_t identity[2])
{
    unsigned char head[HEAD_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? pread(fd, head, sizeof head, 0) : 0;
    if (fd >= 0)
        close(fd);
    if (got > 0 && memcmp(head, "CUPELREC", got < 8 ? (size_t)got : 8) != 0)
        return HEAD_OF_OTHER;
    if (got < (ssize_t)sizeof head)
        return HEAD_NOT_YET;
    identity[0] = load_le32(head + 8) < 2 ? 0 : load_le64(head + 12);
    identity[1] = 0;
    return HEAD_OF_RECORD;
}

static void close_reading(struct growing_record *g)
{
    record_scan_close(g->reading.scan);
    g->reading.scan = NULL;
}

static int refuse(struct follow *f, struct growing_record *g, const struct err *why, struct err *e)
{
    g->state = FOLLOWED_REFUSED;
    close_reading(g);
    if (g->has_source)
        f->m->sources[g->source].damaged = true;
    if (g->named && !g->has_source) {
        *e = *why;
        return -1;
    }
    merge_note(f->m, true, "%s", why->msg);
    return 0;
}

/* Begins the record's source, once the record's identity is known. */
static int begin_record(struct follow *f, struct growing_record *g, struct err *e)
{
    struct err why;
    struct merge_source is = source_of_file(f->m, g->path, merge_format_record.name);
    const enum head head = read_head(g->path, is.identity);
    if (head == HEAD_NOT_YET)
        return 0;
    if (head == HEAD_OF_OTHER) {
        err_set(&why, ERR_USAGE,
                "%s: not a record: --follow reads records of sessions (record.cupel) alone",
                g->path);
        return refuse(f, g, &why, e);
    }
    /* a record of an old version has no identity in its head; it no longer grows */
    if (!is.identity[0] && source_find_identity(&is, &why))
        return 0;
    const struct merge_source *original = source_of_identity(f->m, is.identity);
    if (original) {
        g->state = FOLLOWED_REPEATED;
        if (!f->m->repeated++)
            snprintf(f->m->repeated_path, sizeof f->m->repeated_path, "%s is %s again", g->path,
                     original->path);
        return 0;
    }
    const size_t source = f->m->source_count;
    if (source_begin(f->m, &is, e))
        return -1;
    if (record_reading_open(&g->reading, f->m, g->path, true, &why))
        return why.code == ERR_MACHINE ? (*e = why, -1) : 0;
    g->source = source;
    g->has_source = true;
    return source_end(f->m, e);
}

static void add_buckets(struct histogram *h, const struct open_buckets *from)
{
    h->n += from->n;
    h->over += from->over;
    h->min = from->min < h->min ? from->min : h->min;
    h->max = from->max > h->max ? from->max : h->max;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        h->count[i] += from->count[i];
}

/* Adds the readings that have just arrived. */
static void add_totals(struct follow *f, struct growing_record *g)
{
    struct histogram *h = f->scratch;
    histogram_clear(h);
    for (int op = 0; op < OPERATIONS; op++) {
        const struct open_buckets *from = &f->m->totals[op];
        struct open_buckets *to = &f->total[op];
        if (!from->n)
            continue;
        if (operation_has_bytes(op))
            add_buckets(h, from);
        to->n += from->n;
        to->over += from->over;
        to->min = from->min < to->min ? from->min : to->min;
        to->max = from->max > to->max ? from->max : to->max;
        for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
            to->count[i] += from->count[i];
    }
    if (h->n)
        g->p99 = histogram_quantile(h, 0.99);
}

static int read_on(struct follow *f, struct growing_record *g, struct err *e)
{
    struct err why;
    const uint64_t before = record_scan_bytes(g->reading.scan);
    source_resume(f->m, g->source);
    const enum record_scan_state state = record_reading_go_on(&g->reading, &why);
    record_scan_rest(g->reading.scan);
    add_totals(f, g);
    if (source_pause(f->m, e))
        return -1;
    if (state == RECORD_SCAN_FAILED) {
        if (why.code != ERR_MACHINE)
            return refuse(f, g, &why, e);
        *e = why;
        return -1;
    }
    if (record_scan_bytes(g->reading.scan) > before) {
        g->grew_ns = f->now_ns;
        g->state = f->m->sources[g->source].end_ns ? FOLLOWED_RUNNING : FOLLOWED_STARTING;
    }
    if (state == RECORD_SCAN_END) {
        g->state = FOLLOWED_ENDED;
        close_reading(g);
    }
    return 0;
}

static int look_at(struct follow *f, struct growing_record *g, struct err *e)
{
    if (g->state == FOLLOWED_ENDED || g->state == FOLLOWED_REFUSED || g->state == FOLLOWED_REPEATED)
        return 0;
    if (!g->reading.scan && begin_record(f, g, e))
        return -1;
    if (g->reading.scan && read_on(f, g, e))
        return -1;
    if ((g->state == FOLLOWED_RUNNING || g->state == FOLLOWED_STARTING) &&
        f->now_ns - g->grew_ns >= f->stale_ns)
        g->state = FOLLOWED_SILENT;
    return 0;
}

int follow_look(struct follow *f, uint64_t now_ns, struct err *e)
{
    f->now_ns = now_ns;
    if (find_records(f, e))
        return -1;
    for (size_t i = 0; i < f->count; i++)
        if (look_at(f, &f->records[i], e))
            return -1;
    return 0;
}

/* ---- all records together ---- */

int follow_open(struct follow **follow, const struct merge_plan *plan, uint64_t stale_ns,
                struct err *e)
{
    struct follow *f = *follow = calloc(1, sizeof *f);
    if (f)
        f->scratch = malloc(sizeof *f->scratch);
    if (!f || !f->scratch) {
        free(f);
        *follow = NULL;
        return err_no_memory(e, "following records");
    }
    f->plan = plan;
    f->stale_ns = stale_ns;
    for (int op = 0; op < OPERATIONS; op++)
        f->total[op].min = UINT64_MAX;
    const char *sla = plan->statistics.ending.sla;
    if ((!sla[0] || !clauses_parse_limits(&f->limits, sla, e)) && !merge_open(&f->m, plan, e))
        return 0;
    follow_free(f);
    *follow = NULL;
    return -1;
}

bool follow_has_readings(const struct follow *f)
{
    for (size_t i = 0; i < f->m->source_count; i++)
        if (f->m->sources[i].end_ns)
            return true;
    return false;
}

bool follow_is_over(const struct follow *f)
{
    bool ended = false, silent = false;
    for (size_t i = 0; i < f->count; i++) {
        const enum followed_state state = f->records[i].state;
        if (state == FOLLOWED_RUNNING || state == FOLLOWED_STARTING)
            return false;
        ended |= state == FOLLOWED_ENDED;
        silent |= state == FOLLOWED_SILENT || state == FOLLOWED_REFUSED;
    }
    /* If no record has a reading yet, all of them may still be preparing their files, so following
       goes on. */
    return ended ? !silent || follow_has_readings(f) : silent && follow_has_readings(f);
}

struct merge *follow_merge(struct follow *f)
{
    return f->m;
}

/* Counts a host whose record exists, but whose measurements are unknown. */
static void count_unread(struct follow *f, const struct growing_record *g)
{
    if (g->has_source || g->state == FOLLOWED_REPEATED)
        return;
    f->m->unread_records++;
    if (g->state != FOLLOWED_REFUSED) /* a refused record already has its warning */
        merge_note(f->m, true, "%s: nothing could be read of it", g->path);
}

/* Ends a record with what it holds now: it counts as cut off if it was still growing. */
static int end_record(struct follow *f, struct growing_record *g, struct err *e)
{
    const bool grows = g->state == FOLLOWED_RUNNING || g->state == FOLLOWED_STARTING;
    if (!g->reading.scan)
        return 0;
    record_scan_stop_waiting(g->reading.scan);
    if (read_on(f, g, e))
        return -1;
    if (grows && g->state == FOLLOWED_ENDED)
        f->m->sources[g->source].cut_short = false;
    return 0;
}

int follow_end(struct follow *f, struct merge **m, struct err *e)
{
    size_t growing = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct growing_record *g = &f->records[i];
        growing += g->reading.scan && g->state <= FOLLOWED_STARTING;
        if (end_record(f, g, e))
            return -1;
        count_unread(f, g);
    }
    if (growing)
        merge_note(f->m, false, "%zu record%s still grew at the end: what %s held by then counts",
                   growing, growing == 1 ? "" : "s", growing == 1 ? "it" : "they");
    f->m->until_ns = 0;
    if (merge_conclude(f->m, e))
        return -1;
    *m = f->m;
    f->m = NULL;
    return 0;
}

void follow_free(struct follow *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++)
        close_reading(&f->records[i]);
    merge_free(f->m);
    free(f->records);
    free(f->known);
    free(f->scratch);
    free(f);
}
