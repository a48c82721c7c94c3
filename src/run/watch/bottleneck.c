/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bottleneck: the part of the data path that is used to its limit, by this session. */
#include "run/watch/watch.h"

bool watch_is_bottleneck(const struct watch *w, const struct watch_part *p, double used)
{
    double own = used;
    if (p->interrupts >= 0) {
        const struct watch_gauge *g = &w->gauges[p->interrupts];
        own = p->own + (g->seconds > 0 ? g->sum / g->seconds : 0);
    }
    return !p->under_test && !p->aside && used > WATCH_BOTTLENECK && used <= WATCH_REFUTED &&
           own > WATCH_BOTTLENECK;
}
