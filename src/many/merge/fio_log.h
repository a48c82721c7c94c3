/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The common part of fio's logs (fio_log.c): their names, and rows of whole numbers with commas
 * between them, one row a line.
 */
#ifndef CUPEL_MANY_MERGE_FIO_LOG_H
#define CUPEL_MANY_MERGE_FIO_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "source/trace/input.h"

struct merge;

#define FIO_ROW_BYTES 65536 /* the longest row, its end included */
/* larger instants count from 1970, smaller ones from the start */
#define FIO_EPOCH_MS 100000000000
/* the directions of data in fio's order; fio_ddir_op gives our operation for each */
#define FIO_DDIRS 3

/* The operations of read, write and trim, each an enum operation. Flushes are in none of fio's
   logs. */
extern const int fio_ddir_op[FIO_DDIRS];

enum fio_kind { FIO_LAT, FIO_CLAT, FIO_SLAT, FIO_BW, FIO_IOPS, FIO_CLAT_HIST, FIO_UNKNOWN };

/* The parts of a log's name, NAME_KIND[.NUMBER].log[.HOST][.gz]. */
struct fio_log_name {
    enum fio_kind kind;
    struct span job; /* NAME.NUMBER, or NAME */
    struct span host;
    char text[256];
};

/* Returns the length of the part of a log's path that all jobs of its run share, FOLDER/NAME; 0: it
   is no log of fio. */
size_t fio_log_run_length(const char *path);

void fio_log_name_of(const char *path, struct fio_log_name *name);
enum fio_kind fio_log_kind(const char *path);
/* Compares the jobs of two names, and then their hosts; 0: they are the same. */
int fio_log_order(const struct fio_log_name *a, const struct fio_log_name *b);
/* Records the name's parts for the source that is being read. */
void fio_log_known(struct merge *m, const struct fio_log_name *name);

/* Returns the number of fields of the first line of a text, when all are whole numbers; 0
   otherwise. *whole: the line is complete. */
size_t fio_log_fields(const char *head, size_t length, bool *whole);

struct fio_rows {
    struct input in;
    const char *path;
    uint64_t line;            /* line number of `row`, from 1 */
    const unsigned char *row; /* begin of the row, which may be incomplete */
    const unsigned char *end; /* end of the bytes that were read */
};

/* Opens a log. Errors: ERR_USAGE, ERR_MACHINE. fio_rows_close must follow in any case. */
int fio_rows_open(struct fio_rows *rows, const char *path, struct err *e);
void fio_rows_close(struct fio_rows *rows);
/* Finds the row that follows `at`, the end of the previous row. Returns 1; 0 when there is no more
   row; -1 on an error. */
int fio_rows_next(struct merge *m, struct fio_rows *rows, const unsigned char *at, struct err *e);

enum fio_field {
    FIELD_MORE, /* a comma follows */
    FIELD_LAST, /* the field ends the row */
    FIELD_FAULT
};

/* Reads one whole number, the blanks around it, and what ends it. *at is moved past that, or to the
   fault. */
enum fio_field fio_field(const unsigned char **at, const unsigned char *end, uint64_t *value);

/*
 * Reports what is wrong at that place of the row, with line and column: ERR_USAGE. Returns 0 when
 * the file ends within this row: then the file was cut off, the source is marked `cut_short`, and
 * everything has been read.
 */
int fio_fault(struct merge *m, const struct fio_rows *rows, const unsigned char *at,
              const char *verdict, struct err *e);

#endif
