/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrivals of a stream. */
#include "generator/internal.h"

int arrivals_init(struct arrivals *a, const struct stream *s, const struct phases *phases,
                  struct err *e)
{
    if (!phases->count || s->spec->rate_share <= 0)
        return err_set(e, ERR_USAGE, "it has no rate: give one with --rate_iops");
    *a = (struct arrivals){.phases = phases, .first = -1};
    arrival_init(&a->gaps, &s->spec->arrival);
    a->scale = stream_spec_requests(s->spec) * (double)s->copies / s->spec->rate_share;
    /* Copies of equal gaps interleave to equal gaps; half a gap from the begin, so that a time of n
       gaps has n arrivals. */
    if (arrival_is_even(&a->gaps))
        a->first = (s->copy + 0.5) / s->copies;
    return 0;
}

void arrivals_begin(struct arrivals *a)
{
    arrival_begin(&a->gaps);
    phase_walk_begin(&a->walk, a->phases);
    a->begun = false;
}

bool arrivals_next(struct arrivals *a, struct random *r, uint64_t *at_ns)
{
    double gap = !a->begun && a->first >= 0 ? a->first : arrival_gap(&a->gaps, r);
    a->begun = true;
    return phase_walk_on(&a->walk, gap * a->scale, at_ns);
}
