/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads fio's logs of histograms (write_hist_log): `ms, direction, bs, bin 0 ... bin N`, a row for
 * each direction and period. fio 3 has 29 groups of 64 bins of ns, fio 2 had 19 of us. With a
 * coarseness of c, 2^c neighbours are one column, so the number of columns identifies the layout.
 * The bins equal cupel's buckets (stat/basic/histogram.h), except the last, which holds everything
 * longer.
 *
 * Nearly all columns are 0, and a log is easily a GB long, so zeros are compared eight columns at a
 * time.
 */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#define FIO_HIST_COLUMNS (29 * 64) /* maximum number of columns: one for each bin of fio 3 */

struct fio_hist_row {
    size_t columns; /* number of bins, set by the caller */
    uint64_t ms, ddir, bs;
    size_t used; /* number of columns that are not 0; ascending in the arrays */
    uint16_t column[FIO_HIST_COLUMNS];
    uint64_t count[FIO_HIST_COLUMNS];
};

#define HEAD_FIELDS 3             /* number of fields before the bins */
#define COUNT_MAX   1000000000000 /* maximum count of a column, so that sums do not overflow */
#define MS_MAX      10000000000000

/* Eight columns of zeros, as fio writes them. */
#define ZEROS       "0, 0, 0, 0, 0, 0, 0, 0, "
#define ZEROS_BYTES 24
#define ZERO_BYTES  3

#define NS_MS          1000000u
#define NS_S           1000000000u
#define COARSENESS_MAX 6
#define ROW_FIELDS     3 /* before the bins */
#define COLUMNS_MIN    (19 * 64 >> COARSENESS_MAX)
/* maximum of a row's period: a longer one means that its direction was idle */
#define LONGEST_MS  3600000
#define SUMS_MIN    32 /* number of comparisons that proves rows to be sums */
#define PERIOD_ROWS 64 /* number of rows in which the period is searched */

struct hist_reader {
    struct merge *m;
    struct fio_rows rows;
    bool ours;                           /* each column equals one of our buckets */
    uint64_t edge[FIO_HIST_COLUMNS + 1]; /* edges of the columns in ns */
    uint64_t period_ms;                  /* 0: not known */
    bool row_before[FIO_DDIRS];          /* the direction has had a row before */
    uint64_t until_ms[FIO_DDIRS];
    bool went_back, others_left_out;
    uint64_t bs; /* block size of the first row */
    bool several_bs;
    uint64_t ios;

    bool sums;                     /* rows have the form that fio --client writes */
    uint64_t rows_kept[FIO_DDIRS]; /* [direction], number of rows of this job */
    /* the last two rows of each direction, unchanged */
    uint64_t kept[FIO_DDIRS][2][FIO_HIST_COLUMNS];

    struct fio_hist_row row;
};

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

/* Reads the fields before the bins, and moves *p to the bins. Returns 1; 0 when the file ends
   within this row; -1 on an error. */
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

/* Reads the bins of a row: those that are not 0 go into column[] and count[]. Returns 1, 0 or -1
   like read_head; *at is moved past the row. */
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

/*
 * Reads the row at *at, and moves past it: returns 1; 0 when the file ends within the row; -1 with
 * ERR_USAGE.
 */
static int fio_hist_row_read(struct merge *m, const struct fio_rows *rows, struct fio_hist_row *row,
                             const unsigned char **at, struct err *e)
{
    int status = read_head(m, rows, row, at, e);
    return status == 1 ? read_bins(m, rows, row, at, e) : status;
}

/* ---- the layout ---- */

/* Derives the layout from the number of columns. False: fio writes no such log. */
static bool find_layout(struct hist_reader *r, size_t columns)
{
    static const struct {
        unsigned groups, unit_ns;
    } versions[] = {{29, 1}, {19, 1000}};
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
        for (unsigned c = 0; c <= COARSENESS_MAX; c++) {
            if ((versions[v].groups * HISTOGRAM_SUBBUCKETS) >> c != columns)
                continue;
            r->row.columns = columns;
            r->ours = c == 0 && versions[v].unit_ns == 1;
            for (size_t i = 0; i <= columns; i++)
                r->edge[i] = (uint64_t)histogram_edge(i << c) * versions[v].unit_ns;
            return true;
        }
    return false;
}

/* Returns the shortest time between two rows of a direction, among the first rows. */
static uint64_t find_period(const unsigned char *p, const unsigned char *end)
{
    uint64_t last[FIO_DDIRS] = {0}, period = 0, ms = 0, ddir = 0;
    bool any[FIO_DDIRS] = {false};
    for (int row = 0; row < PERIOD_ROWS; row++) {
        if (fio_field(&p, end, &ms) != FIELD_MORE || fio_field(&p, end, &ddir) != FIELD_MORE ||
            ddir >= FIO_DDIRS)
            break;
        if (any[ddir] && ms > last[ddir] && (!period || ms - last[ddir] < period))
            period = ms - last[ddir];
        any[ddir] = true;
        last[ddir] = ms;
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            break;
        p++;
    }
    return period;
}

/* ---- rows that are sums ---- */

/*
 * fio's server subtracts the previous row in place, and then subtracts the result from the next
 * row. So it sends row n = (all I/Os until n) - row n-1 to fio --client, and the I/Os of n's period
 * are row n - row n-2. In a file with such rows, no count in row n is below the count in the same
 * column of row n-2. In a correct file, many counts are.
 */

/* Reduces the row to the I/Os of its period. False: a column is below the same column of the row
   before last. *compared: number of columns that could be compared. */
static bool take_back(struct hist_reader *r, size_t *compared)
{
    uint64_t *kept = r->kept[r->row.ddir][r->rows_kept[r->row.ddir]++ % 2];
    bool sound = true;
    size_t used = 0;
    for (size_t column = 0, i = 0; column < r->row.columns; column++) {
        const bool given = i < r->row.used && r->row.column[i] == column;
        const uint64_t count = given ? r->row.count[i] : 0, before = kept[column];
        i += given;
        kept[column] = count;
        sound = sound && count >= before;
        *compared += before > 0;
        if (count <= before)
            continue;
        r->row.column[used] = (uint16_t)column;
        r->row.count[used++] = count - before;
    }
    r->row.used = used;
    return sound;
}

/* Forgets the rows of a direction, because rows of another job follow. */
static void forget_rows(struct hist_reader *r, uint64_t ddir)
{
    r->rows_kept[ddir] = 0;
    memset(r->kept[ddir], 0, sizeof r->kept[ddir]);
}

/* Decides from all rows in the buffer whether rows are sums, as fio --client writes them. */
static void find_sums(struct hist_reader *r)
{
    const unsigned char *p = r->rows.row;
    uint64_t until_ms[FIO_DDIRS] = {0};
    size_t compared = 0;
    bool sound = true;
    struct err ignored;
    while (sound && memchr(p, '\n', (size_t)(r->rows.end - p))) {
        if (fio_hist_row_read(r->m, &r->rows, &r->row, &p, &ignored) != 1)
            break;
        if (r->row.ddir >= FIO_DDIRS)
            continue;
        if (r->row.ms <= until_ms[r->row.ddir])
            forget_rows(r, r->row.ddir);
        until_ms[r->row.ddir] = r->row.ms;
        sound = take_back(r, &compared);
    }
    r->sums = sound && compared >= SUMS_MIN;
    for (uint64_t ddir = 0; ddir < FIO_DDIRS; ddir++)
        forget_rows(r, ddir);
    if (r->sums)
        merge_note(
            r->m, true,
            "%.60s: its rows hold I/Os of rows before, as a fault of fio's server makes them "
            "for --client: what each adds is taken",
            r->rows.path);
}

/* ---- the first row ---- */

static int begin(struct hist_reader *r, struct err *e)
{
    bool whole;
    uint64_t ms;
    const unsigned char *head = r->rows.row, *p = head;
    const size_t fields = fio_log_fields((const char *)head, (size_t)(r->rows.end - head), &whole);
    if (!whole && r->rows.in.ended)
        return 0; /* the only row in the file is incomplete */
    if (fields <= ROW_FIELDS || !find_layout(r, fields - ROW_FIELDS))
        return err_set(e, ERR_USAGE,
                       "%s: line 1 has %zu numbers; a row of fio's clat_hist logs has 3 and 1856 "
                       "(fio 2: 1216) bins, or half as many for each step of log_hist_coarseness",
                       r->rows.path, fields);
    r->period_ms = find_period(p, r->rows.in.buffer + r->rows.in.end);
    if (fio_field(&p, r->rows.end, &ms) == FIELD_MORE)
        merge_current(r->m)->time = ms >= FIO_EPOCH_MS ? TIME_ABSOLUTE : TIME_RELATIVE;
    find_sums(r);
    return 0;
}

/* ---- into the merge ---- */

/* Returns when the row's period began, and notes its end for the next row of the direction. */
static uint64_t row_begin_ms(struct hist_reader *r)
{
    const uint64_t before = r->until_ms[r->row.ddir];
    const bool first = !r->row_before[r->row.ddir], back = !first && r->row.ms <= before;
    r->row_before[r->row.ddir] = true;
    r->until_ms[r->row.ddir] = r->row.ms;
    if (!first && !back && r->row.ms - before <= LONGEST_MS)
        return before;
    if (back && !r->went_back) {
        r->went_back = true;
        merge_note(
            r->m, false,
            "%.60s: on line %llu time goes back: the rows from there on are another job's, as "
            "per_job_logs=0 writes them",
            r->rows.path, (unsigned long long)r->rows.line);
    }
    uint64_t period = r->period_ms < LONGEST_MS ? r->period_ms : LONGEST_MS;
    if (!period && r->row.ms > LONGEST_MS)
        period = NS_S / NS_MS;
    /* The first row is a little late; a row that is much later belongs to a job that began
       later. */
    if (!period || r->row.ms < period + period / 2)
        return 0;
    return r->row.ms - period;
}

/* Notes the error of a column that is coarser than our buckets: its width over its values. */
static void note_error(struct hist_reader *r, size_t column)
{
    const double low = (double)r->edge[column], width = (double)r->edge[column + 1] - low;
    const double error = low > width ? width / low : 1;
    struct merge_source *s = merge_current(r->m);
    if (error > s->bin_error)
        s->bin_error = error;
}

static struct latency_buckets buckets_of(struct hist_reader *r, uint64_t n)
{
    if (r->ours)
        return (struct latency_buckets){.n = n,
                                        .min = r->edge[r->row.column[0]],
                                        .max = r->edge[r->row.column[r->row.used - 1] + 1] - 1,
                                        .used = r->row.used,
                                        .bucket = r->row.column,
                                        .count = r->row.count};
    bins_begin(r->m);
    for (size_t i = 0; i < r->row.used; i++) {
        bins_add(r->m, r->edge[r->row.column[i]], r->edge[r->row.column[i] + 1], r->row.count[i]);
        note_error(r, r->row.column[i]);
    }
    return bins_end(r->m);
}

/* Adds the current row to the merge. Returns 1, or -1 on an error. */
static int add_row(struct hist_reader *r, struct err *e)
{
    if (r->row.ddir >= FIO_DDIRS) {
        r->others_left_out = true;
        return 1;
    }
    size_t compared = 0;
    if (r->sums && r->row_before[r->row.ddir] && r->row.ms <= r->until_ms[r->row.ddir])
        forget_rows(r, r->row.ddir);
    if (r->sums && !take_back(r, &compared))
        return err_set(e, ERR_USAGE,
                       "%s: line %llu: rows above hold I/Os of rows before, as fio's server sends "
                       "them to --client, but this row has less than one above",
                       r->rows.path, (unsigned long long)r->rows.line);
    struct merge_latencies add = {.op = (enum operation)fio_ddir_op[r->row.ddir],
                                  .begin_ns = row_begin_ms(r) * NS_MS,
                                  .end_ns = r->row.ms * NS_MS};
    for (size_t i = 0; i < r->row.used; i++)
        add.sum.ios += r->row.count[i];
    if (!r->row.used)
        return 1;
    if (__builtin_mul_overflow(add.sum.ios, r->row.bs, &add.sum.bytes))
        return err_set(e, ERR_USAGE, "%s: line %llu: it has more bytes than can be counted",
                       r->rows.path, (unsigned long long)r->rows.line);
    if (r->row.column[r->row.used - 1] == r->row.columns - 1)
        merge_current(r->m)->open_end += r->row.count[r->row.used - 1];
    r->bs = r->ios ? r->bs : r->row.bs;
    r->several_bs = r->several_bs || r->bs != r->row.bs;
    r->ios += add.sum.ios;
    add.latency = buckets_of(r, add.sum.ios);
    return merge_add_latencies(r->m, &add, e) ? -1 : 1;
}

static void note_what_differs(struct hist_reader *r)
{
    if (!r->ios)
        merge_note(r->m, true,
                   "%.60s: no row has an I/O: fio keeps no histogram of completion latencies with "
                   "clat_percentiles=0",
                   r->rows.path);
    if (r->several_bs)
        merge_note(
            r->m, false,
            "%.60s: block sizes differ, and fio writes that of a row's last I/O: the bytes are "
            "an estimate",
            r->rows.path);
    if (r->others_left_out)
        merge_note(r->m, false,
                   "%.60s: rows that are neither of reads nor of writes nor of trims are "
                   "left out",
                   r->rows.path);
}

static int read_rows(struct hist_reader *r, struct err *e)
{
    const unsigned char *at = NULL;
    int status;
    while ((status = fio_rows_next(r->m, &r->rows, at, e)) == 1) {
        at = r->rows.row;
        if (!r->row.columns) {
            if (begin(r, e))
                return -1;
            if (!r->row.columns) {
                merge_current(r->m)->cut_short = true;
                return 0;
            }
        }
        status = fio_hist_row_read(r->m, &r->rows, &r->row, &at, e);
        if (status == 1)
            status = add_row(r, e);
        if (status != 1)
            break;
    }
    if (status == 0)
        note_what_differs(r);
    return status;
}

static int read_hist(struct merge *m, const char *path, struct err *e)
{
    struct fio_log_name name;
    struct hist_reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_no_memory(e, "reading %s", path);
    r->m = m;
    fio_log_name_of(path, &name);
    fio_log_known(m, &name);
    int status = fio_rows_open(&r->rows, path, e) ? -1 : read_rows(r, e);
    fio_rows_close(&r->rows);
    free(r);
    return status;
}

static bool is_hist(const char *path, const char *head, size_t length)
{
    bool whole;
    if (!length)
        return fio_log_kind(path) == FIO_CLAT_HIST; /* a log without rows is recognised by its name
                                                       alone */
    return fio_log_fields(head, length, &whole) >= ROW_FIELDS + COLUMNS_MIN;
}

const struct merge_format merge_format_fio_hist = {
    .name = "fio clat_hist log", .recognise = is_hist, .read = read_hist};
