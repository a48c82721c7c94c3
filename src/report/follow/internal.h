/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the screen and the line of watched hosts share. */
#ifndef CUPEL_REPORT_FOLLOW_INTERNAL_H
#define CUPEL_REPORT_FOLLOW_INTERNAL_H

#include "base/text.h"
#include "facts/followed.h"

/* "2026-11-23T16:00:05Z" */
char *follow_instant(char *to, size_t size, uint64_t ns);

/* "4 hosts: 2 running, 1 silent, 1 ended", or "8 records of 4 hosts: ..." */
void follow_add_hosts(const struct followed *f, struct text *out);

/* "node7 for 14 s, node9 (its record cannot be read) and 3 more" */
void follow_add_silent(const struct followed *f, struct text *out);

#endif
