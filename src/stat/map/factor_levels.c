/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the levels of a factor. */
#include <math.h>
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

/* ---- levels that are nearly the same ---- */

/* Neighbouring levels are nearly the same when they differ by at most NEAR_SHARE, and when all such
   small differences of the factor are at most NEAR_GAP of its smallest other difference: 3 and
   3.001 among 1, 2 and 4, but not 9999 and 10000 among 1, 2, 3 ... or 9000, 9001 ... 9039. A model
   would treat the noise between two such levels as a steep step. */
#define NEAR_SHARE 0.001
#define NEAR_GAP   0.01

static bool is_near(double low, double high)
{
    return high - low <= NEAR_SHARE * fmax(fabs(low), fabs(high));
}

static bool has_near_levels(const struct factor *f)
{
    double near = 0, apart = INFINITY;
    for (size_t i = 1, first = 0; i < f->level_count; i++) {
        const double low = f->number[i - 1], high = f->number[i];
        if (is_near(low, high) && !is_near(f->number[first], high))
            return false; /* the levels form a fine grid, so none is merged */
        if (is_near(low, high)) {
            near = fmax(near, high - low);
        } else {
            apart = fmin(apart, high - low);
            first = i;
        }
    }
    return near > 0 && isfinite(apart) && near <= NEAR_GAP * apart;
}

/* Merges levels that are nearly the same into the level with the most rows, or the smallest of
   several with equally many. `rows` is the number of rows of each level; `to` receives the new
   index of each level. */
static void join_near_levels(struct factor *f, const size_t rows[], uint32_t to[],
                             struct text *notes)
{
    size_t kept = 0;
    for (size_t begin = 0, end; begin < f->level_count; begin = end, kept++) {
        size_t best = begin;
        to[begin] = (uint32_t)kept;
        for (end = begin + 1; end < f->level_count && is_near(f->number[end - 1], f->number[end]);
             end++) {
            best = rows[end] > rows[best] ? end : best;
            to[end] = (uint32_t)kept;
        }
        if (end > begin + 1)
            text_addf(notes,
                      "%s: %zu levels from %.12g to %.12g are nearly the same, and are taken as "
                      "one, %.12g.\n",
                      f->name, end - begin, f->number[begin], f->number[end - 1], f->number[best]);
        f->number[kept] = f->number[best];
    }
    f->level_count = kept;
}

static int join_levels(struct factor *f, const bool used[], uint32_t level[], size_t stride,
                       const struct table *t, struct text *notes, struct err *e)
{
    if (!has_near_levels(f))
        return 0;
    size_t *rows = calloc(f->level_count, sizeof *rows);
    uint32_t *to = calloc(f->level_count, sizeof *to);
    const bool failed = !rows || !to;
    if (!failed) {
        for (size_t i = 0; i < t->rows; i++)
            rows[level[i * stride]] += used[i];
        join_near_levels(f, rows, to, notes);
        for (size_t i = 0; i < t->rows; i++)
            level[i * stride] = to[level[i * stride]];
    }
    free(rows);
    free(to);
    return failed ? no_memory(t, e) : 0;
}

static int number_levels(struct factor *f, const struct table *t, size_t column, const bool used[],
                         uint32_t level[], size_t stride, struct text *notes, struct err *e)
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
    return join_levels(f, used, level, stride, t, notes, e);
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

/* Gives numeric levels their text and text levels a number, so that each level has both forms. */
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

int factor_levels(struct configurations *c, size_t factor, const struct table *t, size_t column,
                  const bool used[], uint32_t levels[], struct err *e)
{
    const struct table_column *from = &t->columns[column];
    struct factor *f = &c->factors[factor];
    uint32_t *level = levels + factor;
    *f = (struct factor){.name = pool_copy(&c->pool, from->name, strlen(from->name)),
                         .is_text = from->text_count > 0};
    if (!f->name)
        return no_memory(t, e);
    for (size_t i = 0; i < t->rows && from->missing_count > 0; i++)
        if (used[i] && table_is_missing(t, column, i))
            return missing_cell(t, column, i, e);
    int status = f->is_text ? text_levels(f, t, column, used, level, c->stride, &c->pool, e)
                            : number_levels(f, t, column, used, level, c->stride, &c->notes, e);
    return status ? status : other_form(f, t, &c->pool, e);
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
