/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the words of a plan's line, which the plan stores. */
#include <string.h>

#include "many/sweep/internal.h"

const char *plan_reader_word(struct plan_reader *r, const char **at)
{
    struct text_reader *t = &r->text;
    while (t->rest.length && (t->rest.text[0] == ' ' || t->rest.text[0] == '\t'))
        reader_skip(t, 1);
    *at = t->rest.text;
    if (!t->rest.length)
        return NULL;
    bool quoted = t->rest.text[0] == '"';
    size_t length = quoted;
    while (length < t->rest.length &&
           (quoted ? t->rest.text[length] != '"' : !strchr(" \t", t->rest.text[length])))
        length++;
    struct span word = {t->rest.text + quoted, length - quoted};
    reader_skip(t, length + (quoted && length < t->rest.length));
    return pool_copy(&r->plan->strings, word.text, word.length);
}

int plan_factor_of(const struct sweep_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->factor_count; i++)
        if (!strcmp(plan->factors[i].name, name))
            return (int)i;
    return -1;
}
