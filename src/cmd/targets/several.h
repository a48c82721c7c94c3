/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several targets that were measured at the same time, from the folder of -o, or records in memory,
 * to one result of each and one for all. One thread; owner: several_free.
 */
#ifndef CUPEL_CMD_TARGETS_SEVERAL_H
#define CUPEL_CMD_TARGETS_SEVERAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/terminal/progress.h"
#include "facts/targets.h"
#include "many/merge/merge.h"
#include "many/together/together.h"
#include "run/plan/plan.h"
#include "run/session/session.h"

/* One target of several. */
struct one {
    struct plan plan;
    char record[PATH_MAX];
    int memory; /* file descriptor of the record, where nothing is kept; -1 */
    struct session *session;
    struct session_progress seen; /* its last progress, without the stage */
    bool any_seen, is_kept;       /* is_kept: it has measured everything, and keeps its load for the
                                     others */
};

struct several {
    size_t count;
    struct one ones[TOGETHER_MAX];
    struct result_target targets[TOGETHER_MAX];
    struct result_targets view;
    struct result *all;
    struct merge *merge;
    struct merge_plan merge_plan; /* outlives it, as what it names: */
    const char *inputs[TOGETHER_MAX];
    struct progress progress;
};

/* Allocates several; the caller frees it also after -1. ERR_MACHINE. */
int several_new(struct several **several, size_t count, struct err *e);
void several_free(struct several *s);

/* A name for target `i`, out of its path or of what it is called, and unlike those before it, as
   its folder has it. */
void several_name(struct several *s, size_t i, const char *of);

/* Where each record will be: in a new folder below the existing `folder`, or in memory ("").
   ERR_USAGE, ERR_MACHINE. */
int several_make_records(struct several *s, const char *folder, struct err *e);
/* Removes, when nothing was measured, the empty folders that several_make_records made, and the
 * folder itself. */
void several_remove_records(const struct several *s, const char *folder);

/* Does the folder of -o hold several targets? Load their sessions. ERR_USAGE. */
bool several_is_folder(const char *folder);
int several_load(struct several **several, const char *folder, struct err *e);

/* Makes a result for each session, the sum, and what they share. ERR_USAGE, ERR_MACHINE. */
int several_result(struct several *s, struct err *e);

#endif
