/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory of a column. */
#include <stdlib.h>

#include "cmd/column/column.h"

int column_add(struct column *column, size_t *room, double value, const char *file, struct err *e)
{
    if (column->count == *room) {
        size_t capacity = *room ? *room * 2 : 4096;
        double *values = realloc(column->values, capacity * sizeof *values);
        if (!values)
            return err_no_memory(e, "more than %zu numbers of %s", column->count, file);
        column->values = values;
        *room = capacity;
    }
    column->values[column->count++] = value;
    return 0;
}

void column_free(struct column *column)
{
    free(column->values);
    *column = (struct column){0};
}
