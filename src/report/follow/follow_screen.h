/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output for watched hosts: a screen that is redrawn again and again, and a line for each interval.
 * Both end with a line break.
 */
#ifndef CUPEL_REPORT_FOLLOW_FOLLOW_SCREEN_H
#define CUPEL_REPORT_FOLLOW_FOLLOW_SCREEN_H

#include "base/text.h"
#include "facts/followed.h"
#include "report/report.h"

/* Draws a screen of at most 22 lines, in the style's width. */
void follow_screen(const struct followed *f, const struct report_style *style, struct text *out);

/* Writes one interval, and the number of hosts in each state. */
void follow_line(const struct followed *f, const struct followed_interval *interval,
                 struct text *out);

#endif
