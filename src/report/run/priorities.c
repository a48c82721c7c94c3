/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares priorities, or commands of writes: whether one is faster, and by how much. Has the
   fields of priorities.csv and of JSON. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* Adds "4 KiB reads" or "reads". */
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

/* Adds a ratio: "mean 0.41 times (0.38 to 0.44)". */
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

/* Adds the answer about a priority: "rt/0 helps: latency of 128 KiB reads over that with be/4: mean
   0.41 times ...". */
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

static void priority_kind(const void *record, struct text *words)
{
    const struct result_priority *p = record;
    add_requests(p, words);
    text_addf(words, ", %s", p->priority);
}

static void add_arm(const struct result_percentile *x, struct text *words)
{
    char arm[NUMBER_BUFFER];
    if (is_known(x))
        text_add(words, number_arm_signed(arm, sizeof arm, x->value, x->low, x->high));
}

static void mean_arm(const void *record, struct text *words)
{
    add_arm(&((const struct result_priority *)record)->mean, words);
}

static void p99_arm(const void *record, struct text *words)
{
    add_arm(&((const struct result_priority *)record)->p99, words);
}

/* clang-format off */
const struct field priority_fields[] = {
    FIELD_CELL(priority_kind, "", -24),
    FIELD_BOTH(result_priority, op),
    FIELD_BOTH(result_priority, priority),
    FIELD_BOTH(result_priority, bytes),
    FIELD_ALL(result_priority, n, "n", 10, COUNT),
    FIELD_BOTH(result_priority, share),
    FIELD_SHOWN(result_priority, mean.value, "mean_ns", "mean", "mean", 10, TIME),
    FIELD_CELL(mean_arm, "+-", 9),
    FIELD(result_priority, mean.low, "mean_low_ns", "mean_low"),
    FIELD(result_priority, mean.high, "mean_high_ns", "mean_high"),
    FIELD_SHOWN(result_priority, p50.value, "p50_ns", "p50", "p50", 10, TIME),
    FIELD(result_priority, p50.low, "p50_low_ns", "p50_low"),
    FIELD(result_priority, p50.high, "p50_high_ns", "p50_high"),
    FIELD_SHOWN(result_priority, p99.value, "p99_ns", "p99", "p99", 10, TIME),
    FIELD_CELL(p99_arm, "+-", 9),
    FIELD(result_priority, p99.low, "p99_low_ns", "p99_low"),
    FIELD(result_priority, p99.high, "p99_high_ns", "p99_high"),
    FIELD_SHOWN(result_priority, p999.value, "p999_ns", "p999", "p99.9", 10, TIME),
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
/* clang-format on */

void section_priorities(const struct result *r, struct document *out)
{
    if (!r->priority_count)
        return;
    document_heading(out, r->kinds_by_command ? "Latency by command" : "Latency by priority");
    document_records(out, priority_fields, r->priorities, r->priority_count, sizeof *r->priorities);
}
