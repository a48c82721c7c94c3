/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternatives that are columns of numbers: each in its own file, or several in one file. */
#include "cmd/compare/internal.h"

#include <stdio.h>
#include <string.h>

#include "stat/judge.h"

/* Reduces a column to its stable segment, unless readings are paired. */
static int keep_stable(struct column *column, const struct compare_options *o, struct err *e)
{
    struct judge_config config = plan_judge_config(&o->plan, !o->lower_is_better);
    struct arena scratch = {0};
    if (o->paired || o->plan.statistics.changepoint == CHANGEPOINT_NONE)
        return 0;
    if (arena_init(&scratch, judge_scratch_bytes(column->count), e))
        return -1;
    struct judgement j = judge(column->values, column->count, &config, &scratch);
    column->count = j.stable_end - j.stable_begin;
    memmove(column->values, column->values + j.stable_begin,
            column->count * sizeof *column->values);
    arena_free(&scratch);
    return 0;
}

/* Converts the readings to the unit of the alternatives before. Fails if that is of another
   quantity. */
static int convert_unit(struct column *column, const struct column_unit **unit, const char *name,
                        struct err *e)
{
    const struct column_unit *own = column->unit, *first = *unit;
    if (!first)
        *unit = own;
    if (!first || !own || own == first)
        return 0;
    if (own->quantity != first->quantity)
        return err_set(e, ERR_USAGE, "%.200s is in %s, and those before it are in %s", name,
                       own->name, first->name);
    for (size_t i = 0; i < column->count; i++)
        column->values[i] *= own->scale / first->scale;
    column->unit = first;
    return 0;
}

int compare_add_column(struct compare_alternative *a, const char *path, const char *name,
                       const struct compare_options *o, const struct column_unit **unit,
                       struct err *e)
{
    const char *metric = o->metric[0] ? o->metric : "value";
    struct column column;
    const struct column_request request = {.column = o->column[0] ? o->column : NULL,
                                           .where = o->where[0] ? o->where : NULL,
                                           .name = name};
    if (column_read(&column, path, &request, e))
        return -1;
    column_say_lone(&column, path);
    if (convert_unit(&column, unit, path, e) || keep_stable(&column, o, e)) {
        column_free(&column);
        return -1;
    }
    const bool time = column.unit && column.unit->quantity == COLUMN_TIME;
    if (compare_add_readings(a, metric, !o->lower_is_better && !time, column.values, column.count,
                             e))
        return -1;
    struct compare_quantity *q = &a->quantities[a->count - 1];
    snprintf(q->unit, sizeof q->unit, "%s", column.unit ? column.unit->name : "");
    return 0;
}
