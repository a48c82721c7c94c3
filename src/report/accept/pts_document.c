/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the result of a PTS test to a document. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/accept/pts_report.h"
#include "report/document/document.h"
#include "report/layout/number.h"

enum { BLOCK_WIDTH = 10, CELL_WIDTH = 9, WORDS = 400 };

#define WINDOW 5

/* Writes the verdict without a line end: "steady after 7 rounds". */
static char *pts_verdict_words(const struct pts_result *r, char *to, size_t size)
{
    const char *what = r->saturation ? "samples" : "rounds";
    switch (r->end) {
    case PTS_STEADY:
        snprintf(to, size, "steady after %u %s", r->rounds, what);
        break;
    case PTS_NOT_STEADY:
        snprintf(to, size, "not steady at %u %s", r->rounds, what);
        break;
    case PTS_TIME_OVER:
        snprintf(to, size, "not steady when its time was over, after %u %s", r->rounds, what);
        break;
    case PTS_WRITTEN:
        snprintf(to, size, "4 times the capacity written in %u %s", r->rounds, what);
        break;
    default:
        snprintf(to, size, "not finished: %u %s and %u cells so far", r->rounds, what,
                 r->sample_count);
    }
    return to;
}

static void add_verdict(const struct pts_result *r, struct document *out)
{
    char words[WORDS], window[80] = "", level[NUMBER_BUFFER];
    enum tone tone = r->end == PTS_STEADY || r->end == PTS_WRITTEN ? TONE_GREEN : TONE_YELLOW;
    pts_verdict_words(r, words, sizeof words);
    if (r->tracked_count && !r->saturation)
        snprintf(window, sizeof window, "; means are of rounds %u to %u", r->window + 1,
                 r->window + WINDOW);
    else if (r->saturation && r->sample_count)
        snprintf(window, sizeof window, "; its last level is %s IOPS",
                 number_value(level, sizeof level, r->kind, r->cells[0].mean));
    strncat(words, window, sizeof words - strlen(words) - 1);
    document_paragraph(out, "  PTS: ", tone, words);
}

/* ---- cells ---- */

static const char *mix_words(char *to, size_t size, unsigned read_percent)
{
    snprintf(to, size, "%u/%u", read_percent, 100 - read_percent);
    return to;
}

static bool is_row_chosen(const struct pts_result *r, unsigned row, unsigned rows, bool is_block)
{
    bool chosen = false;
    for (unsigned i = 0; i < r->cell_count; i++)
        chosen |= (is_block ? i % rows : i / rows) == row && r->cells[i].chosen;
    return chosen;
}

/* Adds a table with a row for each block size and a column for each mix of reads and writes.
   r->cells has all block sizes of one mix, then those of the next mix. */
static void add_cells(const struct pts_result *r, struct document *out)
{
    unsigned rows = 1;
    char words[NUMBER_BUFFER];
    struct layout_column columns[8] = {{"", -BLOCK_WIDTH}};
    char mixes[7][12];
    size_t count = 1;
    while (rows < r->cell_count && r->cells[rows].read_percent == r->cells[0].read_percent)
        rows++;
    for (unsigned mix = 0; mix < r->cell_count / rows && mix < 7; mix++)
        if (is_row_chosen(r, mix, rows, false))
            columns[count++] = (struct layout_column){
                mix_words(mixes[mix], sizeof mixes[mix], r->cells[mix * rows].read_percent),
                CELL_WIDTH};
    columns[0].title = "  read/write";
    columns[0].width = -(BLOCK_WIDTH + 2);
    document_titles(out, columns, count);
    for (unsigned row = 0; row < rows; row++) {
        if (!is_row_chosen(r, row, rows, true))
            continue;
        char line[48];
        snprintf(line, sizeof line, "  %s", format_size(words, sizeof words, r->cells[row].block));
        document_left(out, line, BLOCK_WIDTH + 2);
        for (unsigned i = row; i < r->cell_count; i += rows)
            if (is_row_chosen(r, i / rows, rows, false))
                document_right(out, number_value(words, sizeof words, r->kind, r->cells[i].mean),
                               CELL_WIDTH + (r->kind == METRIC_KIND_BYTE_RATE));
        document_end_row(out);
    }
}

/* ---- steady state ---- */

static void add_tracked(const struct pts_result *r, const struct pts_tracked *t,
                        struct document *out)
{
    const struct pts_cell *cell = &r->cells[t->cell];
    char size[UNITS_BUFFER], mix[16], mean[NUMBER_BUFFER], first[NUMBER_BUFFER];
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER], words[WORDS], lead[64];
    snprintf(lead, sizeof lead, "  %s %s: ", format_size(size, sizeof size, cell->block),
             mix_words(mix, sizeof mix, cell->read_percent));
    snprintf(
        words, sizeof words,
        "%s, max - min %.1f %% of it (20 %%), line %s %+.2g %% a round, %+.1f %% over the window "
        "(10 %%): %s",
        number_value(mean, sizeof mean, r->kind, t->mean), 100 * t->range,
        number_value(first, sizeof first, r->kind, t->first), 100 * t->slope / t->mean,
        100 * t->change, t->steady ? "steady" : "not steady");
    document_paragraph(out, lead, TONE_PLAIN, words);
    if (isfinite(t->drift_low))
        snprintf(words, sizeof words,
                 "the same by its 95 %% intervals: %s; drift %+.1f %% [%+.1f %%, %+.1f %%], mean "
                 "[%s, %s]%s%s",
                 t->drift_verdict, 100 * t->drift, 100 * t->drift_low, 100 * t->drift_high,
                 number_value(low, sizeof low, r->kind, t->mean_low),
                 number_value(high, sizeof high, r->kind, t->mean_high),
                 strcmp(t->phase, "flat") ? ", " : "", strcmp(t->phase, "flat") ? t->phase : "");
    else
        snprintf(words, sizeof words, "the same by its 95 %% intervals: too few rounds");
    document_paragraph(out, "    ", TONE_PLAIN, words);
}

/* ---- latency, levels ---- */

static void add_latency(const struct pts_result *r, struct document *out)
{
    struct text words = {0};
    char value[NUMBER_BUFFER], lead[80];
    if (!(r->latency_seconds > 0))
        return;
    for (unsigned i = 0; i < PTS_PERCENTILES; i++) {
        bool known = !isnan(r->latency[i]);
        text_addf(&words, "%s%s%.9g%s %s", i ? ", " : "", i + 1 < PTS_PERCENTILES ? "p" : "",
                  100 * pts_percentiles[i], i + 1 < PTS_PERCENTILES ? "" : " % at most",
                  known ? number_value(value, sizeof value, METRIC_KIND_TIME, r->latency[i])
                        : "too few requests");
    }
    snprintf(lead, sizeof lead,
             "  4 KiB 0/100 for %s: ", number_seconds(value, sizeof value, r->latency_seconds));
    document_paragraph_from(out, lead, TONE_PLAIN, &words);
}

static void add_events(const struct pts_result *r, struct document *out)
{
    char written[UNITS_BUFFER], before[NUMBER_BUFFER], after[NUMBER_BUFFER], words[WORDS], lead[64];
    for (unsigned i = 0; i < r->event_count; i++) {
        const struct pts_event *v = &r->events[i];
        char heat[32] = "";
        if (!isnan(v->celsius))
            snprintf(heat, sizeof heat, ", at %.0f C", v->celsius);
        snprintf(lead, sizeof lead,
                 "  after %s: ", format_size(written, sizeof written, v->written));
        snprintf(words, sizeof words, "%s IOPS to %s, %.2f x the capacity%s: %s",
                 number_value(before, sizeof before, r->kind, v->before),
                 number_value(after, sizeof after, r->kind, v->after),
                 v->written / (double)r->capacity, heat, v->words);
        document_paragraph(out, lead, TONE_YELLOW, words);
    }
}

/* ---- how the test was measured ---- */

static void add_method(const struct pts_result *r, struct document *out)
{
    struct text words = {0};
    char range[UNITS_BUFFER], all[UNITS_BUFFER], pause[NUMBER_BUFFER];
    text_addf(&words, "%s, %u thread%s with %u in flight each, active range %s of %s, %s",
              r->client ? "PTS-C" : "PTS-E", r->threads, r->threads == 1 ? "" : "s", r->depth,
              format_size(range, sizeof range, (double)r->range),
              format_size(all, sizeof all, (double)r->capacity), r->prepared);
    text_addf(&words, "; write cache: %s", r->cache[0] ? r->cache : "not known");
    const bool is_on = !strncmp(r->cache, "on", 2) || !strcmp(r->cache, "write back");
    if (r->cache[0] && is_on != r->client)
        text_addf(&words, " (PTS-%s: it was left as it is)",
                  r->client ? "C wants it on" : "E wants it off");
    if (r->platform[0])
        text_addf(&words, "; on %s", r->platform);
    if (r->left_out[0])
        text_addf(&words, "; %s", r->left_out);
    if (r->pause_seconds > 60)
        text_addf(&words, "; interrupted, the drive rested for %s",
                  number_seconds(pause, sizeof pause, r->pause_seconds));
    document_paragraph_from(out, "  ", TONE_PLAIN, &words);
}

void pts_print_text(const struct pts_result *r, struct document *out)
{
    document_heading(out, r->words);
    add_verdict(r, out);
    if (r->tracked_count && r->cell_count > 1)
        add_cells(r, out);
    for (unsigned i = 0; i < r->tracked_count; i++)
        add_tracked(r, &r->tracked[i], out);
    add_latency(r, out);
    add_events(r, out);
    add_method(r, out);
}
