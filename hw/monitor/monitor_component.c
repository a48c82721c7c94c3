/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the gauges of a user's component from its readings, and finds faults of its counter. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hw/monitor/internal.h"

static void keep_fault(struct monitor_component *state, double now, const char *text)
{
    if (state->fault[0])
        return;
    snprintf(state->fault, sizeof state->fault, "%s", text);
    state->fault_seconds = now;
}

/* Returns the growth per second; NaN without a previous reading. */
static double growth(struct monitor_component *state, const struct component_reading *reading,
                     double now)
{
    char text[120];
    double seconds = reading->seconds - state->seconds;
    if (!(state->seconds > 0) || !(seconds > 0))
        return NAN;
    if (reading->number >= state->number)
        return (reading->number - state->number) / seconds;
    snprintf(text, sizeof text, "it ran backwards, from %.10g to %.10g", state->number,
             reading->number);
    keep_fault(state, now, text);
    return NAN;
}

void monitor_component_take(struct monitor_component *state,
                            const struct component_sources *sources, size_t component,
                            struct gauge *gauge, double now)
{
    const struct component *c = &sources->components->list[component];
    struct component_reading reading;
    if (!component_read(sources, component, state->seconds, &reading))
        return;
    double value = c->grows ? growth(state, &reading, now) : reading.number;
    if (reading.why[0])
        keep_fault(state, now, reading.why);
    state->moved |= state->readings > 0 && reading.number != state->number;
    state->readings++;
    state->number = reading.number;
    state->seconds = isnan(reading.number) ? 0 : reading.seconds;
    gauge[0].low = gauge[0].value = gauge[0].high = value;
    if (c->limit > 0)
        gauge[1].low = gauge[1].value = gauge[1].high = value / c->limit;
}

bool monitor_component_fault(const struct monitor *m, size_t component, double *seconds, char *text,
                             size_t size)
{
    const struct monitor_component *state = &m->components[component];
    const struct component *c = &m->component_sources->components->list[component];
    bool stands_still = c->grows && state->readings > 1 && !state->moved;
    *seconds = state->fault[0] ? state->fault_seconds : (double)NAN;
    snprintf(text, size, "%s",
             state->fault[0] ? state->fault : "it does not count: its number stayed the same");
    return state->fault[0] || stands_still;
}
