/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the memory and the processors of a qualification as JSON, in the form of its disks, so
   that a fleet can compare them with those of other machines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/qualify/internal.h"

struct component {
    const char *name, *workload, *metric, *unit;
    char firmware[40], place[80]; /* properties that may explain a difference from other machines */
    double temperature;
    const struct qualification_number *number;
    const char *disturbed;
};

/* Returns the value of this fact of the first node of a kind that has it, or NULL. */
static const char *value_of(const struct inventory *v, enum node_kind kind, const char *key)
{
    for (int node = 0; node < v->node_count; node++) {
        const char *value = v->nodes[node].kind == kind ? inventory_value(v, node, key) : NULL;
        if (value)
            return value;
    }
    return NULL;
}

static void json_component(struct json *j, const struct qualification *q, const struct component *c)
{
    json_begin_object(j, NULL);
    json_string(j, "name", c->name);
    json_string(j, "kind", "part");
    json_string(j, "model", q->machine);
    json_string(j, "firmware", c->firmware);
    json_string(j, "place", c->place);
    json_number(j, "temperature_max_celsius", c->temperature);
    json_begin_array(j, "tests");
    json_begin_object(j, NULL);
    json_string(j, "name", c->name);
    json_string(j, "workload", c->workload);
    json_string(j, "undecided", c->disturbed);
    json_begin_array(j, "metrics");
    json_begin_object(j, NULL);
    json_string(j, "metric", c->metric);
    json_string(j, "unit", c->unit);
    json_number(j, "value", c->number->value);
    json_number(j, "ci_low", c->number->low);
    json_number(j, "ci_high", c->number->high);
    json_number(j, "confidence", c->number->confidence);
    json_end_object(j);
    json_end_array(j);
    json_end_object(j);
    json_end_array(j);
    json_end_object(j);
}

void qualification_json_components(struct json *j, const struct qualification *q)
{
    const struct inventory *v = q->hardware;
    const char *microcode = value_of(v, NODE_CPU, "microcode"),
               *watts = value_of(v, NODE_CPU_PACKAGE, "power_limit_long_term"),
               *modules = value_of(v, NODE_MEMORY, "modules"),
               *speed = value_of(v, NODE_DIMM, "speed");
    struct component processors = {.name = "processors",
                                   .workload = "all at once",
                                   .metric = "clock",
                                   .unit = "Hz",
                                   .temperature = q->processors.heat.celsius,
                                   .number = &q->processors.clock,
                                   .disturbed = q->processors.disturbed},
                     memory = {.name = "memory",
                               .workload = "all processors",
                               .metric = "bandwidth",
                               .unit = "B/s",
                               .temperature = NAN,
                               .number = &q->memory.bandwidth,
                               .disturbed = q->memory.disturbed};
    if (microcode)
        snprintf(processors.firmware, sizeof processors.firmware, "%s", microcode);
    if (watts)
        snprintf(processors.place, sizeof processors.place, "power limit %.20s W", watts);
    if (modules)
        snprintf(memory.place, sizeof memory.place, "%.12s modules%s%.12s%s", modules,
                 speed ? " at " : "", speed ? speed : "", speed ? " MT/s" : "");
    json_begin_array(j, "components");
    if (q->memory.measured)
        json_component(j, q, &memory);
    if (q->processors.measured)
        json_component(j, q, &processors);
    json_end_array(j);
    json_begin_array(j, "burn");
    for (size_t i = 0; i < q->burn.count; i++) {
        json_begin_object(j, NULL);
        json_number(j, "seconds", q->burn.samples[i].seconds);
        json_number(j, "watts", q->burn.samples[i].watts);
        json_number(j, "celsius", q->burn.samples[i].celsius);
        json_end_object(j);
    }
    json_end_array(j);
}
