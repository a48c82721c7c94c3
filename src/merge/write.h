/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A merge's timeline in the formats of others: a row of writers (write.c) each, and a file each.
 */
#ifndef CUPEL_MERGE_WRITE_H
#define CUPEL_MERGE_WRITE_H

#include "base/text.h"
#include "format/fio_json.h"
#include "merge/internal.h"

/* A file being written; its text goes there when it is long enough. */
struct log_output {
    const struct merge *m;
    const char *path;
    int fd;
    struct text text;
};

/* The text goes to the file where it is long enough. ERR_TARGET, ERR_MACHINE. */
int output_pass(struct log_output *to, struct err *e);
/* All that is left of it does. */
int output_end(struct log_output *to, struct err *e);

struct merge_writer {
    const char *name;
    bool of_intervals; /* it has instants: sums of whole runs cannot be written */
    int (*write)(struct log_output *to, struct err *e); /* NULL: it holds what a merge has not */
};

int write_fio_hist(struct log_output *to, struct err *e);
int write_fio_json(struct log_output *to, struct err *e);
int write_hdr_log(struct log_output *to, struct err *e);

static inline uint64_t timeline_count(const struct timeline_op *op, size_t bucket)
{
    const uint64_t *group = op->group[bucket / HISTOGRAM_SUBBUCKETS];
    return group ? group[bucket % HISTOGRAM_SUBBUCKETS] : 0;
}

/* The operations that the timeline has any I/O of. */
void find_ops(const struct timeline *t, bool used[MERGE_OPS]);

#endif
