/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a trace with its replay: rows with distances, series and histograms. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "run/replay/fidelity.h"
#include "stat/basic/descriptive.h"
#include "stat/basic/distance.h"

/* Fewer intervals do not show a distribution. */
#define INTERVALS_MIN 4

struct comparison {
    const struct fidelity *trace;
    const struct fidelity_replay *replay;
    struct result *result;
    struct arena *arena;
    bool beside;   /* the series can be compared slice by slice */
    size_t slices; /* number of slices of the replay; the original's are converted to them */
    /* number of the replay's slices in one slice of the original, over which its requests are
       spread */
    size_t grain;
    int finer; /* 2^finer slices of the original have the length of one slice of the replay */
    size_t own_grains; /* length of the original, in whole grains */
    /* [0]: original, [1]: replay; by slice, over the replay's length */
    double *requests[2], *queue[2];
    /* number of requests in each interval, of the original [0] and of the replay [1], each over its
       own length */
    double *sums[2];
};

size_t fidelity_bytes(void)
{
    return 6 * arena_bytes(MEASUREMENT_SLICES, sizeof(double)) +
           arena_bytes(HISTOGRAM_BUCKETS + 1, sizeof(double)) +
           FIDELITY_OPS * arena_bytes(HISTOGRAM_BUCKETS, sizeof(uint64_t)) +
           2 * arena_bytes(1, sizeof(struct histogram));
}

static struct result_fidelity *add_row(struct comparison *c, enum metric_kind kind, double original,
                                       double replay, const char *name, const char *aspect)
{
    struct result *r = c->result;
    static struct result_fidelity overflow;
    const bool fits = r->fidelity_count < RESULT_FIDELITY_MAX;
    struct result_fidelity *row = fits ? &r->fidelity[r->fidelity_count++] : &overflow;
    if (!fits)
        result_note(r, true, "there is no room beside the trace for %.60s %.60s", name, aspect);
    *row = (struct result_fidelity){
        .kind = kind, .original = original, .replay = replay, .distance = NAN};
    snprintf(row->name, sizeof row->name, "%s%s%s", name, aspect[0] ? ": " : "", aspect);
    return row;
}

/* Adds a row with a distance only, or no row if it cannot be computed. */
static void add_distance(struct comparison *c, enum fidelity_measure measure, double distance,
                         const char *name, const char *aspect)
{
    if (isnan(distance))
        return;
    struct result_fidelity *row = add_row(c, METRIC_KIND_COUNT_RATE, NAN, NAN, name, aspect);
    row->measure = measure;
    row->distance = distance;
}

/* Returns the original's value in one of the replay's slices. */
static double value_of(const uint64_t slices[MEASUREMENT_SLICES], size_t slice, int finer)
{
    if (finer < 0)
        return ldexp((double)slices[slice >> -finer], finer);
    double sum = 0;
    for (size_t i = slice << finer; i < (slice + 1) << finer && i < MEASUREMENT_SLICES; i++)
        sum += (double)slices[i];
    return sum;
}

/* Returns the original's value in one of its grains. */
static double value_of_grain(const struct comparison *c, const uint64_t slices[MEASUREMENT_SLICES],
                             size_t grain)
{
    return value_of(slices, grain, c->finer > 0 ? c->finer : 0);
}

static void lay_side_by_side(struct comparison *c)
{
    const struct fidelity_replay *replay = c->replay;
    const struct fidelity *trace = c->trace;
    if (!replay->slices || replay->gaps || trace->speed_millionths == 0)
        return;
    double slice_ns = replay->slice_seconds * 1e9;
    double fold = nearbyint(log2(slice_ns / (double)trace->slice_ns));
    /* 2^finer slices of the original have the length of one slice of the replay */
    int finer = (int)fold - (int)trace->fold;
    if (!(fold >= 0 && fold < 64) || finer > 13 || finer < -13)
        return;
    for (int side = 0; side < 2; side++) {
        c->requests[side] = arena_alloc(c->arena, MEASUREMENT_SLICES, sizeof(double));
        c->queue[side] = arena_alloc(c->arena, MEASUREMENT_SLICES, sizeof(double));
        c->sums[side] = arena_alloc(c->arena, MEASUREMENT_SLICES, sizeof(double));
        if (!c->requests[side] || !c->queue[side] || !c->sums[side])
            return;
    }
    c->beside = true;
    c->finer = finer;
    c->grain = finer < 0 ? (size_t)1 << -finer : 1;
    c->slices = replay->slice_count < MEASUREMENT_SLICES ? replay->slice_count : MEASUREMENT_SLICES;
    for (size_t i = 0; i < c->slices; i++) {
        c->requests[0][i] = value_of(trace->requests, i, finer);
        c->requests[1][i] = (double)replay->slices[i].issued;
        c->queue[0][i] = value_of(trace->in_flight_ns, i, finer) / slice_ns;
        c->queue[1][i] = (double)replay->slices[i].in_flight_ns / slice_ns;
    }
    /* The original ends one mean gap after its last request: n requests fill n gaps. */
    double last = (double)trace->last_ns;
    double gap = trace->events > 1 ? last / (double)(trace->events - 1) : 0;
    double slices = (last + gap - (double)trace->begin_ns) / slice_ns;
    if (replay->ended_early)
        slices = fmin(slices, (double)c->slices);
    size_t max_grains = MEASUREMENT_SLICES >> (finer > 0 ? finer : 0);
    double grains = (slices + 1e-6) / (double)c->grain;
    c->own_grains = grains >= 1 ? (size_t)fmin(grains, (double)max_grains) : 0;
}

static void add_totals(struct comparison *c)
{
    const struct fidelity *trace = c->trace;
    const struct fidelity_replay *replay = c->replay;
    double requests = (double)trace->events, issued = (double)replay->requests,
           seconds = (double)trace->last_ns * 1e-9;
    if (replay->ended_early) {
        seconds = fmin(seconds, replay->seconds);
        /* the reader was ahead of the replay when it ended, so only the original's requests up to
           that time count */
        if (c->beside) {
            requests = (double)trace->before;
            for (size_t i = 0; i < c->slices; i++)
                requests += c->requests[0][i];
        }
        if (replay->slices) {
            issued = 0;
            for (size_t i = 0; i < replay->slice_count; i++)
                issued += (double)replay->slices[i].issued;
        }
    }
    struct result_fidelity *row = add_row(c, METRIC_KIND_COUNT, requests, issued, "requests", "");
    if (replay->split)
        snprintf(row->note, sizeof row->note,
                 "%llu of the trace were too long for one request and were split",
                 (unsigned long long)replay->split);
    row = add_row(c, METRIC_KIND_SECONDS, seconds, replay->seconds, "duration", "");
    if (trace->speed_millionths == 0)
        snprintf(row->note, sizeof row->note,
                 "as fast as possible: the original's times are its own");
    else if (trace->speed_millionths != 1000000)
        snprintf(row->note, sizeof row->note, "the original at %.6g times its speed",
                 (double)trace->speed_millionths * 1e-6);
    add_row(c, METRIC_KIND_COUNT_RATE, seconds > 0 ? requests / seconds : NAN,
            replay->seconds > 0 ? issued / replay->seconds : NAN, "requests per second", "");
}

static double max_of(const double x[], size_t n)
{
    double max = NAN;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    return max;
}

/* Compares the requests in intervals of `slices` slices: their burstiness, and their correlation
   over time (Anderson et al., Buttress (2004), Figure 10). */
static void add_intervals(struct comparison *c, size_t slices)
{
    size_t grains = slices / c->grain;
    size_t n[2] = {c->own_grains / grains, c->slices / slices};
    double mean[2], max[2], dispersion[2];
    char name[48], length[UNITS_BUFFER];
    /* Sums of both sides in the intervals of the replay. */
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n[1]; i++) {
            c->sums[side][i] = 0;
            for (size_t slice = i * slices; slice < (i + 1) * slices; slice++)
                c->sums[side][i] += c->requests[side][slice];
        }
    double correlation = correlation_of(c->sums[0], c->sums[1], n[1]);
    /* Sums of the original over its own length, which may differ from the replay's. */
    for (size_t i = 0; i < n[0]; i++) {
        c->sums[0][i] = 0;
        for (size_t grain = i * grains; grain < (i + 1) * grains; grain++)
            c->sums[0][i] += value_of_grain(c, c->trace->requests, grain);
    }
    for (int side = 0; side < 2; side++) {
        mean[side] = mean_of(c->sums[side], n[side]);
        max[side] = max_of(c->sums[side], n[side]);
        dispersion[side] = dispersion_of(c->sums[side], n[side]);
    }
    /* computed last, because it sorts the sums */
    double ks = distance_ks_of(c->sums[0], n[0], c->sums[1], n[1]);
    format_time(length, sizeof length, (double)slices * c->replay->slice_seconds * 1e9);
    snprintf(name, sizeof name, "requests per %s", length);
    add_row(c, METRIC_KIND_COUNT_RATE, mean[0], mean[1], name, "");
    add_row(c, METRIC_KIND_COUNT, max[0], max[1], name, "most");
    add_row(c, METRIC_KIND_COUNT_RATE, dispersion[0], dispersion[1], name, "dispersion");
    add_distance(c, FIDELITY_KS, ks, name, "distribution");
    add_distance(c, FIDELITY_CORRELATION, correlation, name, "over time");
}

/* Compares burstiness in intervals of up to two lengths. The pass must contain enough intervals of
   a length. */
static void add_burstiness(struct comparison *c)
{
    static const double seconds[] = {1, 0.1, 0.01};
    size_t last = 0, lengths = 0, own = c->own_grains * c->grain;
    size_t shorter = own < c->slices ? own : c->slices;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds && lengths < 2; i++) {
        /* These slices have about the wanted length, and are a whole number of the original's
           slices. */
        double wanted = nearbyint(seconds[i] / c->replay->slice_seconds);
        size_t whole = wanted >= 1 ? (size_t)fmin(wanted, MEASUREMENT_SLICES) : 1;
        size_t slices = (whole + c->grain - 1) / c->grain * c->grain;
        if (slices == last || shorter / slices < INTERVALS_MIN)
            continue;
        add_intervals(c, slices);
        last = slices;
        lengths++;
    }
}

static void add_queue(struct comparison *c)
{
    char aspect[48], length[UNITS_BUFFER];
    bool known = c->trace->with_response > 0;
    if (c->slices == 0)
        return;
    /* Averages the original's queue over the time that the original lasted, in whole grains (see
       comparison.grain), at least one. */
    size_t n = c->own_grains > 0 ? c->own_grains : 1;
    double grain_ns = (double)c->grain * c->replay->slice_seconds * 1e9, sum = 0, fullest = 0;
    for (size_t i = 0; i < n; i++) {
        double queue = value_of_grain(c, c->trace->in_flight_ns, i) / grain_ns;
        sum += queue;
        fullest = fmax(fullest, queue);
    }
    struct result_fidelity *row = add_row(c, METRIC_KIND_COUNT_RATE, known ? sum / (double)n : NAN,
                                          mean_of(c->queue[1], c->slices), "queue length", "");
    if (!known)
        return;
    if (c->trace->crowded)
        snprintf(row->note, sizeof row->note, "of the original at least: only %d were kept",
                 FIDELITY_IN_FLIGHT);
    format_time(length, sizeof length, c->replay->slice_seconds * 1e9);
    snprintf(aspect, sizeof aspect, "fullest %s", length);
    add_row(c, METRIC_KIND_COUNT_RATE, fullest, max_of(c->queue[1], c->slices), "queue length",
            aspect);
    add_distance(c, FIDELITY_CORRELATION, correlation_of(c->queue[0], c->queue[1], c->slices),
                 "queue length", "over time");
}

/* Returns a percentile if at least one value is beyond it. */
static double percentile(const struct histogram *h, double share)
{
    return (double)h->n * (1 - share) >= 1 ? histogram_quantile(h, share) : NAN;
}

static double histogram_mean(const struct histogram *h)
{
    if (h->sum > 0 || h->n == 0)
        return h->n ? (double)h->sum / (double)h->n : NAN;
    double sum = (double)h->over * histogram_edge(HISTOGRAM_BUCKETS);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
        sum += (double)h->count[i] * (histogram_edge(i) + histogram_edge(i + 1)) / 2;
    return sum / (double)h->n;
}

static void add_response(struct comparison *c, const struct histogram *original,
                         const struct histogram *replay, const char *op)
{
    char name[48];
    snprintf(name, sizeof name, strcmp(op, "all") ? "response time, %s" : "response time", op);
    struct result_fidelity *row =
        add_row(c, METRIC_KIND_TIME, histogram_mean(original), histogram_mean(replay), name, "");
    row->distance = distance_earth_mover(original, replay);
    row->measure = isnan(row->distance) ? FIDELITY_NONE : FIDELITY_EARTH_MOVER;
    if (original->n == 0)
        snprintf(row->note, sizeof row->note, "the trace has no response times");
    else if (c->trace->with_response < c->trace->events)
        snprintf(row->note, sizeof row->note, "the trace has those of %.3g %% of its requests",
                 100 * (double)c->trace->with_response / (double)c->trace->events);
    add_row(c, METRIC_KIND_TIME, percentile(original, 0.5), percentile(replay, 0.5), name, "p50");
    add_row(c, METRIC_KIND_TIME, percentile(original, 0.99), percentile(replay, 0.99), name, "p99");
    add_distance(c, FIDELITY_KS, distance_ks(original, replay), name, "distribution");
}

/* Compares each operation separately, or all together if the operations differ, as when writes were
   issued as reads. */
static void add_responses(struct comparison *c)
{
    const struct histogram *original = c->trace->response, *replay = c->replay->response;
    bool same = true;
    for (int op = 0; op < FIDELITY_OPS; op++)
        same = same && (original[op].n > 0) == (replay[op].n > 0);
    for (int op = 0; same && op < FIDELITY_OPS; op++)
        if (replay[op].n > 0)
            add_response(c, &original[op], &replay[op], operation_names[op]);
    struct histogram *all[2];
    for (int side = 0; side < 2; side++)
        if (!(all[side] = arena_alloc(c->arena, 1, sizeof *all[side])))
            return;
    for (int side = 0; !same && side < 2; side++) {
        histogram_clear(all[side]);
        for (int op = 0; op < FIDELITY_OPS; op++)
            histogram_merge(all[side], side ? &replay[op] : &original[op]);
    }
    if (!same)
        add_response(c, all[0], all[1], "all");
}

static void add_series(struct comparison *c, const char *name, const char *unit,
                       const double *values)
{
    struct result *r = c->result;
    if (r->original_count == RESULT_SERIES_MAX || c->slices == 0)
        return;
    r->original[r->original_count++] =
        (struct result_series){.name = name,
                               .unit = unit,
                               .kind = METRIC_KIND_COUNT_RATE,
                               .values = values,
                               .count = c->slices,
                               .slice_seconds = c->replay->slice_seconds,
                               .stable_end = c->slices};
}

static void add_histograms(struct comparison *c)
{
    struct result *r = c->result;
    double *edges = arena_alloc(c->arena, HISTOGRAM_BUCKETS + 1, sizeof *edges);
    for (size_t i = 0; edges && i <= HISTOGRAM_BUCKETS; i++)
        edges[i] = histogram_edge(i);
    for (int op = 0; edges && op < FIDELITY_OPS; op++) {
        const struct histogram *from = &c->trace->response[op];
        uint64_t *counts =
            from->n ? arena_alloc(c->arena, HISTOGRAM_BUCKETS, sizeof *counts) : NULL;
        if (!counts)
            continue;
        memcpy(counts, from->count, HISTOGRAM_BUCKETS * sizeof *counts);
        struct result_histogram *to = &r->original_histograms[r->original_histogram_count++];
        *to =
            (struct result_histogram){.edges = edges, .counts = counts, .count = HISTOGRAM_BUCKETS};
        snprintf(to->op, sizeof to->op, "%s", operation_names[op]);
    }
}

void fidelity_rows(const struct fidelity *f, const struct fidelity_replay *replay, struct result *r,
                   struct arena *arena)
{
    static const struct {
        enum metric_id metric;
        const char *aspect;
    } issue_errors[] = {{METRIC_ISSUE_ERROR_P50, "p50"},
                        {METRIC_ISSUE_ERROR_P99, "p99"},
                        {METRIC_ISSUED_10US, "within 10 us"}};
    struct comparison c = {.trace = f, .replay = replay, .result = r, .arena = arena, .grain = 1};
    r->fidelity_count = r->original_count = r->original_histogram_count = 0;
    if (!f->slice_ns || f->fold >= 64 || f->before > f->events || f->with_response > f->events)
        return;
    lay_side_by_side(&c);
    add_totals(&c);
    if (c.beside) {
        add_burstiness(&c);
        add_queue(&c);
    }
    add_responses(&c);
    for (size_t i = 0; i < sizeof issue_errors / sizeof *issue_errors; i++) {
        const struct result_row *row = result_find(r, issue_errors[i].metric, "all");
        if (row)
            add_row(&c, metric_of(row->metric)->kind, NAN, row->value, "issue error",
                    issue_errors[i].aspect);
    }
    for (size_t i = 0; c.beside && i < c.slices; i++)
        c.requests[0][i] /= replay->slice_seconds;
    if (c.beside)
        add_series(&c, "issued", "1/s", c.requests[0]);
    if (c.beside && f->with_response)
        add_series(&c, "queue_length", "1", c.queue[0]);
    add_histograms(&c);
}
