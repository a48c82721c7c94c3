/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan in a result: every field that is an option, as a typed value with its name, and the key by
   which the rows of many results are sorted. */
#ifndef CUPEL_RUN_PLAN_PLAN_VALUES_H
#define CUPEL_RUN_PLAN_PLAN_VALUES_H

#include "facts/result.h"
#include "run/plan/plan.h"

/* plan_value_add adds one field with the name of its option. plan_values_add adds "rw", and then
   all fields. */
void plan_value_add(struct option_values *to, const struct option_row *field, const struct plan *p);
void plan_values_add(struct option_values *to, const struct plan *p);

/* Returns the key, without the date. The key of a workload with several sizes has no size. */
struct result_key plan_key(const struct plan *p);

#endif
