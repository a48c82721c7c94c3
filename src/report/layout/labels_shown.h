/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints labels in reports. As labels are text of a user, characters that could control a terminal
   or a page are replaced. */
#ifndef CUPEL_REPORT_LAYOUT_LABELS_SHOWN_H
#define CUPEL_REPORT_LAYOUT_LABELS_SHOWN_H

#include "base/json.h"
#include "facts/labels.h"
#include "report/report.h"

/* Adds the member "labels", an object of strings, which may be empty. */
void json_labels(struct json *j, const struct labels *labels);

#endif
