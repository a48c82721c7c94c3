/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writers of a merge's timeline in other programs' formats. Each is a row of the table in write.c,
 * and a file of its own.
 */
#ifndef CUPEL_MANY_MERGE_WRITE_H
#define CUPEL_MANY_MERGE_WRITE_H

#include "base/text.h"
#include "fio/json/fio_json.h"
#include "many/merge/internal.h"

/* A file being written; the text is passed to it when it is long enough. */
struct log_output {
    const struct merge *m;
    const char *path;
    int fd;
    struct text text;
};

/* Writes the text to the file when it is long enough. ERR_TARGET, ERR_MACHINE. */
int output_pass(struct log_output *to, struct err *e);
/* Writes the rest of the text. */
int output_end(struct log_output *to, struct err *e);

struct merge_writer {
    const char *name;
    bool of_intervals; /* its rows have instants: sums of whole runs cannot be written */
    int (*write)(struct log_output *to, struct err *e); /* NULL: the format holds information that a
                                                           merge does not have */
};

extern const struct merge_writer writer_fio_hist, writer_fio_json, writer_hdr_log;

static inline uint64_t timeline_count(const struct timeline_op *op, size_t bucket)
{
    const uint64_t *group = op->group[bucket / HISTOGRAM_SUBBUCKETS];
    return group ? group[bucket % HISTOGRAM_SUBBUCKETS] : 0;
}

/* Finds the operations of which the timeline has any I/O. */
void find_ops(const struct timeline *t, bool used[OPERATIONS]);

#endif
