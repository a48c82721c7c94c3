/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a sweep as a document: the verdict, the most and the least variable configurations, and
   whether the machine drifted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/layout/number.h"
#include "report/sweep/sweep.h"

enum { SHOWN = 5, SHARE_WIDTH = 8, RANGE_WIDTH = 22, MEAN_WIDTH = 11, COUNT_WIDTH = 6 };

static const struct sweep_cell *cell_at(const struct sweep_result *r, size_t configuration,
                                        size_t response)
{
    return &r->cells[configuration * r->response_count + response];
}

/* Returns the coefficient of variation (standard deviation / mean); NaN if there is no standard
   deviation. */
static double sweep_spread(const struct sweep_cell *c)
{
    return c->n > 1 && c->mean != 0 ? c->sd / fabs(c->mean) : (double)NAN;
}

/* Writes the levels of a configuration: "threads=4 bs=64k". Returns `to`. */
static char *sweep_words(const struct sweep_result *r, size_t configuration, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < r->factor_count && used < size; i++)
        used +=
            (size_t)snprintf(to + used, size - used, "%s%s=%s", i ? " " : "", r->factors[i].name,
                             r->level_text[configuration * r->factor_count + i]);
    return to;
}

/* ---- ranking by variation ---- */

struct ranked {
    uint32_t configuration;
    double spread;
};

static int by_spread(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->spread, y = ((const struct ranked *)b)->spread;
    return (x < y) - (x > y);
}

/* Sorts the configurations by coefficient of variation, the largest first. Returns their number. */
static size_t rank(const struct sweep_result *r, size_t response, struct ranked to[])
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->number_count; i++) {
        double spread = sweep_spread(cell_at(r, i, response));
        if (!isnan(spread))
            to[count++] = (struct ranked){i, spread};
    }
    if (count)
        qsort(to, count, sizeof *to, by_spread);
    return count;
}

static double middle_of(const struct ranked list[], size_t count)
{
    return count % 2 ? list[count / 2].spread
                     : (list[count / 2 - 1].spread + list[count / 2].spread) / 2;
}

/* ---- the verdict ---- */

static void print_verdict(const struct sweep_result *r, const struct ranked list[], size_t count,
                          struct document *out)
{
    static const char *const leads[] = {[SWEEP_COMPLETE] = "SWEPT: ",
                                        [SWEEP_INTERRUPTED] = "INTERRUPTED: ",
                                        [SWEEP_LIMIT] = "NOT COMPLETE, THE LIMIT CAME FIRST: ",
                                        [SWEEP_FAILED] = "FAILED: "};
    const bool busy = r->busy[0] && r->ending == SWEEP_COMPLETE;
    struct text words = {0};
    char time[NUMBER_BUFFER], least[NUMBER_BUFFER], middle[NUMBER_BUFFER], most[NUMBER_BUFFER];
    bool good = r->ending == SWEEP_COMPLETE && !r->failed_runs;
    text_addf(&words, "%zu run%s of %zu configuration%s in %s. ", r->run_count,
              r->run_count == 1 ? "" : "s", r->configuration_count,
              r->configuration_count == 1 ? "" : "s",
              number_seconds(time, sizeof time, r->seconds));
    if (count)
        text_addf(&words, "The SD of %s is %s to %s of its mean; of half of them more than %s.",
                  r->responses[0].name, number_percent(least, sizeof least, list[count - 1].spread),
                  number_percent(most, sizeof most, list[0].spread),
                  number_percent(middle, sizeof middle, middle_of(list, count)));
    else
        text_add(&words, "No configuration has two runs, so that nothing is known of variability.");
    document_paragraph_from(out, busy ? "SWEPT ON A BUSY MACHINE: " : leads[r->ending],
                            good && !busy ? TONE_GREEN : TONE_YELLOW, &words);
}

static void print_warnings(const struct sweep_result *r, struct document *out)
{
    char words[400];
    if (r->failed_runs) {
        snprintf(words, sizeof words,
                 "%llu run%s failed, the last one: %s. --resume runs %s again.",
                 (unsigned long long)r->failed_runs, r->failed_runs == 1 ? "" : "s", r->failure,
                 r->failed_runs == 1 ? "it" : "them");
        document_paragraph(out, "Warning: ", TONE_YELLOW, words);
    } else if (r->ending == SWEEP_FAILED) {
        document_paragraph(out, "Warning: ", TONE_YELLOW, r->failure);
    }
    if (r->left_out_runs) {
        snprintf(words, sizeof words, "%llu run%s left out and run again; the last one: %s.",
                 (unsigned long long)r->left_out_runs, r->left_out_runs == 1 ? " was" : "s were",
                 r->left_out_by);
        document_paragraph(out, "Note: ", TONE_PLAIN, words);
    }
    if (r->unseen[0])
        document_paragraph(out, "Warning: ", TONE_YELLOW, r->unseen);
    if (r->busy[0]) {
        snprintf(words, sizeof words,
                 "%s: what a configuration varies by is not its own alone; sweep again when the "
                 "machine is idle.",
                 r->busy);
        document_paragraph(out, "Busy: ", TONE_YELLOW, words);
    }
    if (r->shards > 1) {
        snprintf(words, sizeof words,
                 "this is shard %u of %u: put the lines of all runs.csv after each other.",
                 r->shard, r->shards);
        document_paragraph(out, "Note: ", TONE_PLAIN, words);
    }
}

/* ---- configurations ---- */

/* Prints a configuration: its numbers in columns, and its levels at the right, in as many lines as
   needed. */
static void print_configuration(const struct sweep_result *r, size_t configuration, size_t response,
                                struct document *out)
{
    const struct sweep_cell *c = cell_at(r, configuration, response);
    char cell[NUMBER_BUFFER], low[NUMBER_BUFFER], high[NUMBER_BUFFER], range[3 * NUMBER_BUFFER];
    char words[400], count[24];
    const struct sweep_column *column = &r->responses[response];
    document_right(out, number_percent(cell, sizeof cell, sweep_spread(c)), SHARE_WIDTH);
    if (isfinite(c->sd_low) && isfinite(c->sd_high))
        snprintf(range, sizeof range, "%s to %s",
                 number_percent(low, sizeof low, c->sd_low / fabs(c->mean)),
                 number_percent(high, sizeof high, c->sd_high / fabs(c->mean)));
    else if (c->n < SWEEP_INTERVAL_RUNS)
        snprintf(range, sizeof range, "%llu runs: %d are needed", (unsigned long long)c->n,
                 SWEEP_INTERVAL_RUNS);
    else
        snprintf(range, sizeof range, "all runs are equal");
    document_right(out, range, RANGE_WIDTH);
    document_right(out,
                   column->has_unit ? number_value(cell, sizeof cell, column->kind, c->mean)
                                    : number_plain(cell, sizeof cell, c->mean),
                   MEAN_WIDTH);
    snprintf(count, sizeof count, "%llu", (unsigned long long)c->n);
    document_right(out, count, COUNT_WIDTH);
    document_add(out, "  ");
    document_end_row_hanging(out, sweep_words(r, configuration, words, sizeof words));
}

static void print_list(const struct sweep_result *r, size_t response, const char *title,
                       const struct ranked list[], size_t count, struct document *out)
{
    static const struct layout_column columns[] = {{"SD/mean", SHARE_WIDTH},
                                                   {"95 % interval", RANGE_WIDTH},
                                                   {"mean", MEAN_WIDTH},
                                                   {"runs", COUNT_WIDTH},
                                                   {"  configuration", -1}};
    char heading[160];
    snprintf(heading, sizeof heading, "%s: %.60s", title, r->responses[response].name);
    document_heading(out, heading);
    document_titles(out, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++)
        print_configuration(r, list[i].configuration, response, out);
}

static void print_response(const struct sweep_result *r, size_t response,
                           const struct ranked list[], size_t count, struct document *out)
{
    if (count <= 2 * SHOWN) {
        if (count)
            print_list(r, response, "Variability, largest first", list, count, out);
        return;
    }
    print_list(r, response, "Most variable", list, SHOWN, out);
    print_list(r, response, "Least variable", list + count - SHOWN, SHOWN, out);
}

/* ---- drift ---- */

static void print_drift(const struct sweep_result *r, const struct sweep_drift *d,
                        struct document *out)
{
    char words[700], lead[80], of[300], span[NUMBER_BUFFER];
    snprintf(lead, sizeof lead, "  %.40s ", r->responses[d->response].name);
    sweep_words(r, d->configuration, of, sizeof of);
    number_seconds(span, sizeof span, d->hours * 3600);
    if (isnan(d->change))
        snprintf(words, sizeof words, "not known: %llu control run%s of %s are too few",
                 (unsigned long long)d->n, d->n == 1 ? "" : "s", of);
    else
        snprintf(
            words, sizeof words,
            "%+.3g %% in %s, 95 %% interval %+.3g %% to %+.3g %%: %s (%llu control runs of %s on "
            "%.60s)",
            100 * d->change, span, 100 * d->low, 100 * d->high,
            d->low > 0 || d->high < 0 ? "the machine drifted" : "no drift shows",
            (unsigned long long)d->n, of, d->host);
    document_paragraph(out, lead, TONE_PLAIN, words);
}

static void print_drifts(const struct sweep_result *r, struct document *out)
{
    document_heading(out, "Drift");
    for (size_t i = 0; i < r->drift_count; i++)
        print_drift(r, &r->drifts[i], out);
    if (!r->drift_count)
        document_paragraph(out, "  ", TONE_PLAIN,
                           "not measured: \"control: every 20 runs\" in the plan repeats a "
                           "configuration");
}

/* ---- shapes ---- */

#define NORMAL_P 0.01
#define MODES_P  0.1 /* higher than NORMAL_P, as this test rarely rejects one mode */

/* A function that returns one of a cell's p-values. */
typedef double shape_p(const struct sweep_cell *c);

static double normality_p_of(const struct sweep_cell *c)
{
    return c->normality_p;
}

static double one_mode_p_of(const struct sweep_cell *c)
{
    return c->one_mode_p;
}

/* Adds how many p-values are below the limit, and the cell with the smallest: "12 of 72 are not
   normal (p < 0.01), most of all threads=4". */
static void add_shape(struct text *words, const struct sweep_result *r, size_t response,
                      shape_p *p_of, double limit, const char *what)
{
    size_t tested = 0, below = 0, least = 0;
    char of[300];
    for (size_t i = 0; i < r->number_count; i++) {
        double p = p_of(cell_at(r, i, response));
        if (isnan(p))
            continue;
        if (!tested || p < p_of(cell_at(r, least, response)))
            least = i;
        tested++;
        below += p < limit;
    }
    if (!tested)
        return;
    text_addf(words, "%zu of %zu %s (p < %g)", below, tested, what, limit);
    if (below)
        text_addf(words, ", most of all %s", sweep_words(r, least, of, sizeof of));
    text_add(words, ". ");
}

static void print_shapes(const struct sweep_result *r, struct document *out)
{
    bool is_first = true;
    for (size_t k = 0; k < r->response_count; k++) {
        struct text words = {0};
        char lead[80];
        add_shape(&words, r, k, normality_p_of, NORMAL_P, "are not normal");
        add_shape(&words, r, k, one_mode_p_of, MODES_P, "have more than one mode");
        if (words.length && is_first)
            document_heading(out, "Shapes of distributions");
        is_first = is_first && !words.length;
        snprintf(lead, sizeof lead, "  %.40s ", r->responses[k].name);
        if (words.length)
            document_paragraph_from(out, lead, TONE_PLAIN, &words);
    }
}

static void print_method(const struct sweep_result *r, struct document *out)
{
    size_t narrow = 0;
    char words[300];
    document_end_row(out);
    document_labels(out, &r->labels);
    document_paragraph(
        out, "", TONE_PLAIN,
        "Every pass runs all configurations in a random order of its own. Intervals of "
        "SDs are Bonett's, normality is tested by Shapiro and Wilk, the number of "
        "modes by Silverman; control runs count for drift alone.");
    for (size_t i = 0; i < r->configuration_count; i++)
        narrow += cell_at(r, i, 0)->narrow;
    if (!r->open_repeats)
        return;
    snprintf(words, sizeof words,
             "The SD of %zu of %zu configurations is known to within %.3g %%, as asked for.",
             narrow, r->configuration_count, 100 * r->sd_width);
    document_paragraph(out, "", TONE_PLAIN, words);
}

/* ---- the figures of a page ---- */

enum { CHARTED = 24, WORDS_BYTES = 120 };

/* Finds the configurations with the largest coefficients of variation of a response, the largest
   first. Returns their number. */
static size_t most_variable(const struct sweep_result *r, size_t response, size_t to[CHARTED])
{
    const struct sweep_cell *cells = &r->cells[response];
    size_t count = 0;
    for (size_t i = 0; i < r->number_count; i++) {
        double spread = sweep_spread(&cells[i * r->response_count]);
        size_t at = count;
        if (isnan(spread))
            continue;
        for (; at > 0 && sweep_spread(&cells[to[at - 1] * r->response_count]) < spread; at--)
            if (at < CHARTED)
                to[at] = to[at - 1];
        if (at < CHARTED)
            to[at] = i;
        count += count < CHARTED;
    }
    return count;
}

static void chart_variability(const void *what, size_t response, struct text *out)
{
    const struct sweep_result *r = what;
    struct chart_row rows[CHARTED];
    char names[CHARTED][WORDS_BYTES], title[120];
    size_t configurations[CHARTED], count = most_variable(r, response, configurations);
    for (size_t i = 0; i < count; i++) {
        const struct sweep_cell *c = &r->cells[configurations[i] * r->response_count + response];
        const double spread = sweep_spread(c), size = fabs(c->mean);
        rows[i] =
            (struct chart_row){.name = sweep_words(r, configurations[i], names[i], sizeof names[i]),
                               .low = isfinite(c->sd_low) ? c->sd_low / size : spread,
                               .value = spread,
                               .high = isfinite(c->sd_high) ? c->sd_high / size : spread};
    }
    snprintf(title, sizeof title, "Variability of %.60s", r->responses[response].name);
    chart_rows_add(out, &(struct chart_rows){.title = title,
                                             .words = "SD over mean with its interval, the "
                                                      "largest first",
                                             .kind = METRIC_KIND_SHARE,
                                             .log = true,
                                             .rows = rows,
                                             .count = count});
}

void sweep_document(const void *what, struct document *out)
{
    const struct sweep_result *r = what;
    document_title(out, r->source);
    struct ranked *list = calloc(r->number_count + 1, sizeof *list);
    if (!list) {
        out->failed = true;
        return;
    }
    size_t count = rank(r, 0, list);
    print_verdict(r, list, count, out);
    print_warnings(r, out);
    print_drifts(r, out);
    for (size_t k = 0; k < r->response_count; k++)
        print_response(r, k, list, rank(r, k, list), out);
    print_shapes(r, out);
    print_method(r, out);
    document_part(out);
    for (size_t k = 0; k < r->response_count; k++)
        document_figure(out, (struct figure){.page = chart_variability, .context = r, .number = k});
    free(list);
}
