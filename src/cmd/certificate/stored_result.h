/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result that was kept, computed again from what was measured. */
#ifndef CUPEL_CMD_CERTIFICATE_STORED_RESULT_H
#define CUPEL_CMD_CERTIFICATE_STORED_RESULT_H

#include "base/err.h"
#include "facts/result.h"

struct stored_result {
    struct result *result; /* it owns this, and what it points into: */
    struct session *session;
    struct repeat *repeat;
    struct find_rate *search;
    struct merge *merge;
};

/*
 * Load a record, a sum of cupel merge, or the folder of either, of a repeated run or of a search
 * for a rate. `sla` are other clauses to judge by, "": none. ERR_USAGE: it is none of these, or
 * these clauses cannot judge it. stored_result_free also after -1.
 */
int stored_result_load(struct stored_result *stored, const char *path, const char *sla,
                       struct err *e);
void stored_result_free(struct stored_result *stored);

#endif
