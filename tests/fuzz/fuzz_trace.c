/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of all formats, by content or as one format, gzipped or not, one file or two. What comes
 * makes sense and is in order of time, what is left out is counted with its place.
 *
 * The first byte of the input: 0x80 strict; 0x40 two files, of which the first has the share of the
 * second byte; the others 0: by content, else one of the formats, and after those a table whose
 * columns the first line names.
 */
#include <string.h>

#include "source/trace/trace.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#define EVENTS 64

static void check_event(const struct trace *t, const struct trace_event *e, uint64_t *before_ns)
{
    FUZZ_CHECK(e->time_ns >= *before_ns, "time goes back");
    FUZZ_CHECK(e->length > 0 || e->op == OPERATION_SYNC, "an event without a length");
    FUZZ_CHECK(e->offset <= (uint64_t)INT64_MAX && e->offset + e->length <= (uint64_t)INT64_MAX,
               "an event out of range");
    FUZZ_CHECK(e->device < trace_device_count(t) && e->op < OPERATIONS && e->number > 0,
               "an event that makes no sense");
    FUZZ_CHECK(trace_device(t, e->device)->end >= e->offset + e->length,
               "a device that ends too early");
    *before_ns = e->time_ns;
}

static uint64_t left_out(const struct trace *t)
{
    uint64_t sum = 0;
    for (int i = 0; i < TRACE_SKIPS; i++) {
        const struct trace_skips *skips = trace_skipped(t, (enum trace_skip)i);
        bool has_place = *skips->first_words && *skips->first_file && skips->first_number;
        FUZZ_CHECK((skips->count > 0) == has_place, "a reason without a place");
        sum += i == TRACE_SKIP_REORDERED ? 0 : skips->count;
    }
    return sum;
}

/* Counts lines that are not comments. *header: the first one has no digits and may name columns. */
static uint64_t lines_of(const uint8_t *p, size_t size, bool *header)
{
    uint64_t lines = 0;
    const uint8_t *end = p + size;
    for (uint64_t number = 1; p < end; number++) {
        const uint8_t *stop = memchr(p, '\n', (size_t)(end - p));
        stop = stop ? stop : end;
        size_t length = (size_t)(stop - p) - (stop < end && stop > p && stop[-1] == '\r');
        bool digits = false;
        for (size_t i = 0; i < length; i++)
            digits = digits || (p[i] >= '0' && p[i] <= '9');
        lines += length > 0 && (*p != '#' || length > 4096);
        if (number == 1)
            *header = !digits && length > 0 && *p != '#';
        p = stop + 1;
    }
    return lines;
}

/* Checks that every line of a table is returned or counted. */
static void check_sum(const struct trace *t, uint64_t given, const uint8_t *data, size_t size)
{
    static const char *const tables[] = {"MSR Cambridge CSV", "Alibaba 2020 CSV", "Tencent CBS CSV",
                                         "SPC/UMass", "FIU"};
    if (size > 2 && memcmp(data, "\x1f\x8b\x08", 3) == 0)
        return;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(trace_format_name(t), tables[i]) == 0) {
            bool header = false;
            uint64_t lines = lines_of(data, size, &header);
            uint64_t sum = given + left_out(t);
            FUZZ_CHECK(sum == lines || sum == lines - header,
                       "lines that are neither given out nor counted");
        }
    }
}

static void read_events(struct trace *t, bool strict, const uint8_t *data, size_t size, bool single)
{
    static struct trace_event events[EVENTS];
    struct err e = {0};
    uint64_t before_ns = 0, given = 0;
    int n;
    while ((n = trace_read(t, events, EVENTS, &e)) > 0) {
        for (int i = 0; i < n; i++)
            check_event(t, &events[i], &before_ns);
        given += (uint64_t)n;
    }
    FUZZ_CHECK(trace_read(t, events, 1, &e) == n, "the end is not the end");
    FUZZ_CHECK(n == 0 || (strict && e.code == ERR_USAGE), "an error without a reason");
    uint64_t skipped = left_out(t);
    FUZZ_CHECK(n < 0 || !strict || skipped == 0, "strict reading went on");
    if (n == 0 && single)
        check_sum(t, given, data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const both[] = {MEMORY_FILE, MEMORY_FILE1};
    if (size < 2)
        return 0;
    const bool strict = data[0] & 0x80, two = data[0] & 0x40;
    const size_t format = data[0] & 0x3f;
    const size_t first = two ? (size - 2) * data[1] / 255 : size - 2;
    struct trace_options options = {.strict = strict};
    const char *const *names = trace_format_names();
    size_t formats = 0;
    while (names[formats])
        formats++;
    options.format = format > 0 && format <= formats ? names[format - 1] : NULL;
    char columns[256] = "";
    size_t skip = 0;
    if (format == formats + 1) {
        const uint8_t *end = memchr(data + 2, '\n', first);
        const size_t length = end ? (size_t)(end - data) - 2 : first;
        memcpy(columns, data + 2, length < sizeof columns ? length : sizeof columns - 1);
        options.columns = columns;
        skip = length + (end != NULL);
    }
    memory_file_set(0, data + 2 + skip, first - skip);
    memory_file_set(1, data + 2 + first, size - 2 - first);
    struct trace *t;
    struct err e = {0};
    if (trace_open(&t, both, two ? 2 : 1, &options, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a trace is refused without a reason");
        return 0;
    }
    read_events(t, strict, data + 2, size - 2, !two);
    trace_close(t);
    return 0;
}
