/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of a command line that change from round to round. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "exec/internal.h"

#define WORK   "%WORK_AMOUNT%"
#define FOLDER "%RESULT_DIR%"
#define ROUND  "%ROUND%"

bool substitution_needs_folder(const char *text)
{
    return strstr(text, FOLDER) != NULL;
}

char *substitution_apply(const struct substitution *s, const char *text)
{
    const struct {
        const char *place, *value;
    } places[] = {{WORK, s->work}, {FOLDER, s->folder}, {ROUND, s->round}};
    struct text out = {0};
    text_add(&out, ""); /* an empty word is a word */
    while (*text) {
        size_t i = 0, count = sizeof places / sizeof *places;
        while (i < count && strncmp(text, places[i].place, strlen(places[i].place)) != 0)
            i++;
        if (i < count)
            text_add(&out, places[i].value);
        else
            text_add_bytes(&out, text, 1);
        text += i < count ? strlen(places[i].place) : 1;
    }
    if (!out.failed)
        return out.data;
    text_free(&out);
    return NULL;
}
