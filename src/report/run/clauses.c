/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the clauses of --sla and --precise: whether they are kept, and what undecided ones still
   need. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/formats.h"
#include "report/run/sections.h"

/* ---- fields for CSV and JSON ---- */

const char *clause_verdict_words(const void *clause)
{
    return clause_verdict_name(((const struct result_clause *)clause)->verdict);
}

const char *clause_unit(const void *record)
{
    const struct result_clause *c = record;
    return c->kind == METRIC_KIND_TIME         ? "ns"
           : c->kind == METRIC_KIND_BYTE_RATE  ? "B/s"
           : c->kind == METRIC_KIND_COUNT_RATE ? "1/s"
                                               : "1";
}

static const char *unseen_words(const void *clause)
{
    const struct result_clause *c = clause;
    return c->unseen > 0 ? unseen_by_name(c->unseen_by) : "";
}

const struct field clause_fields[] = {
    FIELD(result_clause, text, "clause", "clause"),
    FIELD_WORDS(clause_verdict_words, "verdict", "verdict"),
    FIELD_WORDS(clause_unit, "unit", "unit"),
    FIELD_BOTH(result_clause, value),
    FIELD_BOTH(result_clause, limit),
    FIELD(result_clause, more_seconds, "more_s", "more_seconds"),
    FIELD_BOTH(result_clause, note),
    FIELD(result_clause, period_seconds, "interval_s", "interval_seconds"),
    FIELD(result_clause, periods, "intervals", "intervals"),
    FIELD(result_clause, periods_kept, "intervals_kept", "intervals_kept"),
    FIELD_BOTH(result_clause, unseen),
    FIELD_WORDS(unseen_words, "unseen_by", "unseen_by"),
    FIELD_BOTH(result_clause, first_over),
    FIELD_LAST,
};

/* ---- text ---- */

enum { VERDICT_WIDTH = 11, TEXT_WIDTH = 28, VALUE_WIDTH = 12 };

/* Adds the clause's note, and for an undecided clause the time until it is decided: "about 40 s
   more". */
static void add_rest(const struct result_clause *c, struct text *to)
{
    bool of_readings = c->kind == METRIC_KIND_NUMBER;
    double more = of_readings ? c->more_readings : c->more_seconds;
    const char *before = c->note[0] ? "; " : "";
    char longer[NUMBER_BUFFER];
    text_add(to, c->note);
    if (c->verdict || strstr(c->note, " more"))
        return;
    if (isfinite(more) && of_readings)
        text_addf(to, "%sabout %s readings more", before,
                  number_value(longer, sizeof longer, METRIC_KIND_COUNT_RATE, ceil(more)));
    else if (isfinite(more))
        text_addf(to, "%sabout %s more", before, number_seconds(longer, sizeof longer, more));
    else if (!c->note[0])
        text_add(to, "too close to be decided");
}

static void print_clause(const struct result_clause *c, struct document *out)
{
    char value[NUMBER_BUFFER] = "-";
    struct text rest = {0};
    if (c->kind == METRIC_KIND_SHARE && !isnan(c->value))
        number_percent(value, sizeof value, c->value);
    else if (!isnan(c->value))
        number_value(value, sizeof value, c->kind, c->value);
    document_add(out, "  ");
    document_left(out, c->is_width && c->verdict ? "reached" : clause_verdict_name(c->verdict),
                  VERDICT_WIDTH);
    document_left(out, c->text, TEXT_WIDTH);
    document_right(out, value, VALUE_WIDTH);
    add_rest(c, &rest);
    if (rest.length)
        document_add(out, "  ");
    document_end_row_in_words_from(out, TONE_PLAIN, &rest);
    if (c->first_over[0])
        document_paragraph(out, "    first over it: ", TONE_PLAIN, c->first_over);
}

/* Prints what a passed clause does not exclude: levels that did not occur in the measurement. */
static void print_unseen(const struct result_clause clauses[], size_t count, struct document *out)
{
    const struct result_clause *shortest = NULL;
    for (size_t i = 0; i < count; i++)
        if (clauses[i].unseen > 0 && !(shortest && shortest->unseen <= clauses[i].unseen))
            shortest = &clauses[i];
    if (!shortest)
        return;
    static const char *const rests[] = {
        [UNSEEN_SESSION] = " cannot be excluded.",
        [UNSEEN_HISTORY] = " cannot be excluded, by this session and those of the history that it "
                           "repeats.",
        [UNSEEN_ASSUMED] = ", it is assumed (--assume-memory)."};
    char longer[NUMBER_BUFFER];
    struct text words = {0};
    text_addf(&words, "%s level %s less often than once in ",
              shortest->unseen_by == UNSEEN_ASSUMED ? "No" : "A",
              shortest->unseen_by == UNSEEN_ASSUMED ? "comes" : "that comes");
    if (shortest->kind == METRIC_KIND_NUMBER)
        text_addf(
            &words, "%s readings",
            number_value(longer, sizeof longer, METRIC_KIND_COUNT_RATE, ceil(shortest->unseen)));
    else
        text_add(&words, number_seconds(longer, sizeof longer, shortest->unseen));
    text_add(&words, rests[shortest->unseen_by]);
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
}

/* Prints one verdict for all limits together. Prints nothing if there are no limits. */
static void print_agreement(const struct result_clause clauses[], size_t count, double confidence,
                            struct document *out)
{
    size_t limits = 0, estimated = 0, passed = 0, failed = 0;
    for (size_t i = 0; i < count; i++) {
        limits += !clauses[i].is_width;
        estimated += !clauses[i].is_width && !clauses[i].is_fact;
        passed += !clauses[i].is_width && clauses[i].verdict == CLAUSE_PASSED;
        failed += !clauses[i].is_width && clauses[i].verdict == CLAUSE_FAILED;
    }
    if (!limits)
        return;
    struct text words = {0};
    text_addf(&words, "%zu of %zu %s pass", passed, limits, limits == 1 ? "clause" : "clauses");
    if (failed)
        text_addf(&words, ", %zu %s", failed, failed == 1 ? "fails" : "fail");
    if (passed + failed < limits)
        text_addf(&words, ", %zu undecided", limits - passed - failed);
    if (estimated)
        text_addf(&words, ", at %.4g %% confidence%s", 100 * confidence,
                  limits == 1 ? "" : " for all of them together");
    document_paragraph_from(out,
                            failed            ? "SLA BROKEN: "
                            : passed < limits ? "SLA NOT DECIDED: "
                                              : "SLA KEPT: ",
                            failed            ? TONE_RED
                            : passed < limits ? TONE_YELLOW
                                              : TONE_GREEN,
                            &words);
}

void clauses_print(const struct result_clause clauses[], size_t count, double confidence,
                   struct document *out)
{
    if (!count)
        return;
    print_agreement(clauses, count, confidence, out);
    for (size_t i = 0; i < count; i++)
        print_clause(&clauses[i], out);
    print_unseen(clauses, count, out);
}

void section_clauses(const struct result *r, struct document *out)
{
    clauses_print(r->clauses, r->clause_count, r->clause_confidence, out);
}

const struct result_row *clause_row(const struct result *r, const struct clause *c)
{
#define METRIC_OF_SUBJECT(subject, metric) [subject] = (metric),
    static const enum metric_id metrics[CLAUSE_SUBJECTS] = {CLAUSE_METRIC_ROWS(METRIC_OF_SUBJECT)};
#undef METRIC_OF_SUBJECT
#define SHARE_OF_METRIC(metric, share) {metric, share},
    static const struct {
        enum metric_id metric;
        double share;
    } percentiles[] = {PERCENTILE_ROWS(SHARE_OF_METRIC)};
    size_t count = sizeof percentiles / sizeof *percentiles, i = 0;
    enum metric_id metric = metrics[c->subject];
    if (c->time != CLAUSE_RESPONSE)
        return NULL;
    if (c->subject == CLAUSE_PERCENTILE) {
        while (i < count && fabs(percentiles[i].share - c->share) > 1e-9)
            i++;
        if (i == count)
            return NULL;
        metric = percentiles[i].metric;
    }
    const struct result_row *row = NULL;
    const char *const ops[] = {"all", "read", "write", "trim"};
    for (size_t op = 0; !c->op[0] && !row && op < sizeof ops / sizeof *ops; op++)
        row = result_find(r, metric, ops[op]);
    return c->op[0] ? result_find(r, metric, c->op) : row;
}

void clauses_add_numbers(const struct result *r, const struct result_row *headline,
                         struct text *out)
{
    for (size_t i = 0; i < r->clause_count; i++) {
        struct clauses one;
        if (!r->clauses[i].is_width || clauses_parse_widths(&one, r->clauses[i].text, NULL))
            continue;
        const struct result_row *row = clause_row(r, &one.clause[0]);
        if (!row || row == headline || !isfinite(row->low) || !isfinite(row->high))
            continue;
        const struct metric *metric = metric_of(row->metric);
        const char *op = strcmp(row->op, "all") ? row->op : "";
        char value[NUMBER_BUFFER], arm[NUMBER_BUFFER];
        text_addf(out, ", %s%s%s %s (%s)", op, *op ? " " : "", metric->title,
                  number_value(value, sizeof value, metric->kind, row->value),
                  number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
    }
}
