/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the processors of the machine that is qualified, and compares them with their base clock
   and with each other. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/processors/processors.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"

#define CLOCK_ROOM    0.03 /* a clock that is lower than the base clock by less counts as equal */
#define SLOWEST_ROOM  0.05 /* equal processors differ by less than this share */
#define LIMIT_REACHED 0.9  /* at this share of its limit, power counts as what limits the clock */

static const char what_clock[] = "processor clock", what_slowest[] = "slowest processor";

static void take(struct qualification_processors *to, const struct execution *x)
{
    const struct {
        const char *name;
        struct qualification_number *number;
    } rows[] = {
        {"clock", &to->clock}, {"clock_slowest", &to->slowest}, {"multiply_add", &to->rate}};
    for (size_t i = 0; i < x->index_count; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (!strcmp(x->indices[i].name, rows[k].name))
                *rows[k].number = measure_machine_number(&x->indices[i], 1e9);
    snprintf(to->disturbed, sizeof to->disturbed, "%.110s", x->busy);
}

/* Writes "; held by its power limit, 204 W of 205 W; throttled by heat 3 times; 97 C". */
static void add_causes(const struct heat_history *h, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    if (h->watts >= LIMIT_REACHED * h->watts_limit || h->by_power)
        used += (size_t)snprintf(to, size, "; held by its power limit");
    if (!isnan(h->watts) && !isnan(h->watts_limit))
        used += (size_t)snprintf(to + used, size - used, "%s%.0f W of %.0f W", used ? ", " : "; ",
                                 h->watts, h->watts_limit);
    else if (!isnan(h->watts))
        used += (size_t)snprintf(to + used, size - used, "; %.0f W", h->watts);
    if (h->by_heat)
        used += (size_t)snprintf(to + used, size - used, "; throttled by heat, %" PRIu64 " events",
                                 h->by_heat);
    if (!isnan(h->celsius))
        snprintf(to + used, size - used, "; %.0f C", h->celsius);
}

static void judge_clock(struct qualification *q)
{
    const struct qualification_processors *p = &q->processors;
    const struct qualification_number *n = &p->clock;
    char found[120], base[24], causes[140];
    quantity_format_interval(QUANTITY_FREQUENCY, n->value, n->low, n->high, found, sizeof found);
    add_causes(&p->heat, causes, sizeof causes);
    if (isnan(p->base)) {
        note_replaceable(q, -1, GRADE_NONE, what_clock, found, "the base clock is not known%s",
                         causes);
        return;
    }
    const double least = (1 - CLOCK_ROOM) * p->base;
    enum grade grade = n->low >= least   ? GRADE_PASS
                       : n->high < least ? GRADE_WARN
                                         : GRADE_UNDECIDED;
    if (p->heat.by_heat)
        grade = GRADE_WARN;
    const bool disturbed = grade != GRADE_PASS && !p->heat.by_heat && p->disturbed[0];
    if (disturbed)
        grade = GRADE_UNDECIDED;
    quantity_format(QUANTITY_FREQUENCY, p->base, NULL, base, sizeof base);
    note_replaceable(q, -1, grade, what_clock, found, "%s %s, its base clock by %s%s%s",
                     n->low >= least ? "reaches" : "a good machine reaches", base, p->base_of,
                     causes,
                     grade != GRADE_UNDECIDED ? ""
                     : disturbed              ? "; not decided: other programs were at work"
                                              : "; not decided: that lies inside the interval");
}

static void judge_slowest(struct qualification *q)
{
    const struct qualification_processors *p = &q->processors;
    const struct qualification_number *n = &p->slowest;
    char found[120], clock[40];
    if (!p->slowest_name[0] || isnan(n->value))
        return;
    size_t used = (size_t)snprintf(found, sizeof found, "%s ", p->slowest_name);
    quantity_format_interval(QUANTITY_FREQUENCY, n->value, n->low, n->high, found + used,
                             sizeof found - used);
    quantity_format(QUANTITY_FREQUENCY, p->clock.value, NULL, clock, sizeof clock);
    const double least = 1 - SLOWEST_ROOM;
    enum grade grade = n->low >= least * p->clock.high  ? GRADE_PASS
                       : n->high < least * p->clock.low ? GRADE_WARN
                                                        : GRADE_UNDECIDED;
    if (!p->alike)
        grade = GRADE_NONE;
    else if (grade == GRADE_WARN && p->disturbed[0])
        grade = GRADE_UNDECIDED;
    note_replaceable(q, -1, grade, what_slowest, found, "the mean of all is %s%s", clock,
                     !p->alike ? "; not judged, for they are made for different clocks"
                     : grade == GRADE_UNDECIDED ? "; not decided whether it is slower by 5 %"
                                                : "");
}

void judge_processors(struct qualification *q)
{
    judge_clock(q);
    judge_slowest(q);
}

/* Returns true if all processors are made for the same clock. */
static bool is_alike(double turbo, const char *slowest)
{
    const struct processor_clocks c =
        processor_clocks_read("", (int)strtol(slowest + strlen("cpu"), NULL, 10));
    return !(fabs(c.turbo - turbo) > SLOWEST_ROOM * turbo);
}

int measure_processors(struct qualification *q, const struct qualify_request *request,
                       struct err *e)
{
    struct qualification_processors *p = &q->processors;
    struct processor_bench *bench;
    struct exec_plan exec;
    struct plan plan;
    struct err why = {0};
    if (request->stage)
        request->stage(request->context, "processors: clock under load");
    if (measure_machine_plan(&plan, request, e))
        return -1;
    if (processor_bench_open(&bench, &why)) {
        note_check(q, -1, GRADE_UNDECIDED, what_clock, "not measured", "%.180s", why.msg);
        return 0;
    }
    const struct processor_clocks clocks = processor_clocks_read("", 0);
    p->base = clocks.base;
    p->turbo = clocks.turbo;
    snprintf(p->base_of, sizeof p->base_of, "%s", clocks.base_of);
    struct execution *x = calloc(1, sizeof *x);
    struct exec_session *session = NULL;
    processor_bench_plan(bench, &plan, &exec);
    const int status = x ? 0 : err_no_memory(e, "measuring processors");
    struct heat_watch *watch = heat_watch_begin("", &p->heat);
    if (x)
        session = measure_machine(q, what_clock, &exec, request, x);
    heat_watch_end(watch);
    if (session) {
        take(p, x);
        if (!isnan(p->slowest.value))
            processor_bench_slowest(bench, p->slowest_name, sizeof p->slowest_name);
        p->alike = is_alike(p->turbo, p->slowest_name[0] ? p->slowest_name : "cpu0");
        p->measured = isfinite(p->clock.value);
        judge_processors(q);
    }
    exec_session_free(session);
    processor_bench_close(bench);
    free(x);
    return status;
}
