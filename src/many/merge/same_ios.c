/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds fio's logs of the same I/Os that lie in different folders, by what they hold: two logs of
 * different kinds (lat, clat, clat_hist) of a job of the same name, of the same time, with the same
 * I/Os. Logs of one folder are refused before they are read (merge_files.c).
 *
 * Both logs of a run have each I/O, except that a clat_hist log lacks those after its last row, and
 * that either may break off. So the log with fewer I/Os is compared with the other one.
 */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#define NS_MS 1000000u
/* The I/Os that the shorter log lacks may be this many times as dense as those before. */
#define BURST 4
/* fio's last bin, which holds everything that is longer */
#define LAST_BIN (29 * HISTOGRAM_SUBBUCKETS - 1)

/* A log of latencies that was read. */
struct read_log {
    struct fio_log_name name;
    const struct merge_source *source;
};

static int by_job(const void *a, const void *b)
{
    const struct read_log *x = *(const struct read_log *const *)a;
    const struct read_log *y = *(const struct read_log *const *)b;
    return fio_log_order(&x->name, &y->name);
}

/* Fills upto[i] with the number of I/Os in buckets 0 to i. */
static void cumulate(uint64_t upto[HISTOGRAM_BUCKETS], const struct latency_buckets *from)
{
    memset(upto, 0, HISTOGRAM_BUCKETS * sizeof *upto);
    for (size_t i = 0; i < from->used; i++)
        upto[from->bucket[i] < LAST_BIN ? from->bucket[i] : LAST_BIN] += from->count[i];
    upto[LAST_BIN] += from->over;
    for (size_t i = 1; i < HISTOGRAM_BUCKETS; i++)
        upto[i] += upto[i - 1];
}

/* Returns true if each bin of `bin` buckets has at most as many I/Os in `less` as in `more`. */
static bool is_part(const uint64_t less[], const uint64_t more[], size_t bin)
{
    for (size_t i = 0, next = bin - 1; next < HISTOGRAM_BUCKETS; i = next, next += bin)
        if (less[next] - (next < bin ? 0 : less[i]) > more[next] - (next < bin ? 0 : more[i]))
            return false;
    return true;
}

/* Returns true if the latencies in `slow` can be those of the I/Os in `fast` plus the time before
   them, as lat contains clat. Both are cumulative counts: below the upper edge of any bin, `slow`
   may then have at most as many I/Os as `fast`, and `missing` more, which `fast` lacks. */
static bool is_slower(const uint64_t slow[], const uint64_t fast[], size_t bin, uint64_t missing)
{
    for (size_t i = bin - 1; i < HISTOGRAM_BUCKETS; i += bin)
        if (slow[i] > fast[i] + missing)
            return false;
    return true;
}

static bool is_coarse(const struct merge_source *s)
{
    return s->bin_error > 1.0 / 64 + 1e-9;
}

/* Returns true if the latencies of one operation in both logs can be those of the same I/Os, some
   of which are missing from b. */
static bool are_same(struct merge *m, const struct read_log *a, const struct read_log *b, int op,
                     double missing_max)
{
    const struct latency_buckets *x = &a->source->op[op].latency, *y = &b->source->op[op].latency;
    /* free to use, because no source is being read */
    uint64_t *more = m->totals[0].count, *less = m->totals[1].count;
    if (x->n < y->n || (double)(x->n - y->n) > missing_max * (double)x->n)
        return false;
    cumulate(more, x);
    cumulate(less, y);
    /* Logs with coarse bins are compared octave by octave, because no bin of fio 3 reaches beyond
       an octave. */
    const size_t bin = is_coarse(a->source) || is_coarse(b->source) ? HISTOGRAM_SUBBUCKETS : 1;
    if (a->name.kind == FIO_LAT)
        return is_slower(more, less, bin, x->n - y->n);
    if (b->name.kind == FIO_LAT)
        return is_slower(less, more, bin, x->n - y->n);
    return is_part(less, more, bin);
}

static uint64_t ios_of(const struct merge_source *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < FIO_DDIRS; i++)
        n += s->op[fio_ddir_op[i]].latency.n;
    return n;
}

/* Returns true if the logs overlap in time, for at least half of the longer one. */
static bool are_of_same_time(const struct merge_source *a, const struct merge_source *b)
{
    const uint64_t begin = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns,
                   end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns, x = a->end_ns - a->begin_ns,
                   y = b->end_ns - b->begin_ns;
    return a->time == b->time && begin < end && end - begin >= (x > y ? x : y) / 2;
}

/* Returns true if two logs of the same time hold the same I/Os. */
static bool hold_same_ios(struct merge *m, const struct read_log *a, const struct read_log *b)
{
    if (ios_of(a->source) < ios_of(b->source)) {
        const struct read_log *other = a;
        a = b;
        b = other;
    }
    if (!ios_of(b->source))
        return false;
    const struct merge_source *whole = a->source, *part = b->source;
    const uint64_t tail = whole->end_ns > part->end_ns ? whole->end_ns - part->end_ns : 0;
    const double missing_max =
        BURST * (double)(tail + NS_MS) / (double)(whole->end_ns - whole->begin_ns);
    for (size_t i = 0; i < FIO_DDIRS; i++)
        if (!are_same(m, a, b, fio_ddir_op[i], missing_max))
            return false;
    return true;
}

/* Compares two logs of one job. Fails if they have the same I/Os. Warns if they may have the same
   I/Os although their contents do not show it. */
static int check_pair(struct merge *m, const struct read_log *a, const struct read_log *b,
                      bool *warned, struct err *e)
{
    if (a->name.kind == b->name.kind || !are_of_same_time(a->source, b->source))
        return 0;
    if (hold_same_ios(m, a, b))
        return err_set(e, ERR_USAGE,
                       "%s and %s: logs of a job of the same name, of the same time, with the same "
                       "I/Os: fio wrote both, and they would count twice: name one of them; if "
                       "they are of two runs, name their jobs differently",
                       a->source->path, b->source->path);
    if (!*warned)
        merge_note(m, true,
                   "%.60s and %.60s are of a job of the same name and of the same time: if fio "
                   "wrote both of the same I/Os, they count twice",
                   a->source->path, b->source->path);
    *warned = true;
    return 0;
}

int sources_check_same_ios(struct merge *m, struct err *e)
{
    struct read_log *logs = NULL;
    const struct read_log **order = NULL;
    size_t n = 0, room = 0;
    bool warned = false;
    int status = 0;
    for (size_t i = 0; i < m->source_count; i++)
        room += !strncmp(m->sources[i].format, "fio ", 4) && m->sources[i].end_ns > 0;
    if (room < 2)
        return 0;
    logs = calloc(room, sizeof *logs);
    order = calloc(room, sizeof(void *));
    if (!logs || !order) {
        free(logs);
        free(order);
        return err_no_memory(e, "names of logs");
    }
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (strncmp(s->format, "fio ", 4) != 0 || !s->end_ns)
            continue;
        struct read_log *log = &logs[n];
        fio_log_name_of(s->path, &log->name);
        log->source = s;
        if (log->name.kind == FIO_LAT || log->name.kind == FIO_CLAT ||
            log->name.kind == FIO_CLAT_HIST)
            order[n++] = log;
    }
    if (n > 1)
        qsort(order, n, sizeof(void *), by_job);
    for (size_t i = 1; i < n && !status; i++)
        for (size_t k = i; k-- > 0 && !by_job(&order[k], &order[i]) && !status;)
            status = check_pair(m, order[k], order[i], &warned, e);
    free(logs);
    free(order);
    return status;
}
