/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a merge from its files to its timeline, and notes where its sources disagree. */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define RANKS_NAMED 10
#define RANKS_MAX   100000
/* maximum number of intervals of one source, including those without I/O */
#define INTERVALS_FOUND_MAX 200000
#define HOUR_NS             (UINT64_C(3600) * 1000000000u)

static int allocate(struct merge *m, struct err *e)
{
    m->totals = calloc(MERGE_SUMS, sizeof *m->totals);
    m->bins = calloc(1, sizeof *m->bins);
    m->bins_bucket = calloc(HISTOGRAM_BUCKETS, sizeof *m->bins_bucket);
    m->bins_count = calloc(HISTOGRAM_BUCKETS, sizeof *m->bins_count);
    return m->totals && m->bins && m->bins_bucket && m->bins_count ? 0
                                                                   : err_no_memory(e, "histograms");
}

/* Adds one note for a kind of trouble: the number of sources that have it, and the first of them by
   name. */
static void note_sources(struct merge *m, bool warning, bool (*has)(const struct merge_source *),
                         const char *words)
{
    const struct merge_source *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < m->source_count; i++)
        if (has(&m->sources[i])) {
            first = first ? first : &m->sources[i];
            count++;
        }
    if (count == 1)
        merge_note(m, warning, "%s: %s", first->path, words);
    else if (count > 1)
        merge_note(m, warning, "%zu sources, %s first: %s", count, first->path, words);
}

static bool is_cut_short(const struct merge_source *s)
{
    return s->cut_short;
}

static bool is_damaged(const struct merge_source *s)
{
    return s->damaged;
}

static bool has_failed(const struct merge_source *s)
{
    return s->failed;
}

static bool is_late(const struct merge_source *s)
{
    return s->late;
}

static bool is_averaged(const struct merge_source *s)
{
    return s->values_averaged;
}

static bool is_empty(const struct merge_source *s)
{
    return !s->end_ns;
}

static bool was_set_back(const struct merge_source *s)
{
    return s->clock_step_ns > 0;
}

static bool has_open_end(const struct merge_source *s)
{
    return s->open_end > 0;
}

static bool is_coarse(const struct merge_source *s)
{
    return s->bin_error > 1.0 / 64 + 1e-9;
}

static bool are_ops_unknown(const struct merge_source *s)
{
    return s->ops_unknown;
}

static bool are_tags_mixed(const struct merge_source *s)
{
    return s->tags_mixed;
}

static bool is_taken_as_ns(const struct merge_source *s)
{
    return s->guessed_unit_ns == 1;
}

static bool is_taken_as_us(const struct merge_source *s)
{
    return s->guessed_unit_ns == 1000;
}

static void note_troubles(struct merge *m)
{
    static const struct {
        bool warning;
        bool (*has)(const struct merge_source *);
        const char *words;
    } troubles[] = {
        {true, has_failed, "the run failed; what it measured before counts"},
        {true, is_cut_short, "it breaks off; what it holds counts"},
        {true, is_damaged, "parts of it are damaged or missing; what is left counts"},
        {true, is_empty, "it holds no I/O"},
        {true, is_late, "it began after the instant that all were to begin at"},
        {true, was_set_back,
         "its clock was set back while it measured: some of its intervals hold more than their "
         "time"},
        {true, is_averaged,
         "its values are means over log_avg_msec: percentiles of means are too low; log with "
         "log_avg_msec=0"},
        {true, are_ops_unknown, "it does not state operations: its I/Os are listed as reads"},
        {true, are_tags_mixed,
         "its rows have several tags, each a job (--by job): an I/O with rows under two of them "
         "counts twice"},
        {true, is_taken_as_ns,
         "it states no unit: values are taken as ns, 10^6 times its column of greatest values; "
         "--hdr-unit us where they are us"},
        {true, is_taken_as_us,
         "it states no unit: values are taken as us, 10^3 times its column of greatest values; "
         "--hdr-unit ns where they are ns"},
        {false, has_open_end, "its last bin has no upper end: its longest I/Os may be longer"},
        {false, is_coarse, "its bins are wider than 1/64 of their value, and so are percentiles"},
    };
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        note_sources(m, troubles[i].warning, troubles[i].has, troubles[i].words);
    if (m->repeated)
        merge_note(m, true, "%.180s: %s once", m->repeated_path,
                   m->repeated == 1 ? "it counts" : "this and others like it count");
}

/* Notes fio's outputs of two formats that cover the same time: they may hold the same I/Os. Logs
   that belong to one job by their names were refused before they were read. */
static void note_several_formats(struct merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct merge_source *a = &m->sources[k], *b = &m->sources[i];
            if (!strcmp(a->format, b->format) || strncmp(a->format, "fio ", 4) != 0 ||
                strncmp(b->format, "fio ", 4) != 0 || a->time == TIME_RELATIVE ||
                b->time == TIME_RELATIVE || a->begin_ns >= b->end_ns || b->begin_ns >= a->end_ns)
                continue;
            merge_note(m, true,
                       "%.60s and %.60s are of the same time: if fio wrote both of the same I/Os, "
                       "they count twice",
                       a->path, b->path);
            return;
        }
}

/* ---- the time of sources ---- */

static int by_begin(const void *a, const void *b)
{
    const struct merge_source *x = *(const struct merge_source *const *)a;
    const struct merge_source *y = *(const struct merge_source *const *)b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/*
 * Notes sources that lie an hour or more before or after the middle source in order of time: they
 * were measured at another time, or a clock is wrong. Nobody can say which, so they count by their
 * clocks, and the user is warned.
 */
static int note_stray_clocks(struct merge *m, struct err *e)
{
    const struct merge_source **order = malloc((m->source_count + 1) * sizeof(void *));
    const struct merge_source *stray = NULL;
    size_t n = 0, strays = 0;
    if (!order)
        return err_no_memory(e, "the order of sources");
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].time == TIME_ABSOLUTE && m->sources[i].end_ns)
            order[n++] = &m->sources[i];
    if (n)
        qsort(order, n, sizeof(void *), by_begin);
    const struct merge_source *middle = n ? order[n / 2] : NULL;
    for (size_t i = 0; i < n; i++)
        if (order[i]->begin_ns > middle->end_ns + HOUR_NS ||
            order[i]->end_ns + HOUR_NS < middle->begin_ns) {
            stray = stray ? stray : order[i];
            strays++;
        }
    free(order);
    if (!stray || n < 2)
        return 0;
    bool ahead = stray->begin_ns > middle->begin_ns;
    double off = ahead ? (double)(stray->begin_ns - middle->begin_ns)
                       : (double)(middle->begin_ns - stray->begin_ns);
    char words[UNITS_BUFFER];
    merge_note(m, true,
               "%.80s%s began %s %s the others: another run, or a wrong clock. It counts in the "
               "intervals that its clock says; leave it out, or set it right with --shift",
               stray->host[0] ? stray->host : stray->path, strays > 1 ? " (and others)" : "",
               format_time(words, sizeof words, off), ahead ? "after" : "before");
    return 0;
}

/* ---- ranks of one run ---- */

static bool of_same_run(const struct merge_source *a, const struct merge_source *b)
{
    return a->size == b->size && !strcmp(a->launch, b->launch);
}

/* Compares two sources, to sort the sources of one run together, in the order of their ranks. */
static int by_rank(const void *a, const void *b)
{
    const struct merge_source *x = *(const struct merge_source *const *)a;
    const struct merge_source *y = *(const struct merge_source *const *)b;
    int launch = strcmp(x->launch, y->launch);
    return launch               ? launch
           : x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                                : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Notes ranks that the launcher began but that have no record: they did not get that far, or their
   records were not collected. */
static void note_ranks_of(struct merge *m, const struct merge_source *const run[], size_t n)
{
    struct text missing = {0};
    const unsigned size = run[0]->size;
    unsigned count = 0;
    size_t next = 0;
    for (unsigned rank = 0; rank < size; rank++) {
        while (next < n && run[next]->rank < rank)
            next++;
        bool there = next < n && run[next]->rank == rank;
        if (!there && count++ < RANKS_NAMED)
            text_addf(&missing, "%s%u", count > 1 ? ", " : "", rank);
    }
    m->missing_ranks += count;
    if (count)
        merge_note(m, true, "%u of %u ranks left no record: rank%s %.100s%s", count, size,
                   count == 1 ? "" : "s", missing.data ? missing.data : "",
                   count > RANKS_NAMED ? ", ..." : "");
    text_free(&missing);
}

static int note_missing_ranks(struct merge *m, struct err *e)
{
    const struct merge_source **order = malloc((m->source_count + 1) * sizeof(void *));
    size_t n = 0;
    if (!order)
        return err_no_memory(e, "the order of ranks");
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].size >= 2 && m->sources[i].size <= RANKS_MAX)
            order[n++] = &m->sources[i];
    if (n)
        qsort(order, n, sizeof(void *), by_rank);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && of_same_run(order[end], order[i]);)
            end++;
        note_ranks_of(m, order + i, end - i);
    }
    free(order);
    return 0;
}

/*
 * Checks the length of intervals. Intervals without I/O are readings as well, so their number
 * follows from the time for which one source measured. The time of all sources is not used, because
 * a clock may be years off.
 */
static int check_length(struct merge *m, struct err *e)
{
    const struct merge_source *longest = NULL;
    uint64_t ns = 0;
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].time != TIME_NONE && m->sources[i].end_ns - m->sources[i].begin_ns > ns) {
            longest = &m->sources[i];
            ns = longest->end_ns - longest->begin_ns;
        }
    if (m->plan->interval_ns && ns / m->plan->interval_ns > TIMELINE_ASKED_MAX)
        return err_set(e, ERR_USAGE,
                       "%s has %.3g s from its first I/O to its last, more than %d intervals of %g "
                       "s: give a longer --interval",
                       longest->path, (double)ns * 1e-9, TIMELINE_ASKED_MAX,
                       (double)m->plan->interval_ns * 1e-9);
    for (struct timeline *t = &m->timeline; t; t = next_timeline(m, t))
        if (timeline_lengthen(t, ns / INTERVALS_FOUND_MAX, e))
            return -1;
    return 0;
}

/* Instants since 1970 cannot be combined with instants since some job's start. */
static int check_times(struct merge *m, struct err *e)
{
    const struct merge_source *of[TIME_NONE + 1] = {NULL};
    for (size_t i = 0; i < m->source_count; i++)
        if (!of[m->sources[i].time] && m->sources[i].end_ns) /* an empty source has no instants */
            of[m->sources[i].time] = &m->sources[i];
    const struct merge_source *relative = of[TIME_RELATIVE], *absolute = of[TIME_ABSOLUTE];
    if (!absolute && of[TIME_NONE] && of[TIME_NONE]->begin_ns)
        absolute = of[TIME_NONE];
    if (relative && absolute)
        return err_set(e, ERR_USAGE,
                       "%s counts time from its start, %s from 1970: give the instant at which the "
                       "first began (--start-at 2026-11-23T10:00:00Z), or log with "
                       "log_alternate_epoch=1",
                       relative->path, absolute->path);
    if (m->plan->interval_ns && of[TIME_NONE])
        return err_set(e, ERR_USAGE,
                       "%s holds the sums of a whole run: there are no intervals in it (fio's "
                       "write_hist_log keeps them)",
                       of[TIME_NONE]->path);
    for (size_t i = 0; i < m->plan->shift_count && !m->plan->is_part; i++)
        if (!(m->shifts_used >> i & 1))
            return err_set(e, ERR_USAGE, "--shift %s: no source is of a host of that name",
                           m->plan->shifts[i].host);
    if (relative && m->source_count > 1)
        merge_note(m, true,
                   "these logs count time from their starts: they are taken to have begun at once "
                   "(--start-at gives the instant; log_alternate_epoch=1 logs it)");
    return 0;
}

/* Sorts in an order that does not depend on the order of the inputs. */
static int by_identity(const void *a, const void *b)
{
    const struct merge_source *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->identity[i] != y->identity[i])
            return x->identity[i] < y->identity[i] ? -1 : 1;
    return 0;
}

int merge_open(struct merge **merge, const struct merge_plan *plan, struct err *e)
{
    struct merge *m = *merge = calloc(1, sizeof *m);
    if (!m) {
        err_no_memory(e, "a merge");
        return -1;
    }
    m->plan = plan;
    timeline_init(&m->timeline, plan->interval_ns);
    if (plan->interval_ns)
        timeline_init(&m->judged, 0);
    if (!allocate(m, e))
        return 0;
    merge_free(m);
    *merge = NULL;
    return -1;
}

/* Returns the first end among the sources that measured to their end. */
static uint64_t first_end(const struct merge *m)
{
    uint64_t end = 0;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (s->end_ns && !s->failed && (!end || s->end_ns < end))
            end = s->end_ns;
    }
    return end;
}

int merge_conclude(struct merge *m, struct err *e)
{
    if (m->source_count > 1)
        qsort(m->sources, m->source_count, sizeof *m->sources, by_identity);
    for (size_t i = 0; i < m->source_count; i++) {
        struct merge_source *s = &m->sources[i];
        const size_t run = fio_log_run_length(s->path);
        s->run = run ? merge_string(m, s->path, run) : NULL;
        source_take_labels(m, s);
    }
    if (sources_check_same_ios(m, e) || check_times(m, e) || check_length(m, e))
        return -1;
    note_troubles(m);
    note_several_formats(m);
    if (m->plan->at_once)
        m->until_ns = first_end(m);
    return note_missing_ranks(m, e) ? -1 : note_stray_clocks(m, e);
}

int merge_run(struct merge **merge, const struct merge_plan *plan, struct err *e)
{
    if (merge_open(merge, plan, e))
        return -1;
    if (!sources_read(*merge, plan->inputs, plan->input_count, e) && !merge_conclude(*merge, e))
        return 0;
    merge_free(*merge);
    *merge = NULL;
    return -1;
}

void merge_free(struct merge *m)
{
    if (!m)
        return;
    merge_view_free(m->view);
    for (size_t i = 0; i < m->source_count; i++)
        source_free(&m->sources[i]);
    timeline_free(&m->timeline);
    timeline_free(&m->judged);
    pool_free(&m->strings);
    free(m->sources);
    free(m->slots);
    free(m->totals);
    free(m->bins);
    free(m->bins_bucket);
    free(m->bins_count);
    free(m->clipped);
    free(m);
}
