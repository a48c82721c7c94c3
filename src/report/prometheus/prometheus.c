/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes one metric family after the other, each with its HELP and TYPE. */
#include "report/prometheus/prometheus.h"

#include <math.h>
#include <string.h>

#include "base/span.h"

/* ---- samples ---- */

/* Writes a label. Its value is escaped as the format requires. Control characters and bytes that
   are not UTF-8, which the format forbids, are replaced. */
static void add_label(struct text *out, const char *name, const char *value, bool *any)
{
    text_addf(out, "%s%s=\"", *any ? "," : "{", name);
    *any = true;
    for (struct span rest = span_of(value); rest.length;) {
        uint32_t code;
        const size_t length = span_decode(rest, &code), step = length ? length : 1;
        if (rest.text[0] == '\n')
            text_add(out, "\\n");
        else if (!length || span_steers(code))
            text_add(out, "?");
        else if (rest.text[0] == '"' || rest.text[0] == '\\')
            text_addf(out, "\\%c", rest.text[0]);
        else
            text_add_bytes(out, rest.text, length);
        rest.text += step;
        rest.length -= step;
    }
    text_add(out, "\"");
}

static void add_whole(struct text *out, bool labelled, uint64_t value)
{
    char digits[TEXT_DIGITS];
    text_addf(out, "%s %s\n", labelled ? "}" : "", text_digits(digits, value));
}

static void add_number(struct text *out, bool labelled, double value)
{
    text_addf(out, "%s ", labelled ? "}" : "");
    if (isinf(value))
        text_add(out, value > 0 ? "+Inf" : "-Inf");
    else
        text_add_number(out, value);
    text_add(out, "\n");
}

/* Writes a sample without labels, unless its value is NaN. */
static void add_plain(struct text *out, const char *name, double value)
{
    if (isnan(value))
        return;
    text_add(out, name);
    add_number(out, false, value);
}

/* ---- I/Os ---- */

static void begin_op(struct text *out, const char *name, const char *suffix,
                     const struct exposition *x, const struct exposed_op *op, bool *any)
{
    *any = false;
    text_addf(out, "%s%s", name, suffix);
    add_label(out, "op", op->op, any);
    if (op->group && x->by)
        add_label(out, x->by, op->group, any);
}

static void print_latency(const struct exposition *x, const char *name, struct text *out)
{
    for (size_t i = 0; i < x->op_count; i++) {
        const struct exposed_op *op = &x->ops[i];
        bool any;
        for (size_t bound = 0; bound <= EXPOSED_BOUNDS; bound++) {
            char number[TEXT_NUMBER];
            begin_op(out, name, "_bucket", x, op, &any);
            const char *le = bound < EXPOSED_BOUNDS
                                 ? text_number(number, (double)exposed_bound_ns(bound) / 1e9)
                                 : "+Inf";
            add_label(out, "le", le, &any);
            add_whole(out, any, bound < EXPOSED_BOUNDS ? op->below[bound] : op->latencies);
        }
        begin_op(out, name, "_sum", x, op, &any);
        add_number(out, any, op->latency_seconds);
        begin_op(out, name, "_count", x, op, &any);
        add_whole(out, any, op->latencies);
    }
}

static void print_ios(const struct exposition *x, const char *name, struct text *out)
{
    bool any;
    for (size_t i = 0; i < x->op_count; i++) {
        begin_op(out, name, "", x, &x->ops[i], &any);
        add_whole(out, any, x->ops[i].ios);
    }
}

static void print_bytes(const struct exposition *x, const char *name, struct text *out)
{
    bool any;
    for (size_t i = 0; i < x->op_count; i++) {
        begin_op(out, name, "", x, &x->ops[i], &any);
        add_whole(out, any, x->ops[i].bytes);
    }
}

static void print_errors(const struct exposition *x, const char *name, struct text *out)
{
    bool any;
    for (size_t i = 0; i < x->op_count; i++) {
        begin_op(out, name, "", x, &x->ops[i], &any);
        add_whole(out, any, x->ops[i].errors);
    }
}

/* ---- the followed records ---- */

static void print_records(const struct exposition *x, const char *name, struct text *out)
{
    static const char *const states[FOLLOWED_REPEATED] = {[FOLLOWED_RUNNING] = "running",
                                                          [FOLLOWED_STARTING] = "starting",
                                                          [FOLLOWED_SILENT] = "silent",
                                                          [FOLLOWED_REFUSED] = "refused",
                                                          [FOLLOWED_ENDED] = "ended"};
    for (int state = 0; state < FOLLOWED_REPEATED && x->followed; state++) {
        bool any = false;
        text_add(out, name);
        add_label(out, "state", states[state], &any);
        add_whole(out, any, x->followed->in_state[state]);
    }
}

/* Returns the last complete interval, or NULL. */
static const struct followed_interval *interval_of(const struct exposition *x)
{
    return x->followed && x->followed->any ? &x->followed->last : NULL;
}

static void print_quantiles(const struct exposition *x, const char *name, struct text *out)
{
    const struct followed_interval *last = interval_of(x);
    if (!last)
        return;
    const struct {
        const char *quantile;
        double ns;
    } quantiles[] = {{"0.5", last->p50},
                     {"0.9", last->p90},
                     {"0.99", last->p99},
                     {"0.999", last->p999},
                     {"1", last->max}};
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        bool any = false;
        if (isnan(quantiles[i].ns))
            continue;
        text_add(out, name);
        add_label(out, "quantile", quantiles[i].quantile, &any);
        add_number(out, any, quantiles[i].ns / 1e9);
    }
}

static void print_iops(const struct exposition *x, const char *name, struct text *out)
{
    if (interval_of(x))
        add_plain(out, name, interval_of(x)->io_rate);
}

static void print_byte_rate(const struct exposition *x, const char *name, struct text *out)
{
    if (interval_of(x))
        add_plain(out, name, interval_of(x)->byte_rate);
}

static void print_interval_end(const struct exposition *x, const char *name, struct text *out)
{
    const uint64_t milliseconds = interval_of(x) ? interval_of(x)->end_ns / 1000000u : 0;
    if (milliseconds)
        add_plain(out, name, (double)milliseconds / 1e3);
}

/* ---- results ---- */

static void print_clauses(const struct exposition *x, const char *name, struct text *out)
{
    const struct result_clause *clauses = x->result     ? x->result->clauses
                                          : x->followed ? x->followed->clauses
                                                        : NULL;
    const size_t count = x->result     ? x->result->clause_count
                         : x->followed ? x->followed->clause_count
                                       : 0;
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        if (clauses[i].verdict == CLAUSE_UNDECIDED)
            continue;
        text_add(out, name);
        add_label(out, "clause", clauses[i].text, &any);
        add_whole(out, any, clauses[i].verdict == CLAUSE_PASSED);
    }
}

/* Writes each row of the result as a sample. */
static void print_rows(const struct exposition *x, const char *name, size_t member,
                       struct text *out)
{
    for (size_t i = 0; x->result && i < x->result->row_count; i++) {
        const struct result_row *row = &x->result->rows[i];
        const struct metric *metric = metric_of(row->metric);
        double value;
        bool any = false;
        memcpy(&value, (const char *)row + member, sizeof value);
        if (isnan(value) || result_find(x->result, row->metric, row->op) != row)
            continue;
        text_add(out, name);
        add_label(out, "metric", metric->name, &any);
        add_label(out, "op", row->op, &any);
        add_label(out, "unit", metric->unit, &any);
        add_number(out, any, value);
    }
}

static void print_values(const struct exposition *x, const char *name, struct text *out)
{
    print_rows(x, name, offsetof(struct result_row, value), out);
}

static void print_lows(const struct exposition *x, const char *name, struct text *out)
{
    print_rows(x, name, offsetof(struct result_row, low), out);
}

static void print_highs(const struct exposition *x, const char *name, struct text *out)
{
    print_rows(x, name, offsetof(struct result_row, high), out);
}

static void print_next_lows(const struct exposition *x, const char *name, struct text *out)
{
    print_rows(x, name, offsetof(struct result_row, next_low), out);
}

static void print_next_highs(const struct exposition *x, const char *name, struct text *out)
{
    print_rows(x, name, offsetof(struct result_row, next_high), out);
}

static void print_verdict(const struct exposition *x, const char *name, struct text *out)
{
    bool any = false;
    if (!x->result)
        return;
    text_add(out, name);
    add_label(out, "verdict", verdict_name(x->result->verdict), &any);
    add_label(out, "level", level_name(x->result->claim.state), &any);
    add_whole(out, any, 1);
}

static void print_labels(const struct exposition *x, const char *name, struct text *out)
{
    const struct labels *labels = x->result ? &x->result->labels : x->labels;
    struct label label;
    for (size_t at = 0; labels && labels_next(labels, &at, &label);) {
        bool any = false;
        text_add(out, name);
        add_label(out, "key", label.key, &any);
        add_label(out, "value", label.value, &any);
        add_whole(out, any, 1);
    }
}

/* ---- families ---- */

static const struct family {
    const char *name, *type, *help;
    void (*print)(const struct exposition *x, const char *name, struct text *out);
} families[] = {
    {"cupel_io_latency_seconds", "histogram",
     "Latency of I/Os; a bucket holds those below its bound, as whole ns.", print_latency},
    {"cupel_io_total", "counter", "I/Os that completed.", print_ios},
    {"cupel_io_bytes_total", "counter", "Bytes that they moved.", print_bytes},
    {"cupel_io_errors_total", "counter", "I/Os that failed or were short.", print_errors},
    {"cupel_records", "gauge", "Records that are followed, by state.", print_records},
    {"cupel_interval_latency_seconds", "gauge",
     "Percentiles of the last interval that all hosts have passed; quantile 1 is the longest.",
     print_quantiles},
    {"cupel_interval_iops", "gauge", "I/Os per second in that interval.", print_iops},
    {"cupel_interval_bytes_per_second", "gauge", "Bytes per second in that interval.",
     print_byte_rate},
    {"cupel_interval_end_timestamp_seconds", "gauge", "When that interval ended, since 1970.",
     print_interval_end},
    {"cupel_sla_clause", "gauge",
     "Clauses of --sla that are decided: 1 holds, 0 fails. One that is open is absent.",
     print_clauses},
    {"cupel_label_info", "gauge", "What --label said of the measurement; always 1.", print_labels},
    {"cupel_verdict_info", "gauge",
     "How the measurement ended, and whether its level holds; always 1.", print_verdict},
    {"cupel_result", "gauge", "Rows of the result, in their units.", print_values},
    {"cupel_result_low", "gauge", "Lower ends of their confidence intervals.", print_lows},
    {"cupel_result_high", "gauge", "Upper ends of their confidence intervals.", print_highs},
    {"cupel_result_next_low", "gauge", "Lower ends of what a repetition should give.",
     print_next_lows},
    {"cupel_result_next_high", "gauge", "Upper ends of what a repetition should give.",
     print_next_highs},
};

void prometheus_print(const struct exposition *x, struct text *out)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        struct text samples = {0};
        families[i].print(x, families[i].name, &samples);
        if (samples.length)
            text_addf(out, "# HELP %s %s\n# TYPE %s %s\n", families[i].name, families[i].help,
                      families[i].name, families[i].type);
        text_add_bytes(out, samples.data ? samples.data : "", samples.length);
        out->failed |= samples.failed;
        text_free(&samples);
    }
}
