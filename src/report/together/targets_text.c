/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several targets on one screen: a line for each, one for all, and what they share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/run/sections.h"
#include "report/together/internal.h"

/* Lines around the table's rows: an empty line, the titles, the sum. */
enum { TABLE_FRAME = 3 };
enum { NAME_WIDTH = 18, WARNINGS_SHOWN = 2, ROWS_MIN = 4, SHARED_SHOWN = 8 };

static double iops_of(const struct result *r)
{
    const struct result_row *row = targets_row(r, targets_metrics[0]);
    return row ? row->value : NAN;
}

static void add_line(const char *name, const struct result *r, const char *verdict,
                     const struct report_style *style, struct text *out)
{
    static const size_t widths[TARGETS_METRICS] = {9, 12, 9, 9};
    char cell[NUMBER_BUFFER], shown[NAME_WIDTH * 4];
    layout_left(out, layout_shorten(shown, sizeof shown, name, NAME_WIDTH), NAME_WIDTH);
    for (size_t i = 0; i < TARGETS_METRICS; i++) {
        const struct result_row *row = targets_row(r, targets_metrics[i]);
        number_value(cell, sizeof cell, metric_of(targets_metrics[i])->kind,
                     row ? row->value : NAN);
        layout_right(out, cell, widths[i]);
        if (i > 0)
            continue;
        number_arm(cell, sizeof cell, row ? row->value : NAN, row ? row->low : NAN,
                   row ? row->high : NAN);
        layout_right(out, cell, 8);
    }
    text_add(out, " ");
    layout_tone(out, style, targets_verdict_tone(r));
    layout_right(out, verdict, 11);
    layout_tone(out, style, TONE_PLAIN);
    layout_end_line(out);
}

/* Adds a line for the targets that are left out: the range of their values. */
static void add_rest(const struct result_targets *t, const bool shown[], struct text *out)
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
        text_addf(out, "and %zu more, each of %s to %s %s (--full shows them)\n", rest,
                  number_value(low, sizeof low, METRIC_KIND_COUNT_RATE, least),
                  number_value(high, sizeof high, METRIC_KIND_COUNT_RATE, most),
                  targets_rate_title(t));
}

/* Chooses, when there are too many for a screen, those that failed, then the slowest. */
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

/* Prints the table in `rows` lines, including the line about targets without room. */
static void print_table(const struct result_targets *t, size_t rows,
                        const struct report_style *style, struct text *out)
{
    bool shown[t->count];
    memset(shown, 0, sizeof shown);
    choose(t, t->count <= rows ? t->count : rows - 1, shown);
    text_add(out, "\n");
    const struct layout_column columns[] = {{"target", -NAME_WIDTH},
                                            {targets_rate_title(t), 9},
                                            {"+-", 8},
                                            {"bandwidth", 12},
                                            {"p50", 9},
                                            {"p99", 9},
                                            {"verdict", 12}};
    layout_titles(out, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < t->count; i++)
        if (shown[i])
            add_line(t->targets[i].name, t->targets[i].result,
                     targets_verdict_words(t->targets[i].result), style, out);
    add_rest(t, shown, out);
    add_line("all", t->all, "", style, out);
}

static void add_use(const char *op, double used, double limit, struct text *out)
{
    char rate[NUMBER_BUFFER], most[NUMBER_BUFFER], share[NUMBER_BUFFER];
    if (!(used > 0) || !(limit > 0))
        return;
    text_addf(out, ", %s %s of %s (%s)", op,
              number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, used),
              number_value(most, sizeof most, METRIC_KIND_BYTE_RATE, limit),
              number_percent(share, sizeof share, used / limit));
}

void targets_add_shared(const struct result_targets *t, const struct report_style *style,
                        struct text *out)
{
    const size_t shown = style->full ? SHARED_SHOWN : 2;
    for (size_t i = 0; i < t->shared_count && i < shown; i++) {
        const struct result_shared *s = &t->shared[i];
        const bool limits = s->limits;
        struct text words = {0};
        text_addf(&words, "%s (%s), %zu targets", s->name, node_kind_name(s->kind), s->targets);
        add_use("read", s->used_read, s->limit_read, &words);
        add_use("write", s->used_write, s->limit_write, &words);
        if (limits)
            text_add(&words, ": it limits them");
        layout_paragraph(out, style, "Shared: ", limits ? TONE_YELLOW : TONE_PLAIN,
                         layout_string(&words));
        out->failed = out->failed || words.failed;
        text_free(&words);
    }
    const size_t all = t->shared_count + t->shared_left_out;
    if (all > shown)
        text_addf(out, "        and %zu more shared part%s, in use less\n", all - shown,
                  all == shown + 1 ? "" : "s");
}

/* The warnings already shown, and the number of those without room. */
struct warnings {
    size_t shown, more;
};

static bool has_warning(const struct result *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (r->notes[i].warning && !strcmp(r->notes[i].text, words))
            return true;
    return false;
}

/* Do all targets have this warning? Then it is shown once. */
static bool is_of_all(const struct result_targets *t, const char *words)
{
    for (size_t i = 0; i < t->count; i++)
        if (!has_warning(t->targets[i].result, words))
            return false;
    return t->count > 1;
}

static void add_warning(struct warnings *w, const char *name, bool failure, const char *text,
                        const struct report_style *style, struct text *out)
{
    struct text words = {0}, one = {0};
    if (w->shown == WARNINGS_SHOWN && !style->full) {
        w->more++;
        return;
    }
    w->shown++;
    text_addf(&words, "%s: %s", name, text);
    layout_paragraph(&one, style,
                     failure ? "Failed: " : "Warning: ", failure ? TONE_RED : TONE_YELLOW,
                     layout_string(&words));
    if (!style->full)
        screen_cut(&one, 2);
    text_add(out, layout_string(&one));
    out->failed = out->failed || words.failed || one.failed;
    text_free(&one);
    text_free(&words);
}

/* Adds warnings, failures first; each names its target. */
void targets_add_warnings(const struct result_targets *t, const struct report_style *style,
                          struct text *out)
{
    struct warnings w = {0};
    for (size_t i = 0; i < t->count; i++)
        if (targets_is_bad(t->targets[i].result))
            add_warning(&w, t->targets[i].name, true, t->targets[i].result->failure, style, out);
    for (size_t i = 0; i < t->count; i++) {
        const struct result *r = t->targets[i].result;
        for (size_t k = 0; k < r->note_count; k++) {
            const char *words = r->notes[k].text;
            const bool of_all = r->notes[k].warning && is_of_all(t, words);
            if (r->notes[k].warning && (!of_all || i == 0))
                add_warning(&w, of_all ? "all" : t->targets[i].name, false, words, style, out);
        }
    }
    if (w.more)
        text_addf(out, "         and %zu more warnings\n", w.more);
}

/* Says whether the data of each target were read back as written (--verify); a failed target is
   left to its failure message. */
static void add_read_back(const struct result_targets *t, const struct report_style *style,
                          struct text *out)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct result *r = t->targets[i].result;
        const char *words = facts_find(&r->settings, "verify", "read back");
        struct text line = {0};
        if (!words || targets_is_bad(r))
            continue;
        if (shown == WARNINGS_SHOWN && !style->full) {
            more++;
            continue;
        }
        shown++;
        text_addf(&line, "%s: %s", t->targets[i].name, words);
        layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&line));
        out->failed = out->failed || line.failed;
        text_free(&line);
    }
    if (more)
        text_addf(out, "and %zu more targets that were read back (--full)\n", more);
}

/* Prints the parts below each other, from the memory down to the targets. */
static void print_graph(const struct result_targets *t, const struct report_style *style,
                        struct text *out)
{
    struct shared_graph *g = targets_graph(t);
    out->failed = out->failed || !g;
    if (g && g->edge_count) {
        layout_heading(out, style, "What they share");
        shared_graph_print(g, style, out);
    }
    free(g);
}

static size_t lines_of(const struct text *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->length; i++)
        lines += t->data[i] == '\n';
    return lines;
}

void targets_print_text(const struct result_targets *t, const struct report_style *style,
                        struct text *out)
{
    struct text above = {0}, below = {0};
    targets_add_verdict(t, style, &above);
    add_read_back(t, style, &above);
    targets_add_warnings(t, style, &above);
    targets_add_shared(t, style, &below);
    if (!style->full)
        screen_add_footer(style, &below);
    const size_t used = lines_of(&above) + lines_of(&below) + TABLE_FRAME;
    size_t rows = used + ROWS_MIN < SCREEN_LINES ? SCREEN_LINES - used : ROWS_MIN;
    text_add(out, layout_string(&above));
    print_table(t, style->full ? t->count : rows, style, out);
    text_add(out, layout_string(&below));
    out->failed = out->failed || above.failed || below.failed;
    text_free(&above);
    text_free(&below);
    if (!style->full)
        return;
    print_graph(t, style, out);
    for (size_t i = 0; i <= t->count; i++) {
        layout_heading(out, style, i < t->count ? t->targets[i].name : "All of them");
        report_sink_find("text")->print(i < t->count ? t->targets[i].result : t->all, style, out);
    }
}
