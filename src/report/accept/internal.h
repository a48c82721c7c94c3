/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/accept share. */
#ifndef CUPEL_REPORT_ACCEPT_INTERNAL_H
#define CUPEL_REPORT_ACCEPT_INTERNAL_H

#include "report/accept/acceptance_report.h"

void acceptance_document(const void *what, struct document *out);
void acceptance_csv(const void *what, struct text *out);
void acceptance_json(const void *what, struct text *out);

/* Figures of a page, in acceptance_page.c: the throughput of a disk; all tests of the PTS. */
void acceptance_chart_throughput(const void *what, size_t disk, struct text *out);
void acceptance_chart_pts(const void *what, size_t number, struct text *out);

#endif
