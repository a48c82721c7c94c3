/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder for the logs that a test writes and merges. */
#ifndef TESTS_UNIT_MERGE_FILES_H
#define TESTS_UNIT_MERGE_FILES_H

#include "many/merge/internal.h"
#include "tests/unit/check.h"
#include "tests/unit/tree.h"

static struct tree merge_folder;
static struct err merge_error;

/* Returns a path in the folder; `name` begins with "/". The last 8 results stay valid. */
static inline const char *in_merge_folder(const char *name)
{
    static char paths[8][TREE_PATH];
    static unsigned next;
    return tree_path(&merge_folder, paths[next++ % 8], name);
}

static inline const char *put_log(const char *name, const char *text, size_t length)
{
    tree_bytes(&merge_folder, name, text, length);
    return in_merge_folder(name);
}

/* Merges one file. Returns NULL with merge_error set if that fails. The merge keeps pointers into
   the plan. */
static inline struct merge *merge_file_as(const char *path, struct merge_plan plan)
{
    static struct merge_plan plans[256];
    static const char *paths[256];
    static char names[256][TREE_PATH];
    static size_t next;
    size_t i = next++ % 256;
    struct merge *m = NULL;
    snprintf(names[i], sizeof names[i], "%s", path);
    paths[i] = names[i];
    plan.inputs = &paths[i];
    plan.input_count = 1;
    plans[i] = plan;
    merge_error = (struct err){0};
    return merge_run(&m, &plans[i], &merge_error) ? NULL : m;
}

static inline struct merge *merge_file(const char *path)
{
    return merge_file_as(path, (struct merge_plan){.interval_ns = 1000000000});
}

static inline uint64_t bucket_count(const struct timeline_op *op, size_t bucket)
{
    const uint64_t *group = op->group[bucket / HISTOGRAM_SUBBUCKETS];
    return group ? group[bucket % HISTOGRAM_SUBBUCKETS] : 0;
}

#endif
