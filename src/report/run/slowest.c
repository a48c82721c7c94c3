/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowest requests of the measured rounds. */
#include <stdio.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

#define ROWS 8

static void print_request(const struct result_slow *s, struct text *out)
{
    char text[NUMBER_BUFFER];
    layout_right(out, number_value(text, sizeof text, METRIC_KIND_TIME, (double)s->latency_ns), 11);
    snprintf(text, sizeof text, "%.6f", (double)s->begin_ns * 1e-9);
    layout_right(out, text, 13);
    snprintf(text, sizeof text, "  %s", s->op);
    layout_left(out, text, 7);
    snprintf(text, sizeof text, "%llu", (unsigned long long)s->offset);
    layout_right(out, text, 17);
    snprintf(text, sizeof text, "%u", s->length);
    layout_right(out, text, 9);
    snprintf(text, sizeof text, "%u", s->job);
    layout_right(out, text, 5);
    snprintf(text, sizeof text, "%u", s->stall);
    layout_right(out, s->stall ? text : "-", 7);
    text_add(out, s->failed ? "  failed" : "");
    layout_end_line(out);
}

/* Prints "at 3.20 s, 17 requests waited for one stall of 212 ms: temperature of nvme0 71 C". */
static void print_stall(const struct result_stall *s, const char *lead, enum tone tone,
                        const struct report_style *style, struct text *out)
{
    char length[NUMBER_BUFFER];
    struct text words = {0};
    number_value(length, sizeof length, METRIC_KIND_TIME, s->seconds * 1e9);
    text_addf(&words, "at %.2f s, ", s->begin_seconds);
    if (s->requests == 1)
        text_addf(&words, "one request took %s", length);
    else
        text_addf(&words, "%llu requests%s %s %s", (unsigned long long)s->requests,
                  s->requests == RESULT_SLOW_MAX ? " or more" : "",
                  s->one_wait ? "waited for one stall of" : "were slow in a stretch of", length);
    text_addf(&words, ": %s", s->beside);
    layout_paragraph(out, style, lead, tone, layout_string(&words));
    out->failed |= words.failed;
    text_free(&words);
}

void section_stalled(const struct result *r, const struct report_style *style, struct text *out)
{
    if (r->stalls[0].stands_out)
        print_stall(&r->stalls[0], "Slowest: ", TONE_YELLOW, style, out);
}

/* Prints the number of rows and stalls for which the section has no room. */
static void print_left_out(const struct result *r, struct text *out)
{
    size_t alone = 0;
    for (size_t i = 0; i < r->slow_count; i++)
        alone += !r->slow[i].stall;
    if (alone)
        text_addf(out, "  %zu of the %zu slowest requests waited in shorter stalls, not listed\n",
                  alone, r->slow_count);
    if (r->slow_count > ROWS)
        text_addf(out, "  %zu more row%s: the record and worst.csv of -o have %s\n",
                  r->slow_count - ROWS, r->slow_count == ROWS + 1 ? "" : "s",
                  r->slow_count == ROWS + 1 ? "it" : "them");
}

void section_slowest(const struct result *r, const struct report_style *style, struct text *out)
{
    static const struct layout_column titles[] = {{"latency", 11}, {"at s", 13}, {"  op", -7},
                                                  {"offset", 17},  {"bytes", 9}, {"job", 5},
                                                  {"stall", 7}};
    if (!r->slow_count)
        return;
    layout_heading(out, style, "Slowest requests of the measured rounds");
    layout_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < r->slow_count && i < ROWS; i++)
        print_request(&r->slow[i], out);
    for (size_t i = 0; i < r->stall_count; i++) {
        char lead[24];
        snprintf(lead, sizeof lead, "  %zu: ", i + 1);
        print_stall(&r->stalls[i], lead, TONE_PLAIN, style, out);
    }
    print_left_out(r, out);
}
