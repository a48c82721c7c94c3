/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the places where a response is to be predicted. */
#include <stdlib.h>
#include <string.h>

#include "stat/map/prediction.h"

static int allocate(struct places *p, size_t count, size_t columns, bool with_lines, struct err *e)
{
    p->count = count;
    p->column_count = columns;
    p->place = calloc(count ? count : 1, sizeof *p->place);
    p->map = calloc(count ? count : 1, sizeof *p->map);
    p->line = with_lines ? calloc(count ? count : 1, sizeof *p->line) : NULL;
    p->columns = calloc(columns, sizeof *p->columns);
    p->cells = calloc((count ? count : 1) * columns, sizeof *p->cells);
    if (!p->place || !p->map || !p->columns || !p->cells || (with_lines && !p->line))
        return err_no_memory(e, "%zu predictions", count);
    return 0;
}

void places_free(struct places *p)
{
    free(p->place);
    free(p->map);
    free(p->line);
    free(p->columns);
    free(p->cells);
    table_free(&p->query);
    *p = (struct places){0};
}

/* ---- a query ---- */

/* Returns the index of the map with these levels of its factors; SIZE_MAX: no such map was
   measured. */
static size_t map_with_levels(const struct configurations *c, const size_t level[])
{
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t *mine = c->level + i * c->stride + c->factor_count;
        size_t k = 0;
        while (k < c->map_factor_count && mine[k] == level[k])
            k++;
        if (k == c->map_factor_count)
            return c->map[i];
    }
    return SIZE_MAX;
}

static int wrong_cell(const struct table *t, size_t column, size_t row, const char *why,
                      struct err *e)
{
    char words[48], room[TEXT_NUMBER];
    return err_set(e, ERR_USAGE, "%s, line %u, column %.60s: \"%s\" %s", t->file, t->line[row],
                   t->columns[column].name,
                   span_printable(words, sizeof words, span_of(table_cell(t, column, row, room))),
                   why);
}

/* Finds the level that a cell of the query names, for a factor of texts. */
static int find_level(const struct factor *f, const struct table *t, size_t column, size_t row,
                      size_t *level, struct err *e)
{
    char room[TEXT_NUMBER];
    *level = factor_level_of(f, table_cell(t, column, row, room));
    if (*level == SIZE_MAX && table_is_number(t, column, row))
        *level = factor_level_of(f, text_number(room, t->columns[column].number[row]));
    return *level == SIZE_MAX ? wrong_cell(t, column, row, "was never measured", e) : 0;
}

static int read_place(struct places *p, const struct configurations *c, const size_t column[],
                      size_t row, struct err *e)
{
    struct table *t = &p->query;
    struct design_place *place = &p->place[row];
    size_t map_level[FACTORS_MAX] = {0};
    p->line[row] = t->line[row];
    for (size_t f = 0; f < c->stride; f++) {
        const struct factor *factor = &c->factors[f];
        if (table_is_missing(t, column[f], row))
            return wrong_cell(t, column[f], row, "is no level", e);
        if (f >= c->factor_count) {
            if (find_level(factor, t, column[f], row, &map_level[f - c->factor_count], e))
                return -1;
        } else if (factor->is_text) {
            if (find_level(factor, t, column[f], row, &place->level[f], e))
                return -1;
            place->number[f] = (double)place->level[f];
        } else if (!table_is_number(t, column[f], row)) {
            return wrong_cell(t, column[f], row, "is not a number, as its levels are", e);
        } else {
            place->number[f] = t->columns[column[f]].number[row];
        }
    }
    size_t map = map_with_levels(c, map_level);
    if (map == SIZE_MAX)
        return err_set(e, ERR_USAGE, "%s, line %u: no configuration of its map was measured",
                       t->file, t->line[row]);
    p->map[row] = (uint32_t)map;
    return 0;
}

static int read_query(struct places *p, const struct configurations *c, struct err *e)
{
    struct table *t = &p->query;
    size_t column[FACTORS_MAX];
    char room[TEXT_NUMBER];
    for (size_t f = 0; f < c->stride; f++) {
        column[f] = table_column_named(t, c->factors[f].name, e);
        if (column[f] == TABLE_NO_COLUMN)
            return -1;
    }
    t->verbatim = true;
    for (size_t i = 0; i < t->column_count; i++)
        t->columns[i].kept = true;
    if (table_read(t, e) || allocate(p, t->rows, t->column_count, true, e))
        return -1;
    for (size_t i = 0; i < t->column_count; i++)
        p->columns[i] = t->columns[i].name;
    for (size_t row = 0; row < t->rows; row++) {
        if (read_place(p, c, column, row, e))
            return -1;
        for (size_t i = 0; i < t->column_count; i++)
            p->cells[row * t->column_count + i] = table_cell(t, i, row, room);
    }
    return 0;
}

int places_of_query(struct places *p, const struct configurations *c, const char *path,
                    struct err *e)
{
    *p = (struct places){0};
    if (table_open(&p->query, path, e))
        return -1;
    if (!read_query(p, c, e))
        return 0;
    places_free(p);
    return -1;
}

/* ---- a table of other measurements ---- */

static void name_columns(struct places *p, const struct configurations *c)
{
    for (size_t k = 0; k < c->stride; k++)
        p->columns[k] = k < c->map_factor_count ? c->factors[c->factor_count + k].name
                                                : c->factors[k - c->map_factor_count].name;
}

/* Makes the place of configuration i of the test table, with the levels of the map's own table. */
static int take_test(struct places *p, const struct configurations *c,
                     const struct configurations *test, size_t i, struct err *e)
{
    struct design_place *place = &p->place[i];
    size_t map_level[FACTORS_MAX] = {0};
    for (size_t f = 0; f < c->stride; f++) {
        const struct factor *mine = &c->factors[f], *other = &test->factors[f];
        const uint32_t at = test->level[i * test->stride + f];
        const bool is_map = f >= c->factor_count;
        const size_t level =
            mine->is_text || is_map ? factor_level_of(mine, other->words[at]) : SIZE_MAX;
        p->cells[i * p->column_count + (is_map ? f - c->factor_count : c->map_factor_count + f)] =
            other->words[at];
        if (level == SIZE_MAX && (mine->is_text || is_map))
            return err_set(e, ERR_USAGE, "%s: %.60s = \"%.60s\" was never measured", p->path,
                           mine->name, other->words[at]);
        if (!mine->is_text && other->is_text)
            return err_set(e, ERR_USAGE, "%s: %.60s = \"%.60s\" is not a number, as its levels are",
                           p->path, mine->name, other->words[at]);
        if (is_map) {
            map_level[f - c->factor_count] = level;
            continue;
        }
        place->level[f] = level == SIZE_MAX ? 0 : level;
        place->number[f] = mine->is_text ? (double)level : other->number[at];
    }
    const size_t map = map_with_levels(c, map_level);
    if (map == SIZE_MAX)
        return err_set(e, ERR_USAGE,
                       "%s: no configuration of the map of %.60s = \"%.60s\" was measured", p->path,
                       p->columns[0], p->cells[i * p->column_count]);
    p->map[i] = (uint32_t)map;
    return 0;
}

int places_of_test(struct places *p, const struct configurations *c,
                   const struct configurations *test, const char *path, struct err *e)
{
    int status;
    *p = (struct places){.measured = test->value, .path = path};
    status = allocate(p, test->n, c->stride, false, e);
    if (!status)
        name_columns(p, c);
    for (size_t i = 0; i < test->n && !status; i++)
        status = take_test(p, c, test, i, e);
    if (status)
        places_free(p);
    return status;
}

/* ---- combinations that were not measured ---- */

/* Returns the levels as one number, in which the last factor is the lowest digit. */
static size_t combination_of(const struct configurations *c, const uint32_t level[])
{
    size_t number = 0;
    for (size_t f = 0; f < c->factor_count; f++)
        number = number * c->factors[f].level_count + level[f];
    return number;
}

static void fill_place(struct places *p, const struct configurations *c, size_t at,
                       size_t combination, const uint32_t *of_map)
{
    struct design_place *place = &p->place[at];
    const char **cells = p->cells + at * p->column_count;
    for (size_t f = c->factor_count; f-- > 0;) {
        size_t level = combination % c->factors[f].level_count;
        combination /= c->factors[f].level_count;
        place->level[f] = level;
        place->number[f] = c->factors[f].number[level];
        cells[c->map_factor_count + f] = c->factors[f].words[level];
    }
    for (size_t k = 0; k < c->map_factor_count; k++)
        cells[k] = c->factors[c->factor_count + k].words[of_map[k]];
}

static int collect_unmeasured(struct places *p, const struct configurations *c, bool *measured,
                              size_t combinations, struct err *e)
{
    size_t count = combinations * c->map_count - c->n, at = 0;
    if (allocate(p, count, c->stride, false, e))
        return -1;
    for (size_t i = 0; i < c->n; i++)
        measured[c->map[i] * combinations + combination_of(c, c->level + i * c->stride)] = true;
    name_columns(p, c);
    for (size_t map = 0; map < c->map_count; map++) {
        size_t first = 0;
        while (c->map[first] != map)
            first++;
        for (size_t k = 0; k < combinations; k++) {
            if (measured[map * combinations + k])
                continue;
            p->map[at] = (uint32_t)map;
            fill_place(p, c, at++, k, c->level + first * c->stride + c->factor_count);
        }
    }
    return 0;
}

int places_unmeasured(struct places *p, const struct configurations *c, struct err *e)
{
    size_t combinations = 1;
    *p = (struct places){0};
    for (size_t f = 0; f < c->factor_count; f++) {
        combinations *= c->factors[f].level_count;
        if (combinations > UNMEASURED_MAX || combinations * c->map_count > UNMEASURED_MAX)
            return err_set(e, ERR_USAGE,
                           "the levels have more than %d combinations: name the ones to predict "
                           "in a file (--query)",
                           UNMEASURED_MAX);
    }
    bool *measured = calloc(combinations * c->map_count, sizeof *measured);
    if (!measured)
        return err_no_memory(e, "%zu combinations", combinations);
    int status = collect_unmeasured(p, c, measured, combinations, e);
    free(measured);
    if (status)
        places_free(p);
    return status;
}
