/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "facts/option_values.h"

#include <stdio.h>
#include <string.h>

/* "block-layer", "" is block_layer; "random_share", "_share" has its unit already. */
struct option_value *option_values_add(struct option_values *to, const char *name, const char *unit)
{
    static struct option_value overflow;
    bool full = to->count == sizeof to->rows / sizeof *to->rows;
    struct option_value *value = full ? &overflow : &to->rows[to->count++];
    size_t length = strlen(name), tail = strlen(unit);
    bool has = length > tail && !strcmp(name + length - tail, unit);
    to->dropped += full;
    *value = (struct option_value){.kind = OPTION_VALUE_NONE};
    snprintf(value->name, sizeof value->name, "%s%s", name, has ? "" : unit);
    for (char *c = value->name; *c; c++)
        if (*c == '-' || *c == '.')
            *c = '_';
    return value;
}

void option_value_set_text(struct option_values *of, struct option_value *value, const char *text,
                           enum option_value_kind kind)
{
    size_t size = strlen(text) + 1;
    if (size > sizeof of->text - of->used) {
        of->dropped++;
        return;
    }
    value->kind = kind;
    value->is.text = of->used;
    memcpy(of->text + of->used, text, size);
    of->used += size;
}
