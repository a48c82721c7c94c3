/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen of watched hosts, for a terminal of 80 columns and 24 lines. */
#include "report/follow/follow.h"

#include <math.h>
#include <stdio.h>

#include "report/follow/internal.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { NAME_WIDTH = 14, VALUE_WIDTH = 11, PLOT_ROWS = 5 };
#define CLAUSES_SHOWN 4

/* ---- the first lines ---- */

static void print_verdict(const struct followed *f, const struct report_style *style,
                          struct text *out)
{
    const struct result_clause *failed = NULL, *open = NULL;
    const struct followed_limit *now = NULL;
    char instant[40];
    char number[NUMBER_BUFFER];
    struct text words = {0};
    for (size_t i = f->clause_count; i-- > 0;) {
        failed = f->clauses[i].verdict == CLAUSE_FAILED ? &f->clauses[i] : failed;
        open = f->clauses[i].verdict == CLAUSE_UNDECIDED ? &f->clauses[i] : open;
    }
    size_t broken = 0;
    while (f->limits && !now && broken < f->limits->count)
        now = f->of_limit[broken++].broken ? &f->of_limit[broken - 1] : NULL;
    if (now)
        text_addf(&words, "%s is broken now, since %s", f->limits->clause[broken - 1].text,
                  follow_instant(instant, sizeof instant, now->since_ns) + 11);
    else if (failed)
        text_addf(&words, "%s does not hold", failed->text);
    else if (open)
        text_addf(&words, "%s is not decided yet", open->text);
    else if (f->clause_count)
        text_add(&words, "all limits hold");
    else if (f->any)
        text_addf(&words, "%s of readings",
                  number_seconds(number, sizeof number, f->whole.seconds));
    else
        text_add(&words, f->records ? "no interval is complete yet" : "there is no record yet");
    layout_paragraph(out, style, "WATCHING: ",
                     failed || now              ? TONE_RED
                     : open || !f->clause_count ? TONE_BOLD
                                                : TONE_GREEN,
                     layout_string(&words));
    text_free(&words);
}

static void print_hosts(const struct followed *f, const struct report_style *style,
                        struct text *out)
{
    struct text words = {0};
    follow_add_hosts(f, &words);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    text_free(&words);
    if (!f->silent_count)
        return;
    follow_add_silent(f, &words);
    layout_paragraph(out, style, "silent: ", TONE_YELLOW, layout_string(&words));
    text_free(&words);
}

/* ---- figures ---- */

static void print_figures(const char *name, const struct followed_interval *i, struct text *out)
{
    const struct {
        enum metric_kind kind;
        double value;
    } cells[] = {{METRIC_KIND_COUNT_RATE, i->io_rate}, {METRIC_KIND_BYTE_RATE, i->byte_rate},
                 {METRIC_KIND_TIME, i->p50},           {METRIC_KIND_TIME, i->p90},
                 {METRIC_KIND_TIME, i->p99},           {METRIC_KIND_TIME, i->p999}};
    char number[NUMBER_BUFFER];
    layout_left(out, name, NAME_WIDTH);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        layout_right(out, number_value(number, sizeof number, cells[k].kind, cells[k].value),
                     VALUE_WIDTH);
    layout_end_line(out);
}

static void print_table(const struct followed *f, struct text *out)
{
    static const struct layout_column titles[] = {{"", NAME_WIDTH},           {"IOPS", VALUE_WIDTH},
                                                  {"bandwidth", VALUE_WIDTH}, {"p50", VALUE_WIDTH},
                                                  {"p90", VALUE_WIDTH},       {"p99", VALUE_WIDTH},
                                                  {"p99.9", VALUE_WIDTH}};
    char instant[40];
    layout_titles(out, titles, sizeof titles / sizeof *titles);
    /* the time of day of "2026-11-23T16:00:05Z" */
    print_figures(follow_instant(instant, sizeof instant, f->last.begin_ns) + 11, &f->last, out);
    print_figures("the whole", &f->whole, out);
}

/* ---- p99 over time ---- */

static void print_plot(const struct followed *f, const struct report_style *style, struct text *out)
{
    const struct plot_strip strip = {.values = f->p99,
                                     .count = f->p99_count,
                                     .columns = f->p99_count,
                                     .rows = PLOT_ROWS,
                                     .kind = METRIC_KIND_TIME,
                                     .name = "p99"};
    plot_strip(&strip, style, out);
}

/* ---- hosts and limits ---- */

static void print_slowest(const struct followed *f, const struct report_style *style,
                          struct text *out)
{
    char number[NUMBER_BUFFER], name[64];
    struct text words = {0};
    for (size_t i = 0; i < f->slowest_count; i++)
        text_addf(&words, "%s%s %s", i ? ", " : "",
                  layout_shorten(name, sizeof name, f->slowest[i].name, 40),
                  number_value(number, sizeof number, METRIC_KIND_TIME, f->slowest[i].p99));
    if (f->slowest_count)
        layout_paragraph(out, style, "p99 of late, slowest first: ", TONE_PLAIN,
                         layout_string(&words));
    text_free(&words);
}

static void print_clauses(const struct followed *f, struct text *out)
{
    char number[NUMBER_BUFFER];
    for (size_t i = 0; i < f->clause_count && i < CLAUSES_SHOWN; i++) {
        const struct result_clause *c = &f->clauses[i];
        text_addf(out, "%-30s %-10s %s\n", c->text, clause_verdict_name(c->verdict),
                  number_value(number, sizeof number, c->kind, c->value));
    }
}

void follow_screen(const struct followed *f, const struct report_style *style, struct text *out)
{
    print_verdict(f, style, out);
    print_hosts(f, style, out);
    if (!f->any)
        return;
    text_add(out, "\n");
    print_table(f, out);
    text_add(out, "\n");
    print_plot(f, style, out);
    text_add(out, "\n");
    print_slowest(f, style, out);
    print_clauses(f, out);
}
