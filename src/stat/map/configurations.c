/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups the rows of a table into configurations. */
#include "stat/map/configurations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/map/internal.h"

/* The columns that are read from each row, and the used rows. */
struct grouping {
    struct table table;
    size_t column[FACTORS_MAX];
    size_t value;   /* column of the response, or of the runs */
    size_t runs;    /* column with the number of runs, or TABLE_NO_COLUMN */
    size_t control; /* column that marks control runs, or TABLE_NO_COLUMN */
    bool *used;     /* [rows] */
    size_t used_count;
    uint32_t *level; /* [rows][stride] */
    struct tagged {
        uint64_t key;
        uint32_t row;
    } * tags; /* [used_count]; rows of one configuration are adjacent */
};

static int no_memory(const struct grouping *g, struct err *e)
{
    return err_no_memory(e, "the configurations of %s", g->table.file);
}

/* ---- columns ---- */

/* Returns true for a column that a sweep, or a person, writes besides factors and responses. Such a
   column holds no runs. */
static bool is_bookkeeping(const char *name)
{
    static const char *const names[] = {"run",     "configuration", "control", "time",
                                        "seconds", "host",          "block",   "n",
                                        "order",   "seed",          "repeat"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool is_taken(const struct configurations *c, const struct grouping *g, size_t column)
{
    for (size_t i = 0; i < c->stride; i++)
        if (g->column[i] == column)
            return true;
    return false;
}

/* Finds the column of runs if the user named none: the only column that is neither a factor nor one
   of is_bookkeeping. */
static size_t only_value_column(const struct configurations *c, const struct grouping *g,
                                struct err *e)
{
    size_t found = TABLE_NO_COLUMN;
    for (size_t i = 0; i < g->table.column_count; i++) {
        const char *name = g->table.columns[i].name;
        if (is_taken(c, g, i) || is_bookkeeping(name))
            continue;
        if (found != TABLE_NO_COLUMN) {
            err_set(e, ERR_USAGE,
                    "%s: --response %s is of the runs of a column, which may be %.60s or %.60s: "
                    "choose one with --value",
                    g->table.file, c->response.name, g->table.columns[found].name, name);
            return TABLE_NO_COLUMN;
        }
        found = i;
    }
    if (found == TABLE_NO_COLUMN)
        err_set(e, ERR_USAGE, "%s has neither a column \"%s\" nor one of runs that it could be of",
                g->table.file, c->response.name);
    return found;
}

static int choose_response(struct configurations *c, struct grouping *g,
                           const struct configurations_request *request, struct err *e)
{
    struct table *t = &g->table;
    g->runs = TABLE_NO_COLUMN;
    bool statistic = response_parse(request->response, &c->response);
    if (!request->value && table_has_column(t, request->response)) {
        c->response = (struct response){RESPONSE_COLUMN, 0, NULL};
        g->value = table_column_named(t, request->response, e);
        if (request->runs || table_has_column(t, "n"))
            g->runs = table_column_named(t, request->runs ? request->runs : "n", e);
        if (request->runs && g->runs == TABLE_NO_COLUMN)
            return -1;
    } else if (!statistic) {
        g->value = table_column_named(t, request->response, e);
        return g->value == TABLE_NO_COLUMN
                   ? err_context(e, "--response is no statistic (mean, sd, variance, cv, median, "
                                    "min, max, p99)")
                   : err_set(e, ERR_USAGE, "--value %s needs a statistic as --response",
                             request->value);
    } else {
        g->value =
            request->value ? table_column_named(t, request->value, e) : only_value_column(c, g, e);
    }
    c->response.name = pool_copy(&c->pool, request->response, strlen(request->response));
    if (!c->response.name)
        return no_memory(g, e);
    return g->value == TABLE_NO_COLUMN ? -1 : 0;
}

/* Adds the columns of a list of names as factors. */
static int name_columns(struct configurations *c, struct grouping *g, const char *const names[],
                        struct err *e)
{
    for (; names && *names; names++) {
        if (c->stride == FACTORS_MAX)
            return err_set(e, ERR_USAGE, "there are more than %d factors", FACTORS_MAX);
        size_t column = table_column_named(&g->table, *names, e);
        if (column == TABLE_NO_COLUMN)
            return -1;
        if (is_taken(c, g, column))
            return err_set(e, ERR_USAGE, "the factor %.60s is named twice", *names);
        g->column[c->stride++] = column;
    }
    return 0;
}

static int choose_columns(struct configurations *c, struct grouping *g,
                          const struct configurations_request *request, struct err *e)
{
    for (size_t i = 0; i < FACTORS_MAX; i++)
        g->column[i] = TABLE_NO_COLUMN;
    if (name_columns(c, g, request->factors, e))
        return -1;
    c->factor_count = c->stride;
    if (name_columns(c, g, request->maps_by, e))
        return -1;
    c->map_factor_count = c->stride - c->factor_count;
    if (choose_response(c, g, request, e))
        return -1;
    if (is_taken(c, g, g->value))
        return err_set(e, ERR_USAGE, "the column %.60s is a factor and the response",
                       g->table.columns[g->value].name);
    g->control = TABLE_NO_COLUMN;
    if (!request->with_controls && table_has_column(&g->table, "control"))
        g->control = table_column_named(&g->table, "control", e);
    for (size_t i = 0; i < g->table.column_count; i++)
        /* every column is read, because any of them may be a factor that the user left out */
        g->table.columns[i].kept = true;
    return 0;
}

/* ---- rows ---- */

/* Chooses the rows that are used. An empty value means that the row was not measured; text instead
   of a number is an error. */
static int choose_rows(struct configurations *c, struct grouping *g, struct err *e)
{
    const struct table *t = &g->table;
    char room[TEXT_NUMBER], words[48];
    size_t missing = 0, controls = 0;
    g->used = malloc(t->rows * sizeof *g->used);
    if (!g->used)
        return no_memory(g, e);
    for (size_t i = 0; i < t->rows; i++) {
        bool is_control = g->control != TABLE_NO_COLUMN && !is_taken(c, g, g->control) &&
                          t->columns[g->control].number[i] == 1;
        controls += is_control;
        g->used[i] = !is_control && table_is_number(t, g->value, i);
        g->used_count += g->used[i];
        if (g->used[i] || is_control)
            continue;
        if (!table_is_missing(t, g->value, i))
            return err_set(
                e, ERR_USAGE, "%s, line %u, column %.60s: \"%s\" is not a number", t->file,
                t->line[i], t->columns[g->value].name,
                span_printable(words, sizeof words, span_of(table_cell(t, g->value, i, room))));
        missing++;
    }
    if (!g->used_count)
        return err_set(e, ERR_USAGE, "%s: the column %.60s holds no number", t->file,
                       t->columns[g->value].name);
    if (missing)
        text_addf(&c->notes, "%zu rows have no %s and are left out.\n", missing,
                  t->columns[g->value].name);
    if (controls)
        text_addf(&c->notes, "%zu control runs are left out.\n", controls);
    if (t->last_line_open)
        text_addf(&c->notes,
                  "The last line of %s has no line end: if the file was cut, its last number may "
                  "be wrong.\n",
                  t->file);
    return 0;
}

static int compare_tags(const void *a, const void *b)
{
    const struct tagged *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Replaces the keys by 0, 1, 2 ... in their order; returns the number of different keys. */
static uint64_t rank_keys(struct tagged tags[], size_t n)
{
    qsort(tags, n, sizeof *tags, compare_tags);
    uint64_t rank = 0, before = tags[0].key;
    for (size_t i = 0; i < n; i++) {
        rank += tags[i].key != before;
        before = tags[i].key;
        tags[i].key = rank;
    }
    return rank + 1;
}

/* Sorts the rows by their levels, factor by factor, and gives rows of the same configuration the
   same key. */
static int sort_rows(const struct configurations *c, struct grouping *g, struct err *e)
{
    size_t count = 0;
    uint64_t keys = 1;
    g->tags = calloc(g->used_count + 1, sizeof *g->tags);
    if (!g->tags)
        return no_memory(g, e);
    for (uint32_t i = 0; i < g->table.rows; i++)
        if (g->used[i])
            g->tags[count++] = (struct tagged){0, i};
    for (size_t f = 0; f < c->stride; f++) {
        size_t levels = c->factors[f].level_count;
        if (keys > UINT64_MAX / (levels + 1))
            keys = rank_keys(g->tags, count);
        keys *= levels;
        for (size_t i = 0; i < count; i++)
            g->tags[i].key = g->tags[i].key * levels + g->level[g->tags[i].row * c->stride + f];
    }
    rank_keys(g->tags, count);
    return 0;
}

static int read_levels(struct configurations *c, struct grouping *g, struct err *e)
{
    g->level = calloc(g->table.rows, (c->stride ? c->stride : 1) * sizeof *g->level);
    if (!g->level)
        return no_memory(g, e);
    for (size_t f = 0; f < c->stride; f++) {
        if (factor_levels(c, f, &g->table, g->column[f], g->used, g->level, e))
            return -1;
        if (f < c->factor_count && c->factors[f].is_text)
            text_addf(&c->notes, "%s is text: each of its %zu levels has an indicator.\n",
                      c->factors[f].name, c->factors[f].level_count);
    }
    return 0;
}

/* ---- factors that the user left out ---- */

#define LEFT_OUT_LEVELS_MAX 64

/* Returns true if rows of one configuration differ in a column that looks like a factor: it has few
   levels, and each of them occurs in two rows or more, whereas values of a measured quantity hardly
   repeat. Sets *levels to the number of levels. */
static bool is_left_out(const struct grouping *g, size_t column, size_t *levels)
{
    const struct table_column *c = &g->table.columns[column];
    struct cell {
        double number;
        uint32_t text;
        size_t rows;
    } seen[LEFT_OUT_LEVELS_MAX];
    size_t before = 0, once = 0;
    bool differ = false;
    *levels = 0;
    for (size_t i = 0; i < g->used_count; i++) {
        const double number = c->number[g->tags[i].row];
        const uint32_t text = c->text[g->tags[i].row];
        size_t k = 0;
        while (k < *levels && (seen[k].text != text || !(seen[k].number == number ||
                                                         (isnan(number) && isnan(seen[k].number)))))
            k++;
        if (k == LEFT_OUT_LEVELS_MAX)
            return false;
        if (k == *levels)
            seen[(*levels)++] = (struct cell){number, text, 0};
        once += seen[k].rows == 0;
        once -= seen[k].rows == 1;
        seen[k].rows++;
        differ |= i && g->tags[i].key == g->tags[i - 1].key && k != before;
        before = k;
    }
    return differ && !once;
}

static void note_left_out(struct configurations *c, const struct grouping *g)
{
    size_t levels;
    for (size_t i = 0; i < g->table.column_count; i++)
        if (!is_taken(c, g, i) && i != g->value && i != g->runs && i != g->control &&
            !is_bookkeeping(g->table.columns[i].name) && is_left_out(g, i, &levels))
            text_addf(&c->notes,
                      "%s has %zu levels and is not among the factors: rows that differ in nothing "
                      "else are runs of one configuration here (--factors, --maps-by).\n",
                      g->table.columns[i].name, levels);
}

/* ---- configurations ---- */

static int allocate(struct configurations *c, struct grouping *g, struct err *e)
{
    size_t n = g->tags[g->used_count - 1].key + 1;
    c->n = n;
    c->level = calloc(n * c->stride + 1, sizeof *c->level);
    c->value = calloc(n, sizeof *c->value);
    c->noise = calloc(n, sizeof *c->noise);
    c->run_count = calloc(n, sizeof *c->run_count);
    c->row = calloc(n, sizeof *c->row);
    c->map = calloc(n, sizeof *c->map);
    c->run_begin = calloc(n + 1, sizeof *c->run_begin);
    c->runs = calloc(g->used_count + 1, sizeof *c->runs);
    if (!c->level || !c->value || !c->noise || !c->run_count || !c->row || !c->map ||
        !c->run_begin || !c->runs)
        return no_memory(g, e);
    return 0;
}

/* Collects the levels, the first row and the values of each configuration. The values of a
   configuration become adjacent. */
static void collect(struct configurations *c, const struct grouping *g)
{
    size_t next = 0;
    for (size_t i = 0; i < g->used_count; i++) {
        uint32_t row = g->tags[i].row;
        if (g->tags[i].key == next) {
            memcpy(c->level + next * c->stride, g->level + row * c->stride,
                   c->stride * sizeof *c->level);
            c->row[next] = row;
            c->run_begin[next++] = i;
        }
        c->runs[i] = g->table.columns[g->value].number[row];
    }
    c->run_begin[next] = g->used_count;
}

/* For a table of summaries: computes the mean of a configuration's rows, and takes over its number
   of runs. */
static void summarise(struct configurations *c, const struct grouping *g)
{
    const double normal_mean = sqrt(2 / M_PI); /* E |z| */
    size_t doubled = 0, counted = 0;
    double sum = 0;
    bool is_sd = !strncmp(c->response.name, "sd", 2);
    for (size_t i = 0; i < c->n; i++) {
        size_t rows = c->run_begin[i + 1] - c->run_begin[i];
        double value = 0, n = NAN;
        for (size_t k = c->run_begin[i]; k < c->run_begin[i + 1]; k++)
            value += c->runs[k] / (double)rows;
        if (g->runs != TABLE_NO_COLUMN)
            n = g->table.columns[g->runs].number[c->row[i]];
        doubled += rows > 1;
        c->value[i] = value;
        c->run_count[i] = n;
        c->noise[i] = is_sd && n > 1 ? 1 / sqrt(2 * (n - 1)) : (double)NAN;
        if (isfinite(c->noise[i])) {
            sum += normal_mean * c->noise[i];
            counted++;
        }
    }
    c->mean_noise = counted ? sum / (double)counted : (double)NAN;
    if (doubled)
        text_addf(&c->notes,
                  "%zu configurations stand in several rows: the mean of these counts.\n", doubled);
}

/* Drops configurations with too few runs for the statistic. */
static int drop_undefined(struct configurations *c, const struct grouping *g, struct err *e)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!isfinite(c->value[i]))
            continue;
        size_t begin = c->run_begin[i], runs = c->run_begin[i + 1] - begin;
        memmove(c->level + kept * c->stride, c->level + i * c->stride,
                c->stride * sizeof *c->level);
        c->value[kept] = c->value[i];
        c->noise[kept] = c->noise[i];
        c->run_count[kept] = c->run_count[i];
        c->row[kept] = c->row[i];
        memmove(c->runs + at, c->runs + begin, runs * sizeof *c->runs);
        c->run_begin[kept++] = at;
        at += runs;
    }
    c->run_begin[kept] = at;
    if (!kept)
        return err_set(
            e, ERR_USAGE,
            "%s: --response %s is known of none of its %zu configurations: they have too "
            "few runs, or it is no number (an overflow, a division by 0)",
            g->table.file, c->response.name, c->n);
    if (kept < c->n)
        text_addf(&c->notes, "%zu configuration%s left out: too few runs for %s, or an overflow.\n",
                  c->n - kept, c->n - kept == 1 ? " is" : "s are", c->response.name);
    c->n = kept;
    return 0;
}

/* Numbers the maps. Configurations with the same levels of the factors that divide maps belong to
   one map. */
static void number_maps(struct configurations *c)
{
    size_t first = c->factor_count, count = c->map_factor_count;
    c->map_count = 1;
    if (!count)
        return;
    c->map_count = 0;
    for (size_t i = 0; i < c->n; i++) {
        size_t k = 0;
        const uint32_t *mine = c->level + i * c->stride + first;
        while (k < i && memcmp(c->level + k * c->stride + first, mine, count * sizeof *mine) != 0)
            k++;
        c->map[i] = k < i ? c->map[k] : (uint32_t)c->map_count++;
    }
}

static int group(struct configurations *c, struct grouping *g,
                 const struct configurations_request *request, struct err *e)
{
    if (choose_columns(c, g, request, e) || table_read(&g->table, e) || choose_rows(c, g, e) ||
        read_levels(c, g, e) || sort_rows(c, g, e) || allocate(c, g, e))
        return -1;
    collect(c, g);
    note_left_out(c, g);
    if (c->response.kind == RESPONSE_COLUMN) {
        summarise(c, g);
    } else {
        double *room = calloc(2 * g->used_count + 1, sizeof *room);
        if (!room)
            return no_memory(g, e);
        response_compute(c, request->seed, room);
        free(room);
    }
    if (drop_undefined(c, g, e))
        return -1;
    number_maps(c);
    return c->notes.failed ? no_memory(g, e) : 0;
}

int configurations_read(struct configurations *c, const char *path,
                        const struct configurations_request *request, struct err *e)
{
    struct grouping g = {0};
    *c = (struct configurations){0};
    if (table_open(&g.table, path, e))
        return -1;
    int status = group(c, &g, request, e);
    table_free(&g.table);
    free(g.used);
    free(g.level);
    free(g.tags);
    if (status)
        configurations_free(c);
    return status;
}

void configurations_free(struct configurations *c)
{
    for (size_t f = 0; f < c->stride; f++)
        factor_free(&c->factors[f]);
    free(c->level);
    free(c->value);
    free(c->noise);
    free(c->run_count);
    free(c->run_begin);
    free(c->runs);
    free(c->row);
    free(c->map);
    text_free(&c->notes);
    pool_free(&c->pool);
    *c = (struct configurations){0};
}
