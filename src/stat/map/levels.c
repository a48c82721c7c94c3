/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The levels of a factor. */
#include <stdlib.h>
#include <string.h>

#include "stat/basic/sort.h"
#include "stat/map/internal.h"

static int missing_cell(const struct table *t, size_t column, size_t row, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%s, line %u, column %.60s: the cell is empty; every factor needs a level",
                   t->file, t->line[row], t->columns[column].name);
}

static int no_memory(const struct table *t, struct err *e)
{
    return err_no_memory(e, "the levels of %s", t->file);
}

static int number_levels(struct factor *f, const struct table *t, size_t column, const bool used[],
                         uint32_t level[], size_t stride, struct err *e)
{
    const double *number = t->columns[column].number;
    double *room = calloc(t->rows + 1, sizeof *room);
    size_t count = 0;
    f->number = calloc(t->rows + 1, sizeof *f->number);
    if (!room || !f->number) {
        free(room);
        return no_memory(t, e);
    }
    for (size_t i = 0; i < t->rows; i++)
        if (used[i])
            f->number[count++] = number[i] + 0.0; /* -0 is 0 */
    sort_values(f->number, count, room);
    free(room);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || f->number[i] != f->number[f->level_count - 1])
            f->number[f->level_count++] = f->number[i];
    for (size_t i = 0; i < t->rows; i++)
        if (used[i])
            level[i * stride] = (uint32_t)sorted_below(f->number, f->level_count, number[i]);
    return 0;
}

static int text_levels(struct factor *f, const struct table *t, size_t column, const bool used[],
                       uint32_t level[], size_t stride, struct pool *pool, struct err *e)
{
    struct string_table known = {0};
    char room[TEXT_NUMBER];
    bool failed = false;
    for (size_t i = 0; i < t->rows && !failed; i++) {
        if (!used[i])
            continue;
        const char *words = table_cell(t, column, i, room);
        uint32_t place = string_table_find(&known, span_of(words));
        if (place == STRING_TABLE_NONE) {
            const char *copy = pool_copy(pool, words, strlen(words));
            place = copy ? string_table_add(&known, span_of(copy)) : STRING_TABLE_NONE;
            const char **list = realloc(f->words, (f->level_count + 1) * sizeof *list);
            f->words = list ? list : f->words;
            failed = place == STRING_TABLE_NONE || !list;
            if (!failed)
                f->words[f->level_count++] = copy;
        }
        level[i * stride] = place;
    }
    string_table_free(&known);
    return failed ? no_memory(t, e) : 0;
}

/* Numbers get words, and texts get numbers, so that each level has both forms. */
static int other_form(struct factor *f, const struct table *t, struct pool *pool, struct err *e)
{
    char room[TEXT_NUMBER];
    if (f->is_text)
        f->number = calloc(f->level_count + 1, sizeof *f->number);
    else
        f->words = calloc(f->level_count + 1, sizeof *f->words);
    if (!f->number || !f->words)
        return no_memory(t, e);
    for (size_t i = 0; i < f->level_count; i++) {
        if (f->is_text) {
            f->number[i] = (double)i;
            continue;
        }
        text_number(room, f->number[i]);
        f->words[i] = pool_copy(pool, room, strlen(room));
        if (!f->words[i])
            return no_memory(t, e);
    }
    return 0;
}

int factor_levels(struct factor *f, const struct table *t, size_t column, const bool used[],
                  uint32_t level[], size_t stride, struct pool *pool, struct err *e)
{
    const struct table_column *c = &t->columns[column];
    *f = (struct factor){.name = pool_copy(pool, c->name, strlen(c->name)),
                         .is_text = c->text_count > 0};
    if (!f->name)
        return no_memory(t, e);
    for (size_t i = 0; i < t->rows && c->missing_count > 0; i++)
        if (used[i] && table_is_missing(t, column, i))
            return missing_cell(t, column, i, e);
    int status = f->is_text ? text_levels(f, t, column, used, level, stride, pool, e)
                            : number_levels(f, t, column, used, level, stride, e);
    return status ? status : other_form(f, t, pool, e);
}

void factor_free(struct factor *f)
{
    free(f->number);
    free(f->words);
    *f = (struct factor){0};
}

size_t factor_level_of(const struct factor *f, const char *words)
{
    for (size_t i = 0; i < f->level_count; i++)
        if (!strcmp(f->words[i], words))
            return i;
    return SIZE_MAX;
}

size_t configurations_factor(const struct configurations *c, struct span name, struct err *e)
{
    char typed[64];
    for (size_t f = 0; f < c->stride; f++)
        if (span_is(name, c->factors[f].name))
            return f;
    err_set(e, ERR_USAGE, "\"%s\" is no factor: name it in --factors or --maps-by",
            span_printable(typed, sizeof typed, name));
    return SIZE_MAX;
}
