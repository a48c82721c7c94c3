/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What others measured: fio's logs and its JSON, histograms of biolatency and Prometheus, btt's
 * latencies. All but the last are recognised by what is in them. What is read makes sense: all
 * I/Os are in the timeline, none is counted twice, no time in flight is longer than the run.
 *
 * The first byte: 1 asks for intervals of an hour, 2 gives the file a name of btt's, 4 states the
 * unit of numbers.
 */
#include "many/merge/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#define HOUR_NS UINT64_C(3600000000000)

static void check_source(const struct merge_source *s)
{
    for (int op = 0; op < OPERATIONS; op++) {
        const struct latency_buckets *l = &s->op[op].latency;
        uint64_t n = l->over;
        for (size_t i = 0; i < l->used; i++) {
            FUZZ_CHECK(!i || l->bucket[i] > l->bucket[i - 1], "buckets out of order");
            FUZZ_CHECK(l->bucket[i] < HISTOGRAM_BUCKETS && l->count[i], "a bucket that is none");
            n += l->count[i];
        }
        FUZZ_CHECK(n == l->n, "buckets that are not all I/Os");
        FUZZ_CHECK(!n || l->min <= l->max, "the least is greater than the greatest");
    }
    FUZZ_CHECK(s->begin_ns <= s->end_ns, "an end before its begin");
    FUZZ_CHECK(s->bin_error >= 0 && s->bin_error <= 1, "an error of bins that makes no sense");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {MEMORY_FILE, MEMORY_FILE "_008,016_q2c.dat"};
    struct merge *m = NULL;
    struct err e = {0};
    if (!size)
        return 0;
    const struct merge_plan plan = {.inputs = &names[data[0] >> 1 & 1],
                                    .input_count = 1,
                                    .interval_ns = data[0] & 1 ? HOUR_NS : 0,
                                    .hdr_unit_ns = data[0] & 4 ? 1000 : 0};
    memory_file_set(0, data + 1, size - 1);
    if (merge_run(&m, &plan, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a file refused without a reason");
        return 0;
    }
    for (size_t i = 0; i < m->source_count; i++)
        check_source(&m->sources[i]);
    for (int op = 0; op < OPERATIONS; op++) {
        uint64_t in_time = 0, in_sources = 0;
        for (size_t i = 0; i < m->timeline.count; i++)
            in_time += m->timeline.intervals[i]->op[op].n;
        for (size_t i = 0; i < m->source_count; i++)
            in_sources += m->sources[i].op[op].latency.n;
        FUZZ_CHECK(in_time == in_sources, "I/Os that got lost");
    }
    merge_free(m);
    return 0;
}
