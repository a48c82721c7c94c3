/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels in the text and in JSON. */
#include "report/layout/labels_shown.h"

#include <stdio.h>

#include "report/layout/layout.h"

enum { KEY_WIDTH = 21 };

void labels_print(const struct labels *labels, const struct report_style *style, struct text *out)
{
    struct label label;
    for (size_t at = 0; labels_next(labels, &at, &label);) {
        char lead[LABEL_KEY_MAX + 16];
        snprintf(lead, sizeof lead, "  label %-*s ", KEY_WIDTH - 6, label.key);
        layout_paragraph(out, style, lead, TONE_PLAIN, label.value);
    }
}

void json_labels(struct json *j, const struct labels *labels)
{
    struct label label;
    json_begin_object(j, "labels");
    for (size_t at = 0; labels_next(labels, &at, &label);)
        json_string(j, label.key, label.value);
    json_end_object(j);
}
