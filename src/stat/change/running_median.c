/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window kept in order by insertion and removal. */
#include "stat/change/internal.h"

#include <string.h>

struct window {
    double sorted[2 * RUNNING_MEDIAN_MAX_HALF + 1];
    size_t count;
};

static void insert(struct window *w, double value)
{
    size_t i = w->count++;
    for (; i > 0 && w->sorted[i - 1] > value; i--)
        w->sorted[i] = w->sorted[i - 1];
    w->sorted[i] = value;
}

static void erase(struct window *w, double value)
{
    size_t i = 0;
    while (i + 1 < w->count && w->sorted[i] != value)
        i++;
    w->count--;
    memmove(&w->sorted[i], &w->sorted[i + 1], (w->count - i) * sizeof w->sorted[0]);
}

static double middle(const struct window *w)
{
    size_t half = w->count / 2;
    return w->count % 2 ? w->sorted[half] : (w->sorted[half - 1] + w->sorted[half]) / 2;
}

void running_median(const double x[], size_t n, size_t half, double out[])
{
    struct window w = {.count = 0};
    for (size_t i = 0; i < half && i < n; i++)
        insert(&w, x[i]);
    for (size_t i = 0; i < n; i++) {
        if (i + half < n)
            insert(&w, x[i + half]);
        if (i > half)
            erase(&w, x[i - half - 1]);
        out[i] = middle(&w);
    }
}
