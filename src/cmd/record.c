/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel record: records the I/O of a program or a device from the kernel's own events. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/launch_options.h"
#include "cmd/run/session_options.h"
#include "cmd/terminal/progress_line.h"
#include "program/observe/recorder.h"
#include "report/recording/recording.h"
#include "run/plan/plan.h"

/* ---- options ---- */

#define RECORD(member) OPTION_FIELD(struct record_options, member)

const struct option_row record_option_rows[] = {
    {.section = "What is recorded",
     .name = "pid",
     .argument = "PID[,PID...]",
     .kind = OPTION_TEXT,
     RECORD(processes),
     .value_words = "the program after --",
     .help = "Record processes that run already, with all their threads and children, in place of "
             "a program. They go on as if nobody looked."},
    {.name = "cgroup",
     .argument = "PATH",
     .kind = OPTION_TEXT,
     RECORD(cgroup),
     .value_words = "the program after --",
     .help = "Record the processes of a control group (version 2) and of the groups below it, also "
             "those that come meanwhile. PATH is absolute, or below /sys/fs/cgroup."},
    {.name = "all",
     .kind = OPTION_FLAG,
     RECORD(plan.everyone),
     .help = "Record all processes but cupel itself."},
    {.name = "device",
     .argument = "DEV",
     .kind = OPTION_TEXT,
     RECORD(device),
     .value_words = "the program after --",
     .help = "Record what reaches a block device, whoever it comes from, in place of a program."},
    {.name = "for",
     .argument = "TIME",
     .kind = OPTION_TIME,
     RECORD(plan.seconds),
     .min = 0.001,
     .max = 30 * 86400,
     .value_words = "until Ctrl-C",
     .help = "How long processes or a device are recorded; with --pid at most to the end of all "
             "that were named."},
    {.name = "buffer",
     .argument = "SIZE",
     .kind = OPTION_SIZE,
     RECORD(plan.buffer_bytes),
     .min = 64 << 10,
     .max = RECORDING_BUFFER_MAX,
     .value_words = "4 MiB, less on machines with many processors and little memory",
     .help = "Memory for events of each processor, a power of two. Events that find it full are "
             "lost, and counted."},

    {.name = "awake",
     .argument = "0|1",
     .kind = OPTION_SWITCH,
     RECORD(awake),
     .value = "1",
     .help =
         "Keep the processors awake with threads that run where nobody else wants to: Linux may "
         "not report what completes while a processor sleeps. With 0 such events are lost, and "
         "counted."},

    {.section = "Output",
     .name = "output",
     .letter = 'o',
     .argument = "TRACE",
     .kind = OPTION_TEXT,
     RECORD(trace),
     .value_words = "no trace is kept",
     .help = "Keep every I/O in the file TRACE, which must not exist, to be replayed later. - is "
             "standard output, and then --report says where the report goes. " RANK_NAME_WORDS},
    {.name = "report",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     RECORD(report),
     .value_words = "standard output",
     .help = "Write the report into FILE, which must not exist, and leave standard output to the "
             "program. Otherwise the program's standard output goes to standard error."},
    {.name = "format",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     RECORD(format),
     .value = "text",
     .choices = OPTION_CHOICES({"text", 0}, {"csv", 0}, {"json", 0}, {"html", 0}),
     .help = "Form of the report."},
    {OPTION_LABEL(struct record_options, plan.labels)},
    OUTPUT_FULL_OPTION(struct record_options),
    {0},
};

/* Reads process numbers: "12,345". */
static int read_processes(struct record_options *o, struct err *e)
{
    const char *at = o->processes;
    size_t count = 0;
    while (count == 0 || *at++ == ',') {
        char *end;
        long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (number <= 0 || number > INT32_MAX || (*end != ',' && *end != '\0'))
            return err_set(e, ERR_USAGE,
                           "--pid %.60s: numbers of processes with commas between are needed",
                           o->processes);
        for (size_t i = 0; i < count; i++)
            if (o->plan.process.number[i] == (pid_t)number)
                return err_set(e, ERR_USAGE, "--pid: %ld is named twice", number);
        if (count == RECORDING_PROCESSES_MAX)
            return err_set(e, ERR_USAGE, "--pid: at most %d processes can be named",
                           RECORDING_PROCESSES_MAX);
        o->plan.process.number[count++] = (pid_t)number;
        at = end;
    }
    o->plan.process.count = count;
    return 0;
}

static int check_source(const struct option_set *set, const struct record_options *o, struct err *e)
{
    bool program = set->after_dashes_count > 0;
    const char *const sources[] = {
        program ? "a program after --" : NULL, options_given(set, "pid") ? "--pid" : NULL,
        o->cgroup[0] ? "--cgroup" : NULL, o->plan.everyone ? "--all" : NULL,
        o->device[0] ? "--device" : NULL};
    const char *source = NULL;
    if (set->operand_count > set->after_dashes_count)
        return err_set(e, ERR_USAGE, "%.60s: the program stands after --: cupel record -- %.60s",
                       set->operands[0], set->operands[0]);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (source && sources[i])
            return err_set(e, ERR_USAGE, "either %s or %s, not both", source, sources[i]);
        source = source ? source : sources[i];
    }
    if (!source)
        return err_set(e, ERR_USAGE,
                       "nothing to record: give a program after --, --pid, --cgroup, --all or "
                       "--device");
    if (program && !set->after_dashes[0][0])
        return err_set(e, ERR_USAGE, "the program's name is empty");
    if (program && options_given(set, "for"))
        return err_set(e, ERR_USAGE,
                       "--for needs --device, --pid, --cgroup or --all; a program is recorded "
                       "to its end");
    return 0;
}

int record_options_read(const struct option_set *set, struct record_options *o, struct err *e)
{
    *o = (struct record_options){0};
    if (options_store_defaults(record_option_rows, o, e) || options_store(set, o, e) ||
        check_source(set, o, e) || (options_given(set, "pid") && read_processes(o, e)))
        return -1;
    if (!strcmp(o->trace, "-") && !o->report[0])
        return err_set(e, ERR_USAGE,
                       "-o -: the trace takes standard output, so --report FILE must say where the "
                       "report goes");
    if (o->plan.buffer_bytes & (o->plan.buffer_bytes - 1))
        return err_set(e, ERR_USAGE, "--buffer: a power of two is needed: 1m, 2m, 4m");
    o->plan.command = set->after_dashes_count > 0 ? set->after_dashes : NULL;
    o->plan.let_sleep = !o->awake;
    o->plan.cgroup = o->cgroup[0] ? o->cgroup : NULL;
    o->plan.device = o->device[0] ? o->device : NULL;
    o->plan.trace = o->trace[0] ? o->trace : NULL;
    o->plan.output_to_errors = !o->report[0] || !strcmp(o->trace, "-");
    return 0;
}

/* ---- the command ---- */

static int write_report(const struct recording *a, const struct record_options *o, int fd,
                        struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    style.full = o->full || fd >= 0;
    if (fd >= 0)
        style.colour = false;
    report_print(&recording_report, a, o->format, &style, &out);
    if (fd < 0 || out.failed)
        return output_text(&out, e);
    int status = write_all(fd, out.data, out.length, o->report, e);
    text_free(&out);
    return status;
}

/* The progress display. It is not used while a command is recorded, because that command uses the
   terminal. */
struct watched {
    struct progress progress;
    double seconds; /* planned duration; 0: until a signal, or until the recorded processes end */
};

static void show_recording(void *context, double seconds)
{
    struct watched *w = context;
    const struct session_progress now = {.stage = "recording",
                                         .elapsed_seconds = seconds,
                                         .limit_seconds = INFINITY,
                                         .done_share = NAN,
                                         .bytes_rate = NAN,
                                         .mean = NAN,
                                         .rate = NAN,
                                         .left_seconds =
                                             w->seconds > 0 ? w->seconds - seconds : NAN};
    progress_show(&w->progress, &now);
}

static int run_record(const struct option_set *set, struct err *e)
{
    struct record_options o;
    int report = -1; /* file descriptor; -1: standard output */
    if (record_options_read(set, &o, e) || launch_output_name(o.trace, sizeof o.trace, e))
        return -1;
    /* The file of the report is created first, so that an impossible name is refused before the
       program runs. */
    if (o.report[0])
        report = open(o.report, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (o.report[0] && report < 0)
        return err_set(e, ERR_USAGE, "%s: the report cannot be made: %s", o.report,
                       strerror(errno));
    struct recorder *recorder;
    struct watched watched = {.seconds = o.plan.seconds};
    if (!o.plan.command) {
        progress_begin(&watched.progress, "preparing to record");
        o.plan.progress = show_recording;
        o.plan.context = &watched;
    }
    int status = recorder_run(&recorder, &o.plan, e);
    progress_end(&watched.progress);
    if (!status)
        status = write_report(recording_of(recorder), &o, report, e);
    if (!status)
        status = recorder_status(recorder, e);
    recorder_free(recorder);
    if (report >= 0) {
        off_t length = lseek(report, 0, SEEK_CUR);
        if (status && length == 0)
            file_remove(report, AT_FDCWD, o.report);
        close(report);
    }
    return status;
}

static int foresee_record(const struct option_set *set, struct command_effect *effect,
                          struct err *e)
{
    struct record_options o;
    effect->starts_program = set->after_dashes_count > 0;
    return record_options_read(set, &o, e);
}

const struct command command_record = {
    .name = "record",
    .operands = "-- CMD...",
    .summary = "record the I/O of programs, or of a device",
    .description =
        (const char *const[]){
            "Runs CMD and records its I/O and that of its children, without changing them: the "
            "system calls on files and block devices with their response times, and the requests "
            "that reached the devices meanwhile. The report has BPS (512-byte blocks over the "
            "union of the time with I/O in flight, of all processes together), IOPS, bandwidth and "
            "response times of both, so that the page cache and readahead show. With -o every I/O "
            "is kept in a trace.",
            "With --pid PID[,PID...] processes that run already are recorded, with their threads "
            "and children, until all that were named have ended, for a time (--for), or until "
            "Ctrl-C. They are not stopped, changed or sent a signal. Counted is what began and "
            "ended meanwhile; notes say how many calls were under way at the begin and at the end.",
            "With --cgroup PATH the processes of a control group are recorded in the same way, "
            "with "
            "--all those of the whole machine but cupel itself: for a time or until Ctrl-C.",
            "With --device DEV everything that reaches the block device is recorded, for a time or "
            "until Ctrl-C.",
            "The kernel's own tracing is used: tracepoints by perf_event_open, and a small program "
            "in the kernel (BPF) that notes with each call what file it is about. Nothing of the "
            "machine is changed, and nothing stays, also after kill -9. It needs root, or "
            "CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH.",
            "CMD has the standard input of cupel. Its standard output goes to standard error, "
            "because standard output carries the report; with --report FILE the program has it. "
            "Signals are passed on to CMD; the recording ends with it, also when children of it go "
            "on. What it left in the page cache is written later and not seen.",
            "BPS counts the bytes that were asked for, also by calls that failed, fell short or "
            "found "
            "the end of a file; where these are not known (sendfile, copy_file_range, splice) what "
            "was moved. When more than 1 % of the events were lost, no rates are given.",
            "Requests through io_uring count like calls, and those of io_submit (libaio), from "
            "io_submit to when io_getevents returned them. I/O through mapped memory is counted "
            "where it reaches the devices; the report says that there was such I/O. A failure of "
            "CMD is a warning, the record stands.",
            NULL},
    .options = record_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel record -- tar -cf /dev/null /usr",
             "What tar asks for, and what the disk does."},
            {"cupel record -o make.trace -- make -j8", "All processes of a build, with a trace."},
            {"cupel record --pid 4711 --for 30s", "A server that runs already, for 30 seconds."},
            {"cupel record --cgroup system.slice/nginx.service --for 1m",
             "Whatever belongs to a service."},
            {"cupel record --all --for 10s", "Who reads and writes what on this machine?"},
            {"cupel record -o db.trace --device /dev/nvme0n1 --for 10s", "A disk, for 10 seconds."},
            {"cupel record --report io.txt -- pg_dump db >db.sql",
             "The program's output stays its own."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Recorded, with any exit status of CMD."},
            {"2",
             "Wrong options, no such device or process, a CMD that cannot be started, or a TRACE "
             "or FILE that exists."},
            {"4", "The trace or report could not be written whole."},
            {"5", "Recorded, but more than 1 % of the events were lost: no rate is known."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"/sys/kernel/tracing", "The tracepoints; when it is not mounted, cupel mounts it "
                                    "where no other process sees it."},
            {"/sys/kernel/btf/vmlinux", "Where the kernel's structs have their members."},
            {0}},
    .max_operands = SIZE_MAX,
    .run = run_record,
    .foresee = foresee_record,
};
