/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints watched hosts: each interval as one line, for logs and pipes, or a screen with all of
   them, for a terminal of 80 columns and 24 lines. */
#include "report/follow/follow_screen.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { NAME_WIDTH = 14, VALUE_WIDTH = 11, PLOT_ROWS = 5 };
#define CLAUSES_SHOWN 4

/* ---- words of both ---- */

/* Writes a time: "2026-11-23T16:00:05Z". */
static char *write_instant(char *to, size_t size, uint64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    unsigned milliseconds = (unsigned)(ns / 1000000u % 1000);
    struct tm utc;
    char date[24] = "", fraction[8] = "";
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    if (milliseconds)
        snprintf(fraction, sizeof fraction, ".%03u", milliseconds);
    snprintf(to, size, "%s%sZ", date, fraction);
    return to;
}

/* Adds the number of hosts in each state: "4 hosts: 2 running, 1 silent, 1 ended", or "8 records of
   4 hosts: ...". */
static void add_hosts(const struct followed *f, struct text *out)
{
    static const struct {
        enum followed_state state;
        const char *words;
    } counts[] = {{FOLLOWED_STARTING, "starting"},
                  {FOLLOWED_SILENT, "silent"},
                  {FOLLOWED_REFUSED, "refused"},
                  {FOLLOWED_ENDED, "ended"}};
    if (f->records != f->hosts)
        text_addf(out, "%zu records of ", f->records);
    text_addf(out, "%zu host%s: %zu running", f->hosts, f->hosts == 1 ? "" : "s",
              f->in_state[FOLLOWED_RUNNING]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (f->in_state[counts[i].state])
            text_addf(out, ", %zu %s", f->in_state[counts[i].state], counts[i].words);
}

/* Adds which hosts are silent: "node7 for 14 s, node9 (its record cannot be read) and 3 more". */
static void add_silent(const struct followed *f, struct text *out)
{
    char number[NUMBER_BUFFER];
    const size_t all = f->in_state[FOLLOWED_SILENT] + f->in_state[FOLLOWED_REFUSED];
    for (size_t i = 0; i < f->silent_count; i++) {
        const struct followed_host *h = &f->silent[i];
        text_addf(out, "%s%s", i ? ", " : "", h->name);
        if (h->state == FOLLOWED_SILENT)
            text_addf(out, " for %s", number_seconds(number, sizeof number, h->silent_seconds));
        else
            text_add(out, " (its record cannot be read)");
    }
    if (all > f->silent_count)
        text_addf(out, " and %zu more", all - f->silent_count);
}

/* ---- the line ---- */

static void add_value(struct text *out, const char *name, enum metric_kind kind, double value)
{
    char number[NUMBER_BUFFER];
    text_addf(out, "  %s %s", name, number_value(number, sizeof number, kind, value));
}

void follow_line(const struct followed *f, const struct followed_interval *i, struct text *out)
{
    char instant[40];
    text_addf(out, "%s", write_instant(instant, sizeof instant, i->begin_ns));
    add_value(out, "IOPS", METRIC_KIND_COUNT_RATE, i->io_rate);
    add_value(out, "bandwidth", METRIC_KIND_BYTE_RATE, i->byte_rate);
    add_value(out, "p50", METRIC_KIND_TIME, i->p50);
    add_value(out, "p90", METRIC_KIND_TIME, i->p90);
    add_value(out, "p99", METRIC_KIND_TIME, i->p99);
    add_value(out, "p99.9", METRIC_KIND_TIME, i->p999);
    add_value(out, "max", METRIC_KIND_TIME, i->max);
    if (i->errors)
        text_addf(out, "  errors %llu", (unsigned long long)i->errors);
    text_add(out, "  ");
    add_hosts(f, out);
    if (f->silent_count) {
        text_add(out, "; silent: ");
        add_silent(f, out);
    }
    for (size_t k = 0; f->limits && k < f->limits->count; k++)
        if (f->of_limit[k].broken)
            text_addf(out, "; broken now: %s", f->limits->clause[k].text);
    text_add(out, "\n");
}

/* ---- the screen: the first lines ---- */

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
                  write_instant(instant, sizeof instant, now->since_ns) + 11);
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
    add_hosts(f, &words);
    layout_paragraph(out, style, "", TONE_PLAIN, layout_string(&words));
    text_free(&words);
    if (!f->silent_count)
        return;
    add_silent(f, &words);
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
    /* "16:00:05Z" of "2026-11-23T16:00:05Z" */
    print_figures(write_instant(instant, sizeof instant, f->last.begin_ns) + 11, &f->last, out);
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
