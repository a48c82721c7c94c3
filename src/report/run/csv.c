/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as CSV: the columns that other programs rely on. */
#include <math.h>

#include "report/run/formats.h"

void csv_add_number(struct text *out, double value)
{
    if (!isnan(value))
        text_add_number(out, value);
}

void csv_add_field(struct text *out, double value)
{
    text_add(out, ",");
    csv_add_number(out, value);
}

void csv_add_interval(struct text *out, const struct result_row *row)
{
    csv_add_field(out, row->value);
    csv_add_field(out, row->low);
    csv_add_field(out, row->high);
    csv_add_field(out, row->confidence);
    text_addf(out, ",%llu", (unsigned long long)row->n);
    csv_add_field(out, row->effective_n);
}

void csv_print(const struct result *r, const struct report_style *style, struct text *out)
{
    (void)style;
    text_add(out, "metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note\n");
    for (size_t i = 0; i < r->row_count; i++) {
        const struct result_row *row = &r->rows[i];
        const struct metric *metric = metric_of(row->metric);
        text_addf(out, "%s,%s,%s", metric->name, row->op, metric->unit);
        csv_add_interval(out, row);
        text_add(out, ",");
        text_add_csv(out, row->note);
        text_add(out, "\n");
    }
    repeat_add_csv(r, out);
}

static void quantity_number(struct text *out, const char *name, double value)
{
    text_addf(out, "%s,", name);
    csv_add_number(out, value);
    text_add(out, "\n");
}

static void quantity_count(struct text *out, const char *name, size_t value)
{
    text_addf(out, "%s,%zu\n", name, value);
}

static void quantity_word(struct text *out, const char *name, const char *value)
{
    text_addf(out, "%s,", name);
    text_add_csv(out, value);
    text_add(out, "\n");
}

void csv_print_analysis(const struct analysis *a, const struct report_style *style,
                        struct text *out)
{
    (void)style;
    text_add(out, "quantity,value\n");
    quantity_count(out, "n", a->n);
    quantity_number(out, "mean", a->mean);
    quantity_number(out, "ci_low", a->low);
    quantity_number(out, "ci_high", a->high);
    quantity_number(out, "confidence", a->confidence);
    quantity_count(out, "stable_begin", a->stable_begin);
    quantity_count(out, "stable_end", a->stable_end);
    text_add(out, "changepoints,");
    for (size_t i = 0; i < a->changepoint_count; i++)
        text_addf(out, "%s%zu", i > 0 ? ";" : "", a->changepoints[i]);
    text_add(out, "\n");
    quantity_word(out, "phase", a->phase);
    quantity_number(out, "autocorrelation", a->autocorrelation);
    quantity_count(out, "subsession_size", a->subsession_size);
    quantity_number(out, "effective_n", a->effective_n);
    quantity_number(out, "sd", a->sd);
    quantity_number(out, "min", a->min);
    quantity_number(out, "median", a->median);
    quantity_number(out, "max", a->max);
    quantity_number(out, "harmonic_mean", a->harmonic_mean);
    quantity_number(out, "required_n", a->required_n);
    quantity_number(out, "target_width", a->target_width);
    quantity_count(out, "enough", a->enough);
    quantity_word(out, "mean_method", a->mean_method);
    quantity_word(out, "method", a->interval_method);
    quantity_word(out, "changepoint_method", a->changepoint_method);
}
