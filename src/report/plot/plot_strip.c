/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a few rows of bars that begin at 0, for screens that are redrawn again and again. */
#include <math.h>

#include "report/layout/layout.h"
#include "report/layout/number.h"
#include "report/plot/plot.h"

enum { EIGHTHS = 8 };

/* Returns the mean of the values in a column. If there are more columns than values, returns the
   value that the column is a part of. */
static double level_of(const struct plot_strip *p, size_t column)
{
    size_t begin = column * p->count / p->columns, end = (column + 1) * p->count / p->columns;
    return plot_mean(p->values, begin, end > begin ? end : begin + 1);
}

void plot_strip(const struct plot_strip *p, const struct report_style *style, struct text *out)
{
    char number[NUMBER_BUFFER];
    const int rows = (int)p->rows;
    double highest = 0;
    for (size_t i = 0; i < p->columns && p->count; i++)
        highest = fmax(highest, level_of(p, i));
    for (int row = rows - 1; row >= 0; row--) {
        const bool has_scale = row == rows - 1 && highest > 0 && rows > 1;
        const char *label = has_scale  ? number_value(number, sizeof number, p->kind, highest)
                            : row == 0 ? p->name
                                       : "";
        layout_right(out, label, PLOT_STRIP_GUTTER - 2);
        text_add(out, "  ");
        for (size_t i = 0; i < p->columns && p->count; i++) {
            const double level = level_of(p, i), share = isnan(level) ? 0 : level / highest;
            const int eighths =
                highest > 0 ? (int)lround(share * rows * EIGHTHS) - row * EIGHTHS : 0;
            text_add(out, plot_cell(eighths, style->unicode));
        }
        layout_end_line(out);
    }
}
