/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the samples of a test: steady or not, the means of the window, levels over the written
   bytes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "machine/accept/pts.h"
#include "stat/basic/descriptive.h"
#include "stat/judge.h"
#include "stat/steady/steady.h"

#define CONFIDENCE 0.95

/* ---- rounds ---- */

/* Collects a cell's values over the complete rounds. Returns their number. */
static unsigned series_of(const struct pts_result *r, unsigned cell, double y[PTS_ROUNDS_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < r->sample_count && count < r->rounds; i++)
        if (r->samples[i].cell == cell)
            y[count++] = pts_sample_value(r, &r->samples[i]);
    return count;
}

static void take_window(struct pts_tracked *t, const double y[STEADY_WINDOW])
{
    struct steady_window w = steady_window_of(y);
    t->mean = w.mean;
    t->min = w.min;
    t->max = w.max;
    t->slope = w.slope;
    t->first = w.first;
    t->range = w.range;
    t->change = w.change;
    t->steady = w.steady;
}

static void take_drift(struct pts_tracked *t, const double y[], unsigned count, bool is_time,
                       struct arena *scratch)
{
    struct drift d = drift_of(y, count, !is_time, CONFIDENCE, scratch);
    t->phase = phase_name(d.phase);
    t->drift_verdict = drift_verdict_name(d.verdict);
    t->begin = (unsigned)d.begin;
    t->end = (unsigned)d.end;
    t->drift = d.change;
    t->drift_low = d.low;
    t->drift_high = d.high;
    t->mean_low = fmax(d.mean.low, 0); /* a metric is never negative */
    t->mean_high = d.mean.high;
}

/* Sets the window: it ends with the first round after which all tracked values are steady. If there
   is no such round, it is the last five rounds. */
static void judge_rounds(struct pts_result *r, struct arena *scratch)
{
    double y[PTS_TRACKED_MAX][PTS_ROUNDS_MAX], values[PTS_ROUNDS_MAX];
    const double *tracked[PTS_TRACKED_MAX];
    r->rounds = r->chosen ? r->sample_count / r->chosen : 0;
    r->tracked_count = 0;
    for (unsigned i = 0; i < r->cell_count; i++)
        if (r->cells[i].tracked && r->cells[i].chosen) {
            tracked[r->tracked_count] = y[r->tracked_count];
            series_of(r, i, y[r->tracked_count]);
            r->tracked[r->tracked_count++] = (struct pts_tracked){.cell = i};
        }
    unsigned after = (unsigned)steady_after(tracked, r->tracked_count, r->rounds);
    if (r->end == PTS_UNFINISHED && after)
        r->end = PTS_STEADY;
    else if (r->end == PTS_UNFINISHED && r->rounds == r->rounds_max)
        r->end = PTS_NOT_STEADY;
    if (r->rounds < STEADY_WINDOW) {
        r->tracked_count = 0;
        return;
    }
    r->window = (after ? after : r->rounds) - STEADY_WINDOW;
    for (unsigned k = 0; k < r->tracked_count; k++) {
        take_window(&r->tracked[k], y[k] + r->window);
        take_drift(&r->tracked[k], y[k], r->rounds, r->kind == METRIC_KIND_TIME, scratch);
    }
    for (unsigned i = 0; i < r->cell_count; i++)
        if (r->cells[i].chosen && series_of(r, i, values) >= r->window + STEADY_WINDOW)
            r->cells[i].mean = mean_of(values + r->window, STEADY_WINDOW);
}

/* ---- write saturation ---- */

/* By any window that the PTS defines, a fresh drive would count as steady at once when its write
   saturation is tested. Our window is the time in which the capacity is written once more after it
   was written once, cut into five rounds. */
#define CAPACITIES_MAX 4

static double written_before(const struct pts_result *r, unsigned sample)
{
    return sample ? r->samples[sample - 1].written : 0;
}

static bool saturation_window(const struct pts_result *r, unsigned *begin, double y[STEADY_WINDOW])
{
    const double capacity = (double)r->range;
    double all = written_before(r, r->sample_count);
    unsigned first = r->sample_count;
    while (first && written_before(r, first) > all - capacity)
        first--;
    unsigned count = r->sample_count - first;
    if (written_before(r, first) < capacity || count < STEADY_WINDOW)
        return false;
    for (unsigned k = 0; k < STEADY_WINDOW; k++) {
        unsigned from = first + count * k / STEADY_WINDOW;
        unsigned to = first + count * (k + 1) / STEADY_WINDOW;
        y[k] = 0;
        for (unsigned i = from; i < to; i++)
            y[k] += r->samples[i].iops / (to - from);
    }
    *begin = first;
    return true;
}

/* Writes the most likely reason for a change of the level: the drive throttled itself (according to
   its own counter), or so much was written that its cache is full or it collects garbage. */
static void name_event(const struct pts_result *r, struct pts_event *v)
{
    const double capacity = (double)r->capacity, share = v->written / capacity;
    bool throttled = false;
    for (unsigned i = v->sample ? v->sample - 1 : 0; i < r->sample_count && i <= v->sample + 1; i++)
        throttled |= r->samples[i].throttled;
    bool down = v->after < v->before;
    const char *words = !down         ? "a higher level"
                        : throttled   ? "the drive throttled itself for heat"
                        : share < 0.8 ? "probably its cache of fast cells is full"
                        : share < 1.6 ? "probably garbage collection: all of it was written once"
                                      : "a lower level";
    snprintf(v->words, sizeof v->words, "%s", words);
}

static void find_events(struct pts_result *r, const double y[], const struct judgement *j)
{
    size_t before = 0;
    r->event_count = 0;
    for (size_t i = 0; i < j->changepoint_count && r->event_count < PTS_EVENTS_MAX; i++) {
        size_t at = j->changepoints[i];
        size_t end = i + 1 < j->changepoint_count ? j->changepoints[i + 1] : r->sample_count;
        struct pts_event *v = &r->events[r->event_count++];
        *v = (struct pts_event){.sample = (unsigned)at,
                                .written = written_before(r, (unsigned)at),
                                .celsius = r->samples[at].celsius,
                                .before = mean_of(y + before, at - before),
                                .after = mean_of(y + at, end - at)};
        name_event(r, v);
        before = at;
    }
}

static void judge_saturation(struct pts_result *r, double y[], struct arena *scratch)
{
    static const struct judge_config config = {.changepoint = CHANGEPOINT_PELT,
                                               .estimate = {INTERVAL_SPECTRAL, CONFIDENCE, 0.1},
                                               .target_width = STEADY_CHANGE,
                                               .minimum_subsessions = 50,
                                               .higher_is_better = true};
    double window[STEADY_WINDOW];
    unsigned begin = 0;
    r->rounds = r->sample_count;
    r->tracked_count = 0;
    for (unsigned i = 0; i < r->sample_count; i++)
        y[i] = r->samples[i].iops;
    struct judgement j = judge(y, r->sample_count, &config, scratch);
    find_events(r, y, &j);
    size_t last = j.changepoint_count ? j.changepoints[j.changepoint_count - 1] : 0;
    r->cells[0].mean = mean_of(y + last, r->sample_count - last);
    struct pts_tracked t = {.cell = 0};
    bool is_window = saturation_window(r, &begin, window), steady = false;
    if (is_window) {
        take_window(&t, window);
        take_drift(&t, window, STEADY_WINDOW, false, scratch);
        t.phase = phase_name(j.phase);
        t.begin = begin;
        t.end = r->sample_count;
        r->tracked[r->tracked_count++] = t;
        r->window = begin;
        r->cells[0].mean = t.mean;
        steady = t.steady;
    }
    if (r->end != PTS_UNFINISHED)
        return;
    if (steady)
        r->end = PTS_STEADY;
    else if (written_before(r, r->sample_count) >= CAPACITIES_MAX * (double)r->capacity)
        r->end = PTS_WRITTEN;
    else if (r->sample_count == r->rounds_max)
        r->end = PTS_TIME_OVER;
}

/* ---- pauses ---- */

static void find_pause(struct pts_result *r)
{
    r->pause_seconds = 0;
    for (unsigned i = 1; i < r->sample_count; i++) {
        const struct pts_sample *s = &r->samples[i];
        r->pause_seconds = fmax(r->pause_seconds, s->at - s->seconds - r->samples[i - 1].at);
    }
}

int pts_judge(struct pts_result *r, const struct pts_test *test, struct err *e)
{
    struct arena scratch;
    size_t n = test->saturation ? test->rounds : PTS_ROUNDS_MAX;
    size_t bytes = drift_scratch_bytes(n) + arena_bytes(n, sizeof(double));
    if (!r->sample_count)
        return 0;
    if (arena_init_untouched(&scratch, bytes, e))
        return -1;
    find_pause(r);
    if (test->saturation)
        judge_saturation(r, arena_alloc(&scratch, n, sizeof(double)), &scratch);
    else
        judge_rounds(r, &scratch);
    arena_free(&scratch);
    return 0;
}
