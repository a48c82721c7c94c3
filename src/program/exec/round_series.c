/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the rounds of a session and their readings. Memory grows between rounds, when nothing is
   measured. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "program/exec/internal.h"

static const char *copy(struct round_series *s, const char *text)
{
    return text ? pool_copy(&s->strings, text, strlen(text)) : NULL;
}

int round_series_add(struct round_series *s, const struct execution_round *round,
                     const double values[], struct err *e)
{
    if (!array_grow(&s->rounds, sizeof *s->rounds, s->round_count, &s->round_capacity))
        return err_no_memory(e, "the readings");
    struct execution_round *kept = &s->rounds[s->round_count++];
    *kept = *round;
    kept->why = copy(s, round->why);
    kept->output = copy(s, round->output);
    if ((round->why && !kept->why) || (round->output && !kept->output))
        return err_no_memory(e, "the readings");
    if (round->why || round->warmup)
        return 0;
    size_t capacity = s->capacity;
    for (size_t i = 0; i < s->index_count; i++) {
        capacity = s->capacity;
        if (!array_grow(&s->values[i], sizeof *s->values[i], s->count, &capacity))
            return err_no_memory(e, "the readings");
        s->values[i][s->count] = values[i];
    }
    s->capacity = capacity;
    s->count++;
    return 0;
}

void round_series_free(struct round_series *s)
{
    for (size_t i = 0; i < s->index_count; i++)
        free(s->values[i]);
    free(s->rounds);
    pool_free(&s->strings);
    *s = (struct round_series){0};
}
