/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of histories, which are the sessions of a target over time. They print a struct
   histories. */
#ifndef CUPEL_REPORT_HISTORY_HISTORY_REPORT_H
#define CUPEL_REPORT_HISTORY_HISTORY_REPORT_H

#include "facts/history/history.h"
#include "report/document/document.h"

extern const struct report_kind history_report;

/* Returns the metric of a session, or NULL if this version of cupel has no metric of that name. */
const struct metric *history_metric(const struct history_session *s);

/* Builds the document, for text and page. In history_document.c. */
void history_document(const void *what, struct document *out);

#endif
