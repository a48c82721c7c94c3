/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a session that measures a part of this machine, in rounds like those of a program. */
#ifndef CUPEL_MACHINE_BENCH_BENCH_PLAN_H
#define CUPEL_MACHINE_BENCH_BENCH_PLAN_H

#include "program/exec/exec.h"
#include "run/plan/plan.h"

struct machine_bench {
    const char *const *words; /* name in the report, ended by NULL: {"memory", NULL} */
    /* Measures one round, as `measure` of struct exec_program does. */
    int (*round)(void *context, double values[], struct err *e);
    void *context;
    const struct exec_index *indices;
    size_t index_count;
};

/* Makes a plan whose rounds end at the precision that `plan` requests. Indices, words and context
   must outlive it; the caller sets to->command. */
void machine_bench_plan(const struct machine_bench *bench, const struct plan *plan,
                        struct exec_plan *to);

#endif
