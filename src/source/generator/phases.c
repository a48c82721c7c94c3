/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the integral of a rate that changes with time, and its inverse. */
#include "source/generator/phases.h"

#include <math.h>

/* An instant that means never: about 300 years, in ns. */
#define NEVER_NS 0x1p63

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* Returns how many of the first `ns` nanoseconds of an on/off phase are on. */
static uint64_t on_within(const struct phase_spec *p, uint64_t ns)
{
    uint64_t cycle = p->on_ns + p->off_ns, rest = ns % cycle;
    return ns / cycle * p->on_ns + (rest < p->on_ns ? rest : p->on_ns);
}

/* Returns the integral of the rate over the first `ns` of the phase. */
static double requests_within(const struct phase_spec *p, uint64_t ns)
{
    if (p->on_ns)
        return p->rate_begin * seconds(on_within(p, ns));
    if (!p->length_ns)
        return p->rate_begin * seconds(ns);
    double share = (double)ns / (double)p->length_ns;
    return (p->rate_begin + (p->rate_end - p->rate_begin) * share / 2) * seconds(ns);
}

static double requests_of_phase(const struct phase_spec *p)
{
    if (p->length_ns)
        return requests_within(p, p->length_ns);
    return p->rate_begin > 0 ? INFINITY : 0;
}

/* Returns the instant when the integral reaches `requests`: the t with rate * t + slope * t^2 / 2 =
   requests, by the formula for the root that avoids cancellation. */
static double instant_within(const struct phase_spec *p, double requests)
{
    double slope = p->length_ns ? (p->rate_end - p->rate_begin) / seconds(p->length_ns) : 0;
    double root = sqrt(fmax(p->rate_begin * p->rate_begin + 2 * slope * requests, 0));
    double divisor = p->rate_begin + root;
    double ns = divisor > 0 ? 2 * requests / divisor * 1e9 : 0;
    if (p->on_ns) {
        double cycles = floor(ns / (double)p->on_ns);
        ns += cycles * (double)p->off_ns;
    }
    return ns + 0.5;
}

uint64_t phases_length(const struct phases *phases)
{
    uint64_t length = 0;
    for (unsigned i = 0; i < phases->count; i++) {
        if (!phases->phase[i].length_ns)
            return 0;
        length += phases->phase[i].length_ns;
    }
    return length;
}

static double requests_before(const struct phases *phases, uint64_t at_ns)
{
    double requests = 0;
    for (unsigned i = 0; i < phases->count; i++) {
        const struct phase_spec *p = &phases->phase[i];
        if (!p->length_ns || at_ns <= p->length_ns)
            return requests + requests_within(p, at_ns);
        requests += requests_of_phase(p);
        at_ns -= p->length_ns;
    }
    return requests;
}

double phases_requests(const struct phases *phases, uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? requests_before(phases, to_ns) - requests_before(phases, from_ns) : 0;
}

static void enter(struct phase_walk *w)
{
    if (w->phase < w->phases->count)
        w->total = requests_of_phase(&w->phases->phase[w->phase]);
}

void phase_walk_begin(struct phase_walk *w, const struct phases *phases)
{
    *w = (struct phase_walk){.phases = phases};
    enter(w);
}

bool phase_walk_on(struct phase_walk *w, double requests, uint64_t *at_ns)
{
    w->done += requests;
    while (w->phase < w->phases->count && !(w->done < w->total)) {
        uint64_t length = w->phases->phase[w->phase].length_ns;
        if (!length) {
            w->phase = w->phases->count;
            break;
        }
        w->done -= w->total;
        w->begin_ns += length;
        w->phase++;
        enter(w);
    }
    if (w->phase >= w->phases->count)
        return false;
    double within = instant_within(&w->phases->phase[w->phase], w->done);
    if (!(within < NEVER_NS))
        return false;
    *at_ns = w->begin_ns + (uint64_t)within;
    return true;
}
