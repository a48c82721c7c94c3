/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a program's rounds as a document: the verdict, what it is based on, the indices, and the
   rounds over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/exec/internal.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/layout/phase.h"
#include "report/layout/screen_fit.h"
#include "report/plot/plot.h"

enum {
    NAME_WIDTH = 18,
    VALUE_WIDTH = 14,
    END_WIDTH = 10,
    ARM_WIDTH = 9,
    COUNT_WIDTH = 7,
};

/* Adds what the requested precision would take, and what may be claimed without it. */
static void add_claim(const struct execution *x, struct text *out)
{
    const struct execution_index *index = execution_slowest(x);
    char words[LEVEL_CLAIM_WORDS];
    if (x->verdict == VERDICT_BEST_POSSIBLE)
        text_addf(
            out,
            "Rounds far apart in time still resemble each other (long memory, d = %.2f): "
            "what was asked for would take %s, so it ended before --limit. ",
            index->claim.memory,
            level_claim_span(words, sizeof words, &index->claim, index->claim.needed_readings));
    else if (x->verdict == VERDICT_UNSETTLED)
        text_addf(out,
                  "A repetition may differ: %s. A longer --limit shows whether it does, the same "
                  "at other times by how much they differ. ",
                  level_doubt_words(words, sizeof words, &index->claim));
    else if (verdict_is_of_level(x->verdict))
        text_add(out, "The number is the mean of these rounds and no more: it says nothing about "
                      "other times. ");
}

static void section_repetition(const struct execution *x, struct document *out)
{
    const struct execution_index *index = x->indices;
    char low[NUMBER_BUFFER], title[64];
    struct text words = {0};
    if (!x->index_count || !isfinite(index->next_low) || !isfinite(index->next_high))
        return;
    struct execution_shown shown = execution_shown_of(index);
    text_addf(&words, "A repetition should give %s to ",
              execution_show(low, sizeof low, &shown, index->next_low));
    execution_add_value(&words, &shown, index->next_high);
    text_addf(&words, " (%g %% prediction of %s).", index->confidence * 100,
              execution_title(index, title, sizeof title));
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static void section_what(const struct execution *x, struct document *out)
{
    struct text words = {0};
    char command[256], elapsed[NUMBER_BUFFER], parameters[600];
    execution_parameter_words(x, parameters, sizeof parameters);
    text_addf(
        &words, "%s%s%s: %zu round%s in %s", parameters, *parameters ? ": " : "",
        layout_shorten(command, sizeof command, x->command, 2 * layout_width(&out->style) - 50),
        x->round_count, x->round_count == 1 ? "" : "s",
        number_seconds(elapsed, sizeof elapsed, x->elapsed_seconds));
    if (x->failed_count)
        text_addf(&words, ", %zu of them failed", x->failed_count);
    if (x->left_out_count)
        text_addf(&words, ", %zu left out", x->left_out_count);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* Adds whether the precision was reached, and what is missing. */
static void add_precision(const struct execution *x, struct text *out)
{
    const struct execution_index *index = execution_slowest(x);
    char width[NUMBER_BUFFER], asked[NUMBER_ASKED], needed[NUMBER_BUFFER], title[64];
    const double shown = execution_shown_width(index);
    const bool judged = shown <= index->target_width && index->width > index->target_width;
    bool share = index->type != INDEX_PROPORTION;
    bool narrow = index->width <= index->target_width;
    if (!(index->target_width > 0))
        return;
    if (x->verdict != VERDICT_MEASURED)
        text_add(out, index->enough || index->held_back ? "As precise as asked: "
                                                        : "Not as precise as asked: ");
    if (isfinite(shown))
        text_addf(out, "the interval of %s is %s%s; %s %s. ",
                  execution_title(index, title, sizeof title),
                  number_precision(width, sizeof width, shown),
                  !share   ? " (of 100 %)"
                  : judged ? ", wider with the allowance for stopping at a narrow one"
                           : "",
                  number_asked(asked, sizeof asked, index->target_width, x->width_given),
                  x->verdict == VERDICT_MEASURED ? "is called precise" : "was asked for");
    else if (index->value == 0)
        text_addf(out,
                  "%s is 0, beside which the width of no interval is a share: with none as its CI "
                  "it is not waited for. ",
                  execution_title(index, title, sizeof title));
    else
        text_addf(out, "%s has no interval yet. ", execution_title(index, title, sizeof title));
    if (index->enough || index->held_back || x->verdict == VERDICT_MEASURED ||
        verdict_is_of_level(x->verdict) || x->verdict == VERDICT_BEST_POSSIBLE)
        return;
    if (narrow && !index->of_units && index->n < x->minimum_rounds)
        text_addf(out, "It takes %llu rounds at least. ", (unsigned long long)x->minimum_rounds);
    else if (isfinite(index->required_n))
        text_addf(out, "About %s rounds are expected to do. ",
                  number_count(needed, sizeof needed, ceil(index->required_n)));
}

static void section_precision(const struct execution *x, struct document *out)
{
    struct text words = {0};
    if (!x->index_count)
        return;
    const struct execution_index *index = x->indices;
    struct phase_view view = {.phase = index->phase,
                              .search = index->search,
                              .no_level = index->claim.state != LEVEL_HOLDS,
                              .stable_begin = index->stable_begin,
                              .stable_end = index->stable_end,
                              .count = index->n,
                              .changepoints = index->changepoints,
                              .changepoint_count = index->changepoint_count};
    if (x->verdict == VERDICT_BOTTLENECK)
        text_addf(&words, "With --strict-bottleneck this is no valid measurement (%s). ",
                  x->failure);
    add_precision(x, &words);
    add_claim(x, &words);
    if (x->busy[0])
        text_addf(&words, "Busy: %s: measure again when the machine is idle. ", x->busy);
    if (*index->phase && !index->of_units && !verdict_is_of_level(x->verdict))
        phase_sentences(&view, &words);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* ---- the tables ---- */

/* Adds a right-aligned cell, with at least one blank before it. */
static void add_cell(struct document *out, const char *words, size_t width)
{
    document_add(out, " ");
    document_right(out, words, width - 1);
}

/* Adds the cells of an index: its name, its value, and the interval `low` to `high`. */
static void add_index(struct document *out, const struct execution_index *index, double low,
                      double high)
{
    struct execution_shown shown = execution_shown_of(index);
    char cell[NUMBER_BUFFER + 24], title[64];
    struct text value = {0};
    document_add(out, "  ");
    document_left(out, execution_title(index, title, sizeof title), NAME_WIDTH);
    execution_add_value(&value, &shown, index->value);
    add_cell(out, layout_string(&value), VALUE_WIDTH);
    text_free(&value);
    /* the "k" or "M" of a rate is written with each number, not in the unit */
    if (strcmp(index->unit, "1/s") != 0)
        shown.scale.suffix = "";
    add_cell(out, execution_show(cell, sizeof cell, &shown, low), END_WIDTH);
    add_cell(out, execution_show(cell, sizeof cell, &shown, high), END_WIDTH);
    add_cell(out, number_arm(cell, sizeof cell, index->value, low, high), ARM_WIDTH);
}

/* Titles of the columns that add_index fills, and of the number of readings. Tables of predictions
   leave out the last two titles. */
static const struct layout_column index_titles[] = {
    {"", -(2 + NAME_WIDTH)}, {"value", VALUE_WIDTH}, {"low", END_WIDTH},     {"high", END_WIDTH},
    {"+-", ARM_WIDTH},       {"n", COUNT_WIDTH},     {"eff. n", COUNT_WIDTH}};
enum { INDEX_TITLES = sizeof index_titles / sizeof *index_titles };

static void section_indices(const struct execution *x, struct document *out)
{
    char heading[64], cell[NUMBER_BUFFER];
    if (!x->index_count)
        return;
    snprintf(heading, sizeof heading, "Indices, with %g %% intervals",
             x->indices[0].confidence * 100);
    document_heading(out, heading);
    document_titles(out, index_titles, INDEX_TITLES);
    for (size_t i = 0; i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        add_index(out, index, index->low, index->high);
        add_cell(out, number_count(cell, sizeof cell, (double)index->used), COUNT_WIDTH);
        add_cell(out, number_count(cell, sizeof cell, floor(index->effective_n)), COUNT_WIDTH);
        document_end_row(out);
    }
}

/* Adds the spread of single readings, and the processor time of the rounds that count. */
static void section_spread(const struct execution *x, struct document *out)
{
    const struct execution_index *index = x->indices;
    struct text words = {0};
    char seconds[NUMBER_BUFFER], title[64];
    const struct execution_usage usage = execution_usage_of(x);
    if (x->index_count && isfinite(index->min) && index->used > 1) {
        struct execution_shown shown = execution_shown_of(index);
        text_addf(&words, "%s from ", execution_title(index, title, sizeof title));
        execution_add_value(&words, &shown, index->min);
        text_add(&words, " to ");
        execution_add_value(&words, &shown, index->max);
        text_add(&words, ", standard deviation ");
        execution_add_value(&words, &shown, index->sd);
        text_add(&words, usage.rounds ? "; " : ".");
    }
    if (usage.rounds) {
        text_addf(&words, "processor time of a round %s user",
                  number_seconds(seconds, sizeof seconds, usage.user_seconds));
        text_addf(&words, ", %s system.",
                  number_seconds(seconds, sizeof seconds, usage.system_seconds));
    }
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
}

static void section_predictions(const struct execution *x, struct document *out)
{
    char heading[80];
    bool begun = false;
    for (size_t i = 0; x->index_count > 1 && i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        if (!isfinite(index->next_low) || !isfinite(index->next_high))
            continue;
        if (!begun) {
            snprintf(heading, sizeof heading,
                     "A repetition should give, with %g %% prediction intervals",
                     index->confidence * 100);
            document_heading(out, heading);
            document_titles(out, index_titles, INDEX_TITLES - 2);
        }
        begun = true;
        add_index(out, index, index->next_low, index->next_high);
        document_end_row(out);
    }
}

static struct plot plot_of(const struct execution_index *index)
{
    return (struct plot){.values = index->values,
                         .count = index->n,
                         .stable_begin = index->stable_begin,
                         .stable_end = index->stable_end,
                         .changepoints = index->changepoints,
                         .changepoint_count = index->changepoint_count};
}

/* Returns the height of the plot in rows with which it still fits on the screen. 0: it fits with
   its usual height and a legend. */
static size_t rows_left(const struct text *out, const struct report_style *style)
{
    enum { SCREEN = 24, ROWS = 8, LEGEND = 1, ROWS_MIN = 3, FOOTER = 1 };
    /* true: fit_screen leaves out sections that do not fit */
    const bool fits = style->lines && !style->full;
    const size_t screen = fits ? screen_lines(style) - FOOTER : SCREEN;
    size_t used = PLOT_AXIS_LINES;
    for (size_t i = 0; i < out->length; i++)
        used += out->data[i] == '\n';
    if (used + ROWS + LEGEND <= screen)
        return 0;
    return used + ROWS_MIN < screen ? screen - used : ROWS_MIN;
}

static void draw_rounds(const void *context, size_t number, const struct report_style *style,
                        struct text *out)
{
    struct plot plot = plot_of(context);
    (void)number;
    plot.rows = rows_left(out, style);
    plot_series(&plot, style, out);
}

static void chart_rounds(const void *context, size_t number, struct text *out)
{
    const struct execution_index *index = context;
    const struct plot plot = plot_of(index);
    (void)number;
    chart_series(out, &plot, index->name, index->name, 0, CHART_WHOLE, NULL, 0);
}

/* Plots the first index round by round. */
static void section_rounds(const struct execution *x, struct document *out)
{
    const size_t min = 4;
    char heading[160], title[64];
    if (!x->index_count || x->indices[0].n < min)
        return;
    const struct execution_index *index = x->indices;
    const bool unit = *index->unit && strcmp(index->unit, "1") != 0;
    snprintf(heading, sizeof heading, "%s: %s%s%s%s",
             index->of_units ? "Unit readings, round after round" : "Rounds",
             execution_title(index, title, sizeof title), unit ? ", " : "", unit ? index->unit : "",
             *index->phase ? "" : ", with the set-up of each round");
    document_heading(out, heading);
    document_figure(out,
                    (struct figure){.text = draw_rounds, .page = chart_rounds, .context = index});
}

static void section_warnings(const struct execution *x, struct document *out)
{
    for (size_t i = 0; i < x->note_count; i++)
        document_paragraph(out, x->notes[i].warning ? "Warning: " : "Note: ",
                           x->notes[i].warning ? TONE_YELLOW : TONE_PLAIN, x->notes[i].text);
}

static void section_settings(const struct execution *x, struct document *out)
{
    document_heading(out, "How it was measured");
    document_labels(out, &x->labels);
    int width = 18;
    for (size_t i = 0; i < x->settings.count; i++)
        width = (int)fmax(width, (double)strlen(x->settings.rows[i].key));
    for (size_t i = 0; i < x->settings.count; i++) {
        char lead[48];
        snprintf(lead, sizeof lead, "  %-*s ", width, x->settings.rows[i].key);
        document_paragraph(out, lead, TONE_PLAIN, x->settings.rows[i].value);
    }
}

void execution_add_line(const struct execution *x, struct document *out)
{
    char words[600], arm[NUMBER_BUFFER];
    const struct execution_index *index = x->indices;
    enum tone tone;
    const char *verdict = execution_lead(x, &tone);
    document_add(out, "  ");
    document_left(out, execution_parameter_words(x, words, sizeof words), NAME_WIDTH);
    if (x->index_count) {
        struct execution_shown shown = execution_shown_of(index);
        struct text value = {0};
        execution_add_value(&value, &shown, index->value);
        add_cell(out, layout_string(&value), VALUE_WIDTH);
        text_free(&value);
        add_cell(out, number_arm_signed(arm, sizeof arm, index->value, index->low, index->high),
                 END_WIDTH);
    }
    document_addf(out, "  %.*s", (int)strcspn(verdict, ":"), verdict);
    document_end_row(out);
}

/* The sections in their order. A terminal shows only as many as fit on its screen, so that the
   verdict stays visible. */
static void (*const sections[])(const struct execution *x, struct document *out) = {
    execution_answer,  section_repetition,      section_what,
    section_precision, execution_limits_text,   section_warnings,
    section_indices,   section_predictions,     section_rounds,
    section_spread,    execution_failures_text, execution_parts_text,
    section_settings};
enum { SECTIONS = sizeof sections / sizeof *sections, SECTIONS_MIN = 7 };

static void fit_screen(struct document *out, const size_t begins[SECTIONS])
{
    const size_t lines = screen_lines(&out->style);
    const char *folder = out->style.folder;
    struct text words = {0};
    if (!out->style.lines || out->style.full || out->style.page || document_lines(out, 0) <= lines)
        return;
    for (size_t i = SECTIONS; i-- > SECTIONS_MIN && document_lines(out, 0) + 1 > lines;)
        document_cut(out, begins[i]);
    if (folder && *folder)
        text_addf(&words, "%s/report.txt, report.html", folder);
    else
        text_add(&words, "--full; -o DIR keeps it");
    document_paragraph_from(out, "The whole report: ", TONE_PLAIN, &words);
}

void execution_document(const void *what, struct document *out)
{
    const struct execution *x = what;
    size_t begins[SECTIONS];
    document_title(out, x->command);
    for (size_t i = 0; i < SECTIONS; i++) {
        begins[i] = out->count;
        sections[i](x, out);
    }
    fit_screen(out, begins);
}
