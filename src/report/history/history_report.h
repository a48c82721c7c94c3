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

/* The formats: history_document.c, history_records.c. */
void history_document(const void *what, struct document *out);
void history_csv(const void *what, struct text *out);
void history_json(const void *what, struct text *out);

#endif
