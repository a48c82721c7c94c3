/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a row of fio's logs of histograms. Nearly all columns are 0, and a log is easily a GB long,
 * so zeros are compared eight columns at a time.
 */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <string.h>

#define HEAD_FIELDS 3             /* before the bins */
#define COUNT_MAX   1000000000000 /* maximum count of a column, so that sums do not overflow */
#define MS_MAX      10000000000000

/* Eight columns of zeros, as fio writes them. */
#define ZEROS       "0, 0, 0, 0, 0, 0, 0, 0, "
#define ZEROS_BYTES 24
#define ZERO_BYTES  3

/* Returns how many columns of zeros, at most 8, the text begins with; it has at least ZEROS_BYTES
   bytes. */
static inline size_t zeros_at(const unsigned char *p)
{
    for (size_t i = 0; i < ZEROS_BYTES; i += 8) {
        uint64_t a, b;
        memcpy(&a, p + i, sizeof a);
        memcpy(&b, &ZEROS[i], sizeof b);
        if (a != b) /* in little-endian words the lowest byte is the first */
            return (i + (size_t)__builtin_ctzll(a ^ b) / 8) / ZERO_BYTES;
    }
    return ZEROS_BYTES / ZERO_BYTES;
}

/* Reads a count of one to three digits from a text of at least 8 bytes, and moves past it. False:
   the count has another form. */
static inline bool take_small(const unsigned char **at, uint64_t *count)
{
    const unsigned char *p = *at;
    unsigned sum = (unsigned)(p[0] - '0'), digit, i = 1;
    if (sum > 9)
        return false;
    for (; i < 3 && (digit = (unsigned)(p[i] - '0')) <= 9; i++)
        sum = 10 * sum + digit;
    if (p[i] != ',' || p[i + 1] != ' ')
        return false;
    *count = sum;
    *at = p + i + 2;
    return true;
}

/* Returns 1; 0 when the file ends within this row; -1 on an error. *p is moved to the bins. */
static int read_head(struct merge *m, const struct fio_rows *rows, struct fio_hist_row *row,
                     const unsigned char **p, struct err *e)
{
    uint64_t *const fields[HEAD_FIELDS] = {&row->ms, &row->ddir, &row->bs};
    static const uint64_t max[HEAD_FIELDS] = {MS_MAX, UINT8_MAX, UINT32_MAX};
    for (size_t i = 0; i < HEAD_FIELDS; i++) {
        const unsigned char *at = *p;
        enum fio_field status = fio_field(p, rows->end, fields[i]);
        if (status == FIELD_FAULT)
            return fio_fault(m, rows, *p, "is no whole number", e);
        if (status == FIELD_LAST)
            return fio_fault(m, rows, at, "ends the row before its bins", e);
        if (*fields[i] > max[i])
            return fio_fault(m, rows, at, "is too large", e);
    }
    return 1;
}

/* Reads the bins of a row: those that are not 0 go into column[] and count[]. Returns 1, 0 or -1 as
   above; *p is moved past the row. */
static int read_bins(struct merge *m, const struct fio_rows *rows, struct fio_hist_row *row,
                     const unsigned char **at, struct err *e)
{
    const unsigned char *p = *at, *const end = rows->end;
    enum fio_field status = FIELD_MORE;
    size_t column = 0;
    row->used = 0;
    for (; status == FIELD_MORE; column++) {
        uint64_t count = 0;
        for (size_t zeros = 8; zeros == 8 && end - p >= ZEROS_BYTES; column += zeros) {
            zeros = zeros_at(p);
            p += zeros * ZERO_BYTES;
        }
        const unsigned char *before = p;
        if (end - p < ZEROS_BYTES || !take_small(&p, &count))
            status = fio_field(&p, end, &count);
        if (status == FIELD_FAULT)
            return fio_fault(m, rows, p, "is no whole number", e);
        if (column >= row->columns)
            return fio_fault(m, rows, before, "has no bin: rows above have fewer columns", e);
        if (count > COUNT_MAX)
            return fio_fault(m, rows, before, "is too large", e);
        row->column[row->used] = (uint16_t)column;
        row->count[row->used] = count;
        row->used += count > 0;
    }
    if (column != row->columns)
        return fio_fault(m, rows, p - 1, "the row ends here: rows above have more columns", e);
    *at = p;
    return 1;
}

int fio_hist_row_read(struct merge *m, const struct fio_rows *rows, struct fio_hist_row *row,
                      const unsigned char **at, struct err *e)
{
    int status = read_head(m, rows, row, at, e);
    return status == 1 ? read_bins(m, rows, row, at, e) : status;
}
