/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels in reports. They are text of a person: nothing in them may steer a terminal or a page. */
#ifndef CUPEL_REPORT_LAYOUT_LABELS_SHOWN_H
#define CUPEL_REPORT_LAYOUT_LABELS_SHOWN_H

#include "base/json.h"
#include "facts/labels.h"
#include "report/report.h"

/* A line for each: "  label ticket          4711"; nothing where there are none. */
void labels_print(const struct labels *labels, const struct report_style *style, struct text *out);

/* The member "labels": an object of strings, also an empty one. */
void json_labels(struct json *j, const struct labels *labels);

#endif
