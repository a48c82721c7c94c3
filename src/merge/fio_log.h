/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What fio's logs share (fio_log.c): their names, and rows of whole numbers with commas between
 * them, a row a line.
 */
#ifndef CUPEL_MERGE_FIO_LOG_H
#define CUPEL_MERGE_FIO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "trace/input.h"

struct merge;

#define FIO_ROW_BYTES 65536        /* the longest row, its end included */
#define FIO_EPOCH_MS  100000000000 /* instants from here on are since 1970, not since the start */
#define FIO_DDIRS     3            /* fio's directions of data that are ours, by fio_ddir_op */

/* Read, write and trim: an enum merge_op each. Flushes are in none of fio's logs. */
extern const int fio_ddir_op[FIO_DDIRS];

enum fio_kind { FIO_LAT, FIO_CLAT, FIO_SLAT, FIO_BW, FIO_IOPS, FIO_CLAT_HIST, FIO_UNKNOWN };

/* What the name of a log says: NAME_KIND[.NUMBER].log[.HOST][.gz]. */
struct fio_log_name {
    enum fio_kind kind;
    struct span job; /* NAME.NUMBER, or NAME */
    struct span host;
    char text[256];
};

void fio_log_name_of(const char *path, struct fio_log_name *name);
enum fio_kind fio_log_kind(const char *path);
/* The same, put down for the source that is being read. */
void fio_log_known(struct merge *m, const struct fio_log_name *name);

/* Fields of the first line of a text, when all are whole numbers; 0: they are not. *whole: the line
   has its end. */
size_t fio_log_fields(const char *head, size_t length, bool *whole);

struct fio_rows {
    struct input in;
    const char *path;
    uint64_t line;            /* of `row`, from 1 */
    const unsigned char *row; /* it begins here; it may be broken off */
    const unsigned char *end; /* of what there is */
};

/* ERR_USAGE, ERR_MACHINE. Then fio_rows_close, always. */
int fio_rows_open(struct fio_rows *rows, const char *path, struct err *e);
void fio_rows_close(struct fio_rows *rows);
/* The row that follows `at`, where the one before it ended: 1, 0 when there is none, -1. */
int fio_rows_next(struct merge *m, struct fio_rows *rows, const unsigned char *at, struct err *e);

enum fio_field {
    FIELD_MORE, /* a comma follows */
    FIELD_LAST, /* it ends the row */
    FIELD_FAULT
};

/* One whole number, blanks around it, and what ends it. *at is moved past that, or to the fault. */
enum fio_field fio_field(const unsigned char **at, const unsigned char *end, uint64_t *value);

/*
 * What is wrong at that place of the row, with line and column: ERR_USAGE. But where the file ends
 * within this row, 0: then it was broken off, the source is `cut_short`, and all has been read.
 */
int fio_fault(struct merge *m, const struct fio_rows *rows, const unsigned char *at,
              const char *verdict, struct err *e);

/* ---- fio_hist_row.c: a row of fio's logs of histograms ---- */

#define FIO_HIST_COLUMNS (29 * 64) /* the most: fio 3's bins */

struct fio_hist_row {
    size_t columns; /* of bins; the caller's */
    uint64_t ms, ddir, bs;
    size_t used; /* columns that are not 0, ascending */
    uint16_t column[FIO_HIST_COLUMNS];
    uint64_t count[FIO_HIST_COLUMNS];
};

/* The row at *at, which is moved past it: 1; 0 when the file ends within it; -1 with ERR_USAGE. */
int fio_hist_row_read(struct merge *m, const struct fio_rows *rows, struct fio_hist_row *row,
                      const unsigned char **at, struct err *e);

#endif
