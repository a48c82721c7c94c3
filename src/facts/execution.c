/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names types of indices, adds notes, and chooses what reports show of a program that is run round
   by round. */
#include "facts/execution.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *index_type_name(enum index_type type)
{
    static const char *const names[] = {[INDEX_ORDINARY] = "ordinary",
                                        [INDEX_RATIO] = "ratio",
                                        [INDEX_PROPORTION] = "proportion",
                                        [INDEX_DURATION] = "duration"};
    return names[type];
}

void execution_note(struct execution *x, bool warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    result_notes_add(x->notes, EXECUTION_NOTES_MAX, &x->note_count, &x->notes_left_out, warning,
                     format, arguments);
    va_end(arguments);
}

const struct execution_index *execution_slowest(const struct execution *x)
{
    const struct execution_index *slowest = x->indices;
    for (size_t i = 0; i < x->index_count; i++) {
        const struct execution_index *index = &x->indices[i];
        if (!(index->target_width > 0) || index->enough)
            continue;
        if (slowest->enough || index->required_n > slowest->required_n)
            slowest = index;
    }
    return slowest;
}

char *execution_parameter_words(const struct execution *x, char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; i < x->parameter_count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s=%s", i ? ", " : "",
                                 x->parameters[i].name, x->parameters[i].value);
    return to;
}

double execution_shown_width(const struct execution_index *index)
{
    const double whole = index->high - index->low;
    return index->type == INDEX_PROPORTION ? whole : whole / fabs(index->value);
}
