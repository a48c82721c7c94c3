/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the log in which an application records its own requests (facts/log/request_log.h). */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/endian.h"
#include "facts/log/request_log.h"
#include "source/trace/input.h"

#define BUFFER_BYTES (1 << 20)
#define RESPONSE_MAX 86400000000000u       /* a day */
#define INSTANT_MAX  10000000000000000000u /* an instant in the year 2286 */

struct request_reader {
    struct merge *m;
    const char *path;
    /* time in flight of each request, until these are sorted and joined */
    struct merge_stretch *stretches;
    size_t count, capacity;
};

static bool recognise_requests(const char *path, const char *head, size_t length)
{
    (void)path;
    return length >= REQUEST_LOG_MARK_BYTES &&
           !memcmp(head, REQUEST_LOG_MARK, REQUEST_LOG_MARK_BYTES);
}

static int read_head(struct request_reader *r, const unsigned char *record, uint64_t number,
                     struct err *e)
{
    const char *host = (const char *)record + REQUEST_LOG_HOST;
    if (load_le32(record + REQUEST_LOG_MARK_BYTES) != REQUEST_LOG_VERSION)
        return err_set(e, ERR_USAGE,
                       "%s: record %llu: it is of version %u of the format; this cupel reads %d",
                       r->path, (unsigned long long)number,
                       load_le32(record + REQUEST_LOG_MARK_BYTES), REQUEST_LOG_VERSION);
    merge_current(r->m)->host = merge_string(r->m, host, strnlen(host, REQUEST_LOG_HOST_BYTES));
    return 0;
}

static int read_request(struct request_reader *r, const unsigned char *record, uint64_t number,
                        struct err *e)
{
    const uint64_t begin_ns = load_le64(record), end_ns = load_le64(record + 8);
    const uint64_t bytes = load_le64(record + 16);
    const unsigned op = load_le16(record + 28), failed = load_le16(record + 30);
    if (end_ns < begin_ns || end_ns - begin_ns > RESPONSE_MAX || end_ns > INSTANT_MAX ||
        op >= OPERATIONS || failed > 1)
        return err_set(
            e, ERR_USAGE,
            "%s: record %llu: it is no request: its begin, its end, its operation or its "
            "state is out of range",
            r->path, (unsigned long long)number);
    if (!array_grow(&r->stretches, sizeof *r->stretches, r->count, &r->capacity))
        return err_no_memory(e, "the requests of %s", r->path);
    r->stretches[r->count++] = (struct merge_stretch){begin_ns, end_ns, end_ns - begin_ns};
    return merge_add_value(r->m, (enum operation)op, end_ns, end_ns - begin_ns,
                           operation_has_bytes((int)op) ? bytes : 0, !failed, e);
}

static int read_records(struct request_reader *r, struct input *in, struct err *e)
{
    for (uint64_t number = 1;; number++) {
        if (input_fill(in, REQUEST_LOG_BYTES, e))
            return -1;
        const unsigned char *record = input_bytes(in);
        const size_t left = input_left(in);
        if (left < REQUEST_LOG_BYTES) {
            merge_current(r->m)->cut_short = left > 0 || in->broken;
            return 0;
        }
        const bool is_head = recognise_requests(r->path, (const char *)record, left);
        if (is_head ? read_head(r, record, number, e) : read_request(r, record, number, e))
            return -1;
        input_take(in, REQUEST_LOG_BYTES);
    }
}

static int by_begin(const void *a, const void *b)
{
    const struct merge_stretch *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Adds the union of the requests' times in flight. */
static int add_flights(struct request_reader *r, struct err *e)
{
    size_t joined = 0;
    if (r->count)
        qsort(r->stretches, r->count, sizeof *r->stretches, by_begin);
    for (size_t i = 0; i < r->count; i++) {
        const struct merge_stretch *next = &r->stretches[i];
        struct merge_stretch *last = joined ? &r->stretches[joined - 1] : NULL;
        if (!last || next->begin_ns > last->end_ns) {
            r->stretches[joined++] = *next;
            continue;
        }
        if (next->end_ns > last->end_ns)
            last->end_ns = next->end_ns;
        last->busy_ns = last->end_ns - last->begin_ns;
    }
    return merge_add_stretches(r->m, r->stretches, joined, e);
}

static int read_requests(struct merge *m, const char *path, struct err *e)
{
    struct request_reader r = {.m = m, .path = path};
    struct merge_source *s = merge_current(m);
    struct input in;
    s->time = TIME_ABSOLUTE;
    s->clock_error_ns = CLOCK_ERROR_UNKNOWN;
    int status = input_open(&in, path, BUFFER_BYTES, e);
    if (!status)
        status = read_records(&r, &in, e);
    if (!status)
        status = add_flights(&r, e);
    input_close(&in);
    free(r.stretches);
    return status;
}

const struct merge_format merge_format_requests = {
    .name = "requests", .recognise = recognise_requests, .read = read_requests};
