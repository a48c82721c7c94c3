/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selects which rows of a file are read and which value of them, from the user's request and from
 * what is known of the program that wrote the file, and fills the column. Tables and JSON share
 * this.
 *
 * The value is a field, or quotients and differences of fields. As names of fields may contain
 * '/' and '-' themselves, the whole text is tried as a name first, then the parts at each sign.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/invariant.h"
#include "cmd/column/internal.h"

#define QUOTED 44 /* bytes for quoted input in a message */

/* ---- formulas ---- */

struct parsing {
    struct formula *formula;
    find_field *find;
    const void *context;
    size_t length; /* bytes of formula->program that are filled so far */
    /* attempts that are left; a text with many signs could be parsed in too many ways */
    int tries;
};

static bool emit(struct parsing *p, char c)
{
    if (p->length + 1 >= sizeof p->formula->program)
        return false;
    p->formula->program[p->length++] = c;
    p->formula->program[p->length] = '\0';
    return true;
}

/* Returns true if one pair of parentheses encloses the whole text and is not empty. */
static bool is_bracketed(struct span text)
{
    int depth = 0;
    for (size_t i = 0; i < text.length; i++) {
        depth += (text.text[i] == '(') - (text.text[i] == ')');
        if (!depth)
            return i > 1 && i == text.length - 1;
    }
    return false;
}

/* Parses the text and appends it in postfix notation. On failure the formula is left as it was. */
static bool parse(struct parsing *p, struct span text)
{
    struct formula *f = p->formula;
    struct operand field;
    text = span_trimmed(text);
    if (!text.length || p->tries-- <= 0)
        return false;
    if (p->find(p->context, text, &field)) {
        if (f->count == FORMULA_OPERANDS || !emit(p, (char)('0' + f->count)))
            return false;
        f->operands[f->count++] = field;
        return true;
    }
    if (is_bracketed(text) && parse(p, (struct span){text.text + 1, text.length - 2}))
        return true;
    const size_t count = f->count, length = p->length;
    for (const char *sign = "-/"; *sign; sign++) {
        int depth = 0;
        for (size_t i = text.length; i-- > 1;) {
            depth += (text.text[i] == ')') - (text.text[i] == '(');
            if (depth || text.text[i] != *sign)
                continue;
            if (parse(p, (struct span){text.text, i}) &&
                parse(p, (struct span){text.text + i + 1, text.length - i - 1}) && emit(p, *sign))
                return true;
            f->count = count;
            p->length = length;
            f->program[length] = '\0';
        }
    }
    return false;
}

bool formula_parse(struct formula *f, struct span text, find_field *find, const void *context)
{
    struct parsing p = {.formula = f, .find = find, .context = context, .tries = 1000};
    f->count = 0;
    f->program[0] = '\0';
    return parse(&p, text);
}

static double formula_value(const struct formula *f, const double values[FORMULA_OPERANDS])
{
    double stack[FORMULA_OPERANDS] = {0};
    size_t depth = 0;
    for (const char *c = f->program; *c; c++) {
        if (isdigit((unsigned char)*c)) {
            stack[depth++] = values[*c - '0'];
            continue;
        }
        INVARIANT(depth >= 2, "a sign of a formula has two operands");
        const double right = stack[--depth], left = stack[depth - 1];
        stack[depth - 1] = *c == '/' ? left / right : left - right;
    }
    return stack[0];
}

/* ---- conditions of --where ---- */

static void copy_lower(char to[COLUMN_NAME], struct span text)
{
    size_t length = text.length < COLUMN_NAME ? text.length : COLUMN_NAME - 1;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)tolower((unsigned char)text.text[i]);
    to[length] = '\0';
}

/* Finds the first relation. Sets *at to its place and returns its length, or 0 if there is none. */
static size_t find_relation(struct span text, size_t *at)
{
    for (*at = 0; *at < text.length; ++*at) {
        const char c = text.text[*at];
        const bool equals = *at + 1 < text.length && text.text[*at + 1] == '=';
        if (c == '=' || (c == '!' && equals) || c == '<' || c == '>')
            return c != '=' && equals ? 2 : 1;
    }
    return 0;
}

static int add_filter(struct filters *f, struct span text, find_field *find, const void *context,
                      const char *file, struct err *e)
{
    size_t at, length = find_relation(text, &at);
    char shown[60];
    struct filter *row = &f->rows[f->count];
    if (!length || !at)
        return err_set(e, ERR_USAGE, "--where: \"%s\" is no condition, as in 'rank=total, size>5'",
                       span_printable(shown, sizeof shown, text));
    if (f->count == FILTERS_MAX)
        return err_set(e, ERR_USAGE, "--where: %d conditions are possible", FILTERS_MAX);
    *row = (struct filter){.relation = ""};
    memcpy(row->relation, text.text + at, length);
    struct span name = span_trimmed((struct span){text.text, at});
    struct span value =
        span_trimmed((struct span){text.text + at + length, text.length - at - length});
    if (!find(context, name, &row->field))
        return err_set(e, ERR_USAGE, "--where: %s has no column \"%s\"", file,
                       span_printable(shown, sizeof shown, name));
    copy_lower(row->value, span_unquoted(value));
    double number;
    if (strchr("<>", row->relation[0]) &&
        number_parse(row->value, strlen(row->value), &number) != NUMBER_OK)
        return err_set(e, ERR_USAGE, "--where: \"%s\" needs a number after %s", shown,
                       row->relation);
    f->count++;
    return 0;
}

/* Adds the conditions in `text`, which are joined by commas. Fails with ERR_USAGE, naming
   `file`. */
static int filters_add(struct filters *f, const char *text, find_field *find, const void *context,
                       const char *file, struct err *e)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (add_filter(f, span_trimmed((struct span){text, length}), find, context, file, e))
            return -1;
        text += length + (text[length] == ',');
    }
    return 0;
}

static bool filter_holds(const struct filter *f, struct span value)
{
    char text[COLUMN_NAME];
    if (f->relation[0] == '=' || f->relation[0] == '!') {
        copy_lower(text, value);
        return glob_matches(f->value, text) == (f->relation[0] == '=');
    }
    struct reading r;
    double limit;
    if (reading_of_text(value, &r) != NUMBER_OK)
        return false;
    number_parse(f->value, strlen(f->value), &limit);
    const bool equal = r.value == limit && f->relation[1] == '=';
    return equal || (f->relation[0] == '<' ? r.value < limit : r.value > limit);
}

/* Returns true if the current row meets all conditions. */
static bool filters_hold(const struct filters *f, get_field *get, const void *context)
{
    for (size_t i = 0; i < f->count; i++)
        if (!filter_holds(&f->rows[i], get(context, &f->rows[i].field)))
            return false;
    return true;
}

/* ---- a column of readings ---- */

static int wrong_text(const struct filling *f, struct span s, const char *what, struct err *e)
{
    char text[QUOTED];
    return err_set(e, ERR_USAGE, "%s, %s %zu: \"%s\" %s", f->file, f->part, f->place,
                   span_printable(text, sizeof text, s), what);
}

int filling_add_number(struct filling *f, double value, struct err *e)
{
    struct column *column = f->column;
    if (!array_grow(&column->values, sizeof *column->values, column->count, &f->capacity))
        return err_no_memory(e, "more than %zu numbers of %s", column->count, f->file);
    column->values[column->count++] = value;
    return 0;
}

/* Parses a text that must be a number. Fails with ERR_USAGE. */
static int filling_read(const struct filling *f, struct span text, struct reading *r, struct err *e)
{
    enum number_status status = reading_of_text(text, r);
    if (status == NUMBER_TOO_LARGE)
        return wrong_text(f, text, "is too large: readings are of at most 1e60", e);
    if (status == NUMBER_NONE)
        return wrong_text(f, text,
                          reading_is_missing(text)
                              ? "is no finite number: remove or replace such lines"
                              : "is not a number",
                          e);
    return 0;
}

/* Sets the name of the column to the name in the first reading, if it has one, and appends its
   unit. */
static void name_column(struct column *column, const char *name)
{
    if (*name)
        snprintf(column->name, sizeof column->name, "%.50s", name);
    if (column->unit)
        snprintf(column->name + strlen(column->name), sizeof column->name - strlen(column->name),
                 "%s%s%s", *column->name ? " (" : "", column->unit->name, *column->name ? ")" : "");
}

static bool all_are_zero(const struct column *column)
{
    size_t i = 0;
    while (i < column->count && column->values[i] == 0)
        i++;
    return i == column->count;
}

/* Appends a reading, converted to the unit of the first one. `text` is quoted in messages. Fails
   with ERR_USAGE if its name or unit differs from those of the readings before, with ERR_MACHINE
   when memory runs out. */
static int filling_add(struct filling *f, const struct reading *r, struct span text, struct err *e)
{
    struct column *column = f->column;
    const struct column_unit *unit = r->unit;
    double value = r->value;
    char name[sizeof f->name] = "";
    if (r->name.length)
        span_printable(name, sizeof name, r->name);
    if (!column->count) {
        column->unit = unit;
        snprintf(f->name, sizeof f->name, "%s", name);
        name_column(column, name);
    }
    if (strcmp(name, f->name) != 0)
        return wrong_text(f, text, "has another name than the readings before", e);
    /* Programs that print amounts with prefixes, such as 5K, print 0 without a unit. */
    if (!unit && column->unit && value == 0)
        unit = column->unit;
    if (unit && !column->unit && all_are_zero(column)) {
        column->unit = unit;
        name_column(column, "");
    }
    if (!unit != !column->unit || (unit && unit->quantity != column->unit->quantity))
        return wrong_text(f, text,
                          column->unit ? "has not the unit of the readings before"
                                       : "has a unit, and the readings before have none",
                          e);
    if (unit && unit != column->unit)
        value *= unit->scale / column->unit->scale;
    if (!reading_fits(value))
        return wrong_text(f, text, "is too large in the unit of the readings before", e);
    return filling_add_number(f, value, e);
}

/* ---- the request, and the defaults of the format ---- */

static bool has_filter(const struct filters *f, const struct operand *field)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->rows[i].field.index == field->index && !strcmp(f->rows[i].field.name, field->name))
            return true;
    return false;
}

/* Adds the default conditions of the format, except for fields that the user gave a condition for
   or that the file does not have. */
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

/* Sets the unit that the format defines for the column, or for the name. */
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

/* ---- the current row ---- */

static void list_name(struct column_names *list, const char *name)
{
    for (size_t i = 0; i < list->count && i < COLUMN_NAMES; i++)
        if (!strcmp(list->names[i], name))
            return;
    if (list->count < COLUMN_NAMES)
        snprintf(list->names[list->count], sizeof *list->names, "%s", name);
    list->count++;
}

/* Fails because the readings belong to several names, which must not be mixed in one column. */
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

/* Returns a reading in the base unit of its quantity, with times in seconds, so that bytes/time is
   a rate. */
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
