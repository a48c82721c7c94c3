/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the memory of the machine that is qualified, and compares it with the limit of its
   modules. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory/memory.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "machine/qualify/qualify.h"
#include "run/plan/plan.h"

/* A good machine reaches this share of the bandwidth of all memory channels together. */
#define MEMORY_SHARE 0.8

/* Returns true for a bandwidth that counts every byte that moves. An ordinary store moves more
   bytes than are counted. */
static bool counts_all(const struct execution_index *index)
{
    const char *nt = strstr(index->name, "_nt");
    return !strcmp(index->op, "all") && (!strcmp(index->name, "read") || nt);
}

static void take(struct qualification_memory *to, const struct execution *x)
{
    for (size_t i = 0; i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        if (counts_all(index) && !(index->value * 1e9 <= to->bandwidth.value))
            to->bandwidth = measure_machine_number(index, 1e9);
        if (!strcmp(index->name, "latency") && !strcmp(index->op, "all"))
            to->latency = measure_machine_number(index, 1);
    }
    snprintf(to->disturbed, sizeof to->disturbed, "%.110s", x->busy);
}

static void judge_bandwidth(struct qualification *q)
{
    const struct qualification_memory *m = &q->memory;
    const struct qualification_number *n = &m->bandwidth;
    char found[120], expected[120], limit[40];
    quantity_format_interval(QUANTITY_RATE, n->value, n->low, n->high, found, sizeof found);
    if (isnan(m->limit)) {
        note_replaceable(q, -1, GRADE_NONE, "memory bandwidth", found, "%s",
                         "the limit of the modules is not known");
        return;
    }
    const double least = MEMORY_SHARE * m->limit;
    enum grade grade = n->low >= least   ? GRADE_PASS
                       : n->high < least ? GRADE_WARN
                                         : GRADE_UNDECIDED;
    if (grade != GRADE_PASS && m->disturbed[0])
        grade = GRADE_UNDECIDED;
    snprintf(expected, sizeof expected, "%.0f %% of the %s that its modules let through",
             100 * MEMORY_SHARE,
             quantity_format(QUANTITY_RATE, m->limit, NULL, limit, sizeof limit));
    note_replaceable(q, -1, grade, "memory bandwidth", found, "%s%s%s",
                     grade == GRADE_PASS ? "at least " : "a good machine reaches ", expected,
                     grade == GRADE_UNDECIDED ? m->disturbed[0]
                                                    ? "; not decided: other programs were at work"
                                                    : "; not decided: that lies inside the interval"
                                              : "");
}

static double limit_of(const struct inventory *v)
{
    for (int node = 0; node < v->node_count; node++)
        if (v->nodes[node].kind == NODE_MEMORY)
            return inventory_number(v, node, "bandwidth_limit");
    return NAN;
}

int measure_memory(struct qualification *q, const struct qualify_request *request, struct err *e)
{
    static const char what[] = "memory bandwidth";
    struct memory_bench *bench;
    struct exec_plan exec;
    struct plan plan;
    struct err why = {0};
    if (request->stage)
        request->stage(request->context, "memory: bandwidth and latency");
    if (measure_machine_plan(&plan, request, e))
        return -1;
    if (memory_bench_open(&bench, &why)) {
        note_check(q, -1, GRADE_UNDECIDED, what, "not measured", "%.180s", why.msg);
        return 0;
    }
    struct execution *x = calloc(1, sizeof *x);
    struct exec_session *session = NULL;
    memory_bench_plan(bench, &plan, &exec);
    const int status = x ? 0 : err_no_memory(e, "measuring memory");
    if (x && (session = measure_machine(q, what, &exec, request, x)) != NULL) {
        q->memory.limit = limit_of(q->hardware);
        take(&q->memory, x);
        q->memory.measured = isfinite(q->memory.bandwidth.value);
        judge_bandwidth(q);
    }
    exec_session_free(session);
    memory_bench_close(bench);
    free(x);
    return status;
}
