/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/live/live_screen.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

/* TEXT_LINES: number of lines that are no plot (status, target, axis, latency, load, path, phase).
   STRIP_ROWS_MIN: minimum height of a plot. */
enum { COLUMNS_MAX = 200, TEXT_LINES = 8, STRIP_ROWS_MIN = 2, STRIP_ROWS_MAX = 8, STRIPS = 3 };

/* Adds a name that comes from outside. Characters other than ASCII are replaced, as they may have
   another width than expected or control the terminal. */
static void add_plain(struct text *out, const char *s)
{
    for (; *s; s++)
        text_add_bytes(out, isprint((unsigned char)*s) ? s : "?", 1);
}

static const char *value(char to[NUMBER_BUFFER], enum metric_kind kind, double number)
{
    return isnan(number) ? "-" : number_value(to, NUMBER_BUFFER, kind, number);
}

/* ---- plots ---- */

static void add_axis(const struct live *l, size_t columns, struct text *out)
{
    char end[NUMBER_BUFFER];
    number_seconds(end, sizeof end, l->seconds);
    layout_right(out, "", PLOT_STRIP_GUTTER);
    text_add(out, "0 s");
    layout_right(out, end, columns > 3 ? columns - 3 : 0);
    layout_end_line(out);
}

static void add_plots(const struct live *l, const struct report_style *style, size_t columns,
                      size_t rows, struct text *out)
{
    const struct {
        const double *values;
        const char *name;
        enum metric_kind kind;
    } strips[STRIPS] = {{l->rate, "IOPS", METRIC_KIND_COUNT_RATE},
                        {l->p99, "p99", METRIC_KIND_TIME},
                        {l->p50, "p50", METRIC_KIND_TIME}};
    size_t count = rows / STRIP_ROWS_MIN < STRIPS ? rows / STRIP_ROWS_MIN : STRIPS;
    if (columns <= PLOT_STRIP_GUTTER + 8 || !count)
        return;
    columns -= PLOT_STRIP_GUTTER + 1;
    for (size_t i = 0; i < count; i++) {
        size_t own = (rows + count - 1 - i) / count; /* the first plots get the spare rows */
        const struct plot_strip strip = {.values = strips[i].values,
                                         .count = l->points,
                                         .columns = columns,
                                         .rows = own < STRIP_ROWS_MAX ? own : STRIP_ROWS_MAX,
                                         .kind = strips[i].kind,
                                         .name = strips[i].name};
        plot_strip(&strip, style, out);
    }
    add_axis(l, columns, out);
}

/* ---- lines ---- */

static void add_latency(const struct live *l, struct text *out)
{
    static const char *const names[LIVE_SHARES] = {"p50", "p90", "p99", "p99.9"};
    char number[NUMBER_BUFFER];
    text_add(out, "latency ");
    for (size_t i = 0; i < LIVE_SHARES; i++)
        text_addf(out, "  %s %s", names[i], value(number, METRIC_KIND_TIME, l->quantile[i]));
    text_add(out, "\n");
}

static void add_load(const struct live *l, struct text *out)
{
    char number[NUMBER_BUFFER];
    text_addf(out, "load      %s IOPS", value(number, METRIC_KIND_COUNT_RATE, l->rate_now));
    text_addf(out, "  %s", value(number, METRIC_KIND_BYTE_RATE, l->bytes_now));
    text_addf(out, "  %.3g of %u in flight", l->in_flight, l->slots);
    if (!isnan(l->backlog))
        text_addf(out, "  backlog %.0f", l->backlog);
    text_add(out, "\n");
}

static void add_path(const struct live *l, const struct report_style *style, struct text *out)
{
    text_add(out, "path    ");
    for (size_t i = 0; i < l->part_count; i++) {
        const struct live_part *p = &l->parts[i];
        text_add(out, "  ");
        add_plain(out, p->name);
        layout_tone(out, style, p->used > 0.8 ? TONE_YELLOW : TONE_PLAIN);
        text_addf(out, " %.0f %%", p->used * 100);
        layout_tone(out, style, TONE_PLAIN);
    }
    text_add(out, l->part_count ? "\n" : "  not known yet\n");
}

static void add_phases(const struct live *l, struct text *out)
{
    char begin[NUMBER_BUFFER], end[NUMBER_BUFFER];
    text_add(out, "phases    ");
    if (!strcmp(l->phase, "no_steady_state"))
        text_add(out, "no steady state yet");
    else if (l->phase[0])
        text_addf(out, "steady from %s to %s", number_seconds(begin, sizeof begin, l->stable_begin),
                  number_seconds(end, sizeof end, l->stable_end));
    else
        text_add(out, "not judged yet");
    if (l->change_count)
        text_addf(out, "; %zu change%s, %s", l->change_count, l->change_count == 1 ? "" : "s",
                  l->change_count > l->changes_kept ? "the last at" : "at");
    for (size_t i = 0; i < l->changes_kept; i++)
        text_addf(out, "%s %s", i ? "," : "", number_seconds(begin, sizeof begin, l->changes[i]));
    text_add(out, "\n");
}

static void add_clauses(const struct live *l, const struct report_style *style, size_t count,
                        struct text *out)
{
    static const enum tone tones[] = {
        [CLAUSE_UNDECIDED] = TONE_YELLOW, [CLAUSE_PASSED] = TONE_GREEN, [CLAUSE_FAILED] = TONE_RED};
    char number[NUMBER_BUFFER];
    for (size_t i = 0; i < count; i++) {
        const struct result_clause *c = &l->clauses[i];
        layout_tone(out, style, tones[c->verdict]);
        text_addf(out, "%-10s", clause_verdict_name(c->verdict));
        layout_tone(out, style, TONE_PLAIN);
        add_plain(out, c->text);
        if (!c->is_width)
            text_addf(out, "  %s", value(number, c->kind, c->value));
        else if (isfinite(c->value))
            text_addf(out, "  +-%.2g %%, goal +-%.2g %%", c->value * 50, c->limit * 50);
        text_add(out, "\n");
    }
}

/* ---- the whole screen ---- */

/* Cuts lines after this number of columns, and the text after this number of lines. Colour
   sequences take no columns. */
static void clip(struct text *out, size_t columns, size_t rows)
{
    size_t to = 0, column = 0, row = 0;
    bool in_sequence = false, cut = false;
    for (size_t i = 0; i < out->length && row < rows; i++) {
        const char c = out->data[i];
        const bool continues = ((unsigned char)c & 0xc0) == 0x80;
        if (c == '\n') {
            column = 0;
            row++;
        } else if (c == '\033') {
            in_sequence = true;
        } else if (!in_sequence && !continues) {
            column++;
            cut = column > columns;
        }
        if (in_sequence || c == '\n' || !cut)
            out->data[to++] = c;
        in_sequence = in_sequence && c != 'm';
        cut = cut && column > 0;
    }
    out->length = to;
    if (out->data)
        out->data[to] = '\0';
}

void live_screen(const struct live *l, const char *status, const struct report_style *style,
                 size_t columns, size_t rows, struct text *out)
{
    columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    layout_tone(out, style, TONE_BOLD);
    add_plain(out, status);
    layout_tone(out, style, TONE_PLAIN);
    text_add(out, "\n");
    if (l) {
        const size_t room = rows > TEXT_LINES ? rows - TEXT_LINES : 0;
        const size_t clauses = l->clause_count < room / 2 + 1 ? l->clause_count : room / 2 + 1;
        add_plain(out, l->target);
        text_add(out, "  ");
        add_plain(out, l->workload);
        text_add(out, "\n");
        add_plots(l, style, columns, room > clauses ? room - clauses : 0, out);
        add_latency(l, out);
        add_load(l, out);
        add_path(l, style, out);
        add_phases(l, out);
        add_clauses(l, style, clauses, out);
    }
    text_add(out, "Ctrl-C ends it with what was measured so far\n");
    clip(out, columns, rows);
}
