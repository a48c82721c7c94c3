/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the latencies that blktrace's btt writes, one request a line: when it completed and how
 * long that took, in seconds since the trace began. NAME_MMM,mmm_q2c.dat (-q) counts from the
 * request of the block layer, NAME_MMM,mmm_d2c.dat (-l) from its issue to the driver. Both hold the
 * same requests, so they are two formats. NAME.avg, which btt prints, has only means.
 */
#include "many/merge/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/trace/input.h"

#define LINE_BYTES   512
#define BUFFER_BYTES (1 << 20)
#define SECOND_NS    UINT64_C(1000000000)
#define LATENCY_MAX  (86400 * SECOND_NS) /* a longer one is a mistake */
#define INSTANT_MAX  (UINT64_C(1000000000) * SECOND_NS)

static bool parse_line(struct span line, uint64_t *end_ns, uint64_t *latency_ns)
{
    line = span_trimmed(line);
    return merge_take_seconds(&line, end_ns) && merge_take_seconds(&line, latency_ns) &&
           !line.length;
}

/* Takes the name and the device from the path: "NAME_008,016_q2c.dat" is of device 8,16. */
static void describe(struct merge *m, const char *path)
{
    const char *slash = strrchr(path, '/'), *at = strrchr(slash ? slash : path, ',');
    char device[48];
    uint64_t major, minor;
    while (at && at > path && at[-1] >= '0' && at[-1] <= '9')
        at--;
    struct span rest = span_of(at ? at : "");
    if (!merge_take_whole(&rest, &major) || !rest.length || *rest.text != ',')
        return;
    rest = (struct span){rest.text + 1, rest.length - 1};
    if (!merge_take_whole(&rest, &minor))
        return;
    snprintf(device, sizeof device, "%llu,%llu", (unsigned long long)major,
             (unsigned long long)minor);
    merge_current(m)->device = merge_string(m, device, strlen(device));
}

static int add_lines(struct merge *m, const char *path, struct input *in, struct err *e)
{
    struct merge_source *s = merge_current(m);
    uint64_t end_ns, latency_ns;
    for (uint64_t number = 1;; number++) {
        if (input_fill(in, LINE_BYTES, e))
            return -1;
        const char *begin = (const char *)input_bytes(in);
        const size_t left = input_left(in) < LINE_BYTES ? input_left(in) : LINE_BYTES;
        const char *end = memchr(begin, '\n', left);
        if (!left)
            return 0;
        if (!end && in->ended && left < LINE_BYTES) {
            s->cut_short = true; /* the last line is incomplete */
            return 0;
        }
        const struct span line = {begin, end ? (size_t)(end - begin) : left};
        if (!end || !parse_line(line, &end_ns, &latency_ns) || latency_ns > LATENCY_MAX ||
            end_ns > INSTANT_MAX)
            return err_set(e, ERR_USAGE,
                           "%s: line %llu: it is not when a request completed and how long that "
                           "took, in seconds",
                           path, (unsigned long long)number);
        if (merge_add_value(m, OPERATION_READ, end_ns, latency_ns, 0, true, e))
            return -1;
        input_take(in, line.length + 1);
    }
}

static int read_btt(struct merge *m, const char *path, struct err *e)
{
    struct input in;
    struct merge_source *s = merge_current(m);
    s->time = TIME_RELATIVE;
    s->ops_unknown = true;
    describe(m, path);
    int status = input_open(&in, path, BUFFER_BYTES, e);
    if (!status)
        status = add_lines(m, path, &in, e);
    if (!status && in.broken)
        merge_current(m)->cut_short = true;
    input_close(&in);
    return status;
}

/* Returns true for a table of two numbers of seconds whose name contains `kind`. Tables of rates
   have the same form and `plat` in their names. */
static bool is_latencies(const char *path, const char *kind, const char *head, size_t length)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *end = memchr(head, '\n', length);
    uint64_t end_ns, latency_ns;
    return strstr(name, kind) && !strstr(name, "plat") &&
           parse_line((struct span){head, end ? (size_t)(end - head) : length}, &end_ns,
                      &latency_ns);
}

static bool is_q2c(const char *path, const char *head, size_t length)
{
    return is_latencies(path, "q2c", head, length);
}

static bool is_d2c(const char *path, const char *head, size_t length)
{
    return is_latencies(path, "d2c", head, length);
}

static bool is_other(const char *path, const char *head, size_t length)
{
    static const char mark[] = "==== All Devices ====";
    (void)path;
    return memmem(head, length, mark, sizeof mark - 1) != NULL;
}

static int refuse(struct merge *m, const char *path, struct err *e)
{
    (void)m;
    return err_set(e, ERR_USAGE,
                   "%s: btt prints means, least and greatest values, which have no percentiles: "
                   "merge the file that btt -q NAME writes (NAME_..._q2c.dat)",
                   path);
}

const struct merge_format merge_format_btt_q2c = {
    .name = "btt q2c latencies", .recognise = is_q2c, .read = read_btt};
const struct merge_format merge_format_btt_d2c = {
    .name = "btt d2c latencies", .recognise = is_d2c, .read = read_btt};
const struct merge_format merge_format_btt_other = {
    .name = "btt summary", .is_beside = true, .recognise = is_other, .read = refuse};
