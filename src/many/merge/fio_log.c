/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the names of fio's logs, and their rows. */
#include "many/merge/fio_log.h"
#include "many/merge/internal.h"

#include <stdio.h>
#include <string.h>

#define BUFFER_BYTES (1 << 20)

const int fio_ddir_op[FIO_DDIRS] = {OPERATION_READ, OPERATION_WRITE, OPERATION_TRIM};

/* ---- names ---- */

static const char *const kinds[FIO_UNKNOWN] = {
    [FIO_LAT] = "_lat.", [FIO_CLAT] = "_clat.", [FIO_SLAT] = "_slat.",
    [FIO_BW] = "_bw.",   [FIO_IOPS] = "_iops.", [FIO_CLAT_HIST] = "_clat_hist.",
};

/* Returns the text after NUMBER.log, or after log, if `p` begins with that; NULL otherwise. */
static const char *after_log(const char *p, size_t *number_length)
{
    *number_length = strspn(p, "0123456789");
    if (*number_length > 0 && p[*number_length] == '.')
        p += *number_length + 1;
    else
        *number_length = 0;
    if (strncmp(p, "log", 3) != 0 || (p[3] != '\0' && p[3] != '.'))
        return NULL;
    return p + 3;
}

void fio_log_name_of(const char *path, struct fio_log_name *name)
{
    const char *slash = strrchr(path, '/');
    *name = (struct fio_log_name){.kind = FIO_UNKNOWN};
    snprintf(name->text, sizeof name->text, "%s", slash ? slash + 1 : path);
    size_t length = strlen(name->text);
    if (length > 3 && strcmp(name->text + length - 3, ".gz") == 0)
        name->text[length - 3] = '\0';
    for (int kind = 0; kind < FIO_UNKNOWN; kind++) {
        const char *at = strstr(name->text, kinds[kind]);
        for (; at; at = strstr(at + 1, kinds[kind])) {
            size_t number_length;
            const char *number = at + strlen(kinds[kind]),
                       *rest = after_log(number, &number_length);
            if (!rest)
                continue;
            size_t job_length = (size_t)(at - name->text);
            if (number_length > 0) { /* the kind is removed, which leaves NAME.NUMBER */
                name->text[job_length] = '.';
                memmove(name->text + job_length + 1, number, number_length);
                job_length += 1 + number_length;
            }
            name->kind = (enum fio_kind)kind;
            name->job = (struct span){name->text, job_length};
            name->host = span_of(*rest == '.' ? rest + 1 : "");
            return;
        }
    }
}

size_t fio_log_run_length(const char *path)
{
    struct fio_log_name name;
    const char *slash = strrchr(path, '/');
    fio_log_name_of(path, &name);
    if (name.kind == FIO_UNKNOWN)
        return 0;
    size_t length = name.job.length;
    while (length && (unsigned)(name.job.text[length - 1] - '0') <= 9)
        length--;
    const bool numbered = length && length < name.job.length && name.job.text[length - 1] == '.';
    return (size_t)(slash ? slash + 1 - path : 0) + (numbered ? length - 1 : name.job.length);
}

enum fio_kind fio_log_kind(const char *path)
{
    struct fio_log_name name;
    fio_log_name_of(path, &name);
    return name.kind;
}

static int compare_spans(struct span a, struct span b)
{
    const int order = memcmp(a.text, b.text, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

int fio_log_order(const struct fio_log_name *a, const struct fio_log_name *b)
{
    const int job = compare_spans(a->job, b->job);
    return job ? job : compare_spans(a->host, b->host);
}

void fio_log_known(struct merge *m, const struct fio_log_name *name)
{
    struct merge_source *s = merge_current(m);
    if (name->kind == FIO_UNKNOWN)
        return;
    s->job = merge_string(m, name->job.text, name->job.length);
    s->host = merge_string(m, name->host.text, name->host.length);
}

/* ---- rows ---- */

size_t fio_log_fields(const char *head, size_t length, bool *whole)
{
    const unsigned char *p = (const unsigned char *)head, *end = p + length;
    size_t fields = 0;
    *whole = false;
    while (p < end) {
        uint64_t value;
        switch (fio_field(&p, end, &value)) {
        case FIELD_MORE:
            fields++;
            break;
        case FIELD_LAST:
            *whole = true;
            return fields + 1;
        default:
            return p == end ? fields : 0;
        }
    }
    return fields;
}

int fio_rows_open(struct fio_rows *rows, const char *path, struct err *e)
{
    *rows = (struct fio_rows){.path = path};
    if (input_open(&rows->in, path, BUFFER_BYTES, e))
        return -1;
    return input_fill(&rows->in, BUFFER_BYTES, e);
}

void fio_rows_close(struct fio_rows *rows)
{
    input_close(&rows->in);
}

int fio_rows_next(struct merge *m, struct fio_rows *rows, const unsigned char *at, struct err *e)
{
    if (at)
        input_take(&rows->in, (size_t)(at - rows->row));
    if (input_fill(&rows->in, FIO_ROW_BYTES, e))
        return -1;
    rows->row = input_bytes(&rows->in);
    rows->end = rows->row + input_left(&rows->in);
    rows->line++;
    if (rows->in.broken)
        merge_current(m)->cut_short = true;
    return rows->row < rows->end;
}

/* Reads 0x and digits, the form in which fio writes priorities. */
static bool take_hexadecimal(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    const unsigned char *p = *at + 2;
    for (*value = 0; p < end && p - *at < 18; p++) {
        unsigned digit = (unsigned)(*p - '0'), letter = (unsigned)((*p | 0x20) - 'a');
        if (digit > 9 && letter > 5)
            break;
        *value = *value << 4 | (digit > 9 ? letter + 10 : digit);
    }
    bool any = p > *at + 2;
    *at = p;
    return any;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

enum fio_field fio_field(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    const unsigned char *p = *at;
    uint64_t sum = 0;
    while (p < end && is_blank(*p))
        p++;
    *at = p;
    for (; p < end && (unsigned)(*p - '0') < 10; p++)
        if (__builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (unsigned)(*p - '0'), &sum))
            return FIELD_FAULT;
    bool number = p > *at;
    if (number && sum == 0 && end - p > 1 && *p == 'x')
        number = p - *at == 1 && (p--, take_hexadecimal(&p, end, &sum));
    while (p < end && is_blank(*p))
        p++;
    if (!number || p == end || (*p != ',' && *p != '\n')) {
        *at = p == end ? p : *at;
        return FIELD_FAULT;
    }
    *value = sum;
    const bool more = *p++ == ',';
    *at = p +
          (more && p < end && *p == ' '); /* as fio writes it: the blank is followed by a number */
    return more ? FIELD_MORE : FIELD_LAST;
}

int fio_fault(struct merge *m, const struct fio_rows *rows, const unsigned char *at,
              const char *verdict, struct err *e)
{
    char text[32];
    size_t length = 0;
    if (!memchr(rows->row, '\n', (size_t)(rows->end - rows->row))) {
        if (!rows->in.ended)
            return err_set(e, ERR_USAGE, "%s: line %llu has no end within %d bytes", rows->path,
                           (unsigned long long)rows->line, FIO_ROW_BYTES);
        merge_current(m)->cut_short = true;
        return 0;
    }
    while (at + length < rows->end && length < 20 && at[length] != ',' && at[length] != '\n')
        length++;
    span_printable(text, sizeof text, (struct span){(const char *)at, length});
    return err_set(e, ERR_USAGE, "%s: line %llu, column %zu: %s%s%s%s", rows->path,
                   (unsigned long long)rows->line, (size_t)(at - rows->row) + 1, length ? "\"" : "",
                   text, length ? "\" " : "", verdict);
}
