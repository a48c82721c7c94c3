/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel record: the I/O of a program or a device, by the kernel's own events. The option rows are
   in record_options.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_identity.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "report/application/application.h"

/* Made before the recording, so that a name that is not possible is told before the program runs.
   -1 in *fd: the report goes to standard output. */
static int open_report(const struct record_options *o, int *fd, struct err *e)
{
    *fd = -1;
    if (!o->report[0])
        return 0;
    *fd = open(o->report, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*fd < 0)
        return err_set(e, ERR_USAGE, "%s: the report cannot be made: %s", o->report,
                       strerror(errno));
    return 0;
}

static int write_report(const struct application *a, const struct record_options *o, int fd,
                        struct err *e)
{
    struct report_style style = output_style();
    struct text out = {0};
    if (fd >= 0)
        style.colour = false;
    application_sink_find(o->format)->print(a, &style, &out);
    if (fd < 0 || out.failed)
        return output_text(&out, e);
    int status = write_all(fd, out.data, out.length, o->report, e);
    text_free(&out);
    return status;
}

static int record_and_tell(const struct record_options *o, int report, struct err *e)
{
    struct recording *recording;
    int status = application_record(&recording, &o->plan, e);
    if (!status)
        status = write_report(recording_application(recording), o, report, e);
    if (!status)
        status = recording_status(recording, e);
    recording_free(recording);
    return status;
}

static int run_record(const struct option_set *set, struct err *e)
{
    struct record_options o;
    int report;
    if (record_options_read(set, &o, e) || open_report(&o, &report, e))
        return -1;
    int status = record_and_tell(&o, report, e);
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
    effect->starts_program = set->behind_count > 0;
    return record_options_read(set, &o, e);
}

const struct command command_record = {
    .name = "record",
    .operands = "-- CMD...",
    .summary = "record the I/O of a program, or of a device",
    .description =
        (const char *const[]){
            "Runs CMD and records its I/O and that of its children, without changing them: the "
            "system calls on files and block devices with their response times, and the requests "
            "that reached the devices meanwhile. The report has BPS (512-byte blocks over the "
            "union of the time with I/O in flight, of all processes together), IOPS, bandwidth and "
            "response times of both, so that the page cache and readahead show. With -o every I/O "
            "is kept in a trace.",
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
            "Requests through io_uring count like calls. I/O through io_submit and mapped memory "
            "is "
            "counted where it reaches the devices; the report says that there was such I/O. A "
            "failure of CMD is a warning, the record stands.",
            NULL},
    .options = record_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel record -- tar -cf /dev/null /usr",
             "What tar asks for, and what the disk does."},
            {"cupel record -o make.trace -- make -j8", "All processes of a build, with a trace."},
            {"cupel record -o db.trace --device /dev/nvme0n1 --for 10s", "A disk, for 10 seconds."},
            {"cupel record --report io.txt -- pg_dump db >db.sql",
             "The program's output stays its own."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Recorded, whatever the exit status of CMD."},
            {"2", "Wrong options, no such device, or a TRACE or FILE that exists."},
            {"4", "CMD cannot be started, or the trace or report could not be written whole."},
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
