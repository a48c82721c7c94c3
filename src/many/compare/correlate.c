/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Correlates metrics with execution time, over sessions or over the rounds of a program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/compare/internal.h"
#include "stat/compare/correlation.h"

/* The number of metrics that people compare. They come first in the table of metrics, beginning
   with the four of the paper (He, Sun, Yin, BPS (2013), Table 1). */
#define METRICS ((size_t)METRIC_LATENCY_P9999 + 1)

#define RUNS_MAX 4096

struct runs {
    double *seconds, *values[METRICS]; /* values by run */
    size_t count;
    bool open_ended;
    const char *path;                   /* path of the alternative whose sessions are read */
    struct comparison_correlations *to; /* receives the notes */
};

static void add_note(struct comparison_correlations *to, const char *path, const char *lack,
                     const char *effect)
{
    struct result_note *note =
        result_notes_next(to->notes, RESULT_NOTES_MAX, &to->note_count, &to->notes_left_out);
    if (!note)
        return;
    note->warning = true;
    snprintf(note->text, sizeof note->text, "%.100s: %s; %s", path, lack, effect);
}

static const struct result_row *row_of(const struct result_row rows[], size_t count,
                                       enum metric_id id)
{
    const struct result_row *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].metric == id && (!found || !strcmp(rows[i].op, "all")))
            found = &rows[i];
    return found;
}

/* Takes the rows of a run. A run that did not end has no execution time: it is left out, with a
   note. */
static void take_run(struct runs *runs, const struct result_row rows[], size_t count,
                     enum verdict verdict)
{
    const struct result_row *elapsed = row_of(rows, count, METRIC_ELAPSED);
    const char *lack = stored_lack(verdict);
    if (lack)
        add_note(runs->to, runs->path, lack, "it is left out");
    if (lack || !elapsed || runs->count == RUNS_MAX)
        return;
    runs->seconds[runs->count] = elapsed->value;
    for (size_t i = 0; i < METRICS; i++) {
        const struct result_row *row = row_of(rows, count, (enum metric_id)i);
        runs->values[i][runs->count] = row ? row->value : (double)NAN;
    }
    runs->open_ended = runs->open_ended || verdict != VERDICT_COMPLETE;
    runs->count++;
}

static int take_sessions(void *context, const struct result *r, struct err *e)
{
    (void)e;
    struct runs *runs = context;
    if (!r->repeat)
        take_run(runs, r->rows, r->row_count, r->verdict);
    for (size_t i = 0; r->repeat && i < r->repeat->session_count; i++) {
        const struct result_session *s = &r->repeat->sessions[i];
        if (s->counted || stored_lack(s->verdict))
            take_run(runs, s->rows, s->row_count, s->verdict);
    }
    return 0;
}

static void add_row(struct comparison_correlations *to, const char *metric, const double x[],
                    const double seconds[], size_t n, bool higher_is_better)
{
    if (to->count == COMPARISON_CORRELATIONS)
        return;
    struct correlation c = correlation_interval_of(x, seconds, n, to->confidence);
    struct comparison_correlation *row = &to->rows[to->count++];
    *row = (struct comparison_correlation){.value = c.value,
                                           .low = c.low,
                                           .high = c.high,
                                           .n = n,
                                           .expected = higher_is_better ? -1 : 1};
    snprintf(row->metric, sizeof row->metric, "%s", metric);
}

struct rounds {
    struct comparison_correlations *to;
    const char *path;
};

/* Correlates a program's indices with the durations of its rounds, which are an index themselves.
 */
static int take_rounds(void *context, const struct execution *x, struct err *e)
{
    const struct rounds *rounds = context;
    struct comparison_correlations *to = rounds->to;
    const struct execution_index *duration = NULL;
    const char *lack = stored_lack(x->verdict);
    if (lack)
        add_note(to, rounds->path, lack, "its whole rounds count");
    for (size_t i = 0; i < x->index_count; i++)
        if (x->indices[i].type == INDEX_DURATION && !strcmp(x->indices[i].name, "duration"))
            duration = &x->indices[i];
    if (!duration || duration->n < CORRELATION_MIN_POINTS)
        return err_set(e, ERR_USAGE,
                       "--correlate needs %d rounds with a duration, of which this has "
                       "%zu",
                       CORRELATION_MIN_POINTS, duration ? duration->n : 0);
    for (size_t i = 0; i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        char name[PROGRAM_METRIC_MAX];
        program_metric(name, index->op, index->name);
        if (index != duration && !index->of_units && index->n == duration->n)
            add_row(to, name, index->values, duration->values, index->n,
                    index->better == METRIC_BETTER_HIGHER);
    }
    return to->count ? 0
                     : err_set(e, ERR_USAGE, "--correlate: the rounds have nothing but a duration");
}

/* Returns true if all runs have the metric. */
static bool is_complete(const struct runs *runs, size_t metric)
{
    for (size_t i = 0; i < runs->count; i++)
        if (isnan(runs->values[metric][i]))
            return false;
    return true;
}

static int correlate_runs(struct comparison_correlations *to, struct runs *runs,
                          const char *const paths[], size_t count, struct err *e)
{
    for (size_t i = 0; i < count; i++) {
        runs->path = paths[i];
        if (stored_result_use(paths[i], take_sessions, runs, e))
            return -1;
    }
    if (runs->count < CORRELATION_MIN_POINTS)
        return err_set(e, ERR_USAGE, "--correlate needs %d runs at least, and these are %zu%s%s",
                       CORRELATION_MIN_POINTS, runs->count, to->note_count ? "; " : "",
                       to->note_count ? to->notes[0].text : "");
    for (size_t i = 0; i < METRICS; i++) {
        const struct metric *metric = metric_of((enum metric_id)i);
        if (is_complete(runs, i))
            add_row(to, metric->name, runs->values[i], runs->seconds, runs->count,
                    metric->better == METRIC_BETTER_HIGHER);
    }
    to->open_ended = runs->open_ended;
    return 0;
}

int compare_correlate(struct comparison_correlations *to, const char *const paths[], size_t count,
                      double confidence, struct err *e)
{
    struct runs runs = {.to = to};
    struct rounds rounds = {to, paths[0]};
    double *room = calloc((METRICS + 1) * RUNS_MAX, sizeof *room);
    *to = (struct comparison_correlations){.confidence = confidence};
    if (!room)
        return err_no_memory(e, "runs");
    runs.seconds = room;
    for (size_t i = 0; i < METRICS; i++)
        runs.values[i] = room + (i + 1) * RUNS_MAX;
    int status = count == 1 && stored_is_program(paths[0])
                     ? stored_program_use(paths[0], take_rounds, &rounds, e)
                     : correlate_runs(to, &runs, paths, count, e);
    free(room);
    return status;
}
