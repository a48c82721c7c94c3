/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the highest rate of requests that meets limits (--find-rate). A session without a rate
 * shows roughly how much the target can complete. Then each further session has one rate, which
 * depends on the results before it (stat/estimate/rate_search.h, which also says why the answer as
 * a whole is wrong no more often than --confidence allows).
 *
 *   - A probe is a session with --rate_iops and the limits as its --sla, at a confidence of its
 *     own. It ends when every limit holds or the first one is broken. A probe whose backlog grows
 *     has failed; but if slots were free meanwhile, this machine did not issue the requests.
 *   - A probe that is decided late has a rate close to the answer: it gets only a part of --limit,
 *     and later probes keep away from its rate.
 *   - What several sessions share (target, settings, seeds) is as in repeat.h.
 *
 * In a folder, the session without a rate is kept in FOLDER/saturation, and probe N in
 * FOLDER/rate-00N, as any session is. A result computed from the folder is the same.
 */
#ifndef CUPEL_MANY_REPEAT_FIND_RATE_H
#define CUPEL_MANY_REPEAT_FIND_RATE_H

#include "many/repeat/repeat.h"

struct find_rate;

/*
 * Runs the search; request->plan has find_rate and no rate. Returns -1 if the first session could
 * not begin, so that nothing was measured. Otherwise *found holds all probes, no matter what ended
 * the search.
 */
int find_rate_run(struct find_rate **found, const struct repeat_request *request, struct err *e);

/* Returns true if a search is kept in `folder`. */
bool find_rate_is_folder(const char *folder);

/* Computes the probes anew from their records. ERR_USAGE: there is no such folder, or its records
   are not from one search. */
int find_rate_load(struct find_rate **found, const char *folder, struct err *e);

/* Fills the result: the answer, the probes, and the rows of the probe at the highest rate that
   meets the limits (or at the lowest rate tried, if none does). The result points into `found`. */
void find_rate_result(struct find_rate *found, struct result *r);

/* Returns -1 with the first error if something could not be kept. */
int find_rate_kept(const struct find_rate *found, struct err *e);

void find_rate_free(struct find_rate *found);

#endif
