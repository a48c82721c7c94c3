/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of a file count, and what is read of them: the user's request, and what is known of
   the program that wrote it. The same for tables and for JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "cmd/column/internal.h"

static bool has_filter(const struct filters *f, const struct operand *field)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->rows[i].field.index == field->index && !strcmp(f->rows[i].field.name, field->name))
            return true;
    return false;
}

/* Adds the format's conditions, except those of fields that the user has conditions for, or that
   are not there. */
static void add_defaults(struct selection *s, find_field *find, const void *context,
                         const char *file)
{
    const struct filters of_users = s->filters;
    for (const char *text = s->format->where; text && *text;) {
        const size_t length = strcspn(text, ",");
        char one[COLUMN_NAME];
        snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (!filters_add(&s->filters, one, find, context, file, NULL) &&
            has_filter(&of_users, &s->filters.rows[s->filters.count - 1].field))
            s->filters.count--;
        text += length + (text[length] == ',');
    }
}

static int missing_column(const struct selection *s, const char *column, const char *file,
                          struct err *e)
{
    const char *remedy = s->format ? s->format->remedy : NULL;
    return err_set(e, ERR_USAGE, "%s has no \"%.60s\"%s%s", file, column, remedy ? ": " : "",
                   remedy ? remedy : "");
}

/* Binds the unit that the format states for the column, or for the name. */
static void bind_unit(struct selection *s, const char *column, find_field *find,
                      const void *context)
{
    const struct column_format *format = s->format;
    if (!format->unit || !glob_matches(format->timed, format->name ? s->name : column))
        return;
    if (format->unit[0] == '=')
        s->has_unit = find(context, span_of(format->unit + 1), &s->unit);
    else
        s->fixed_unit = column_unit_of(span_of(format->unit));
}

int selection_make(struct selection *s, const struct column_request *request, const char *column,
                   find_field *find, const void *context, const char *file, struct err *e)
{
    const struct column_format *format = s->format;
    if (request->where && filters_add(&s->filters, request->where, find, context, file, e))
        return -1;
    if (format && format->names)
        s->has_names = find(context, span_of(format->names), &s->names);
    if (request->name) {
        snprintf(s->name, sizeof s->name, "%s", request->name);
        s->chosen = true;
    }
    if (column && !formula_parse(&s->formula, span_of(column), find, context)) {
        if (!s->has_names || !format || !format->column || column == format->column)
            return missing_column(s, column, file, e);
        snprintf(s->name, sizeof s->name, "%s", column);
        s->chosen = true;
        column = format->column;
        if (!formula_parse(&s->formula, span_of(column), find, context))
            return missing_column(s, column, file, e);
    }
    s->column = column;
    if (!format)
        return 0;
    if (format->name && !s->chosen && !has_filter(&s->filters, &s->names)) {
        snprintf(s->name, sizeof s->name, "%s", format->name);
        s->chosen = true;
    }
    add_defaults(s, find, context, file);
    if (column)
        bind_unit(s, column, find, context);
    return 0;
}

static void list_name(struct column_names *list, const char *name)
{
    for (size_t i = 0; i < list->count && i < COLUMN_NAMES; i++)
        if (!strcmp(list->names[i], name))
            return;
    if (list->count < COLUMN_NAMES)
        snprintf(list->names[list->count], sizeof *list->names, "%s", name);
    list->count++;
}

/* Readings of two things were never meant to be one column. */
static int refuse_mixture(const struct selection *s, const struct filling *f, const char *name,
                          struct err *e)
{
    char first[60], second[60], where[80] = "";
    span_printable(first, sizeof first, span_of(s->name));
    span_printable(second, sizeof second, span_of(name));
    if (!s->format->column)
        snprintf(where, sizeof where, "%s=", s->format->names);
    return err_set(e, ERR_USAGE,
                   "%s has the readings of several, among them \"%s\" and \"%s\": choose one with "
                   "%s '%s%s'",
                   f->file, first, second, *where ? "--where" : "--column", where, first);
}

int selection_counts(struct selection *s, const struct filling *f, get_field *get,
                     const void *context, struct err *e)
{
    char name[COLUMN_NAME];
    if (!filters_hold(&s->filters, get, context))
        return 0;
    if (!s->has_names)
        return 1;
    struct span field = get(context, &s->names);
    snprintf(name, sizeof name, "%.*s", (int)field.length, field.text);
    if (s->list) {
        list_name(s->list, name);
        return 0;
    }
    if (!f->column->count && !s->chosen)
        snprintf(s->name, sizeof s->name, "%s", name);
    if (strcmp(s->name, name) != 0)
        return s->chosen ? 0 : refuse_mixture(s, f, name, e);
    if (!f->column->count && s->format->column)
        span_printable(f->column->name, COLUMN_NAME_SHOWN, span_of(name));
    return 1;
}

/* The value in the base unit of its quantity, with times in seconds: so that bytes/time is a rate.
 */
static double base_value(const struct reading *r)
{
    if (!r->unit)
        return r->value;
    return r->value * r->unit->scale / (r->unit->quantity == COLUMN_TIME ? 1e9 : 1);
}

int selection_add(const struct selection *s, struct filling *f, const struct span texts[],
                  struct span unit, struct err *e)
{
    struct reading r = {.value = 0};
    double values[FORMULA_OPERANDS];
    for (size_t i = 0; i < s->formula.count; i++) {
        if (filling_read(f, texts[i], &r, e))
            return -1;
        values[i] = base_value(&r);
    }
    if (s->formula.count > 1) {
        r = (struct reading){.value = formula_value(&s->formula, values)};
        if (!isfinite(r.value))
            return err_set(e, ERR_USAGE, "%s, %s %zu: the quotient is no finite number", f->file,
                           f->part, f->place);
    }
    if (!r.unit)
        r.unit = s->fixed_unit ? s->fixed_unit : column_unit_of(unit);
    return filling_add(f, &r, texts[0], e);
}
