/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a comparison as a document: the verdict on the first quantity, then the ranking of the
   alternatives for each quantity. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/comparison.h"
#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum {
    RANK_WIDTH = 6,
    NAME_WIDTH = 30,
    MEAN_WIDTH = 14,
    ARM_WIDTH = 10,
    COUNT_WIDTH = 9,
    INTERVAL_WIDTH = 20,
    P_WIDTH = 9,
    RATIOS_MAX = 48, /* maximum number of ratios in the figure of a page */
    CHART_NAME = 96
};

/* Writes an alternative's name for a sentence. If the name is long, as that of a plan may be,
   writes the alternative's letter instead. */
static void name_side(const struct comparison *c, const struct comparison_quantity *q, size_t side,
                      char *to, size_t size)
{
    size_t alternative = q->sides[side].alternative;
    if (layout_length(c->names[alternative]) > NAME_WIDTH)
        snprintf(to, size, "%c", (char)('A' + alternative));
    else
        snprintf(to, size, "%s", c->names[alternative]);
}

/* Writes a ratio with four decimals, or with four significant digits if it is very small or
   large. */
static const char *ratio_words(char *to, size_t size, double ratio)
{
    snprintf(to, size, ratio >= 1e-3 && ratio < 1e6 ? "%.4f" : "%.4g", ratio);
    return to;
}

/* Adds the ratio with its interval. If one end of the interval is infinite, adds only the other
   end. */
static void add_ratio(struct text *out, const struct comparison_pair *p)
{
    bool from_zero = !(p->low > 0), is_open = isinf(p->high);
    char low[16], high[16];
    ratio_words(low, sizeof low, p->low);
    ratio_words(high, sizeof high, p->high);
    text_addf(out, "ratio %.4g, ", p->ratio);
    if (from_zero && is_open)
        text_add(out, "too uncertain for an interval");
    else if (from_zero)
        text_addf(out, "at most %s at %.4g %%", high, 100 * p->confidence);
    else if (is_open)
        text_addf(out, "at least %s at %.4g %%", low, 100 * p->confidence);
    else
        text_addf(out, "%.4g %% interval %s to %s", 100 * p->confidence, low, high);
}

static void add_more(struct text *out, const struct comparison_pair *p, const char *first,
                     const char *second)
{
    if (p->verdict != COMPARISON_UNDECIDED)
        return;
    if (p->wanders)
        text_addf(out, "; the levels of %s and %s wander by as much as they differ", first, second);
    else if (isfinite(p->more) && p->more > 1 && p->more < 1000)
        text_addf(out, "; if the difference is real, %.*f times as many readings show it",
                  p->more < 10 ? 1 : 0, p->more);
    else
        text_add(out, "; no difference shows");
}

/* From this ratio on, the difference is written as a factor: "12 times as fast" is clearer than
   "91.8 % less". */
#define IN_TIMES 1.5

static void add_times(struct text *out, const struct comparison_quantity *q,
                      const struct comparison_pair *p, const char *first, const char *second)
{
    static const char *const words[2][2] = {
        {"%s is slower than %s: it takes %s times as long (",
         "%s is faster than %s, which takes %s times as long ("},
        {"%s is slower than %s, which is %s times as fast (",
         "%s is faster than %s: %s times as fast ("}};
    const double times = fmax(p->ratio, 1 / p->ratio);
    char number[NUMBER_BUFFER];
    snprintf(number, sizeof number, times < 1e6 ? "%.*f" : "%.*e",
             times < 9.995 || times >= 1e6 ? 2
             : times < 99.95               ? 1
                                           : 0,
             times);
    text_addf(out, words[q->higher_is_better][p->verdict == COMPARISON_FASTER], first, second,
              number);
}

static void add_verdict(struct text *out, const struct comparison *c,
                        const struct comparison_quantity *q, const struct comparison_pair *p)
{
    char first[4 * NAME_WIDTH + 1], second[4 * NAME_WIDTH + 1];
    name_side(c, q, p->first, first, sizeof first);
    name_side(c, q, p->second, second, sizeof second);
    const char *what = q->has_unit && q->kind == METRIC_KIND_TIME ? " time" : "";
    const double off = 100 * fabs(p->ratio - 1);
    const bool is_first = p->verdict == COMPARISON_FASTER;
    switch (p->verdict) {
    case COMPARISON_FASTER:
    case COMPARISON_SLOWER:
        if (fmax(p->ratio, 1 / p->ratio) > IN_TIMES)
            add_times(out, q, p, first, second);
        else if (is_first && q->higher_is_better)
            text_addf(out, "%s is %.3g %% faster than %s (", first, off, second);
        else
            text_addf(out, "%s is %s than %s: %.3g %% %s%s (", first,
                      is_first ? "faster" : "slower", second, off, p->ratio < 1 ? "less" : "more",
                      what);
        break;
    case COMPARISON_SAME:
        text_addf(out, "%s and %s are the same within %.3g %% (", first, second, 100 * c->margin);
        break;
    case COMPARISON_UNDECIDED:
        text_addf(out, "%s and %s cannot be told apart yet (", first, second);
        break;
    }
    add_ratio(out, p);
    text_add(out, ")");
    add_more(out, p, first, second);
}

static void format_mean(const struct comparison_quantity *q, double value, double low, double high,
                        char *to, size_t size)
{
    struct number_scale scale = q->has_unit ? number_scale_of(q->kind, value, low, high)
                                            : number_scale_plain(value, low, high);
    number_scaled(to, size, &scale, value);
    const size_t used = strlen(to);
    if (q->unit[0] && !q->has_unit && used < size)
        snprintf(to + used, size - used, " %s", q->unit);
}

/* Prints whether the second alternative looks like a repetition of the first. Prints nothing if
   neither has a prediction. */
static void print_repetition(const struct comparison *c, const struct comparison_quantity *q,
                             const struct comparison_pair *p, struct document *out)
{
    const struct comparison_side *a = &q->sides[p->first], *b = &q->sides[p->second];
    char first[4 * NAME_WIDTH + 1], second[4 * NAME_WIDTH + 1];
    char mean[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    struct text words = {0};
    name_side(c, q, p->first, first, sizeof first);
    name_side(c, q, p->second, second, sizeof second);
    if (p->repetition == COMPARISON_UNPREDICTED) {
        if (!a->predicts && !b->predicts)
            return;
        text_addf(&words,
                  "Whether a repetition gives such a difference is not known: %s predicts nothing.",
                  a->predicts ? second : first);
    } else {
        const double ends[] = {p->repetition_low, p->repetition_high};
        format_mean(q, b->mean, ends[0], ends[1], mean, sizeof mean);
        format_mean(q, ends[0], ends[0], ends[1], low, sizeof low);
        format_mean(q, ends[1], ends[0], ends[1], high, sizeof high);
        text_addf(&words,
                  "%s what a repetition gives: a session like %s gives %s to %s, and %s gave %s.",
                  p->repetition == COMPARISON_WITHIN ? "Within" : "Outside of", first, low, high,
                  second, mean);
    }
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

static const char *const leads[] = {[COMPARISON_UNDECIDED] = "NOT DECIDED: ",
                                    [COMPARISON_FASTER] = "FASTER: ",
                                    [COMPARISON_SLOWER] = "SLOWER: ",
                                    [COMPARISON_SAME] = "SAME: "};

/* First words of the verdict, if other programs used the machine during the comparison. */
static const char *const busy_leads[] = {[COMPARISON_UNDECIDED] = "NOT DECIDED: ",
                                         [COMPARISON_FASTER] = "FASTER ON A BUSY MACHINE: ",
                                         [COMPARISON_SLOWER] = "SLOWER ON A BUSY MACHINE: ",
                                         [COMPARISON_SAME] = "SAME ON A BUSY MACHINE: "};

static void print_verdict(const struct comparison *c, struct document *out)
{
    const struct comparison_quantity *q = &c->quantities[0];
    for (size_t k = 0; k < q->pair_count; k++) {
        struct text words = {0};
        bool open = q->pairs[k].verdict == COMPARISON_UNDECIDED;
        text_addf(&words, "%s%s%s: ", q->group, q->group[0] ? " " : "", q->metric);
        add_verdict(&words, c, q, &q->pairs[k]);
        document_paragraph_from(out, (c->busy[0] ? busy_leads : leads)[q->pairs[k].verdict],
                                open || c->busy[0] ? TONE_YELLOW : TONE_GREEN, &words);
        print_repetition(c, q, &q->pairs[k], out);
    }
    if (c->busy[0]) {
        struct text words = {0};
        text_addf(&words, "%s: compare again when the machine is idle.", c->busy);
        document_paragraph_from(out, "Busy: ", TONE_YELLOW, &words);
    }
    if (c->expected) {
        static const enum tone tones[] = {[CLAUSE_UNDECIDED] = TONE_YELLOW,
                                          [CLAUSE_PASSED] = TONE_GREEN,
                                          [CLAUSE_FAILED] = TONE_RED};
        static const char *const verdicts[] = {[CLAUSE_UNDECIDED] = "NOT DECIDED: ",
                                               [CLAUSE_PASSED] = "HOLDS: ",
                                               [CLAUSE_FAILED] = "DOES NOT HOLD: "};
        struct text words = {0};
        text_addf(&words, "expected '%s'; %s", c->expectation.text, c->expectation.words);
        document_paragraph_from(out, verdicts[c->expectation.verdict],
                                tones[c->expectation.verdict], &words);
    }
}

/* ---- a quantity ---- */

static void print_ranking(const struct comparison *c, const struct comparison_quantity *q,
                          struct document *out)
{
    for (size_t i = 0; i < q->side_count; i++) {
        const struct comparison_side *s = &q->sides[q->ranking[i]];
        char cell[128];
        snprintf(cell, sizeof cell, "%zu  %c", i + 1, (char)('A' + s->alternative));
        document_add(out, "  ");
        document_left(out, cell, RANK_WIDTH);
        document_left(out, layout_shorten(cell, sizeof cell, c->names[s->alternative], NAME_WIDTH),
                      NAME_WIDTH);
        format_mean(q, s->mean, s->low, s->high, cell, sizeof cell);
        document_right(out, cell, MEAN_WIDTH);
        if (s->n < 2)
            snprintf(cell, sizeof cell, "2 needed");
        else
            number_arm_signed(cell, sizeof cell, s->mean, s->low, s->high);
        document_right(out, cell, ARM_WIDTH);
        document_right(out, number_count(cell, sizeof cell, s->n), COUNT_WIDTH);
        document_end_row(out);
    }
}

static void print_pairs(const struct comparison_quantity *q, struct document *out)
{
    static const struct layout_column columns[] = {
        {"", -7}, {"ratio", -8}, {"interval", -20}, {"p", -13}, {"verdict", -9}};
    if (out->style.page) /* a page has one table for each quantity */
        document_titles(out, columns, sizeof columns / sizeof *columns);
    for (size_t k = 0; k < q->pair_count; k++) {
        const struct comparison_pair *p = &q->pairs[k];
        char pair[8], interval[64] = "too uncertain", p_value[16] = "-", ratio[16], low[16],
                      high[16];
        snprintf(pair, sizeof pair, "%c/%c", (char)('A' + q->sides[p->first].alternative),
                 (char)('A' + q->sides[p->second].alternative));
        if (isinf(p->high) && p->low > 0)
            snprintf(interval, sizeof interval, "at least %s",
                     ratio_words(low, sizeof low, p->low));
        else if (!isinf(p->high))
            snprintf(interval, sizeof interval, "%s to %s", ratio_words(low, sizeof low, p->low),
                     ratio_words(high, sizeof high, p->high));
        if (!isnan(p->p_value))
            snprintf(p_value, sizeof p_value, "%.2g", p->p_value);
        ratio_words(ratio, sizeof ratio, p->ratio);
        document_add(out, "  ");
        document_left(out, pair, strlen(pair) + 2);
        document_left(out, ratio, strlen(ratio) + 2);
        document_left(out, interval, INTERVAL_WIDTH + 2);
        document_add(out, out->style.page ? "" : "p ");
        document_left(out, p_value, P_WIDTH + 2);
        document_left(out, comparison_verdict_name(p->verdict), 1);
        document_end_row(out);
    }
}

/* Draws the boxes of all alternatives on one axis. */
static void draw_boxes(const void *what, size_t quantity, const struct report_style *style,
                       struct text *out)
{
    const struct comparison *c = what;
    const struct comparison_quantity *q = &c->quantities[quantity];
    struct plot_box boxes[COMPARISON_ALTERNATIVES];
    char names[COMPARISON_ALTERNATIVES][4];
    for (size_t i = 0; i < q->side_count; i++) {
        const struct comparison_side *s = &q->sides[q->ranking[i]];
        snprintf(names[i], sizeof names[i], "%c", (char)('A' + s->alternative));
        boxes[i] = (struct plot_box){names[i],     s->min, s->quartile1, s->median,
                                     s->quartile3, s->max, s->mean};
    }
    plot_boxes(boxes, q->side_count, q->has_unit ? &q->kind : NULL, style, out);
}

/* Draws the readings of each alternative as a box, as a figure of the page. */
static void chart_boxes(const void *what, size_t quantity, struct text *out)
{
    const struct comparison *c = what;
    const struct comparison_quantity *q = &c->quantities[quantity];
    struct chart_row rows[COMPARISON_ALTERNATIVES];
    char names[COMPARISON_ALTERNATIVES][CHART_NAME];
    for (size_t i = 0; i < q->side_count; i++) {
        const struct comparison_side *s = &q->sides[q->ranking[i]];
        snprintf(names[i], CHART_NAME, "%c %.80s", (char)('A' + s->alternative),
                 c->names[s->alternative]);
        rows[i] = (struct chart_row){.name = names[i],
                                     .low = s->min,
                                     .value = s->median,
                                     .high = s->max,
                                     .quartile1 = s->quartile1,
                                     .quartile3 = s->quartile3};
    }
    chart_rows_add(out, &(struct chart_rows){.title = "Readings",
                                             .words = "from the lowest to the highest; the box "
                                                      "holds the middle half, the mark is the "
                                                      "median",
                                             .kind = q->has_unit ? q->kind : METRIC_KIND_NUMBER,
                                             .rows = rows,
                                             .count = q->side_count});
}

/* Returns true if every alternative has order statistics of its readings. */
static bool has_readings(const struct comparison_quantity *q)
{
    for (size_t i = 0; i < q->side_count; i++)
        if (isnan(q->sides[i].median))
            return false;
    return true;
}

static void print_quantity(const struct comparison *c, size_t number, struct document *out)
{
    const struct comparison_quantity *q = &c->quantities[number];
    char title[360];
    snprintf(title, sizeof title, "%s%s%s (%s is better)", q->group, q->group[0] ? ": " : "",
             q->metric, q->higher_is_better ? "higher" : "lower");
    document_heading(out, title);
    static const struct layout_column columns[] = {{"", -(2 + RANK_WIDTH)},
                                                   {"", -NAME_WIDTH},
                                                   {"mean", MEAN_WIDTH},
                                                   {"interval", ARM_WIDTH},
                                                   {"readings", COUNT_WIDTH}};
    document_titles(out, columns, sizeof columns / sizeof *columns);
    print_ranking(c, q, out);
    print_pairs(q, out);
    if (!has_readings(q))
        return;
    document_end_row(out);
    document_figure(
        out,
        (struct figure){.text = draw_boxes, .page = chart_boxes, .context = c, .number = number});
}

/* Explains the letters that replace names too long for the tables. */
static void print_names(const struct comparison *c, struct document *out)
{
    for (size_t i = 0; i < c->alternative_count; i++) {
        const char lead[] = {(char)('A' + i), ':', ' ', '\0'};
        if (layout_length(c->names[i]) > NAME_WIDTH)
            document_paragraph(out, lead, TONE_PLAIN, c->names[i]);
    }
}

/* Adds why the live rounds ended. */
static void add_ending(struct text *out, const struct comparison *c)
{
    static const char *const endings[] = {
        [COMPARISON_STORED] = "",
        [COMPARISON_DECIDED] = "",
        [COMPARISON_LIMIT] = ", when the limit came",
        [COMPARISON_INTERRUPTED] = ", when a signal came",
        [COMPARISON_FAILED] = ", when rounds failed",
    };
    if (c->ending == COMPARISON_STORED)
        return;
    text_addf(out, "%llu block%s of rounds that took turns, ", (unsigned long long)c->blocks,
              c->blocks == 1 ? "" : "s");
    if (c->order == COMPARISON_RANDOM)
        text_addf(out, "in random order (seed %llu), ", (unsigned long long)c->seed);
    text_addf(out, "after a trial block%s. ", endings[c->ending]);
    if (c->failure[0])
        text_addf(out, "Blocks of which a round failed do not count: %llu; the last failure: %s. ",
                  (unsigned long long)c->failed_blocks, c->failure);
}

static void print_method(const struct comparison *c, struct document *out)
{
    struct text words = {0};
    bool paired = c->paired || c->ending != COMPARISON_STORED;
    add_ending(&words, c);
    text_addf(
        &words,
        "ratio: the first over the second. %s%s The same: the whole interval within %.3g %% of "
        "1. p: of %s for a single look.",
        c->once ? "Verdicts are for one look at readings whose number was settled "
                  "beforehand."
                : "Verdicts hold however often one looks, which takes wider intervals; "
                  "--once is for readings whose number was settled beforehand.",
        c->independent ? " Readings were said to be independent." : "", 100 * c->margin,
        paired ? "paired t" : "Welch's t");
    document_end_row(out);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
    document_labels(out, &c->labels);
}

/* Draws all ratios with their intervals on one axis, as a figure of the page. */
static void chart_ratios(const void *what, size_t number, struct text *out)
{
    const struct comparison *c = what;
    (void)number;
    struct chart_row rows[RATIOS_MAX];
    char names[RATIOS_MAX][CHART_NAME], words[RATIOS_MAX][32];
    size_t count = 0;
    for (size_t i = 0; i < c->quantity_count; i++)
        for (size_t k = 0; k < c->quantities[i].pair_count && count < RATIOS_MAX; k++) {
            const struct comparison_quantity *q = &c->quantities[i];
            const struct comparison_pair *p = &q->pairs[k];
            snprintf(names[count], CHART_NAME, "%c/%c %.40s%s%.40s",
                     (char)('A' + q->sides[p->first].alternative),
                     (char)('A' + q->sides[p->second].alternative), q->group,
                     q->group[0] ? " " : "", q->metric);
            snprintf(words[count], sizeof *words, "%.4g  %s", p->ratio,
                     comparison_verdict_name(p->verdict));
            rows[count] = (struct chart_row){.name = names[count],
                                             .words = words[count],
                                             .low = p->low > 0 ? p->low : -INFINITY,
                                             .value = p->ratio,
                                             .high = p->high,
                                             .odd = p->verdict == COMPARISON_UNDECIDED};
            count++;
        }
    chart_rows_add(out, &(struct chart_rows){.title = "Ratios",
                                             .words = "with their intervals; 1: no difference; "
                                                      "red: not decided",
                                             .kind = METRIC_KIND_NUMBER,
                                             .reference = 1,
                                             .rows = rows,
                                             .count = count});
}

void comparison_document(const void *what, struct document *out)
{
    const struct comparison *c = what;
    struct text title = {0};
    for (size_t i = 0; i < c->alternative_count; i++)
        text_addf(&title, "%s%s", i ? " vs " : "", c->names[i]);
    document_title_from(out, &title);
    print_verdict(c, out);
    print_names(c, out);
    for (size_t i = 0; i < c->note_count; i++)
        document_paragraph(out, c->notes[i].warning ? "Warning: " : "Note: ",
                           c->notes[i].warning ? TONE_YELLOW : TONE_PLAIN, c->notes[i].text);
    for (size_t i = 0; i < c->quantity_count; i++)
        print_quantity(c, i, out);
    print_method(c, out);
    document_part(out);
    document_figure(out, (struct figure){.page = chart_ratios, .context = c});
}
