/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a search for a rate: the answer, and the measurement at each rate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"
#include "report/run/sections.h"

enum {
    NUMBER_WIDTH = 4,
    RATE_WIDTH = 9,
    VALUE_WIDTH = 10,
    END_WIDTH = 9,
    VERDICT_WIDTH = 10,
    SECONDS_WIDTH = 8,
    PROBES_MAX = 64
};

static char *rate_words(char to[NUMBER_BUFFER], double rate)
{
    char number[NUMBER_BUFFER - 2];
    number_value(number, sizeof number, METRIC_KIND_COUNT_RATE, rate);
    snprintf(to, NUMBER_BUFFER, "%s/s", number);
    return to;
}

/* ---- the answer ---- */

static void add_answer(const struct result_rates *rates, struct text *out)
{
    char holds[NUMBER_BUFFER], fails[NUMBER_BUFFER], ceiling[NUMBER_BUFFER], share[NUMBER_BUFFER];
    text_addf(out, "%s ", rates->clauses);
    if (rates->holds > 0)
        text_addf(out, "holds at %s", rate_words(holds, rates->holds));
    if (isfinite(rates->fails))
        text_addf(out, "%sfails at %s", rates->holds > 0 ? ", " : "",
                  rate_words(fails, rates->fails));
    if (!(rates->holds > 0) && !isfinite(rates->fails))
        text_add(out, "is not decided at any rate");
    else
        text_addf(out, ", at %s confidence%s",
                  number_percent(share, sizeof share, rates->confidence),
                  rates->holds > 0 && isfinite(rates->fails) ? " for both together" : "");
    if (rates->ceiling < rates->fails)
        text_addf(out, "; this machine cannot issue %s", rate_words(ceiling, rates->ceiling));
}

/* Adds why the range between the highest good and the lowest bad rate is no narrower, or what the
   answer is based on. */
static void add_reason(const struct result *r, struct text *out)
{
    const struct result_rates *rates = r->rates;
    char width[NUMBER_BUFFER], asked[NUMBER_ASKED], rate[NUMBER_BUFFER];
    number_asked(asked, sizeof asked, rates->asked, r->width_given);
    if (rates->narrow)
        text_addf(out, "The answer lies between them, %s; %s (--ci) was asked for.",
                  number_precision(width, sizeof width, rates->width), asked);
    else if (rates->machine)
        text_add(out, "It holds at the highest rate that this machine can issue: the target's own "
                      "limit is above it.");
    else if (rates->none)
        text_add(out, "That is the lowest rate that was tried, 1 % of what the target completes "
                      "without a rate.");
    else if (r->verdict == VERDICT_FAILED)
        text_addf(out, "%s.", r->failure[0] ? r->failure : "The target failed");
    else if (r->verdict == VERDICT_INTERRUPTED)
        text_add(out, "A signal ended the search.");
    else if (isfinite(rates->width))
        text_addf(
            out,
            "The answer lies between them, %s; %s (--ci) was asked for: a longer --limit gives "
            "probes that are this close to the answer more time.",
            number_precision(width, sizeof width, rates->width), asked);
    else
        text_add(out, "A longer --limit gives the search more time.");
    if (rates->estimate > rates->holds && rates->estimate < rates->fails)
        text_addf(out, " The fitted curve meets the limit at %s.",
                  rate_words(rate, rates->estimate));
    if (rates->saturation > 0)
        text_addf(out, " Without a rate %s were completed.", rate_words(rate, rates->saturation));
}

static void print_answer(const struct result *r, struct document *out)
{
    const struct result_rates *rates = r->rates;
    bool decided = rates->narrow || rates->machine;
    struct text words = {0};
    add_answer(rates, &words);
    document_paragraph_from(out,
                            r->verdict == VERDICT_FAILED        ? "FAILED: "
                            : rates->none                       ? "HOLDS AT NO RATE: "
                            : decided                           ? "HIGHEST RATE: "
                            : r->verdict == VERDICT_INTERRUPTED ? "INTERRUPTED: "
                                                                : "NOT DECIDED: ",
                            r->verdict == VERDICT_FAILED || rates->none ? TONE_RED
                            : decided                                   ? TONE_GREEN
                                                                        : TONE_YELLOW,
                            &words);
    add_reason(r, &words);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* ---- the curve ---- */

static void print_probe(const struct result_probe *p, struct document *out)
{
    char cell[NUMBER_BUFFER];
    snprintf(cell, sizeof cell, "%zu", p->number);
    document_right(out, cell, NUMBER_WIDTH);
    document_right(out, number_value(cell, sizeof cell, METRIC_KIND_COUNT_RATE, p->rate),
                   RATE_WIDTH);
    document_right(out, number_value(cell, sizeof cell, METRIC_KIND_COUNT_RATE, p->iops),
                   RATE_WIDTH);
    document_right(out, number_value(cell, sizeof cell, p->clause.kind, p->clause.value),
                   VALUE_WIDTH);
    document_right(out, number_value(cell, sizeof cell, p->clause.kind, p->low), END_WIDTH);
    document_right(out, number_value(cell, sizeof cell, p->clause.kind, p->high), END_WIDTH);
    document_right(out, number_count(cell, sizeof cell, p->backlog), RATE_WIDTH);
    document_right(out, number_seconds(cell, sizeof cell, p->seconds), SECONDS_WIDTH);
    document_add(out, "  ");
    document_left(out, rate_verdict_name(p->verdict), VERDICT_WIDTH);
    document_end_row(out);
}

static void print_table(const struct result_rates *rates, const unsigned order[], size_t count,
                        struct document *out)
{
    static const struct layout_column titles[] = {
        {"", NUMBER_WIDTH},         {"rate", RATE_WIDTH},    {"done", RATE_WIDTH},
        {"value", VALUE_WIDTH},     {"low", END_WIDTH},      {"high", END_WIDTH},
        {"backlog", RATE_WIDTH},    {"took", SECONDS_WIDTH}, {"", 2},
        {"verdict", -VERDICT_WIDTH}};
    char heading[120];
    bool alike = true;
    for (size_t i = 1; i < count; i++)
        alike &= !strcmp(rates->probes[i].clause.text, rates->probes[0].clause.text);
    snprintf(heading, sizeof heading, "Probes: %.48s against the rate",
             alike ? rates->probes[0].clause.text : "the clause nearest to its limit");
    document_heading(out, heading);
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < count; i++)
        print_probe(&rates->probes[order[i]], out);
    document_paragraph(
        out, "  ", TONE_PLAIN,
        "rate: requests per second that fell due; done: completed; low, high: interval "
        "of the value at the probe's own confidence; backlog: requests that were due "
        "and not issued at the end. A growing backlog fails.");
}

/* Prints a bar that fills `share` of `width` cells. If the bar ends before the limit, the cell of
   the limit is marked. */
static void add_bar(double share, double limit, size_t width, const struct report_style *style,
                    struct text *out)
{
    double end = fmin(fmax(share, 0), 1) * (double)width;
    size_t mark = (size_t)(limit * (double)(width - 1));
    for (size_t i = 0; i < width; i++) {
        if (i == mark && (double)i >= floor(end))
            text_add(out, "|");
        else if ((double)i < floor(end))
            text_add(out, plot_cell(8, style->unicode));
        else
            text_add(out, " ");
    }
}

/* Prints a bar for each probe, sorted by rate: the value relative to its limit, on a logarithmic
   axis. */
static void print_curve(const struct result_rates *rates, const unsigned order[], size_t count,
                        struct document *out)
{
    double least = log(0.5), most = log(2);
    for (size_t i = 0; i < count; i++) {
        const struct result_clause *c = &rates->probes[i].clause;
        if (c->value > 0 && c->limit > 0) {
            least = fmin(least, log(c->value / c->limit));
            most = fmax(most, log(c->value / c->limit));
        }
    }
    least -= 0.05 * (most - least);
    size_t width = layout_width(&out->style) - RATE_WIDTH - 4 - 3 - VERDICT_WIDTH;
    document_heading(out, "Value over its limit (the | is 1), logarithmic, by rate");
    for (size_t i = 0; i < count; i++) {
        const struct result_probe *p = &rates->probes[order[i]];
        const struct result_clause *c = &p->clause;
        char cell[NUMBER_BUFFER];
        bool known = c->value > 0 && c->limit > 0;
        document_right(out, number_value(cell, sizeof cell, METRIC_KIND_COUNT_RATE, p->rate),
                       RATE_WIDTH);
        document_add(out, "/s ");
        struct text bar = {0};
        add_bar(known ? (log(c->value / c->limit) - least) / (most - least) : 0,
                -least / (most - least), width, &out->style, &bar);
        document_add(out, layout_string(&bar));
        text_free(&bar);
        document_addf(out, "  %s", rate_verdict_name(p->verdict));
        document_end_row(out);
    }
}

/* Writes the indices of the probes, sorted by rate, to `order`. Returns their number. */
static size_t by_rate(const struct result_rates *rates, unsigned order[PROBES_MAX])
{
    size_t count = rates && rates->count < PROBES_MAX ? rates->count : rates ? PROBES_MAX : 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && rates->probes[order[at - 1]].rate > rates->probes[i].rate; at--)
            order[at] = order[at - 1];
        order[at] = (unsigned)i;
    }
    return count;
}

void section_rates_answer(const struct result *r, struct document *out)
{
    if (r->rates)
        print_answer(r, out);
}

void section_rates_table(const struct result *r, struct document *out)
{
    unsigned order[PROBES_MAX];
    const size_t count = by_rate(r->rates, order);
    if (count > 0)
        print_table(r->rates, order, count, out);
}

void section_rates_curve(const struct result *r, struct document *out)
{
    unsigned order[PROBES_MAX];
    const size_t count = by_rate(r->rates, order);
    if (count > 0)
        print_curve(r->rates, order, count, out);
}

void section_rates_heading(const struct result *r, struct document *out)
{
    if (r->rates)
        document_heading(out, r->rates->holds > 0   ? "The probe at the highest rate that holds"
                              : r->rates->count > 0 ? "The probe at the lowest rate that was tried"
                                                    : "The session without a rate");
}
