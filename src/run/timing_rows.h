/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a result says of requests with due times: how well they were issued at their instants, how
 * long they took from there, and whether the target kept up.
 */
#ifndef CUPEL_RUN_TIMING_ROWS_H
#define CUPEL_RUN_TIMING_ROWS_H

#include "run/contents.h"
#include "run/judged.h"

/* Rows, series, the histogram of issue errors and phases. Uses c->series[] of the result. */
void timing_rows(struct contents *c, const struct judged *j, struct result *r);

#endif
