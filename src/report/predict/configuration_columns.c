/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a configuration in each format: its columns as the user gave them, and its cells. */
#include <string.h>

#include "base/number_parse.h"
#include "report/document/document.h"
#include "report/predict/internal.h"

static void add_csv_cells(struct text *out, const char *const cells[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        text_add_csv(out, cells[i]);
    }
}

void csv_add_places(struct text *out, const struct place_table *t)
{
    add_csv_cells(out, t->columns, t->column_count);
    csv_add_names(out, t->fields);
    text_add(out, "\n");
    for (size_t row = 0; row < t->count; row++) {
        add_csv_cells(out, t->cells + row * t->column_count, t->column_count);
        csv_add_fields(out, t->fields, (const char *)t->records + row * t->size);
        text_add(out, "\n");
    }
}

static void json_place(struct json *j, const char *const columns[], const char *const cells[],
                       size_t count)
{
    json_begin_object(j, "at");
    for (size_t i = 0; i < count; i++) {
        double number;
        if (number_parse(cells[i], strlen(cells[i]), &number) == NUMBER_OK)
            json_number(j, columns[i], number);
        else
            json_string(j, columns[i], cells[i]);
    }
    json_end_object(j);
}

void json_places(struct json *j, const char *key, const struct place_table *t)
{
    json_begin_array(j, key);
    for (size_t row = 0; row < t->count; row++) {
        json_begin_object(j, NULL);
        json_place(j, t->columns, t->cells + row * t->column_count, t->column_count);
        json_fields(j, t->fields, (const char *)t->records + row * t->size);
        json_end_object(j);
    }
    json_end_array(j);
}

void add_place_titles(struct document *out, const struct place_table *t, int width)
{
    document_add(out, "  ");
    document_cell(out, "configuration", -width);
    document_cells(out, t->fields, NULL);
    document_end_titles(out);
}

void add_place_row(struct document *out, const struct place_table *t, size_t row, int width)
{
    char shown[4 * PLACE_WIDTH_MAX + 8];
    struct text place = {0};
    for (size_t i = 0; i < t->column_count; i++)
        text_addf(&place, "%s%s", i ? " " : "", t->cells[row * t->column_count + i]);
    document_add(out, out->pending.length ? "" : "  ");
    document_cell(
        out, layout_shorten(shown, sizeof shown, layout_string(&place), (size_t)width - 1), -width);
    document_cells(out, t->fields, (const char *)t->records + row * t->size);
    document_end_row(out);
    text_free(&place);
}

size_t rows_shown(const struct document *out, size_t max)
{
    enum { OF_A_PAGE = 1000 };
    return out->style.page ? OF_A_PAGE : max;
}
