/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases with expected values: a folder with expected.tsv (case, quantity, parameters, value,
 * origin) and one file of readings, NAME.txt, per case. The project's are in tests/golden;
 * CUPEL_CASES may name a folder whose series/ has more in the same format.
 */
#ifndef TESTS_UNIT_CASES_H
#define TESTS_UNIT_CASES_H

#include "tests/unit/check.h"

#define CASE_READINGS 4096
#define CASE_VALUES   32

struct expected_row {
    char name[64], quantity[64], params[128];
    double value[CASE_VALUES]; /* values separated by commas */
    size_t count;
};

struct cases {
    char folder[512];
    FILE *rows;
    char loaded[64]; /* the case whose readings are in x */
    double x[CASE_READINGS];
    size_t n;
};

/* False, after a failed check, when the folder has no expected.tsv. */
static inline bool cases_open(struct cases *c, const char *folder)
{
    char path[600];
    memset(c, 0, sizeof *c);
    snprintf(c->folder, sizeof c->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/expected.tsv", c->folder);
    c->rows = fopen(path, "r");
    return check_that(c->rows != NULL, path, 0, "the file can be opened");
}

/* Returns the folder of further cases, or NULL after printing that they are skipped. */
static inline const char *cases_elsewhere(void)
{
    static char folder[512];
    const char *root = getenv("CUPEL_CASES");
    if (!root) {
        check_part_skipped("CUPEL_CASES is not set");
        return NULL;
    }
    snprintf(folder, sizeof folder, "%s/series", root);
    return folder;
}

static inline void cases_copy_field(char *to, size_t size, const char **line)
{
    size_t length = strcspn(*line, "\t\n");
    snprintf(to, size, "%.*s", (int)length, *line);
    *line += length;
    if (**line == '\t')
        (*line)++;
}

/* Reads the next row. Returns false at the end, where it closes the file. */
static inline bool cases_next(struct cases *c, struct expected_row *row)
{
    char text[2048];
    if (!fgets(text, sizeof text, c->rows)) {
        fclose(c->rows);
        c->rows = NULL;
        return false;
    }
    const char *line = text;
    cases_copy_field(row->name, sizeof row->name, &line);
    cases_copy_field(row->quantity, sizeof row->quantity, &line);
    cases_copy_field(row->params, sizeof row->params, &line);
    row->count = 0;
    while (row->count < CASE_VALUES) {
        char *end;
        row->value[row->count] = strtod(line, &end);
        if (end == line)
            break;
        row->count++;
        line = end + (*end == ',');
    }
    return true;
}

static inline bool cases_is(const struct expected_row *row, const char *quantity)
{
    return strcmp(row->quantity, quantity) == 0;
}

/* Reads the readings of the row's case into c->x. */
static inline bool cases_load(struct cases *c, const struct expected_row *row)
{
    char path[600];
    if (strcmp(c->loaded, row->name) == 0)
        return true;
    snprintf(c->loaded, sizeof c->loaded, "%s", row->name);
    snprintf(path, sizeof path, "%s/%s.txt", c->folder, row->name);
    FILE *f = fopen(path, "r");
    c->n = 0;
    while (f && c->n < CASE_READINGS && fscanf(f, "%lf", &c->x[c->n]) == 1)
        c->n++;
    if (f)
        fclose(f);
    return check_that(c->n > 0, path, 0, "the file has readings");
}

/* Returns the number after "name=" in the parameters. */
static inline double cases_param(const struct expected_row *row, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = row->params; (at = strstr(at, name)) != NULL; at++)
        if ((at == row->params || at[-1] == ' ') && at[length] == '=')
            return strtod(at + length + 1, NULL);
    return NAN;
}

#endif
