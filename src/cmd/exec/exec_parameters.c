/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parameters in cupel exec's options and their values, of which every combination is
   measured. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/exec/exec_options.h"
#include "cmd/exec/internal.h"
#include "cmd/options/options.h"

#define COMBINATIONS_MAX 1000

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return length > 0;
}

static size_t count_values(const char *values)
{
    size_t count = 1;
    for (; *values; values++)
        count += *values == ',';
    return count;
}

/* Returns the value with that number, from 0. */
static struct span value_at(const char *values, size_t number)
{
    for (; number > 0; number--)
        values += strcspn(values, ",") + 1;
    return (struct span){values, strcspn(values, ",")};
}

/* Are two values the same, or would they be as names of folders, in which '_' replaces '/'? */
static bool is_same(struct span a, struct span b, bool as_folders)
{
    bool same = a.length == b.length;
    for (size_t i = 0; i < a.length && same; i++) {
        bool alike = as_folders && strchr("/_", a.text[i]) && strchr("/_", b.text[i]);
        same = a.text[i] == b.text[i] || alike;
    }
    return same;
}

static int check_values(const char *text, const char *values, size_t count, bool as_folders,
                        struct err *e)
{
    for (const char *rest = values; count-- > 1; rest += strcspn(rest, ",") + 1) {
        struct span first = value_at(rest, 0), next = first;
        for (size_t i = 0; i < count; i++) {
            next = value_at(next.text + next.length + 1, 0);
            if (is_same(first, next, as_folders))
                return err_set(e, ERR_USAGE, "--parameter %.60s: %.*s and %.*s are the same%s",
                               text, (int)first.length, first.text, (int)next.length, next.text,
                               is_same(first, next, false) ? "" : " as names of folders in DIR");
        }
    }
    return 0;
}

static int read_parameter(const char *text, bool as_folders, struct exec_parameters *to,
                          struct err *e)
{
    size_t length = strcspn(text, "=");
    if (to->count == EXECUTION_PARAMETERS_MAX)
        return err_set(e, ERR_USAGE, "--parameter: %d of them are possible",
                       EXECUTION_PARAMETERS_MAX);
    if (!text[length] || !text[length + 1] || !is_name(text, length) ||
        length >= sizeof to->list[0].name)
        return err_set(e, ERR_USAGE, "--parameter %.60s: NAME=VALUE,VALUE is needed", text);
    for (size_t i = 0; i < to->count; i++)
        if (span_is((struct span){text, length}, to->list[i].name))
            return err_set(e, ERR_USAGE, "--parameter %.60s: there are two of that name", text);
    span_copy(to->list[to->count].name, (struct span){text, length});
    const char *values = text + length + 1;
    size_t count = count_values(values);
    for (size_t i = 0; i < count; i++) {
        struct span value = value_at(values, i);
        if (!value.length || value.length >= sizeof((struct execution_parameter *)0)->value)
            return err_set(e, ERR_USAGE, "--parameter %.60s: a value has 1 to %zu characters", text,
                           sizeof((struct execution_parameter *)0)->value - 1);
    }
    to->list[to->count].values = values;
    to->list[to->count++].value_count = count;
    to->combinations *= count < COMBINATIONS_MAX ? count : COMBINATIONS_MAX;
    if (to->combinations > COMBINATIONS_MAX)
        return err_set(e, ERR_USAGE, "--parameter: more than %d combinations", COMBINATIONS_MAX);
    return check_values(text, values, count, as_folders, e);
}

int exec_parameters_read(const struct option_set *set, struct exec_parameters *to, struct err *e)
{
    int cursor = 0;
    to->combinations = 1;
    for (const char *text; (text = options_next(set, "parameter", &cursor)) != NULL;)
        if (read_parameter(text, options_given(set, "output"), to, e))
            return -1;
    return 0;
}

void exec_parameters_pick(const struct exec_parameters *from, size_t combination,
                          struct execution_parameter to[EXECUTION_PARAMETERS_MAX])
{
    for (size_t i = from->count; i-- > 0;) {
        size_t number = combination % from->list[i].value_count;
        snprintf(to[i].name, sizeof to[i].name, "%s", from->list[i].name);
        span_copy(to[i].value, value_at(from->list[i].values, number));
        combination /= from->list[i].value_count;
    }
}
