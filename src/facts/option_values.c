/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "facts/option_values.h"

#include <stdio.h>
#include <string.h>

#define LEFT_OUT "left_out"

/* Makes the name of the value: '-' becomes '_' ("block-layer": block_layer), and the unit is
   appended unless the name already ends in it ("random_share"). */
struct option_value *option_values_add(struct option_values *to, const char *name, const char *unit)
{
    /* returned when the table is full, so that the caller can write to it; its contents are never
       used */
    static _Thread_local struct option_value overflow;
    const size_t max = sizeof to->rows / sizeof *to->rows;
    bool full = to->count == max;
    struct option_value *value = full ? &overflow : &to->rows[to->count++];
    size_t length = strlen(name), tail = strlen(unit);
    bool has = length > tail && !strcmp(name + length - tail, unit);
    if (full) {
        struct option_value *last = &to->rows[max - 1];
        bool first = strcmp(last->name, LEFT_OUT) != 0;
        /* the last row becomes the count of rows left out */
        uint64_t before = first ? 1 : last->is.count;
        *last = (struct option_value){
            .name = LEFT_OUT, .kind = OPTION_VALUE_COUNT, .is.count = before + 1};
    }
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
    static const char no_room[] = "(no room)";
    const size_t size = strlen(text) + 1, room = sizeof of->text - sizeof no_room;
    if (size > room - of->used) {
        value->kind = OPTION_VALUE_TEXT;
        value->is.text = room;
        memcpy(of->text + room, no_room, sizeof no_room);
        return;
    }
    value->kind = kind;
    value->is.text = of->used;
    memcpy(of->text + of->used, text, size);
    of->used += size;
}
