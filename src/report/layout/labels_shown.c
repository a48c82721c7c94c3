/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints labels in text and in JSON. */
#include "report/layout/labels_shown.h"

#include <stdio.h>

#include "report/layout/layout.h"

enum { KEY_WIDTH = 21 };

void json_labels(struct json *j, const struct labels *labels)
{
    struct label label;
    json_begin_object(j, "labels");
    for (size_t at = 0; labels_next(labels, &at, &label);)
        json_string(j, label.key, label.value);
    json_end_object(j);
}
