/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A configuration in each format: its columns as the user gave them, and its cells. */
#include <string.h>

#include "base/number_parse.h"
#include "report/document/document.h"
#include "report/predict/internal.h"

void csv_add_place_columns(struct text *out, const char *const columns[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_csv(out, columns[i]);
        text_add(out, ",");
    }
}

void csv_add_place(struct text *out, const char *const cells[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        text_add_csv(out, cells[i]);
    }
}

void json_place(struct json *j, const char *const columns[], const char *const cells[],
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

void add_place(struct document *out, const char *const cells[], size_t count, size_t width)
{
    char shown[4 * PLACE_WIDTH_MAX + 8];
    struct text place = {0};
    for (size_t i = 0; i < count; i++)
        text_addf(&place, "%s%s", i ? " " : "", cells[i]);
    document_left(out, layout_shorten(shown, sizeof shown, layout_string(&place), width - 1),
                  width);
    text_free(&place);
}

size_t rows_shown(const struct document *out, size_t max)
{
    enum { OF_A_PAGE = 1000 };
    return out->style.page ? OF_A_PAGE : max;
}
