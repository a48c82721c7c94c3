/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The highest rate of requests that keeps limits (--find-rate): a session without a rate, which
 * shows roughly how much the target completes at most, then a session at one rate each, placed by
 * what those before it showed (stat/estimate/rate_search.h, which also says why the answer as a
 * whole is wrong no more often than --confidence allows).
 *
 *   - A probe is a session with --rate_iops and the limits as its --sla, at a confidence of its
 *     own. It ends when every limit holds or the first one is broken. One whose backlog grows has
 *     failed; but where slots were free meanwhile, it was this machine that did not issue.
 *   - A probe that is decided late stands close to the answer: it gets a part of --limit, and
 *     those after it keep away from it.
 *   - What several sessions share (target, settings, seeds) is as in repeat.h.
 *
 * In a folder, the session without a rate is kept in FOLDER/saturation, and probe N in
 * FOLDER/rate-00N, as any session is. A result computed from the folder is the same.
 */
#ifndef CUPEL_RUN_REPEAT_FIND_RATE_H
#define CUPEL_RUN_REPEAT_FIND_RATE_H

#include "run/repeat/repeat.h"

struct find_rate;

/* request->plan has find_rate and no rate. -1: the first session could not begin, nothing was
   measured. Else *found holds all probes, whatever ended the search. */
int find_rate_run(struct find_rate **found, const struct repeat_request *request, struct err *e);

/* Is `folder` one of a search? */
bool find_rate_is_folder(const char *folder);

/* Compute the probes anew from their records. ERR_USAGE: no such folder, or records that are not of
   one search. */
int find_rate_load(struct find_rate **found, const char *folder, struct err *e);

/* The answer, the probes, and the rows of the probe at the highest rate that holds (or, while none
   does, at the lowest that was tried); it points into `found`. */
void find_rate_result(struct find_rate *found, struct result *r);

/* -1: something could not be kept, and the first error. */
int find_rate_kept(const struct find_rate *found, struct err *e);

void find_rate_free(struct find_rate *found);

#endif
