/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares priorities, or commands of writes: whether one helps, and by how much; the fields of
   priorities.csv and of JSON. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

const struct field priority_fields[] = {
    FIELD_BOTH(result_priority, op),
    FIELD_BOTH(result_priority, priority),
    FIELD_BOTH(result_priority, bytes),
    FIELD_BOTH(result_priority, n),
    FIELD_BOTH(result_priority, share),
    FIELD(result_priority, mean.value, "mean_ns", "mean"),
    FIELD(result_priority, mean.low, "mean_low_ns", "mean_low"),
    FIELD(result_priority, mean.high, "mean_high_ns", "mean_high"),
    FIELD(result_priority, p50.value, "p50_ns", "p50"),
    FIELD(result_priority, p50.low, "p50_low_ns", "p50_low"),
    FIELD(result_priority, p50.high, "p50_high_ns", "p50_high"),
    FIELD(result_priority, p99.value, "p99_ns", "p99"),
    FIELD(result_priority, p99.low, "p99_low_ns", "p99_low"),
    FIELD(result_priority, p99.high, "p99_high_ns", "p99_high"),
    FIELD(result_priority, p999.value, "p999_ns", "p999"),
    FIELD(result_priority, p999.low, "p999_low_ns", "p999_low"),
    FIELD(result_priority, p999.high, "p999_high_ns", "p999_high"),
    FIELD(result_priority, max, "max_ns", "max"),
    FIELD_BOTH(result_priority, than),
    FIELD(result_priority, mean_ratio.value, "mean_ratio", "mean_ratio"),
    FIELD(result_priority, mean_ratio.low, "mean_ratio_low", "mean_ratio_low"),
    FIELD(result_priority, mean_ratio.high, "mean_ratio_high", "mean_ratio_high"),
    FIELD(result_priority, p99_ratio.value, "p99_ratio", "p99_ratio"),
    FIELD(result_priority, p99_ratio.low, "p99_ratio_low", "p99_ratio_low"),
    FIELD(result_priority, p99_ratio.high, "p99_ratio_high", "p99_ratio_high"),
    FIELD_LAST};

enum { KIND_WIDTH = 24, VALUE_WIDTH = 10, ARM_WIDTH = 9, COUNT_WIDTH = 10 };

/* "4 KiB reads", "reads" */
static void add_requests(const struct result_priority *p, struct text *out)
{
    char size[UNITS_BUFFER];
    if (p->bytes)
        text_addf(out, "%s ", format_size(size, sizeof size, (double)p->bytes));
    text_addf(out, "%ss", p->op);
}

static bool is_known(const struct result_percentile *x)
{
    return isfinite(x->value) && isfinite(x->low) && isfinite(x->high);
}

/* "mean 0.41 times (0.38 to 0.44)" */
static void add_ratio(const char *of, const struct result_percentile *ratio, struct text *out)
{
    text_addf(out, "%s %.3g times", of, ratio->value);
    if (is_known(ratio))
        text_addf(out, " (%.3g to %.3g)", ratio->low, ratio->high);
}

static const char *verdict_of(const struct result_percentile *mean, bool commands)
{
    if (!is_known(mean))
        return "has no interval yet";
    if (commands)
        return mean->high < 1  ? "is faster"
               : mean->low > 1 ? "is slower"
                               : "is not proven to differ";
    return mean->high < 1 ? "helps" : mean->low > 1 ? "slows down" : "has no proven effect";
}

/* "Priority rt/0 helps: 128 KiB reads with it have a latency of 0.41 times ..." */
static void add_answer(const struct result *r, const struct result_priority *p, struct text *out)
{
    text_addf(out, "%s %s: latency of ", p->priority,
              verdict_of(&p->mean_ratio, r->kinds_by_command));
    add_requests(p, out);
    text_addf(out, " over that with %s: ", p->than);
    add_ratio("mean", &p->mean_ratio, out);
    add_ratio(", p99", &p->p99_ratio, out);
    if (is_known(&p->mean_ratio))
        text_addf(out, ", at %.4g %%", 100 * r->priority_confidence);
}

void section_priority_answer(const struct result *r, struct document *out)
{
    for (size_t i = 0; i < r->priority_count; i++) {
        struct text words = {0};
        if (!r->priorities[i].than[0])
            continue;
        add_answer(r, &r->priorities[i], &words);
        document_paragraph_from(out, r->kinds_by_command ? "Command " : "Priority ", TONE_BOLD,
                                &words);
    }
}

static void add_time(const struct result_percentile *x, bool with_arm, struct document *out)
{
    char cell[NUMBER_BUFFER];
    document_right(out, number_value(cell, sizeof cell, METRIC_KIND_TIME, x->value), VALUE_WIDTH);
    if (!with_arm)
        return;
    number_plus_minus(cell, sizeof cell, x->value, x->low, x->high);
    document_right(out, is_known(x) ? cell : "", ARM_WIDTH);
}

static void add_row(const struct result_priority *p, struct document *out)
{
    struct text kind = {0};
    char cell[NUMBER_BUFFER];
    add_requests(p, &kind);
    text_addf(&kind, ", %s", p->priority);
    document_add(out, "  ");
    document_left(out, layout_string(&kind), KIND_WIDTH);
    document_right(out, number_count(cell, sizeof cell, (double)p->n), COUNT_WIDTH);
    add_time(&p->mean, true, out);
    add_time(&p->p50, false, out);
    add_time(&p->p99, true, out);
    add_time(&p->p999, false, out);
    document_end_row(out);
    text_free(&kind);
}

void section_priorities(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + KIND_WIDTH)}, {"n", COUNT_WIDTH},
                                                  {"mean", VALUE_WIDTH},   {"+-", ARM_WIDTH},
                                                  {"p50", VALUE_WIDTH},    {"p99", VALUE_WIDTH},
                                                  {"+-", ARM_WIDTH},       {"p99.9", VALUE_WIDTH}};
    if (!r->priority_count)
        return;
    document_heading(out, r->kinds_by_command ? "Latency by command" : "Latency by priority");
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < r->priority_count; i++)
        add_row(&r->priorities[i], out);
}
