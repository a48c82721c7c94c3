/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicted against measured, in characters. */
#include <math.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/predict/internal.h"

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 20 };

struct scatter_range scatter_range_of(const struct map_scatter *s)
{
    struct scatter_range r = {INFINITY, -INFINITY, s->logarithmic};
    for (size_t i = 0; i < s->count; i++) {
        r.low = fmin(r.low, fmin(s->measured[i], s->predicted[i]));
        r.high = fmax(r.high, fmax(s->measured[i], s->predicted[i]));
    }
    return r;
}

double scatter_share(const struct scatter_range *r, double value)
{
    if (!(r->high > r->low))
        return 0.5;
    return r->logarithmic ? log(value / r->low) / log(r->high / r->low)
                          : (value - r->low) / (r->high - r->low);
}

/* Returns the mark of a cell with `count` configurations; on the diagonal measured and predicted
   values are equal. */
static const char *mark_of(unsigned count, bool diagonal)
{
    if (!count)
        return diagonal ? "." : " ";
    return count > 9 ? "#" : count > 3 ? "*" : count > 1 ? "+" : "o";
}

void scatter_draw(const void *what, size_t number, const struct report_style *style,
                  struct text *out)
{
    const struct map_scatter *s = what;
    unsigned cells[PLOT_HEIGHT][PLOT_WIDTH] = {{0}};
    struct scatter_range range = scatter_range_of(s);
    char low[NUMBER_BUFFER], high[NUMBER_BUFFER];
    (void)number;
    (void)style;
    for (size_t i = 0; i < s->count; i++) {
        int x = (int)(scatter_share(&range, s->measured[i]) * (PLOT_WIDTH - 1) + 0.5);
        int y = (int)(scatter_share(&range, s->predicted[i]) * (PLOT_HEIGHT - 1) + 0.5);
        cells[y][x]++;
    }
    text_add(out, "\n  predicted\n");
    for (int y = PLOT_HEIGHT - 1; y >= 0; y--) {
        text_add(out, "  |");
        for (int x = 0; x < PLOT_WIDTH; x++) {
            bool diagonal = (int)((double)x / (PLOT_WIDTH - 1) * (PLOT_HEIGHT - 1) + 0.5) == y;
            text_add(out, mark_of(cells[y][x], diagonal));
        }
        layout_end_line(out);
    }
    text_add(out, "  +------------------------------------------------------------ measured\n");
    text_addf(out, "   %s to %s%s; the dots are where both are the same\n",
              number_plain(low, sizeof low, range.low), number_plain(high, sizeof high, range.high),
              range.logarithmic ? ", logarithmic" : "");
}
