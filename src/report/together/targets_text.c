/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints several targets on one screen: a line for each target, a line for all, and what they
   share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/run/formats.h"
#include "report/together/internal.h"

/* Lines of a table other than targets: an empty line, the titles, the sum. */
enum { TABLE_FRAME = 3 };
enum { NAME_WIDTH = 18, ROWS_MIN = 4 };

static double iops_of(const struct result *r)
{
    const struct result_row *row = targets_row(r, targets_metrics[0]);
    return row ? row->value : NAN;
}

static void add_line(const char *name, const struct result *r, const char *verdict,
                     struct document *out)
{
    static const size_t widths[TARGETS_METRICS] = {9, 12, 9, 9};
    char cell[NUMBER_BUFFER], shown[NAME_WIDTH * 4];
    document_left(out, layout_shorten(shown, sizeof shown, name, NAME_WIDTH), NAME_WIDTH);
    for (size_t i = 0; i < TARGETS_METRICS; i++) {
        const struct result_row *row = targets_row(r, targets_metrics[i]);
        number_value(cell, sizeof cell, metric_of(targets_metrics[i])->kind,
                     row ? row->value : NAN);
        document_right(out, cell, widths[i]);
        if (i > 0)
            continue;
        number_arm(cell, sizeof cell, row ? row->value : NAN, row ? row->low : NAN,
                   row ? row->high : NAN);
        document_right(out, cell, 8);
    }
    document_add(out, " ");
    document_tone(out, targets_verdict_tone(r));
    document_right(out, verdict, 11);
    document_tone(out, TONE_PLAIN);
    document_end_row(out);
}

/* Adds a line about the targets that are left out: their number, and the range of their rates. */
static void add_rest(const struct result_targets *t, const bool shown[], struct document *out)
{
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    double least = INFINITY, most = 0;
    size_t rest = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double iops = iops_of(t->targets[i].result);
        if (shown[i])
            continue;
        rest++;
        least = fmin(least, iops);
        most = fmax(most, iops);
    }
    if (rest)
        document_line(out, "and %zu more, each of %s to %s %s (--full shows them)", rest,
                      number_value(low, sizeof low, METRIC_KIND_COUNT_RATE, least),
                      number_value(high, sizeof high, METRIC_KIND_COUNT_RATE, most),
                      targets_rate_title(t));
}

/* Chooses the targets to show if there are too many for a screen: failed targets first, then the
   slowest. */
static void choose(const struct result_targets *t, size_t room, bool shown[])
{
    for (size_t chosen = 0; chosen < room && chosen < t->count; chosen++) {
        size_t next = t->count;
        double least = INFINITY;
        for (size_t i = 0; i < t->count; i++) {
            const struct result *r = t->targets[i].result;
            const double iops = targets_verdict_tone(r) == TONE_RED ? -1 : iops_of(r);
            if (!shown[i] && (next == t->count || iops < least)) {
                next = i;
                least = iops;
            }
        }
        shown[next] = true;
    }
}

/* Prints the table with `rows` rows for targets. If there are more targets, the last row is about
   those left out. */
static void print_table(const struct result_targets *t, size_t rows, struct document *out)
{
    bool shown[t->count];
    memset(shown, 0, sizeof shown);
    choose(t, t->count <= rows ? t->count : rows - 1, shown);
    document_end_row(out);
    const struct layout_column columns[] = {{"target", -NAME_WIDTH},
                                            {targets_rate_title(t), 9},
                                            {"+-", 8},
                                            {"bandwidth", 12},
                                            {"p50", 9},
                                            {"p99", 9},
                                            {"verdict", 12}};
    document_titles(out, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < t->count; i++)
        if (shown[i])
            add_line(t->targets[i].name, t->targets[i].result,
                     targets_verdict_words(t->targets[i].result), out);
    add_rest(t, shown, out);
    add_line("all", t->all, "", out);
}

/* Prints whether the data of each target could be read back as written (--verify). Failed targets
   are left out, as they have a failure message. */
static void add_read_back(const struct result_targets *t, struct document *out)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct result *r = t->targets[i].result;
        const char *words = facts_find(&r->settings, "verify", "read back");
        struct text line = {0};
        if (!words || targets_is_bad(r))
            continue;
        if (shown == TARGETS_WARNINGS_SHOWN && !out->style.full) {
            more++;
            continue;
        }
        shown++;
        text_addf(&line, "%s: %s", t->targets[i].name, words);
        document_paragraph_from(out, "", TONE_PLAIN, &line);
    }
    if (more)
        document_line(out, "and %zu more targets that were read back (--full)", more);
}

static void draw_shared(const void *what, size_t number, const struct report_style *style,
                        struct text *out)
{
    struct shared_graph *g = targets_graph(what);
    (void)number;
    out->failed |= !g;
    if (g)
        shared_graph_print(g, style, out);
    free(g);
}

static void draw_footer(const void *what, size_t number, const struct report_style *style,
                        struct text *out)
{
    (void)what;
    (void)number;
    screen_add_footer(style, out);
}

static void add_below_table(const struct result_targets *t, struct document *out)
{
    targets_add_shared(t, out);
    if (!out->style.full)
        document_figure(out, (struct figure){.text = draw_footer});
}

/* Returns the number of lines below the table. */
static size_t lines_below_table(const struct result_targets *t, const struct report_style *style)
{
    struct document below = document_for(style);
    add_below_table(t, &below);
    const size_t lines = document_lines(&below, 0);
    document_free(&below);
    return lines;
}

void targets_text(const struct result_targets *t, struct document *out)
{
    targets_add_verdict(t, out);
    add_read_back(t, out);
    targets_add_warnings(t, out);
    const size_t used = document_lines(out, 0) + lines_below_table(t, &out->style) + TABLE_FRAME;
    size_t rows = used + ROWS_MIN < SCREEN_LINES ? SCREEN_LINES - used : ROWS_MIN;
    print_table(t, out->style.full ? t->count : rows, out);
    add_below_table(t, out);
    if (!out->style.full)
        return;
    if (targets_share(t, out)) { /* a tree from the memory to the targets */
        document_heading(out, "What they share");
        document_figure(out, (struct figure){.text = draw_shared, .context = t});
    }
    for (size_t i = 0; i <= t->count; i++) {
        document_heading(out, i < t->count ? t->targets[i].name : "All of them");
        result_sections(i < t->count ? t->targets[i].result : t->all, out);
    }
}
