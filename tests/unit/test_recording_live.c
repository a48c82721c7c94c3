/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of real programs by this machine's kernel: known counts, files of processes that live
   for a millisecond, the trace read back, and a buffer that is too small. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/observe/recorder.h"
#include "source/trace/trace.h"
#include "tests/unit/check.h"

static char folder[] = "/tmp/cupel-record.XXXXXX";

static char *path_in(char to[64], const char *name)
{
    snprintf(to, 64, "%s/%s", folder, name);
    return to;
}

static struct recorder *record(const char *text, const char *trace, uint64_t buffer)
{
    char script[400];
    snprintf(script, sizeof script, "%s", text);
    char *command[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, script, NULL};
    const struct recording_plan plan = {
        .command = command, .trace = trace, .buffer_bytes = buffer, .output_to_errors = true};
    struct recorder *r;
    struct err e = {0};
    if (recorder_run(&r, &plan, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        check_part_skipped(e.msg);
        recorder_free(r);
        return NULL;
    }
    bool known = recording_rates_known(recording_of(r));
    CHECK_INT(recorder_status(r, &e), known ? 0 : -1);
    CHECK(known || (e.code == ERR_UNDECIDED && strstr(e.msg, "--buffer")));
    return r;
}

static const struct recording_file *file_of(const struct recording *a, const char *name)
{
    char path[64];
    path_in(path, name);
    for (size_t i = 0; i < a->file_count; i++)
        if (!strcmp(a->files[i].name, path))
            return &a->files[i];
    return NULL;
}

static uint64_t bytes_of(const struct recording *a, const char *name, enum recording_op op)
{
    const struct recording_file *f = file_of(a, name);
    return f ? f->bytes[op] : 0;
}

/* Checks how many I/Os on the file the trace has, and that their offsets are consecutive. */
static void check_trace(const char *trace, const char *name, uint64_t count, uint64_t bytes)
{
    struct trace *t;
    struct err e;
    char path[64];
    const char *const paths[] = {trace};
    path_in(path, name);
    CHECK_INT(trace_open(&t, paths, 1, &(struct trace_options){.strict = true}, &e), 0);
    uint64_t seen = 0, sum = 0, next = 0;
    struct trace_event event;
    int got;
    while ((got = (int)trace_read(t, &event, 1, &e)) == 1) {
        if (strcmp(trace_device(t, event.device)->name, path) != 0 || event.op != OPERATION_WRITE)
            continue;
        CHECK_INT(event.offset, next);
        CHECK_INT(event.level, TRACE_SYSCALL);
        CHECK(event.response_ns > 0 && event.response_ns != TRACE_UNKNOWN && event.process > 0);
        next = event.offset + event.length;
        sum += event.length;
        seen++;
    }
    CHECK_INT(got, 0);
    CHECK_INT(seen, count);
    CHECK_INT(sum, bytes);
    trace_close(t);
}

static void test_counts(void)
{
    char trace[64];
    path_in(trace, "trace");
    struct recorder *r = record("dd if=/dev/zero of=a bs=1000 count=300 2>/dev/null; cat a a >b; "
                                "for i in 1 2 3 4 5 6 7 8 9 10; do cat b >/dev/null & done; wait; "
                                "rm -f c; cp a c; exit 7",
                                trace, 0);
    if (!r)
        return;
    const struct recording *a = recording_of(r);
    CHECK_INT(a->lost, 0);
    CHECK_INT(bytes_of(a, "a", RECORDING_READ), 900000); /* cat twice, cp once */
    CHECK_INT(bytes_of(a, "a", RECORDING_WRITE), 300000);
    CHECK_INT(file_of(a, "a") ? file_of(a, "a")->count[RECORDING_WRITE] : 0, 300);
    CHECK_INT(bytes_of(a, "b", RECORDING_WRITE), 600000);
    CHECK_INT(bytes_of(a, "b", RECORDING_READ), 6000000);
    CHECK_INT(bytes_of(a, "c", RECORDING_WRITE), 300000);
    CHECK(a->processes >= 14);
    CHECK(a->calls.busy_seconds > 0 && a->calls.busy_seconds <= a->seconds);
    bool told = false;
    for (size_t i = 0; i < a->result.note_count; i++)
        told = told || (a->result.notes[i].warning && strstr(a->result.notes[i].text, "status 7"));
    CHECK(told);
    check_trace(trace, "a", 300, 300000);
    recorder_free(r);
}

/* The smallest buffer and a program faster than any reader: losses are reported. */
static void test_losses(void)
{
    struct recorder *r = record("for i in 1 2 3; do dd if=/dev/zero of=d bs=1 count=150000 "
                                "2>/dev/null & done; wait",
                                NULL, 65536);
    if (!r)
        return;
    const struct recording *a = recording_of(r);
    const struct recording_file *f = file_of(a, "d");
    uint64_t seen = f ? f->count[RECORDING_WRITE] : 0;
    CHECK(seen > 0 && seen <= 450000);
    CHECK((a->lost > 0) == (seen < 450000));
    if (a->lost == 0)
        check_part_skipped("nothing was lost");
    else if (recording_rates_known(a))
        CHECK(a->result.note_count > 0 && strstr(a->result.notes[0].text, "lost"));
    else /* no rate that is too low is reported, and the reason appears once */
        CHECK(a->result.note_count == 0 || !strstr(a->result.notes[0].text, "were full"));
    const struct result_row *bps = result_find(&a->result, METRIC_BPS, "all");
    CHECK(bps && isnan(bps->value) == !recording_rates_known(a));
    recorder_free(r);
}

static void test_refusals(void)
{
    struct recorder *r;
    struct err e = {0};
    char *nothing[] = {(char[]){"/nowhere/program"}, NULL};
    char trace[64];
    const struct recording_plan plan = {.command = nothing, .trace = path_in(trace, "none")};
    CHECK_INT(recorder_run(&r, &plan, &e), -1);
    CHECK(e.code == ERR_USAGE || e.code == ERR_MACHINE);
    CHECK(e.code == ERR_MACHINE || strstr(e.msg, "/nowhere/program"));
    CHECK_INT(access(trace, F_OK), -1); /* no trace when nothing was recorded */
    recorder_free(r);
    const struct recording_plan of_file = {.device = "/dev/null"};
    CHECK_INT(recorder_run(&r, &of_file, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    recorder_free(r);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    test_counts();
    test_losses();
    test_refusals();
    const char *names[] = {"a", "b", "c", "d", "trace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    CHECK_INT(chdir("/"), 0);
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
