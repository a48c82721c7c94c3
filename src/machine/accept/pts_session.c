/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a cell by a session on the drive that is held (run/session/session.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "machine/accept/pts_session.h"

/* A percentile is known only if at least this many requests lie beyond it. */
#define BEYOND_MIN 10

/* ---- plan ---- */

static int make_plan(const struct pts_session *p, const struct pts_result *r,
                     const struct pts_cell *cell, double seconds, struct plan *plan, struct err *e)
{
    *plan = *p->plan;
    plan->pattern = p->test->random ? PATTERN_RANDOM : PATTERN_SEQUENTIAL;
    plan->random_share = p->test->random ? 1 : 0;
    plan->write_share = 1 - cell->read_percent / 100.0;
    plan->block_size = cell->block;
    plan->iodepth = r->depth;
    plan->jobs = r->threads;
    plan->offset = 0;
    plan->size = r->range / cell->block * cell->block;
    plan->ending.runtime_seconds = seconds;
    plan->ending.limit_seconds = fmax(plan->ending.limit_seconds, 4 * seconds + 60);
    plan->seed = p->plan->seed + r->sample_count + 1; /* each cell has other offsets */
    plan->measure_overhead = false;
    plan->compare_block_layer = false;
    return plan_check(plan, e);
}

/* ---- progress ---- */

static void show_progress(void *context, const struct session_progress *progress)
{
    struct pts_session *p = context;
    const struct pts_result *r = p->result;
    struct session_progress shown = *progress;
    char stage[120];
    const char *slash = strrchr(p->plan->target, '/');
    const char *disk = slash ? slash + 1 : p->plan->target;
    unsigned round = r->sample_count ? r->samples[r->sample_count - 1].round : 0;
    if (p->test->saturation)
        snprintf(stage, sizeof stage, "%.60s: %s, sample %u", disk, p->test->stage,
                 r->sample_count + 1);
    else
        snprintf(stage, sizeof stage, "%.60s: %s, round %u of 5 to %u", disk, p->test->name,
                 round + 1, r->rounds_max);
    shown.stage = stage;
    shown.left_seconds = pts_seconds_left(r, p->test);
    shown.left_is_least = true;
    p->observer->progress(p->observer->context, &shown);
}

/* ---- one session ---- */

static int run_session(struct pts_session *p, const struct pts_result *r,
                       const struct pts_cell *cell, double seconds, struct session **session,
                       struct err *e)
{
    struct plan plan;
    const struct session_observer own = {.progress = show_progress, .context = p};
    p->result = r;
    if (make_plan(p, r, cell, seconds, &plan, e))
        return -1;
    if (session_run_shared(session, &plan, p->root, NULL, p->stop, p->observer ? &own : NULL,
                           p->shared, e))
        return -1;
    session_result(*session, p->room);
    if (p->room->verdict == VERDICT_MEASURED)
        return 0;
    session_free(*session);
    *session = NULL;
    if (p->room->verdict == VERDICT_INTERRUPTED)
        return err_set(e, ERR_UNDECIDED, "%s: interrupted", plan.target);
    return err_set(e, ERR_TARGET, "%s: %.200s", plan.target,
                   p->room->verdict == VERDICT_FAILED ? p->room->failure
                                                      : "it was not measured to the end");
}

/* ---- results of a session ---- */

/* The whole time counts: in the PTS a cell has no stable segment. */
static void take_rounds(const struct result *r, struct pts_sample *s)
{
    double ios = 0, bytes = 0, latency = 0;
    for (size_t i = 0; i < r->round_count; i++) {
        const struct result_round *round = &r->rounds[i];
        s->written += (double)round->bytes;
        if (round->trial)
            continue;
        s->seconds += round->seconds;
        ios += (double)round->ios;
        bytes += (double)round->bytes;
        if (round->ios)
            latency += round->response_time_ns * (double)round->ios;
    }
    s->iops = ios / s->seconds;
    s->bandwidth = bytes / s->seconds;
    s->mean_ns = latency / ios;
}

static double longest_of(const struct result *r)
{
    double longest = 0;
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].metric == METRIC_LATENCY_MAX)
            longest = fmax(longest, r->rows[i].value);
    return longest;
}

static bool was_throttled(const struct result *r)
{
    for (size_t i = 0; i < r->event_count; i++)
        if (strstr(r->events[i].text, "the drive throttled"))
            return true;
    return false;
}

int pts_session_cell(void *context, const struct pts_result *r, const struct pts_cell *cell,
                     struct pts_sample *sample, struct err *e)
{
    struct pts_session *p = context;
    struct session *session;
    if (run_session(p, r, cell, r->cell_seconds, &session, e))
        return -1;
    take_rounds(p->room, sample);
    sample->written *= 1 - cell->read_percent / 100.0;
    sample->max_ns = longest_of(p->room);
    sample->celsius = p->celsius ? p->celsius(p->celsius_context) : NAN;
    sample->at = seconds_of_clock(CLOCK_REALTIME);
    sample->throttled = was_throttled(p->room);
    session_free(session);
    return 0;
}

/* Returns the value that a share of all requests took at most, linear within a bucket. */
static double quantile(const struct result_histogram *h, double total, double share)
{
    double rank = share * total, below = 0, last = NAN;
    if (share < 1 && total - rank < BEYOND_MIN)
        return NAN;
    for (size_t i = 0; i < h->count; i++) {
        double count = (double)h->counts[i];
        if (count > 0)
            last = h->edges[i + 1];
        if (count > 0 && below + count >= rank)
            return h->edges[i] + (h->edges[i + 1] - h->edges[i]) * (rank - below) / count;
        below += count;
    }
    return last;
}

int pts_session_latency(void *context, struct pts_result *r, const struct pts_cell *cell,
                        double seconds, struct err *e)
{
    struct pts_session *p = context;
    struct session *session;
    if (run_session(p, r, cell, seconds, &session, e))
        return -1;
    const struct result_histogram *h = &p->room->histograms[0];
    r->latency_ios = 0;
    r->latency_seconds = seconds;
    for (size_t i = 0; p->room->histogram_count && i < h->count; i++)
        r->latency_ios += (double)h->counts[i];
    for (unsigned i = 0; i < PTS_PERCENTILES; i++)
        r->latency[i] = p->room->histogram_count ? quantile(h, r->latency_ios, pts_percentiles[i])
                                                 : (double)NAN;
    r->latency[PTS_PERCENTILES - 1] = longest_of(p->room);
    session_free(session);
    return 0;
}
