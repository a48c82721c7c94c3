/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several targets that were measured at the same time: makes a result for each and one for all,
 * from the folder of -o or from records in memory. One thread. several_free frees everything.
 */
#ifndef CUPEL_CMD_TARGETS_SEVERAL_H
#define CUPEL_CMD_TARGETS_SEVERAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cmd/terminal/progress_line.h"
#include "facts/several_targets.h"
#include "many/merge/merge.h"
#include "many/together/together.h"
#include "run/plan/plan.h"
#include "run/session/session.h"

/* One of several targets. */
struct one {
    struct plan plan;
    char record[PATH_MAX];
    int memory; /* file descriptor of a record in memory; -1: the record is a file */
    struct session *session;
    struct session_progress seen; /* last progress of this target's session, without the stage */
    /* `is_kept`: the target's measurement is complete, but its load continues until the other
       targets are measured */
    bool any_seen, is_kept;
};

struct several {
    size_t count;
    struct one ones[TOGETHER_MAX];
    struct result_target targets[TOGETHER_MAX];
    struct result_targets view;
    struct result *all;
    struct merge *merge;
    struct merge_plan merge_plan; /* `merge` uses it and `inputs`, so both must outlive it */
    const char *inputs[TOGETHER_MAX];
    struct progress progress;
};

/* Allocates a struct for `count` targets, which the caller frees even if this fails. Fails with
   ERR_MACHINE. */
int several_new(struct several **several, size_t count, struct err *e);
void several_free(struct several *s);

/* Names target `i`, in reports and as its folder, from its path or its name. The name differs from
   those of the targets before. */
void several_name(struct several *s, size_t i, const char *of);

/* Creates the place of each record: a new folder in the existing `folder`, or a file in memory
   (`folder` is ""). Fails with ERR_USAGE or ERR_MACHINE. */
int several_make_records(struct several *s, const char *folder, struct err *e);
/* Removes the empty folders that several_make_records created, and `folder` itself. Call it when
   nothing was measured. */
void several_remove_records(const struct several *s, const char *folder);

/* several_is_folder returns true if a folder of -o has the results of several targets. several_load
   loads their sessions; it fails with ERR_USAGE. */
bool several_is_folder(const char *folder);
int several_load(struct several **several, const char *folder, struct err *e);

/* Makes a result for each session, the sum of all, and the parts that they share. Fails with
   ERR_USAGE or ERR_MACHINE. */
int several_result(struct several *s, struct err *e);

#endif
