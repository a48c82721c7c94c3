/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of histories: the sessions of a target over time. What they print is a struct
   histories. */
#ifndef CUPEL_REPORT_HISTORY_HISTORY_REPORT_H
#define CUPEL_REPORT_HISTORY_HISTORY_REPORT_H

#include "facts/history/history.h"
#include "report/document/document.h"

extern const struct report_kind history_report;

/* Returns the metric of a session; NULL: this version does not know its name. */
const struct metric *history_metric(const struct history_session *s);

/* history_document.c: the text and the page. */
void history_document(const void *what, struct document *out);

#endif
