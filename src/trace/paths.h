/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files a trace is: those named, or the per-processor files of blktrace that a folder or the
   beginning of their names stands for. Owner: trace_paths_find, then trace_paths_free. */
#ifndef CUPEL_TRACE_PATHS_H
#define CUPEL_TRACE_PATHS_H

#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"

struct trace_paths {
    size_t count;
    const char **path;
    struct pool names;
};

/* ERR_USAGE when there are none or too many. */
int trace_paths_find(struct trace_paths *found, const char *const paths[], size_t count,
                     struct err *e);
void trace_paths_free(struct trace_paths *found);

#endif
