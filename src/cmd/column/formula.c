/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is read of a row: a field, or quotients and differences of fields; and the conditions of
 * --where. Names of fields may hold '/' and '-' themselves: the whole text is tried first, then the
 * parts at each sign.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/glob.h"
#include "base/invariant.h"
#include "cmd/column/internal.h"

/* ---- formulas ---- */

struct parsing {
    struct formula *formula;
    find_field *find;
    const void *context;
    size_t length; /* of the program */
    int tries;     /* that are left: texts of many signs have very many ways to be parsed */
};

static bool emit(struct parsing *p, char c)
{
    if (p->length + 1 >= sizeof p->formula->program)
        return false;
    p->formula->program[p->length++] = c;
    p->formula->program[p->length] = '\0';
    return true;
}

/* Is the text one pair of parentheses with something in it? */
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

/* Parses into postfix. After a failure the formula is as before. */
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

double formula_value(const struct formula *f, const double values[FORMULA_OPERANDS])
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

/* ---- conditions ---- */

static void copy_lower(char to[COLUMN_NAME], struct span text)
{
    size_t length = text.length < COLUMN_NAME ? text.length : COLUMN_NAME - 1;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)tolower((unsigned char)text.text[i]);
    to[length] = '\0';
}

/* Finds the first relation; returns its length, 0: there is none. */
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

int filters_add(struct filters *f, const char *text, find_field *find, const void *context,
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

bool filters_hold(const struct filters *f, get_field *get, const void *context)
{
    for (size_t i = 0; i < f->count; i++)
        if (!filter_holds(&f->rows[i], get(context, &f->rows[i].field)))
            return false;
    return true;
}
