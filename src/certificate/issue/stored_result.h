/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the result of a stored session again from its files. */
#ifndef CUPEL_CERTIFICATE_ISSUE_STORED_RESULT_H
#define CUPEL_CERTIFICATE_ISSUE_STORED_RESULT_H

#include "base/err.h"
#include "facts/result.h"

struct stored_result {
    /* points into one of the following members; this struct owns all of them */
    struct result *result;
    struct session *session;
    struct repeat *repeat;
    struct find_rate *search;
    struct merge *merge;
};

/*
 * Loads a record, a merged result of cupel merge, or the folder of a record, a merged result, a
 * repeated run or a search for a rate. `sla`: clauses to judge it by instead of its own, or "".
 * ERR_USAGE: the path is none of these, or the clauses cannot judge it. Call stored_result_free
 * also after -1.
 */
int stored_result_load(struct stored_result *stored, const char *path, const char *sla,
                       struct err *e);
void stored_result_free(struct stored_result *stored);

#endif
