/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of cupel record from several hosts as one system: blocks over the union of the time in
   flight, by the hosts' clocks; which events count for a program and for a device, and lost events.
   */
#include "source/trace/cupel_trace_write.h"
#include "tests/unit/merge_files.h"

#define MS   1000000u
#define WALL 1800000000000000000u

static struct trace_writer *writer(const char *name)
{
    struct trace_writer *w = NULL;
    CHECK_INT(trace_writer_create(&w, in_merge_folder(name), &merge_error), 0);
    return w;
}

static void host_is(struct trace_writer *w, const char *name, unsigned char boot)
{
    struct host_identity host = {.boot = {boot}, .boot_known = true};
    snprintf(host.name, sizeof host.name, "%s", name);
    trace_writer_host(w, &host);
}

static void clock_is(struct trace_writer *w, uint64_t time_ns, uint64_t wall_ns, int64_t error_ns)
{
    trace_writer_clock(w, &(struct trace_clock){time_ns, wall_ns, error_ns});
}

static void event(struct trace_writer *w, enum operation op, uint64_t begin_ms, uint64_t length_ms,
                  uint32_t bytes)
{
    const struct trace_event e = {.time_ns = begin_ms * MS,
                                  .response_ns = length_ms * MS,
                                  .length = bytes,
                                  .op = (uint8_t)op & 3,
                                  .level = TRACE_SYSCALL};
    trace_writer_event(w, &e);
}

/* A program on a host: I/O in flight from 1 to 5, 10 to 11, 20 to 21 and 22 to 24 ms. */
static void write_program(void)
{
    struct trace_writer *w = writer("/a.trace");
    host_is(w, "node1", 1);
    clock_is(w, 0, WALL, 1000);
    trace_writer_device(w, 0, "/data/file", 1 << 20);
    trace_writer_note(w, "recorded on node1");
    trace_writer_note(w, "./app");
    event(w, OPERATION_READ, 1, 2, 4096);
    event(w, OPERATION_WRITE, 2, 3, 700);
    const struct trace_event failed = {
        .time_ns = 10 * MS, .response_ns = MS, .length = 512, .level = TRACE_SYSCALL, .failed = 1};
    trace_writer_event(w, &failed);
    const struct trace_event attempt = {.time_ns = 20 * MS, .response_ns = MS, .length = 312};
    trace_writer_attempt(w, &attempt);
    event(w, OPERATION_SYNC, 22, 2, 0);
    const struct trace_event request = {
        .time_ns = 2 * MS, .response_ns = 90 * MS, .length = 1 << 20};
    trace_writer_event(w, &request); /* at the device level; only the program's calls count */
    clock_is(w, 1000 * MS, WALL + 1000 * MS, 500);
    CHECK_INT(trace_writer_close(w, &merge_error), 0);
}

static void write_other(int64_t error_ns)
{
    struct trace_writer *w = writer("/b.trace");
    host_is(w, "node2", 2);
    clock_is(w, 1 * MS, WALL + 4 * MS, error_ns); /* 3 ms later */
    trace_writer_device(w, 0, "/data/other", 1 << 20);
    event(w, OPERATION_READ, 0, 4, 8192);
    clock_is(w, 1000 * MS, WALL + 1003 * MS, error_ns);
    CHECK_INT(trace_writer_close(w, &merge_error), 0);
}

static void test_one(void)
{
    write_program();
    struct merge *m = merge_file(in_merge_folder("/a.trace"));
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->format, "cupel trace");
    CHECK_STR(s->host, "node1");
    CHECK_STR(s->label, "./app");
    CHECK_INT(s->clock_error_ns, 1000);
    CHECK_INT(s->time, TIME_ABSOLUTE);
    CHECK_INT(s->busy_ns, 8 * MS);
    CHECK_INT(s->asked_bytes, 4096 + 700 + 512 + 312);
    CHECK_INT(s->op[OPERATION_READ].sum.ios, 1);
    CHECK_INT(s->op[OPERATION_READ].sum.errors, 1);
    CHECK_INT(s->op[OPERATION_WRITE].sum.bytes, 700);
    CHECK_INT(s->op[OPERATION_WRITE].latency.max, 3 * MS);
    CHECK_INT(s->op[OPERATION_SYNC].sum.ios, 1);
    CHECK_INT(s->op[OPERATION_SYNC].sum.bytes, 0);
    CHECK_INT(s->op[OPERATION_SYNC].latency.max, 2 * MS);
    CHECK_INT(s->begin_ns, WALL + MS);
    CHECK(!s->cut_short && !s->damaged);
    merge_free(m);
}

static struct result_busy merged_both(struct merge **m)
{
    struct result result = {0};
    static struct merge_plan plan;
    static const char *inputs[1];
    inputs[0] = in_merge_folder("");
    plan = (struct merge_plan){.inputs = inputs, .input_count = 1};
    plan.statistics.statistics.confidence = 0.95;
    CHECK_INT(merge_run(m, &plan, &merge_error), 0);
    CHECK_INT(merge_result(*m, &result, &merge_error), 0);
    return result.merged->busy;
}

/* The other program has I/O in flight from 3 to 7 ms of the first one's time. */
static void test_both(void)
{
    struct merge *m;
    const double blocks = (4096 + 700 + 512 + 312 + 8192) / 512.0;
    write_other(2000);
    struct result_busy busy = merged_both(&m);
    CHECK_NEAR(busy.seconds, 0.010, 1e-9);
    CHECK_NEAR(busy.block_rate, blocks / 0.010, 1e-9);
    CHECK(busy.low < 0.010 && busy.low > 0.0099 && busy.high > 0.010 && busy.high < 0.0101);
    merge_free(m);
    tree_remove(&merge_folder, "/b.trace");

    write_other(-1); /* its clock is not synchronised */
    busy = merged_both(&m);
    CHECK_NEAR(busy.seconds, 0.010, 1e-9);
    CHECK_NEAR(busy.low, 0.008, 1e-9);  /* the longer one alone */
    CHECK_NEAR(busy.high, 0.012, 1e-9); /* never at once */
    merge_free(m);
    tree_remove(&merge_folder, "/b.trace");
}

/* For a device its requests count, and discards by the bytes they cover. A trace of an older cupel
   has no clock. */
static void test_device(void)
{
    struct trace_writer *w = writer("/c.trace");
    trace_writer_device(w, 0, "sdb", 1 << 30);
    struct trace_event request = {
        .time_ns = 5 * MS, .response_ns = MS, .length = 1024, .op = OPERATION_WRITE};
    trace_writer_event(w, &request);
    request.op = OPERATION_TRIM;
    request.time_ns = 8 * MS;
    trace_writer_event(w, &request);
    trace_writer_lost(w, 3);
    CHECK_INT(trace_writer_close(w, &merge_error), 0);
    struct merge *m = merge_file(in_merge_folder("/c.trace"));
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->device, "sdb");
    CHECK_INT(s->time, TIME_RELATIVE);
    CHECK_INT(s->clock_error_ns, CLOCK_ERROR_UNKNOWN);
    CHECK_INT(s->asked_bytes, 2048);
    CHECK_INT(s->op[OPERATION_TRIM].sum.ios, 1);
    CHECK_INT(s->busy_ns, 2 * MS);
    CHECK(m->note_count == 1 && strstr(m->notes[0].text, "3 events were lost"));
    merge_free(m);

    char bytes[4096];
    FILE *f = fopen(in_merge_folder("/c.trace"), "r");
    size_t length = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    m = merge_file(put_log("/cut.trace", bytes, length - 40));
    CHECK(m && m->sources[0].cut_short);
    merge_free(m);
    m = merge_file(put_log("/head.trace", bytes, 20));
    CHECK(!m || m->sources[0].cut_short);
    merge_free(m);
}

/* Impossible traces take no time and no memory. */
static void test_absurd(void)
{
    struct trace_writer *w = writer("/d.trace");
    clock_is(w, 0, WALL, 1000);
    struct trace_event long_one = {.response_ns = UINT64_MAX / 2, .length = 1};
    trace_writer_event(w, &long_one);
    CHECK_INT(trace_writer_close(w, &merge_error), 0);
    struct merge *m = merge_file(in_merge_folder("/d.trace"));
    CHECK_STR(merge_error.msg, "");
    CHECK_INT(m->sources[0].op[OPERATION_READ].sum.ios, 0);
    CHECK_INT(m->sources[0].busy_ns, 0);
    CHECK(m->note_count > 0 && strstr(m->notes[0].text, "completion was not recorded"));
    merge_free(m);

    w = writer("/e.trace");
    clock_is(w, 0, UINT64_MAX - 5, 1000);
    long_one.response_ns = 100;
    trace_writer_event(w, &long_one);
    CHECK_INT(trace_writer_close(w, &merge_error), 0);
    CHECK(!merge_file(in_merge_folder("/e.trace")));
    CHECK(strstr(merge_error.msg, "no clock shows"));
}

int main(void)
{
    tree_begin(&merge_folder);
    test_one();
    test_both();
    test_device();
    test_absurd();
    tree_end(&merge_folder);
    return check_result();
}
