/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contents of a certificate, in their order: the verdict, the limits and how sure it is, who
   asked, what was measured on what, the figures, and the files that all of it is computed from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "certificate/page/internal.h"
#include "facts/labels.h"
#include "facts/merged.h"
#include "report/layout/number.h"

/* ---- the verdict ---- */

static size_t count_limits(const struct result *r)
{
    size_t limits = 0;
    for (size_t i = 0; i < r->clause_count; i++)
        limits += !r->clauses[i].is_width;
    return limits;
}

/* Do all limits pass, so that none contradicts the word above them? A reader may stop at that
   word. */
static bool all_pass(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (!r->clauses[i].is_width && r->clauses[i].verdict != CLAUSE_PASSED)
            return false;
    return true;
}

/* Writes the verdict for exit status 0. */
static void write_done(const struct certificate *c, struct document *out)
{
    const struct result *r = c->result;
    if (r && !all_pass(r))
        certificate_add_verdict(out, "UNDECIDED, NOT PASSED", TONE_YELLOW,
                                "not every limit is decided");
    else if (r && r->rates)
        certificate_add_verdict(out, "MEASURED", TONE_PLAIN,
                                "the rate up to which the limits hold");
    else if (r && !count_limits(r))
        certificate_add_verdict(
            out, "MEASURED", TONE_PLAIN,
            "no limit was asked for: these are figures, and no verdict on them");
    else
        certificate_add_verdict(out, "PASSED", TONE_GREEN,
                                "every limit that was asked for is kept");
}

/* Writes the verdict; its word follows from the exit status, so that only one place judges. */
static void write_verdict(const struct certificate *c, struct document *out)
{
    static const char advice[] = " (see ";
    char words[480];
    snprintf(words, sizeof words, "%s", c->missing);
    char *see = strstr(words, advice); /* the reader of the page does not need the command to type
                                          next */
    const char *rest = see ? strchr(see, ')') : NULL;
    if (rest)
        memmove(see, rest + 1, strlen(rest + 1) + 1);
    switch (c->status) {
    case ERR_NONE:
        write_done(c, out);
        break;
    case ERR_FAILED:
        certificate_add_verdict(out, "NOT PASSED", TONE_RED, words);
        break;
    case ERR_UNDECIDED:
        certificate_add_verdict(out, "UNDECIDED, NOT PASSED", TONE_YELLOW, words);
        break;
    default:
        certificate_add_verdict(out, "NO RESULT, NOT PASSED", TONE_RED, words);
        break;
    }
}

/* ---- the limits ---- */

static void add_value(struct text *to, const struct result_clause *c)
{
    char value[NUMBER_BUFFER];
    if (isnan(c->value))
        text_add(to, "no value");
    else if (c->kind == METRIC_KIND_SHARE)
        text_add(to, number_percent(value, sizeof value, c->value));
    else
        text_add(to, number_value(value, sizeof value, c->kind, c->value));
    if (c->period_seconds > 0)
        text_addf(to, ", kept in %.0f of %.0f intervals", c->periods_kept, c->periods);
    if (c->note[0])
        text_addf(to, "; %s", c->note);
}

/* Notes the clauses that were given after the measurement, and so are not in its record. */
static void write_judged_by(const struct result *r, struct document *out)
{
    struct text text = {0};
    for (size_t i = 0; r->judged_afterwards && i < r->clause_count; i++)
        text_addf(&text, "%s%s", i ? ", " : "", r->clauses[i].text);
    if (text.length)
        certificate_add_row(out, CERTIFICATE_JUDGED_BY, text.data);
    out->failed |= text.failed;
    text_free(&text);
}

static void write_clauses(const struct result *r, struct document *out)
{
    static const char *const words[] = {[CLAUSE_UNDECIDED] = "UNDECIDED",
                                        [CLAUSE_PASSED] = "passed",
                                        [CLAUSE_FAILED] = "NOT PASSED"};
    if (!r->clause_count)
        return;
    document_heading(out, "Limits");
    for (size_t i = 0; i < r->clause_count; i++) {
        const struct result_clause *c = &r->clauses[i];
        struct text text = {0};
        text_addf(&text, "%s: ", c->text);
        add_value(&text, c);
        certificate_add_row(
            out, c->is_width && c->verdict == CLAUSE_PASSED ? "reached" : words[c->verdict],
            layout_string(&text));
        out->failed |= text.failed;
        text_free(&text);
    }
    write_judged_by(r, out);
    if (count_limits(r))
        certificate_row(
            out, "confidence",
            "%.4g %% that none of these limits is decided wrongly, all of them together",
            100 * r->clause_confidence);
}

static void write_rates(const struct result *r, struct document *out)
{
    if (!r->rates)
        return;
    const struct result_rates *rates = r->rates;
    char holds[NUMBER_BUFFER], fails[NUMBER_BUFFER];
    document_heading(out, "Limits");
    certificate_row(out, "searched", "the highest rate at which %.200s", rates->clauses);
    certificate_row(out, "holds", "%s",
                    rates->holds > 0
                        ? number_value(holds, sizeof holds, METRIC_KIND_COUNT_RATE, rates->holds)
                        : "at no rate that was tried");
    certificate_row(out, "fails", "%s",
                    isfinite(rates->fails)
                        ? number_value(fails, sizeof fails, METRIC_KIND_COUNT_RATE, rates->fails)
                        : "at no rate that was tried");
    certificate_row(out, "confidence", "%.4g %% that both are right", 100 * rates->confidence);
}

/* ---- who, what, when ---- */

static void write_labels(const struct labels *labels, struct document *out)
{
    struct label label;
    size_t at = 0;
    if (!labels_next(labels, &at, &label))
        return;
    document_heading(out, "Given by whoever measured");
    do
        certificate_add_row(out, label.key, label.value);
    while (labels_next(labels, &at, &label));
}

static void write_settings(const struct result *r, const char *const keys[], struct document *out)
{
    for (; *keys; keys++) {
        const char *value = facts_find(&r->settings, NULL, *keys);
        if (value)
            certificate_add_row(out, *keys, value);
    }
}

/* Writes the clock's state as a time service reported it. */
static void write_clock(const struct result *r, struct document *out)
{
    const struct result_clock *clock = &r->clock;
    char bound[NUMBER_BUFFER];
    double error = r->merged ? r->merged->clock_error_ns : clock->error_ns;
    const char *within = number_seconds(bound, sizeof bound, error * 1e-9);
    if (r->merged && r->merged->clocks == 1)
        certificate_add_row(out, "its clock",
                            "one for all sources; not known whether it was right");
    else if (!isfinite(error))
        certificate_add_row(out, "its clock",
                            clock->looked
                                ? "not synchronised by any time service: the date is what it said, "
                                  "and nothing vouches for it"
                                : "not known whether it was right");
    else if (r->merged)
        certificate_row(out, "its clock", "synchronised on every host, within %s of UTC", within);
    else
        certificate_row(out, "its clock", "synchronised, within %s of UTC (%s)", within,
                        clock->source);
}

static void write_when(const struct result *r, struct document *out)
{
    static const char *const where[] = {"host", NULL};
    char length[NUMBER_BUFFER];
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    document_heading(out, "When and where");
    if (!r->merged)
        certificate_write_date(facts_find(&r->settings, "origin", "date"), out);
    else if (r->merged->begin[0])
        certificate_row(out, "date", "%s to %s", r->merged->begin, r->merged->end);
    if (elapsed && !isnan(elapsed->value))
        certificate_row(out, "how long", "%s",
                        number_seconds(length, sizeof length, elapsed->value));
    if (r->repeat)
        certificate_row(out, "sessions", "%zu of %zu asked for, over %s", r->repeat->counted,
                        r->repeat->asked,
                        number_seconds(length, sizeof length, r->repeat->spread_seconds));
    write_clock(r, out);
    write_settings(r, where, out);
    if (r->merged)
        certificate_row(out, "hosts", "%llu, in %llu sources", (unsigned long long)r->merged->hosts,
                        (unsigned long long)r->merged->sources);
    certificate_write_machine(r->hardware, out);
    bool known = !isnan(r->others.processors);
    certificate_row(out, "state", "%s%s", r->busy[0] ? "BUSY: " : "",
                    r->busy[0] ? r->busy
                    : known    ? "idle: nobody else had enough of it to move the numbers"
                               : "not known whether others were at work on it");
}

/* ---- the figures ---- */

static void write_figure(const struct result_row *row, struct document *out)
{
    const struct metric *metric = metric_of(row->metric);
    struct number_scale scale = number_scale_of(metric->kind, row->value, row->low, row->high);
    char name[64], value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER],
        arm[NUMBER_BUFFER];
    snprintf(name, sizeof name, "%s %s", strcmp(row->op, "all") ? row->op : "", metric->title);
    const char *shown = name + (*name == ' ');
    char repetition[2 * NUMBER_BUFFER + 40] = "";
    if (result_is_predicted(row))
        snprintf(repetition, sizeof repetition, "; a repetition should give %s to %s",
                 number_scaled(low, sizeof low, &scale, row->next_low),
                 number_scaled(high, sizeof high, &scale, row->next_high));
    if (isnan(row->value))
        certificate_row(out, shown, "%s", row->note[0] ? row->note : "no value");
    else if (isfinite(row->low) && isfinite(row->high))
        certificate_row(out, shown, "%s (%s), %.4g %% interval %s to %s%s",
                        number_scaled(value, sizeof value, &scale, row->value),
                        number_plus_minus(arm, sizeof arm, row->value, row->low, row->high),
                        100 * row->confidence, number_scaled(low, sizeof low, &scale, row->low),
                        number_scaled(high, sizeof high, &scale, row->high), repetition);
    else
        certificate_row(out, shown, "%s",
                        number_value(value, sizeof value, metric->kind, row->value));
}

/* Writes the figures of the target; the program's own cost is not one of them. */
static void write_figures(const struct result *r, struct document *out)
{
    document_heading(out, "Figures");
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].metric <= METRIC_LATENCY_MAX || r->rows[i].metric == METRIC_ERRORS)
            write_figure(&r->rows[i], out);
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning)
            certificate_add_row(out, "warning", r->notes[i].text);
}

/* ---- the parts ---- */

static void write_result(const struct result *r, struct document *out)
{
    static const char *const target[] = {"kind of target", "size of target", "direct I/O", NULL};
    static const char *const method[] = {"preset", "precision", "methods", "backend",
                                         "seed",   "command",   NULL};
    const char *path = facts_find(&r->settings, "target", "target");
    write_clauses(r, out);
    write_rates(r, out);
    write_labels(&r->labels, out);
    document_heading(out, "What was measured");
    certificate_add_row(out, "target", path ? path : r->target);
    write_settings(r, target, out);
    certificate_add_row(out, "workload", r->workload);
    certificate_write_disks(r, out);
    write_when(r, out);
    write_figures(r, out);
    document_heading(out, "How it was measured");
    write_settings(r, method, out);
    const char *version = facts_find(&r->settings, "origin", "cupel");
    certificate_row(out, "measured by", "%s%s", version ? "cupel " : "programs that do not say so",
                    version ? version : "");
}

static void write_files(const struct certificate *c, struct document *out)
{
    document_heading(out, "Computed from");
    if (!c->file_count)
        certificate_add_sentence(out,
                                 "nothing that was kept: this page cannot be computed again, and "
                                 "proves nothing (-o DIR keeps the record)");
    else
        certificate_add_sentence(out, "these files, with their SHA-256:");
    for (size_t i = 0; i < c->file_count; i++)
        certificate_add_file(out, &c->files[i]);
}

void certificate_write(const struct certificate *c, struct document *out)
{
    write_verdict(c, out);
    if (c->qualification) {
        write_labels(&c->qualification->labels, out);
        certificate_write_qualification(c->qualification, out);
    } else {
        write_result(c->result, out);
    }
    certificate_row(out, CERTIFICATE_MADE_BY, "cupel %s", c->version);
    write_files(c, out);
}
