/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the placeholders of a command line that change from round to round. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "program/exec/internal.h"

#define WORK   "%WORK_AMOUNT%"
#define FOLDER "%RESULT_DIR%"
#define ROUND  "%ROUND%"
#define UNITS  "%UNIT_READINGS%"

bool substitution_needs_folder(const char *text)
{
    return strstr(text, FOLDER) != NULL;
}

/* Returns the value of the placeholder that the text begins with, and its length; NULL: there is no
   placeholder. */
static const char *value_of(const struct substitution *s, const char *text, size_t *length)
{
    const struct {
        const char *place, *value;
    } places[] = {{WORK, s->work}, {FOLDER, s->folder}, {ROUND, s->round}, {UNITS, s->units}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *length = strlen(places[i].place);
        if (!strncmp(text, places[i].place, *length))
            return places[i].value;
    }
    for (size_t i = 0; i < s->parameter_count && *text == '%'; i++) {
        size_t name = strlen(s->parameters[i].name);
        *length = name + 2;
        if (!strncmp(text + 1, s->parameters[i].name, name) && text[1 + name] == '%')
            return s->parameters[i].value;
    }
    return NULL;
}

char *substitution_apply(const struct substitution *s, const char *text)
{
    struct text out = {0};
    text_add(&out, ""); /* adds a text, so that an empty word remains a word */
    while (*text) {
        size_t length;
        const char *value = value_of(s, text, &length);
        if (value)
            text_add(&out, value);
        else
            text_add_bytes(&out, text, length = 1);
        text += length;
    }
    if (!out.failed)
        return out.data;
    text_free(&out);
    return NULL;
}
