/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds rows and notes that only the result of a merge has: requests with due times of several
   sources, BPS over the time in which any source had I/O in flight, and missing information. */
#include "many/merge/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/result/session_judgement.h"

/* Returns true if all sources have due times. If only some have them, response times are of two
   kinds, and the text omits the sections about due times. */
static bool all_are_timed(const struct merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].end_ns && !m->sources[i].op[MERGE_ISSUE_ERROR].latency.n)
            return false;
    return m->source_count > 0;
}

/* Adds the sums of all sources with due times, over their whole time. */
static int add_timing(const struct merge *m, struct result *r, struct err *e)
{
    struct histogram *h = malloc(sizeof *h);
    if (!h)
        return err_no_memory(e, "issue errors");
    for (int sum = MERGE_ISSUE_ERROR; sum < MERGE_SUMS; sum++) {
        double sum_ns = 0;
        histogram_clear(h);
        for (size_t i = 0; i < m->source_count; i++) {
            latency_buckets_add(h, &m->sources[i].op[sum].latency);
            sum_ns += (double)m->sources[i].op[sum].sum.latency_ns;
        }
        if (sum == MERGE_ISSUE_ERROR)
            result_add_issue_errors(r, h);
        else
            result_add_service(r, operation_names[sum - MERGE_SERVICE], h, sum_ns / (double)h->n);
    }
    free(h);
    r->timed = all_are_timed(m);
    return 0;
}

/* Sets the interval of BPS. The union of all sources is no estimate from readings: its interval
   comes from the clocks or, with a single clock, from gaps that were not recorded one by one. */
static void set_block_rate(const struct result_merged *merged, struct result *r)
{
    const struct result_busy *busy = &merged->busy;
    for (size_t i = 0; i < r->row_count; i++) {
        struct result_row *row = &r->rows[i];
        if (strcmp(metric_of(row->metric)->unit, "block/s") != 0 || isnan(busy->seconds))
            continue;
        row->value = busy->block_rate;
        row->low = busy->block_rate_low;
        row->high = busy->block_rate_high;
        row->confidence = NAN;
        row->effective_n = NAN;
        result_set_prediction(row, NAN, NAN);
        snprintf(row->note, sizeof row->note,
                 "over %.6g s with I/O in flight; the interval is that of %s (%.6g to %.6g s)",
                 busy->seconds, merged->clocks == 1 ? "unlisted gaps" : "the clocks", busy->low,
                 busy->high);
    }
}

static bool is_byte_rate(const struct result_row *row)
{
    return metric_of(row->metric)->kind == METRIC_KIND_BYTE_RATE;
}

static bool is_of_time(const struct result_row *row)
{
    return is_byte_rate(row) || metric_of(row->metric)->kind == METRIC_KIND_COUNT_RATE ||
           row->metric == METRIC_ELAPSED;
}

static void drop_rows(struct result *r, bool (*is_unknown)(const struct result_row *))
{
    size_t kept = 0;
    for (size_t i = 0; i < r->row_count; i++)
        if (!is_unknown(&r->rows[i]))
            r->rows[kept++] = r->rows[i];
    r->row_count = kept;
}

/* Makes the mean latency the headline of a result in which no rate is known. A result without a
   rate has no series over time either. */
static void lead_with_mean(struct result *r)
{
    r->headline = METRIC_LATENCY_MEAN;
    r->series_count = 0;
    for (size_t i = r->row_count; i > 0; i--)
        if (r->rows[i - 1].metric == METRIC_LATENCY_MEAN)
            snprintf(r->headline_op, sizeof r->headline_op, "%s", r->rows[i - 1].op);
}

/* Removes the system's rates that are unknown because a log lacks block sizes or its length. */
static void drop_rates(const struct merge *m, struct result *r)
{
    const struct merge_source *without_bytes = NULL, *without_length = NULL;
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        if (!without_bytes && !source_has_bytes(s, 0, OPERATIONS))
            without_bytes = s;
        if (!without_length && s->end_ns && !source_has_length(s))
            without_length = s;
    }
    if (without_length) {
        drop_rows(r, is_of_time);
        lead_with_mean(r);
        result_note(r, false, "no rates: %.200s does not state how long it measured",
                    without_length->path);
    } else if (without_bytes) {
        drop_rows(r, is_byte_rate);
        result_note(r, false, "no bandwidth: %.200s does not state how large its I/Os were",
                    without_bytes->path);
    }
}

static void add_notes(const struct merge *m, const struct result_merged *merged, struct result *r)
{
    uint64_t straddling = 0, all = 0;
    for (size_t i = 0; i < m->source_count; i++) {
        straddling += m->sources[i].straddling;
        for (int op = 0; op < OPERATIONS; op++)
            all += m->sources[i].op[op].latency.n;
    }
    for (size_t i = 0; i < m->note_count; i++) {
        const size_t more = m->note_kinds[i].more;
        char others[64] = "";
        if (more)
            snprintf(others, sizeof others, " (and %zu more source%s)", more, more > 1 ? "s" : "");
        result_note(r, m->notes[i].warning, "%.*s%s", more ? 200 : 240, m->notes[i].text, others);
    }
    if (straddling && m->plan->interval_ns)
        result_note(r, straddling * 20 > all,
                    "%.3g %% of the I/Os lie in rows that reach into two intervals; they count in "
                    "the one that holds the middle of their row",
                    100 * (double)straddling / (double)all);
    if (whole_run(m))
        result_note(r, false, "no intervals of time: %.200s holds the sum of a whole run",
                    whole_run(m)->path);
    if (isnan(merged->busy.seconds))
        result_note(r, false,
                    "no BPS: not every source states when its I/O was in flight, or when it began "
                    "and ended");
    if (merged->clocks != 1 && isnan(merged->clock_error_ns) && m->source_count > 1 &&
        merged->begin[0])
        result_note(r, true,
                    "how far the hosts' clocks may be off is not known of all of them: intervals "
                    "are as their clocks say");
}

int merge_add_rows(const struct merge *m, const struct result_merged *merged, struct result *r,
                   struct err *e)
{
    set_block_rate(merged, r);
    drop_rates(m, r);
    add_notes(m, merged, r);
    return add_timing(m, r, e);
}
