/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writers of a merge's timeline in other programs' formats. Each writer is a row of the table in
 * written_formats.c, and has a file of its own.
 */
#ifndef CUPEL_MANY_MERGE_WRITTEN_FORMATS_H
#define CUPEL_MANY_MERGE_WRITTEN_FORMATS_H

#include "base/text.h"
#include "fio/json/fio_json.h"
#include "many/merge/internal.h"

/* A file that is being written. Its text is written to it whenever it is long enough. */
struct log_output {
    const struct merge *m;
    const char *path;
    int fd;
    struct text text;
};

/* Writes the text to the file if it is long enough. Errors: ERR_TARGET, ERR_MACHINE. */
int output_pass(struct log_output *to, struct err *e);
/* Writes the text that is left. */
int output_end(struct log_output *to, struct err *e);

struct merge_writer {
    const char *name;
    bool of_intervals; /* rows have instants, so sums of whole runs cannot be written */
    /* NULL: a merge lacks information that the format needs */
    int (*write)(struct log_output *to, struct err *e);
};

extern const struct merge_writer writer_fio_hist, writer_fio_json, writer_hdr_log;

static inline uint64_t timeline_count(const struct timeline_op *op, size_t bucket)
{
    const uint64_t *group = op->group[bucket / HISTOGRAM_SUBBUCKETS];
    return group ? group[bucket % HISTOGRAM_SUBBUCKETS] : 0;
}

/* Finds the operations with any I/O in the timeline. */
void find_ops(const struct timeline *t, bool used[OPERATIONS]);

#endif
