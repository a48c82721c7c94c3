/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of numbers with a header and without quotes, in which the cases for maps are stored. The
 * project's are in tests/golden/models; CUPEL_CASES may name a folder whose models/ has more, and
 * ../data/varsys beside it may have measured maps.
 */
#ifndef TESTS_UNIT_CSV_TABLE_H
#define TESTS_UNIT_CSV_TABLE_H

#include "tests/unit/check.h"

#define CSV_COLUMNS 32

struct csv_table {
    char *text;
    char **cell; /* [rows + 1][columns], the header first */
    size_t rows, columns;
};

static inline void csv_close(struct csv_table *t)
{
    free(t->text);
    free((void *)t->cell);
    *t = (struct csv_table){0};
}

static inline void csv_split(struct csv_table *t, size_t lines)
{
    t->columns = 1;
    for (const char *c = t->text; *c && *c != '\n'; c++)
        t->columns += *c == ',';
    t->cell = calloc((lines + 1) * t->columns, sizeof *t->cell);
    char *at = t->text;
    size_t count = 0;
    while (t->cell && *at) {
        t->cell[count++] = at;
        while (*at && *at != ',' && *at != '\n') /* strcspn under the sanitizers reads to the end */
            at++;
        if (*at)
            *at++ = '\0';
    }
    t->rows = count / t->columns - 1;
}

/* Returns false, after a failed check, if the file cannot be read. */
static inline bool csv_open(struct csv_table *t, const char *path)
{
    *t = (struct csv_table){0};
    FILE *f = fopen(path, "r");
    size_t size = 0, lines = 0;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = (size_t)ftell(f)) > 0)
        t->text = calloc(size + 1, 1);
    if (t->text) {
        rewind(f);
        size = fread(t->text, 1, size, f);
        for (size_t i = 0; i < size; i++)
            lines += t->text[i] == '\n';
        csv_split(t, lines + 1);
    }
    if (f)
        fclose(f);
    return check_that(t->cell != NULL, path, 0, "the table can be read");
}

/* Returns the path of a further table, or NULL after printing that it is skipped. */
static inline const char *csv_elsewhere(const char *name)
{
    static char path[600];
    const char *root = getenv("CUPEL_CASES");
    if (!root) {
        check_part_skipped("CUPEL_CASES is not set");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "r");
    if (!f) {
        check_part_skipped(path);
        return NULL;
    }
    fclose(f);
    return path;
}

static inline const char *csv_text(const struct csv_table *t, size_t row, const char *column)
{
    for (size_t c = 0; c < t->columns; c++)
        if (strcmp(t->cell[c], column) == 0)
            return t->cell[(row + 1) * t->columns + c];
    check_that(false, column, 0, "the table has the column");
    return "";
}

static inline double csv_number(const struct csv_table *t, size_t row, const char *column)
{
    return strtod(csv_text(t, row, column), NULL);
}

/* Returns the first `count` columns of every row, or one column. The caller frees the array. */
static inline double *csv_matrix(const struct csv_table *t, size_t count)
{
    double *x = calloc(t->rows * count, sizeof *x);
    for (size_t i = 0; x && i < t->rows; i++)
        for (size_t j = 0; j < count; j++)
            x[i * count + j] = strtod(t->cell[(i + 1) * t->columns + j], NULL);
    return x;
}

static inline double *csv_column(const struct csv_table *t, const char *column)
{
    double *x = calloc(t->rows, sizeof *x);
    for (size_t i = 0; x && i < t->rows; i++)
        x[i] = csv_number(t, i, column);
    return x;
}

#endif
