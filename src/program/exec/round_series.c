/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the rounds of a session and their readings. Memory grows between rounds, when nothing is
   measured. */
#include <stdlib.h>
#include <string.h>

#include "program/exec/internal.h"

enum { FIRST_CAPACITY = 256 };

/* Makes room for one more element in an array, doubling it when it is full. */
static int grow(void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return 0;
    size_t more = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    void *bigger = realloc(*array, more * size);
    if (!bigger)
        return -1;
    *array = bigger;
    *capacity = more;
    return 0;
}

static const char *copy(struct round_series *s, const char *text)
{
    return text ? pool_copy(&s->strings, text, strlen(text)) : NULL;
}

int round_series_add(struct round_series *s, const struct execution_round *round,
                     const double values[], struct err *e)
{
    void *rounds = s->rounds;
    if (grow(&rounds, s->round_count, &s->round_capacity, sizeof *s->rounds))
        return err_no_memory(e, "the readings");
    s->rounds = rounds;
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
        void *array = s->values[i];
        capacity = s->capacity;
        if (grow(&array, s->count, &capacity, sizeof(double)))
            return err_no_memory(e, "the readings");
        s->values[i] = array;
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
