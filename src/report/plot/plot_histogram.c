/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a latency histogram with one bar for each row of merged buckets. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum {
    BODY_ROWS = 12,
    ROWS = BODY_ROWS + 2,
    BOUND_WIDTH = 9,
    SHARE_WIDTH = 9,
    COUNT_WIDTH = 9,
    BESIDE_BAR = 2 + BOUND_WIDTH + 4 + BOUND_WIDTH + 2 + SHARE_WIDTH + COUNT_WIDTH
};

/* The lowest samples, at most this share of all samples, form one row, the lower tail. The highest
   ones form the upper tail. */
#define TAIL_SHARE 0.005

struct histogram_row {
    double low, high;
    uint64_t count;
    bool used;
};

struct body {
    size_t first, last;           /* first and last bucket with samples */
    size_t body_first, body_last; /* first and last bucket without the tails */
    double total;
};

static bool find_body(const struct result_histogram *h, struct body *b)
{
    *b = (struct body){0};
    bool found = false;
    for (size_t i = 0; i < h->count; i++) {
        if (h->counts[i] == 0)
            continue;
        if (!found)
            b->first = i;
        found = true;
        b->last = i;
        b->total += (double)h->counts[i];
    }
    double below = 0;
    b->body_first = b->first;
    b->body_last = b->last;
    for (size_t i = b->first; found && i <= b->last; i++) {
        if (below <= TAIL_SHARE * b->total)
            b->body_first = i;
        below += (double)h->counts[i];
        if (below < (1 - TAIL_SHARE) * b->total && i < b->last)
            b->body_last = i + 1;
        if (below >= (1 - TAIL_SHARE) * b->total)
            break;
    }
    return found;
}

static size_t row_of_bucket(const struct result_histogram *h, const struct body *b, size_t bucket)
{
    if (bucket < b->body_first)
        return 0;
    if (bucket > b->body_last)
        return ROWS - 1;
    double low = fmax(h->edges[b->body_first], 1), high = h->edges[b->body_last + 1];
    double place = log(fmax(h->edges[bucket], low) / low) / log(high / low);
    size_t row = 1 + (size_t)(place * BODY_ROWS);
    return row < ROWS - 1 ? row : ROWS - 2;
}

static void add_bar(double share, size_t width, bool unicode, struct text *out)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = (size_t)lround(share * (double)width * 8);
    if (eighths == 0 && share > 0)
        eighths = 1;
    size_t cells = eighths / 8, part = eighths % 8, used = cells + (part > 0);
    for (size_t i = 0; i < cells; i++)
        text_add(out, unicode ? "█" : "#");
    if (part > 0)
        text_add(out, unicode ? parts[part] : part < 4 ? "." : ":");
    layout_left(out, "", width - used);
}

void plot_histogram(const struct result_histogram *h, const struct report_style *style,
                    struct text *out)
{
    struct body body;
    struct histogram_row rows[ROWS] = {0};
    if (!find_body(h, &body)) {
        text_add(out, "  no samples\n");
        return;
    }
    for (size_t i = body.first; i <= body.last; i++) {
        struct histogram_row *row = &rows[row_of_bucket(h, &body, i)];
        if (!row->used)
            row->low = h->edges[i];
        row->used = true;
        row->high = h->edges[i + 1];
        row->count += h->counts[i];
    }
    uint64_t max_count = 0;
    for (size_t i = 0; i < ROWS; i++)
        max_count = rows[i].count > max_count ? rows[i].count : max_count;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].used) {
            const struct histogram_row *row = &rows[i];
            char cell[NUMBER_BUFFER];
            size_t bar = layout_width(style) - BESIDE_BAR;
            text_add(out, "  ");
            layout_right(out, format_time(cell, sizeof cell, row->low), BOUND_WIDTH);
            text_add(out, " to ");
            layout_right(out, format_time(cell, sizeof cell, row->high), BOUND_WIDTH);
            text_add(out, style->unicode ? " │" : " |");
            add_bar((double)row->count / (double)max_count, bar, style->unicode, out);
            snprintf(cell, sizeof cell, "%.2f %%", 100 * (double)row->count / body.total);
            layout_right(out, cell, SHARE_WIDTH);
            layout_right(out, number_count(cell, sizeof cell, (double)row->count), COUNT_WIDTH);
            text_add(out, "\n");
        }
}
