/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the first lines of the report: the number, whether it is decided and why not, and the
   phases. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "facts/result.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/report.h"
#include "report/run/sections.h"

struct verdict_words {
    const char *lead;
    enum tone tone;
    const char *before_number;
    /* lead that replaces `lead` if other programs changed the result; NULL: never replaced */
    const char *busy;
};

static const struct verdict_words words_of[] = {
    [VERDICT_PRECISE] = {"PRECISE: ", TONE_GREEN, "", "PRECISE ON A BUSY MACHINE: "},
    [VERDICT_LIMIT] = {"NOT DECIDED: ", TONE_YELLOW, "so far ", NULL},
    [VERDICT_INTERRUPTED] = {"INTERRUPTED: ", TONE_YELLOW, "until then ", NULL},
    [VERDICT_FAILED] = {"FAILED: ", TONE_RED, "before that ", NULL},
    [VERDICT_CUT_SHORT] = {"CUT SHORT: ", TONE_YELLOW, "until then ", NULL},
    [VERDICT_COMPLETE] = {"COMPLETE: ", TONE_GREEN, "", "COMPLETE ON A BUSY MACHINE: "},
    [VERDICT_SATURATED] = {"NOT KEPT UP: ", TONE_YELLOW, "", NULL},
    [VERDICT_SUSPENDED] = {"NOT DECIDED: ", TONE_YELLOW, "until then ", NULL},
    [VERDICT_DECIDED] = {"MEASURED: ", TONE_PLAIN, "", "MEASURED ON A BUSY MACHINE: "},
    [VERDICT_MEASURED] = {"MEASURED: ", TONE_GREEN, "", "MEASURED ON A BUSY MACHINE: "},
    [VERDICT_DAMAGED] = {"DAMAGED: ", TONE_RED, "what is left gives ", NULL},
    [VERDICT_UNCONFIRMED] = {"NOT CONFIRMED: ", TONE_YELLOW, "", NULL},
    [VERDICT_BOTTLENECK] = {"NOT DECIDED: ", TONE_YELLOW, "", NULL},
    [VERDICT_MERGED] = {"MERGED: ", TONE_GREEN, "", NULL},
    /* lead_of completes or replaces the words of the next five rows, with the kind of the target or
       of the level's movement */
    [VERDICT_BEST_POSSIBLE] = {"AS PRECISE AS THIS", TONE_YELLOW, "", NULL},
    [VERDICT_UNSETTLED] = {"FOR THIS TIME ONLY", TONE_YELLOW, "", NULL},
    [VERDICT_NO_LEVEL] = {"LEVEL WANDERS", TONE_YELLOW, "", NULL},
    [VERDICT_MOVES] = {"STILL MOVING", TONE_YELLOW, "", NULL},
    [VERDICT_CYCLES] = {"TOO FEW CYCLES", TONE_YELLOW, "", NULL},
};

static bool has_interval(const struct result_row *row)
{
    return isfinite(row->low) && isfinite(row->high);
}

/* Returns true if a width was requested. A complete pass has none. */
static bool width_was_asked(const struct result *r)
{
    return r->target_width > 0 && r->verdict != VERDICT_COMPLETE;
}

static double interval_width(const struct result_row *row)
{
    return has_interval(row) && row->value != 0 ? (row->high - row->low) / fabs(row->value)
                                                : INFINITY;
}

static bool has_open_clause(const struct result *r)
{
    for (size_t i = 0; i < r->clause_count; i++)
        if (!r->clauses[i].is_width && r->clauses[i].verdict == CLAUSE_UNDECIDED)
            return true;
    return false;
}

const struct result_series *headline_series(const struct result *r)
{
    for (size_t i = 0; i < r->series_count; i++)
        if (!strcmp(r->series[i].name, metric_of(r->headline)->name))
            return &r->series[i];
    return r->series_count > 0 ? &r->series[0] : NULL;
}

bool headline_phase(const struct result *r, struct phase_view *view)
{
    const struct result_series *s = headline_series(r);
    if (!s || s->count == 0)
        return false;
    *view = (struct phase_view){.phase = r->phase,
                                .search = r->search,
                                .no_level = r->claim.state != LEVEL_HOLDS,
                                .stable_begin = s->stable_begin,
                                .stable_end = s->stable_end,
                                .count = s->count,
                                .changepoints = s->changepoints,
                                .changepoint_count = s->changepoint_count,
                                .slice_seconds = s->slice_seconds};
    /* The bandwidth in the same slices gives the number of transferred bytes. */
    for (size_t i = 0; i < r->series_count && !view->bandwidth; i++)
        if (r->series[i].kind == METRIC_KIND_BYTE_RATE && r->series[i].count == s->count)
            view->bandwidth = r->series[i].values;
    return true;
}

static void add_headline(const struct result *r, const struct result_row *row, struct text *out)
{
    const struct metric *metric = metric_of(row->metric);
    struct number_scale scale = number_scale_of(metric->kind, row->value, row->low, row->high);
    char value[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], arm[NUMBER_BUFFER];
    const char *op = result_op_word(r, row->op);
    text_addf(out, "%s%s%s %s", number_scaled(value, sizeof value, &scale, row->value),
              *op ? " " : "", op, result_title(r, row->metric));
    if (!has_interval(row)) {
        bool none_asked = r->verdict == VERDICT_PRECISE || !width_was_asked(r);
        text_add(out, none_asked ? "" : ", too few readings for an interval");
        return;
    }
    text_addf(out, ", %g %% interval %s to %s (%s)", 100 * row->confidence,
              number_scaled(low, sizeof low, &scale, row->low),
              number_scaled(high, sizeof high, &scale, row->high),
              number_plus_minus(arm, sizeof arm, row->value, row->low, row->high));
}

const struct result_row *elapsed_row(const struct result *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (r->rows[i].metric == METRIC_ELAPSED && !isnan(r->rows[i].value))
            return &r->rows[i];
    return NULL;
}

/* Adds the words of the first line after its lead: the number, and what may have changed the
   number. */
static void add_first_words(const struct result *r, const struct result_row *row, bool full,
                            struct text *line)
{
    const struct verdict_words *words = &words_of[r->verdict];
    if (r->verdict == VERDICT_FAILED)
        text_addf(line, "%s; ", r->failure[0] ? r->failure : "the target failed");
    text_add(line, words->before_number);
    if (r->verdict == VERDICT_COMPLETE && !r->repeat) {
        /* writes "one pass of 60.0 s, 5.00k requests per second, " */
        char value[NUMBER_BUFFER];
        const struct result_row *elapsed = elapsed_row(r), *completed = timing_completed(r);
        text_add(line, "one pass");
        if (elapsed)
            text_addf(line, " of %s", number_seconds(value, sizeof value, elapsed->value));
        if (completed)
            text_addf(line, ", %s requests per second",
                      number_value(value, sizeof value, METRIC_KIND_COUNT_RATE, completed->value));
        text_add(line, ", ");
    }
    if (r->verdict == VERDICT_SATURATED)
        timing_add_saturation(r, line);
    else if (row && verdict_is_of_level(r->verdict))
        level_add_stretch(r, row, line);
    else if (row)
        add_headline(r, row, line);
    else
        text_add(line, "nothing was measured");
    if (row && r->verdict == VERDICT_BEST_POSSIBLE)
        level_add_price(r, line);
    clauses_add_numbers(r, row, line);
    repeat_add_promise(r, line);
    const struct result_part *bottleneck = result_bottleneck(r, NULL);
    if (r->busy[0] && line->length > 0 && line->data[line->length - 1] == '.')
        line->data[--line->length] = '\0'; /* no full stop, as the sentence continues */
    if (bottleneck && row && r->verdict != VERDICT_SATURATED && full) {
        text_addf(line, ", not the %s: ", result_target_word(r));
        bottleneck_add_saturation(bottleneck, line);
    }
    if (r->busy[0] && full)
        text_addf(line, ", while %s", r->busy);
}

/* Returns the row of the headline, or NULL if nothing was measured. */
static const struct result_row *headline_row(const struct result *r)
{
    const struct result_row *row = result_find(r, r->headline, r->headline_op);
    return row && !isnan(row->value) ? row : NULL;
}

/* Returns true if a complete pass had a growing backlog, so that its response times mostly show how
   long requests waited in the backlog. */
static bool is_pass_not_kept_up(const struct result *r)
{
    return r->backlog && r->verdict == VERDICT_COMPLETE;
}

enum { LEAD_WORDS = LEVEL_CLAIM_WORDS + 8 };

/* Returns the lead of the first line: a constant, or text written to `to`. */
static const char *lead_of(const struct result *r, char *to, size_t size)
{
    const struct verdict_words *words = &words_of[r->verdict];
    char level[LEVEL_CLAIM_WORDS];
    if (r->verdict == VERDICT_BEST_POSSIBLE) {
        int used = snprintf(to, size, "%s %s ALLOWS: ", words->lead,
                            r->busy[0] ? "busy machine" : result_target_word(r));
        for (int i = 0; i < used; i++)
            to[i] = (char)toupper((unsigned char)to[i]);
        return to;
    }
    if (verdict_is_of_level(r->verdict) || r->verdict == VERDICT_UNSETTLED) {
        if (r->verdict == VERDICT_UNSETTLED)
            level_doubt_lead(level, sizeof level, &r->claim);
        else
            level_claim_lead(level, sizeof level, &r->claim);
        snprintf(to, size, "%s: ", *level ? level : words->lead);
        return to;
    }
    if (is_pass_not_kept_up(r))
        return words_of[VERDICT_SATURATED].lead;
    return r->busy[0] && words->busy ? words->busy : words->lead;
}

void section_number(const struct result *r, struct document *out)
{
    const struct result_row *row = headline_row(r);
    const struct verdict_words *words = &words_of[r->verdict];
    struct text line = {0};
    char lead[LEAD_WORDS];
    add_first_words(r, row, out->style.full, &line);
    bool reservation =
        (r->saturated || r->busy[0] || result_bottleneck(r, NULL)) && words->tone == TONE_GREEN;
    document_paragraph_from(out, lead_of(r, lead, sizeof lead),
                            reservation ? TONE_YELLOW : words->tone, &line);
}

void report_line(const struct result *r, struct text *out)
{
    char lead[LEAD_WORDS];
    text_add(out, lead_of(r, lead, sizeof lead));
    add_first_words(r, headline_row(r), true, out);
}

static void add_width(const struct result *r, const struct result_row *row, struct text *out)
{
    char width[NUMBER_BUFFER], asked[NUMBER_ASKED];
    number_asked(asked, sizeof asked, r->target_width, r->width_given);
    if (!has_interval(row))
        text_addf(out, "there are too few readings for an interval; %s was asked for", asked);
    else
        text_addf(out, "the interval is %s; %s was asked for",
                  number_precision(width, sizeof width, interval_width(row)), asked);
}

/* Adds what else was missing at the limit, although the interval is narrow enough. */
static void add_lack(const struct result *r, struct text *out)
{
    char words[RESULT_LACK_WORDS];
    result_lack_words(r, words, sizeof words);
    text_addf(out, "the interval is narrow enough%s%s.", *words ? ", but " : "", words);
}

static void add_limit_reason(const struct result *r, const struct result_row *row, struct text *out)
{
    bool steady = strcmp(r->phase, "no_steady_state") != 0;
    text_add(out, "The session limit came first: ");
    if (!(interval_width(row) <= r->target_width)) {
        add_width(r, row, out);
        text_add(out, steady ? ". A longer --limit or a wider --ci would decide it." : ".");
    } else if (!steady) {
        text_add(out, "the interval is narrow enough, but there is no steady level for it to be "
                      "an interval of.");
    } else {
        add_lack(r, out);
        text_add(out, " A longer --limit would decide it.");
    }
}

/* Ends the first sentence of a reason with the reached and the requested width, if one was
   requested. */
static void add_width_asked(const struct result *r, const struct result_row *row, struct text *out)
{
    if (width_was_asked(r)) {
        text_add(out, ": ");
        add_width(r, row, out);
    }
    text_add(out, ".");
}

/* Adds the reason for a result over several sessions. */
static void add_repeat_reason(const struct result *r, const struct result_row *row,
                              struct text *out)
{
    const struct result_repeat *repeat = r->repeat;
    switch (r->verdict) {
    case VERDICT_PRECISE:
        text_add(out, "As precise as asked");
        break;
    case VERDICT_COMPLETE:
        text_addf(out, "Measured %zu times, from begin to end.", repeat->counted);
        return;
    case VERDICT_INTERRUPTED:
        text_addf(out, "A signal ended it after %zu of %zu sessions", repeat->counted,
                  repeat->asked);
        break;
    case VERDICT_FAILED:
        text_addf(out, "What the %zu sessions before measured stands", repeat->counted);
        break;
    case VERDICT_CUT_SHORT:
        text_addf(out,
                  "%zu of %zu sessions are there whole: the program was killed, or what is "
                  "missing was lost",
                  repeat->counted, repeat->asked);
        break;
    default:
        repeat_add_lack(r, out);
    }
    add_width_asked(r, row, out);
    if (repeat->required > repeat->asked)
        text_addf(out, " About %zu sessions would be needed (--repeat).", repeat->required);
}

/* Adds what is wrong with the record. */
static void add_record_reason(const struct result *r, const struct result_row *row,
                              struct text *out)
{
    bool width_asked = width_was_asked(r);
    switch (r->verdict) {
    case VERDICT_CUT_SHORT:
        text_add(out, "The record has no end: the program was killed, or the end was lost. As "
                      "far as it can be read ");
        if (width_asked)
            add_width(r, row, out);
        else
            text_add(out, result_missed(r));
        text_add(out, ".");
        break;
    case VERDICT_DAMAGED:
        text_add(out,
                 "The record is not as it was written; the warnings say what is wrong with it");
        add_width_asked(r, row, out);
        break;
    case VERDICT_UNCONFIRMED:
        text_add(out, "The record says that the session was at its end; computed again from its "
                      "readings it was not: ");
        if (!width_asked) {
            text_addf(out, "%s.", result_missed(r));
        } else if (interval_width(row) <= r->target_width) {
            add_lack(r, out);
        } else {
            add_width(r, row, out);
            text_add(out, ".");
        }
        break;
    default:
        break;
    }
}

/* Adds why the number is decided, or why it is not. */
static void add_reason(const struct result *r, const struct result_row *row, struct text *out)
{
    bool width_asked = width_was_asked(r);
    if (r->repeat) {
        add_repeat_reason(r, row, out);
        return;
    }
    switch (r->verdict) {
    case VERDICT_PRECISE:
        text_add(out, "As precise as asked");
        add_width_asked(r, row, out);
        text_add(out, " It is the interval of this stretch of time; what is true of the machine at "
                      "other times takes several sessions (--repeat).");
        break;
    case VERDICT_LIMIT:
        if (width_asked)
            add_limit_reason(r, row, out);
        else
            text_addf(out, "The session limit came first: %s.", result_missed(r));
        break;
    case VERDICT_INTERRUPTED:
        if (width_asked)
            text_add(out, "A signal ended it before the precision was reached");
        else
            text_addf(out, "A signal ended it: %s", result_missed(r));
        add_width_asked(r, row, out);
        break;
    case VERDICT_FAILED:
        text_add(out, "What was measured before the failure stands");
        add_width_asked(r, row, out);
        break;
    case VERDICT_COMPLETE:
        text_add(out, "Measured once, from begin to end.");
        break;
    case VERDICT_DECIDED:
        text_addf(out, "Measured until %s; the numbers are as precise as they are by then.",
                  has_open_clause(r) ? "a clause was broken (--stop-on-violation)"
                                     : "every clause was decided");
        break;
    case VERDICT_MEASURED:
        text_add(out, "Measured as long as --runtime asked for.");
        break;
    case VERDICT_SATURATED:
        break; /* the first line already says so */
    case VERDICT_SUSPENDED:
        text_add(out, "cupel itself was stopped before the pass was at its end, and what falls due "
                      "then has no time of its own: it has to be measured again.");
        break;
    case VERDICT_BOTTLENECK:
        text_addf(out, "With --strict-bottleneck this is no valid measurement (%s).", r->invalid);
        break;
    case VERDICT_MERGED:
        merged_add_sources(r, out);
        break;
    case VERDICT_UNSETTLED:
        text_add(out, "As precise as asked");
        add_width_asked(r, row, out);
        text_add(out, " ");
        level_add_reason(r, out);
        break;
    case VERDICT_BEST_POSSIBLE:
    case VERDICT_NO_LEVEL:
    case VERDICT_MOVES:
    case VERDICT_CYCLES:
        level_add_reason(r, out);
        break;
    case VERDICT_CUT_SHORT:
    case VERDICT_DAMAGED:
    case VERDICT_UNCONFIRMED:
        add_record_reason(r, row, out);
        break;
    case VERDICTS:
        break;
    }
}

/* Prints that the target did not keep up, unless the first line says so, and what that means for
   response times. */
static void print_saturation(const struct result *r, struct document *out)
{
    bool reported = r->verdict == VERDICT_SATURATED;
    struct text words = {0};
    if (!r->saturated)
        return;
    if (!reported) {
        timing_add_saturation(r, &words);
        text_add(&words, " ");
    }
    /* Phases and replays have their own end; a longer limit does not make them longer. */
    bool one_pass = r->phase_count > 0 || r->fidelity_count > 0 || r->verdict == VERDICT_COMPLETE;
    text_addf(&words, "%s; only the service time speaks for the target.",
              one_pass ? "Response times are those of this pass with its backlog"
                       : "Response times grow with the length of the test");
    const bool has_lead = reported || is_pass_not_kept_up(r);
    document_paragraph_from(out, has_lead ? "" : words_of[VERDICT_SATURATED].lead,
                            reported ? TONE_PLAIN : TONE_YELLOW, &words);
}

void section_workload(const struct result *r, struct document *out)
{
    /* writes "randread 4 KiB, iodepth 1, 1 job on /dev/nvme0n1, in 60.2 s" */
    char target[sizeof r->target], seconds[NUMBER_BUFFER];
    struct text words = {0};
    text_addf(&words, "%s on %s", r->workload,
              layout_shorten(target, sizeof target, r->target, layout_width(&out->style) - 10));
    const struct result_row *elapsed = elapsed_row(r);
    if (elapsed && !r->repeat)
        text_addf(&words, ", in %s", number_seconds(seconds, sizeof seconds, elapsed->value));
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

void section_verdict(const struct result *r, struct document *out)
{
    const struct result_row *row = headline_row(r);
    struct text words = {0};
    section_number(r, out);
    section_repetition(r, out);
    section_workload(r, out);
    print_saturation(r, out);
    if (row)
        add_reason(r, row, &words);
    if (row && r->busy[0] && !out->style.page) /* on a page, section_advice says so */
        text_add(&words, " The number is of a busy machine, not of the target alone: measure again "
                         "when it is idle.");
    struct phase_view view;
    if (width_was_asked(r) && !r->saturated && !verdict_is_of_level(r->verdict) &&
        headline_phase(r, &view)) {
        text_add(&words, " ");
        phase_sentences(&view, &words);
    }
    if (words.length > 0)
        document_paragraph_from(out, "", TONE_PLAIN, &words);
}
