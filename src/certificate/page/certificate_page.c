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
static void write_done(const struct certificate *c, const struct certificate_writer *w)
{
    const struct result *r = c->result;
    if (r && !all_pass(r))
        w->verdict(w->out, "UNDECIDED, NOT PASSED", TONE_YELLOW, "not every limit is decided");
    else if (r && r->rates)
        w->verdict(w->out, "MEASURED", TONE_PLAIN, "the rate up to which the limits hold");
    else if (r && !count_limits(r))
        w->verdict(w->out, "MEASURED", TONE_PLAIN,
                   "no limit was asked for: these are figures, and no verdict on them");
    else
        w->verdict(w->out, "PASSED", TONE_GREEN, "every limit that was asked for is kept");
}

/* Writes the verdict; its word follows from the exit status, so that only one place judges. */
static void write_verdict(const struct certificate *c, const struct certificate_writer *w)
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
        write_done(c, w);
        break;
    case ERR_FAILED:
        w->verdict(w->out, "NOT PASSED", TONE_RED, words);
        break;
    case ERR_UNDECIDED:
        w->verdict(w->out, "UNDECIDED, NOT PASSED", TONE_YELLOW, words);
        break;
    default:
        w->verdict(w->out, "NO RESULT, NOT PASSED", TONE_RED, words);
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
static void write_judged_by(const struct result *r, const struct certificate_writer *w)
{
    struct text text = {0};
    for (size_t i = 0; r->judged_afterwards && i < r->clause_count; i++)
        text_addf(&text, "%s%s", i ? ", " : "", r->clauses[i].text);
    if (text.length)
        w->row(w->out, CERTIFICATE_JUDGED_BY, text.data);
    w->out->failed |= text.failed;
    text_free(&text);
}

static void write_clauses(const struct result *r, const struct certificate_writer *w)
{
    static const char *const words[] = {[CLAUSE_UNDECIDED] = "UNDECIDED",
                                        [CLAUSE_PASSED] = "passed",
                                        [CLAUSE_FAILED] = "NOT PASSED"};
    if (!r->clause_count)
        return;
    w->heading(w->out, "Limits");
    for (size_t i = 0; i < r->clause_count; i++) {
        const struct result_clause *c = &r->clauses[i];
        struct text text = {0};
        text_addf(&text, "%s: ", c->text);
        add_value(&text, c);
        w->row(w->out, c->is_width && c->verdict == CLAUSE_PASSED ? "reached" : words[c->verdict],
               layout_string(&text));
        w->out->failed |= text.failed;
        text_free(&text);
    }
    write_judged_by(r, w);
    if (count_limits(r))
        certificate_row(
            w, "confidence",
            "%.4g %% that none of these limits is decided wrongly, all of them together",
            100 * r->clause_confidence);
}

static void write_rates(const struct result *r, const struct certificate_writer *w)
{
    if (!r->rates)
        return;
    const struct result_rates *rates = r->rates;
    char holds[NUMBER_BUFFER], fails[NUMBER_BUFFER];
    w->heading(w->out, "Limits");
    certificate_row(w, "searched", "the highest rate at which %.200s", rates->clauses);
    certificate_row(w, "holds", "%s",
                    rates->holds > 0
                        ? number_value(holds, sizeof holds, METRIC_KIND_COUNT_RATE, rates->holds)
                        : "at no rate that was tried");
    certificate_row(w, "fails", "%s",
                    isfinite(rates->fails)
                        ? number_value(fails, sizeof fails, METRIC_KIND_COUNT_RATE, rates->fails)
                        : "at no rate that was tried");
    certificate_row(w, "confidence", "%.4g %% that both are right", 100 * rates->confidence);
}

/* ---- who, what, when ---- */

static void write_labels(const struct labels *labels, const struct certificate_writer *w)
{
    struct label label;
    size_t at = 0;
    if (!labels_next(labels, &at, &label))
        return;
    w->heading(w->out, "Given by whoever measured");
    do
        w->row(w->out, label.key, label.value);
    while (labels_next(labels, &at, &label));
}

static void write_settings(const struct result *r, const char *const keys[],
                           const struct certificate_writer *w)
{
    for (; *keys; keys++) {
        const char *value = facts_find(&r->settings, NULL, *keys);
        if (value)
            w->row(w->out, *keys, value);
    }
}

/* Writes the clock's state as a time service reported it. */
static void write_clock(const struct result *r, const struct certificate_writer *w)
{
    const struct result_clock *clock = &r->clock;
    char bound[NUMBER_BUFFER];
    double error = r->merged ? r->merged->clock_error_ns : clock->error_ns;
    const char *within = number_seconds(bound, sizeof bound, error * 1e-9);
    if (r->merged && r->merged->clocks == 1)
        w->row(w->out, "its clock", "one for all sources; not known whether it was right");
    else if (!isfinite(error))
        w->row(w->out, "its clock",
               clock->looked ? "not synchronised by any time service: the date is what it said, "
                               "and nothing vouches for it"
                             : "not known whether it was right");
    else if (r->merged)
        certificate_row(w, "its clock", "synchronised on every host, within %s of UTC", within);
    else
        certificate_row(w, "its clock", "synchronised, within %s of UTC (%s)", within,
                        clock->source);
}

static void write_when(const struct result *r, const struct certificate_writer *w)
{
    static const char *const where[] = {"host", NULL};
    char length[NUMBER_BUFFER];
    const struct result_row *elapsed = result_find(r, METRIC_ELAPSED, "all");
    w->heading(w->out, "When and where");
    if (!r->merged)
        certificate_write_date(facts_find(&r->settings, "origin", "date"), w);
    else if (r->merged->begin[0])
        certificate_row(w, "date", "%s to %s", r->merged->begin, r->merged->end);
    if (elapsed && !isnan(elapsed->value))
        certificate_row(w, "how long", "%s", number_seconds(length, sizeof length, elapsed->value));
    if (r->repeat)
        certificate_row(w, "sessions", "%zu of %zu asked for, over %s", r->repeat->counted,
                        r->repeat->asked,
                        number_seconds(length, sizeof length, r->repeat->spread_seconds));
    write_clock(r, w);
    write_settings(r, where, w);
    if (r->merged)
        certificate_row(w, "hosts", "%llu, in %llu sources", (unsigned long long)r->merged->hosts,
                        (unsigned long long)r->merged->sources);
    certificate_write_machine(r->hardware, w);
    bool known = !isnan(r->others.processors);
    certificate_row(w, "state", "%s%s", r->busy[0] ? "BUSY: " : "",
                    r->busy[0] ? r->busy
                    : known    ? "idle: nobody else had enough of it to move the numbers"
                               : "not known whether others were at work on it");
}

/* ---- the figures ---- */

static void write_figure(const struct result_row *row, const struct certificate_writer *w)
{
    const struct metric *metric = metric_of(row->metric);
    struct number_scale scale = number_scale_of(metric->kind, row->value, row->low, row->high);
    char name[64], value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER],
        arm[NUMBER_BUFFER];
    snprintf(name, sizeof name, "%s %s", strcmp(row->op, "all") ? row->op : "", metric->title);
    const char *shown = name + (*name == ' ');
    if (isnan(row->value))
        certificate_row(w, shown, "%s", row->note[0] ? row->note : "no value");
    else if (isfinite(row->low) && isfinite(row->high))
        certificate_row(w, shown, "%s (%s), %.4g %% interval %s to %s",
                        number_scaled(value, sizeof value, &scale, row->value),
                        number_plus_minus(arm, sizeof arm, row->value, row->low, row->high),
                        100 * row->confidence, number_scaled(low, sizeof low, &scale, row->low),
                        number_scaled(high, sizeof high, &scale, row->high));
    else
        certificate_row(w, shown, "%s",
                        number_value(value, sizeof value, metric->kind, row->value));
}

/* Writes the figures of the target; the program's own cost is not one of them. */
static void write_figures(const struct result *r, const struct certificate_writer *w)
{
    w->heading(w->out, "Figures");
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].metric <= METRIC_LATENCY_MAX || r->rows[i].metric == METRIC_ERRORS)
            write_figure(&r->rows[i], w);
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning)
            w->row(w->out, "warning", r->notes[i].text);
}

/* ---- the parts ---- */

static void write_result(const struct result *r, const struct certificate_writer *w)
{
    static const char *const target[] = {"kind of target", "size of target", "direct I/O", NULL};
    static const char *const method[] = {"preset", "precision", "methods", "backend",
                                         "seed",   "command",   NULL};
    const char *path = facts_find(&r->settings, "target", "target");
    write_clauses(r, w);
    write_rates(r, w);
    write_labels(&r->labels, w);
    w->heading(w->out, "What was measured");
    w->row(w->out, "target", path ? path : r->target);
    write_settings(r, target, w);
    w->row(w->out, "workload", r->workload);
    certificate_write_disks(r, w);
    write_when(r, w);
    write_figures(r, w);
    w->heading(w->out, "How it was measured");
    write_settings(r, method, w);
    const char *version = facts_find(&r->settings, "origin", "cupel");
    certificate_row(w, "measured by", "%s%s", version ? "cupel " : "programs that do not say so",
                    version ? version : "");
}

static void write_files(const struct certificate *c, const struct certificate_writer *w)
{
    w->heading(w->out, "Computed from");
    if (!c->file_count)
        w->sentence(w->out, "nothing that was kept: this page cannot be computed again, and "
                            "proves nothing (-o DIR keeps the record)");
    else
        w->sentence(w->out, "these files, with their SHA-256:");
    for (size_t i = 0; i < c->file_count; i++)
        w->file(w->out, &c->files[i]);
}

void certificate_write(const struct certificate *c, const struct certificate_writer *w)
{
    write_verdict(c, w);
    if (c->qualification) {
        write_labels(&c->qualification->labels, w);
        certificate_write_qualification(c->qualification, w);
    } else {
        write_result(c->result, w);
    }
    certificate_row(w, CERTIFICATE_MADE_BY, "cupel %s", c->version);
    write_files(c, w);
}
