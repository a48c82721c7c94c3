/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a result merged from many sources: when they measured, the hosts (or jobs, operations,
   devices) side by side, and how wrong an average of their percentiles would be. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/merged.h"
#include "report/document/document.h"
#include "report/layout/csv_key.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* Number of rows of the table on a page; groups.csv has all groups. Outliers and groups with
   problems come first. */
#define GROUPS_SHOWN 16
#define RATE_SHARE   0.1
/* Number of groups that the first screen names. */
#define REMARKABLE_SHOWN 3

#define PERCENTILE_METRIC(metric, share) metric,

#define P50 MERGED_METRIC_LATENCY_P50
#define P99 MERGED_METRIC_LATENCY_P99

/* ---- sentences ---- */

void merged_add_sources(const struct result *r, struct text *out)
{
    const struct result_merged *m = r->merged;
    char number[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    if (m->begin[0])
        text_addf(out, "From %s to %s", m->begin, m->end);
    else
        text_add(out, "Times count from each source's start");
    if (m->clocks == 1)
        text_add(out, ", by one clock");
    else if (isfinite(m->clock_error_ns))
        text_addf(out, ", by clocks that are within %s of UTC",
                  number_value(number, sizeof number, METRIC_KIND_TIME, m->clock_error_ns));
    text_add(out, ".");
    if (isnan(m->busy.seconds))
        return;
    text_addf(out, " I/O was in flight for %s",
              number_seconds(number, sizeof number, m->busy.seconds));
    if (m->busy.high > m->busy.low)
        text_addf(out, " (%s to %s, as far as clocks and gaps are known)",
                  number_seconds(low, sizeof low, m->busy.low),
                  number_seconds(high, sizeof high, m->busy.high));
    text_add(out, ", the union over all sources.");
}

static bool is_remarkable(const struct result_group *g)
{
    return g->state[0] || g->outlier[0];
}

/* Prints "1 of 12 hosts is not like the others: node03 (p99 3 times the median)." */
static void print_remarkable(const struct result_merged *m, struct document *out)
{
    struct text words = {0};
    size_t count = 0;
    for (size_t i = 0; i < m->group_count; i++) {
        const struct result_group *g = &m->groups[i];
        if (!is_remarkable(g) || count++ >= REMARKABLE_SHOWN)
            continue;
        text_addf(&words, "%s%.40s (%s%s%s)", words.length ? "; " : "", g->name, g->state,
                  g->state[0] && g->outlier[0] ? "; " : "", g->outlier);
    }
    if (count) {
        struct text sentence = {0};
        const char *more = count > REMARKABLE_SHOWN ? "; more are in the table" : "";
        const bool stand_out = 2 * count < m->group_count || count == 1;
        if (stand_out) /* fewer than half of the groups are outliers */
            text_addf(&sentence, "%zu of %zu %ss %s not like the others: %s%s.", count,
                      m->group_count, m->by, count == 1 ? "is" : "are", layout_string(&words),
                      more);
        else
            text_addf(&sentence, "The %zu %ss differ, and none is the odd one: %s%s.",
                      m->group_count, m->by, layout_string(&words), more);
        document_paragraph_from(out, "", stand_out ? TONE_YELLOW : TONE_PLAIN, &sentence);
    }
    text_free(&words);
}

/* Prints percentiles over all I/Os: "read p50 111 us, p99 210 us, p99.9 210 us, max 210 us; write
   ...". */
void section_system(const struct result *r, struct document *out)
{
    static const enum metric_id shown[] = {METRIC_LATENCY_P50, METRIC_LATENCY_P99,
                                           METRIC_LATENCY_P999, METRIC_LATENCY_MAX};
    struct text words = {0};
    const char *op = "";
    for (size_t i = 0; r->merged && i < r->row_count; i++)
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
            const struct result_row *row = &r->rows[i];
            char value[NUMBER_BUFFER];
            if (row->metric != shown[k] || isnan(row->value))
                continue;
            if (strcmp(op, row->op) != 0)
                text_addf(&words, "%s%s", words.length ? "; " : "", row->op);
            else
                text_add(&words, ",");
            op = row->op;
            text_addf(&words, " %s %s", metric_of(row->metric)->title,
                      number_value(value, sizeof value, METRIC_KIND_TIME, row->value));
        }
    if (words.length)
        document_paragraph_from(out, "All I/Os together: ", TONE_BOLD, &words);
    if (r->merged)
        print_remarkable(r->merged, out);
}

/* Prints how wrong averages of percentiles would be: "The average of the hosts' percentiles ...
   Here it would be off by: p50 -12 %, p99 +34 %." */
void section_averages(const struct result *r, struct document *out)
{
    struct text words = {0};
    if (!r->merged || r->merged->sources < 2)
        return;
    for (size_t i = 0; i < MERGED_PERCENTILES; i++) {
        const struct result_average *a = &r->merged->averages[i];
        if (a->system > 0 && isfinite(a->average))
            text_addf(&words, "%s %s %+.1f %%", words.length ? "," : "",
                      metric_of(a->metric)->title, 100 * (a->average / a->system - 1));
    }
    if (words.length) {
        struct text sentence = {0};
        text_addf(&sentence,
                  "The average of the %ss' percentiles, weighted by their I/Os, is not the "
                  "percentile of the system. Here it would be off by:%s.",
                  r->merged->averages_of, layout_string(&words));
        document_paragraph_from(out, "", TONE_PLAIN, &sentence);
    }
    text_free(&words);
}

/* ---- the table ---- */

/* clang-format off */
const struct field group_fields[] = {
    FIELD_ALL(result_group, name, "", -20, NUMBER),
    FIELD_BOTH(result_group, sources),
    FIELD_BOTH(result_group, n),
    FIELD_BOTH(result_group, bytes),
    FIELD_BOTH(result_group, errors),
    FIELD(result_group, begin_seconds, "begin_s", "begin_seconds"),
    FIELD_BOTH(result_group, seconds),
    FIELD_ALL(result_group, io_rate, "IOPS", 11, COUNT_RATE),
    FIELD_ALL(result_group, byte_rate, "bandwidth", 11, BYTE_RATE),
    FIELD_BOTH(result_group, mean_ns),
    FIELD_SHOWN(result_group, percentile[MERGED_METRIC_LATENCY_P50], "p50", "p50", "p50", 11, TIME),
    FIELD(result_group, percentile[MERGED_METRIC_LATENCY_P90], "p90", "p90"),
    FIELD(result_group, percentile[MERGED_METRIC_LATENCY_P95], "p95", "p95"),
    FIELD_SHOWN(result_group, percentile[MERGED_METRIC_LATENCY_P99], "p99", "p99", "p99", 11, TIME),
    FIELD(result_group, percentile[MERGED_METRIC_LATENCY_P999], "p99.9", "p99.9"),
    FIELD(result_group, percentile[MERGED_METRIC_LATENCY_P9999], "p99.99", "p99.99"),
    FIELD_BOTH(result_group, max),
    FIELD_ALL(result_group, clock_error_ns, "clock +-", 10, TIME),
    FIELD_BOTH(result_group, state),
    FIELD_BOTH(result_group, outlier),
    FIELD_LAST,
};
/* clang-format on */

static void print_group(const struct result_group *g, struct document *out)
{
    document_cells(out, group_fields, g);
    document_end_row(out);
    if (!is_remarkable(g))
        return;
    struct text words = {0};
    text_addf(&words, "%s%s%s", g->state, g->state[0] && g->outlier[0] ? "; " : "", g->outlier);
    document_paragraph_from(out, "    ! ", TONE_YELLOW, &words);
}

void section_groups(const struct result *r, struct document *out)
{
    const struct result_merged *m = r->merged;
    size_t shown = 0;
    if (!m || m->group_count < 2)
        return;
    char heading[80];
    snprintf(heading, sizeof heading, "By %s, each over its own time", m->by);
    document_heading(out, heading);
    document_cells(out, group_fields, NULL);
    document_end_titles(out);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < m->group_count && shown < GROUPS_SHOWN; i++)
            if (is_remarkable(&m->groups[i]) == !pass) {
                print_group(&m->groups[i], out);
                shown++;
            }
    if (shown < m->group_count) {
        struct text words = {0};
        text_addf(&words, "and %zu more: --by %s --format csv, or groups.csv of -o, has all %zu",
                  m->group_count - shown, m->by, m->group_count);
        document_paragraph_from(out, "  ", TONE_PLAIN, &words);
    }
}

/* ---- JSON ---- */

static const char *average_metric(const void *record)
{
    return metric_of(((const struct result_average *)record)->metric)->name;
}

static const struct field average_fields[] = {
    FIELD_WORDS(average_metric, "metric", "metric"),
    FIELD_BOTH(result_average, system),
    FIELD_BOTH(result_average, average),
    FIELD_LAST,
};

static const struct field merged_fields[] = {
    FIELD_JSON(result_merged, sources),
    FIELD_JSON(result_merged, hosts),
    FIELD_JSON(result_merged, clocks),
    FIELD_JSON(result_merged, interval_seconds),
    FIELD_JSON(result_merged, clock_error_ns),
    FIELD_JSON(result_merged, begin),
    FIELD_JSON(result_merged, end),
    FIELD_JSON(result_merged, by),
    FIELD(result_merged, busy.seconds, NULL, "busy_seconds"),
    FIELD(result_merged, busy.low, NULL, "busy_seconds_low"),
    FIELD(result_merged, busy.high, NULL, "busy_seconds_high"),
    FIELD(result_merged, busy.block_rate, NULL, "block_rate"),
    FIELD(result_merged, busy.block_rate_low, NULL, "block_rate_low"),
    FIELD(result_merged, busy.block_rate_high, NULL, "block_rate_high"),
    FIELD_LAST,
};

static const struct field silent_fields[] = {
    FIELD_JSON(result_period, op),
    FIELD_JSON(result_period, begin),
    FIELD(result_period, begin_seconds, NULL, "begin_seconds"),
    FIELD(result_period, seconds, NULL, "length_seconds"),
    FIELD_LAST,
};

static const struct field interval_fields[] = {
    FIELD_BOTH(result_period, op),
    FIELD_BOTH(result_period, begin),
    FIELD(result_period, begin_seconds, NULL, "begin_seconds"),
    FIELD(result_period, covered, NULL, "measured_seconds"),
    FIELD_BOTH(result_period, n),
    FIELD(result_period, mean_ns, NULL, "mean"),
    FIELD(result_period, byte_rate, NULL, "bandwidth"),
    FIELD_LAST,
};

/* Adds the array "intervals": the counts, means and rates of intervals, which the arrays of
   percentiles do not have. */
static void add_interval_sums(struct json *j, const struct result_period periods[], size_t count)
{
    if (count)
        json_records(j, "intervals", interval_fields, periods, count, sizeof *periods);
}

void merged_add_json(const struct result *r, struct json *j)
{
    const struct result_merged *merged = r->merged;
    json_begin_object(j, "merged");
    json_fields(j, merged_fields, merged);
    json_records(j, "averages_of_percentiles", average_fields, merged->averages, MERGED_PERCENTILES,
                 sizeof *merged->averages);
    json_records(j, "intervals_without_io", silent_fields, merged->silent, merged->silent_count,
                 sizeof *merged->silent);
    add_interval_sums(j, r->periods, merged->intervals_asked ? r->period_count : 0);
    json_begin_array(j, "groups");
    for (size_t i = 0; i < merged->group_count; i++) {
        const struct result_group *g = &merged->groups[i];
        json_begin_object(j, NULL);
        json_fields(j, group_fields, g);
        if (g->period_count)
            json_records(j, "percentiles", period_fields, g->periods, g->period_count,
                         sizeof *g->periods);
        add_interval_sums(j, g->periods, g->period_count);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

/* ---- CSV: the columns of `run`, and for each row its group and its interval ---- */

struct csv_row {
    struct text *out;
    const struct field *fields;
    const struct result *result;
    const char *group, *begin;
};

static void add_row(const struct csv_row *to, const struct result_row *row)
{
    if (isnan(row->value) && !row->note[0])
        return;
    csv_add_fields(to->out, to->fields, row);
    text_add(to->out, ",");
    text_add_csv(to->out, to->group);
    text_addf(to->out, ",%s", to->begin);
    csv_end_row(to->out, to->result->target, &to->result->key, &to->result->labels);
}

static struct result_row row_of(enum metric_id metric, const char *op, double value, uint64_t n)
{
    struct result_row row = {.metric = metric,
                             .value = value,
                             .low = NAN,
                             .high = NAN,
                             .confidence = NAN,
                             .n = n,
                             .effective_n = NAN,
                             .next_low = NAN,
                             .next_high = NAN};
    snprintf(row.op, sizeof row.op, "%s", op);
    return row;
}

#define METRIC_OF_GROUP(metric, member) {metric, (double)g->member},

static void add_group(const struct csv_row *to, const struct result_group *g, const char *op)
{
    static const enum metric_id metrics[] = {PERCENTILE_ROWS(PERCENTILE_METRIC)};
    const struct {
        enum metric_id metric;
        double value;
    } rates[] = {GROUP_METRIC_ROWS(METRIC_OF_GROUP)};
    struct result_row row;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        row = row_of(rates[i].metric, op, rates[i].value, g->n);
        snprintf(row.note, sizeof row.note, "%.60s%s%.50s", i ? "" : g->state,
                 !i && g->state[0] && g->outlier[0] ? "; " : "", i ? "" : g->outlier);
        add_row(to, &row);
    }
    for (size_t i = 0; i < MERGED_PERCENTILES; i++) {
        row = row_of(metrics[i], op, g->percentile[i], g->n);
        add_row(to, &row);
    }
}

/* Adds the rows of an interval. `rate` is the metric for I/Os per second. */
static void add_interval(const struct csv_row *to, const struct result_period *p,
                         enum metric_id rate, double confidence)
{
    const struct {
        enum metric_id metric;
        const struct result_percentile *value;
    } percentiles[] = {{METRIC_LATENCY_P50, &p->p50},
                       {METRIC_LATENCY_P90, &p->p90},
                       {METRIC_LATENCY_P99, &p->p99},
                       {METRIC_LATENCY_P999, &p->p999}};
    /* The rate is left out if only a small part of the interval was measured. */
    const bool has_rate = p->covered > RATE_SHARE * p->seconds;
    struct result_row row = row_of(rate, p->op, has_rate ? (double)p->n / p->covered : NAN, p->n);
    add_row(to, &row);
    row = row_of(METRIC_BANDWIDTH, p->op, has_rate ? p->byte_rate : NAN, p->n);
    add_row(to, &row);
    row = row_of(METRIC_LATENCY_MEAN, p->op, p->mean_ns, p->n);
    add_row(to, &row);
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        row = row_of(percentiles[i].metric, p->op, percentiles[i].value->value, p->n);
        row.low = percentiles[i].value->low;
        row.high = percentiles[i].value->high;
        row.confidence = isnan(row.low) ? NAN : confidence;
        add_row(to, &row);
    }
    row = row_of(METRIC_LATENCY_MAX, p->op, p->max, p->n);
    add_row(to, &row);
}

void merged_add_csv(const struct result *r, const struct field row_fields[], struct text *out)
{
    struct csv_row to = {.out = out, .fields = row_fields, .result = r, .group = "", .begin = ""};
    const struct result_merged *m = r->merged;
    const double confidence = r->row_count ? r->rows[0].confidence : NAN;
    csv_add_names(out, row_fields);
    text_add(out, ",group,begin");
    csv_end_header(out);
    for (size_t i = 0; i < r->row_count; i++)
        add_row(&to, &r->rows[i]);
    for (size_t i = 0; i < m->group_count && m->groups_asked; i++) {
        to.group = m->groups[i].name;
        add_group(&to, &m->groups[i], !m->of_ops ? "all" : m->groups[i].name);
    }
    for (size_t i = 0; i < m->group_count; i++)
        for (size_t k = 0; k < m->groups[i].period_count; k++) {
            to.group = m->groups[i].name;
            to.begin = m->groups[i].periods[k].begin;
            add_interval(&to, &m->groups[i].periods[k], r->headline, confidence);
        }
    to.group = "";
    for (size_t i = 0; i < m->silent_count; i++) {
        struct result_row none = row_of(r->headline, m->silent[i].op, 0, 0);
        snprintf(none.note, sizeof none.note, "no I/O was under way");
        to.begin = m->silent[i].begin;
        add_row(&to, &none);
    }
    for (size_t i = 0; i < r->period_count && m->intervals_asked; i++) {
        to.begin = r->periods[i].begin;
        add_interval(&to, &r->periods[i], r->headline, confidence);
    }
}
