/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices of one trace, each replayed on a target of its own. */
#include <string.h>

#include "report/document/document.h"
#include "report/together/internal.h"

const char *targets_devices_of(const struct result *r)
{
    const struct option_values *o = &r->options;
    for (size_t i = 0; i < o->count; i++)
        if (o->rows[i].kind == OPTION_VALUE_TEXT && !strcmp(o->rows[i].name, "trace_devices"))
            return o->text + o->rows[i].is.text;
    return NULL;
}

void targets_add_devices(const struct result_targets *t, struct document *out)
{
    struct text words = {0};
    for (size_t i = 0; i < t->count; i++) {
        const char *devices = targets_devices_of(t->targets[i].result);
        if (!devices)
            continue;
        text_add(&words, words.length ? ", " : "");
        for (const char *c = devices; *c; c++)
            text_add_bytes(&words, *c == '\t' ? " + " : c, *c == '\t' ? 3 : 1);
        text_addf(&words, " on %s", t->targets[i].name);
    }
    if (words.length) {
        document_paragraph(out, "Devices of the trace: ", TONE_PLAIN, layout_string(&words));
        document_limit_lines(out, out->style.full ? 0 : 2);
    }
    out->failed |= words.failed;
    text_free(&words);
}
