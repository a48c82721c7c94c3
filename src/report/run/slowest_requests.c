/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the slowest requests of the measured rounds. */
#include <stdio.h>

#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/run/sections.h"

#define ROWS 8

static void print_request(const struct result_slow *s, struct document *out)
{
    char text[NUMBER_BUFFER];
    document_right(out, number_value(text, sizeof text, METRIC_KIND_TIME, (double)s->latency_ns),
                   11);
    snprintf(text, sizeof text, "%.6f", (double)s->begin_ns * 1e-9);
    document_right(out, text, 13);
    snprintf(text, sizeof text, "  %s", s->op);
    document_left(out, text, 7);
    snprintf(text, sizeof text, "%llu", (unsigned long long)s->offset);
    document_right(out, text, 17);
    snprintf(text, sizeof text, "%u", s->length);
    document_right(out, text, 9);
    snprintf(text, sizeof text, "%u", s->job);
    document_right(out, text, 5);
    snprintf(text, sizeof text, "%u", s->stall);
    document_right(out, s->stall ? text : "-", 7);
    document_add(out, s->failed ? "  failed" : "");
    document_end_row(out);
}

/* Prints a stall: "at 3.20 s, 17 requests waited for one stall of 212 ms: temperature of nvme0 71
   C". */
static void print_stall(const struct result_stall *s, const char *lead, enum tone tone,
                        struct document *out)
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
    document_paragraph_from(out, lead, tone, &words);
}

void section_stalled(const struct result *r, struct document *out)
{
    if (r->stalls[0].stands_out)
        print_stall(&r->stalls[0], "Slowest: ", TONE_YELLOW, out);
}

/* Prints how many requests and stalls the section leaves out. */
static void print_left_out(const struct result *r, struct document *out)
{
    size_t alone = 0;
    for (size_t i = 0; i < r->slow_count; i++)
        alone += !r->slow[i].stall;
    if (alone)
        document_line(out, "  %zu of the %zu slowest requests waited in shorter stalls, not listed",
                      alone, r->slow_count);
    if (r->slow_count > ROWS)
        document_line(out, "  %zu more row%s: the record and worst.csv of -o have %s",
                      r->slow_count - ROWS, r->slow_count == ROWS + 1 ? "" : "s",
                      r->slow_count == ROWS + 1 ? "it" : "them");
}

void section_slowest(const struct result *r, struct document *out)
{
    static const struct layout_column titles[] = {{"latency", 11}, {"at s", 13}, {"  op", -7},
                                                  {"offset", 17},  {"bytes", 9}, {"job", 5},
                                                  {"stall", 7}};
    if (!r->slow_count)
        return;
    document_heading(out, "Slowest requests of the measured rounds");
    document_titles(out, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < r->slow_count && i < ROWS; i++)
        print_request(&r->slow[i], out);
    for (size_t i = 0; i < r->stall_count; i++) {
        char lead[24];
        snprintf(lead, sizeof lead, "  %zu: ", i + 1);
        print_stall(&r->stalls[i], lead, TONE_PLAIN, out);
    }
    print_left_out(r, out);
}
