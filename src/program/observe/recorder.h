/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recording: the I/O of an unmodified program and its children, of running processes, of a control
 * group, of all processes except this one, or of a device, by the kernel's own events
 * (src/program/observe/tracepoint). Neither the machine nor the programs are changed, and nothing
 * is left when this process is killed.
 *
 * An I/O counts in BPS (He, Sun, Yin, section III) with the bytes that it requested, no matter
 * whether it moved all, some or none of them, or failed. This includes every call on a file or
 * block device; for readv and the like the bytes are the sum of the vectors. A read at the file's
 * end is such an attempt, but not an I/O otherwise. Where the length is only a limit (sendfile,
 * copy_file_range, splice), or could not be read, the bytes that were moved count instead, and a
 * note says how often. A call on a descriptor without a file (EBADF) requests nothing. The sum of
 * all bytes is divided by 512 once.
 *
 * The response time of a system call is the time from its begin to its end; of an io_uring request,
 * from when the kernel takes it to when it reports the result; of an io_submit request, from that
 * call to when io_getevents returns it; for a device, from issue to completion. The busy time is
 * the union of all of these.
 */
#ifndef CUPEL_PROGRAM_OBSERVE_RECORDER_H
#define CUPEL_PROGRAM_OBSERVE_RECORDER_H

#include <sys/types.h>

#include "base/err.h"
#include "facts/recording.h"

#define RECORDING_BUFFER_MAX (1 << 30)

#define RECORDING_PROCESSES_MAX 64

/* Exactly one of command, process, cgroup, everyone and device is given. */
struct recording_plan {
    char *const *command; /* ended by NULL */
    struct {
        pid_t number[RECORDING_PROCESSES_MAX];
        size_t count;
    } process;
    const char *cgroup; /* an absolute path, or one below the mount point of version 2 groups */
    bool everyone;
    const char *device;    /* path of the device */
    double seconds;        /* duration, if no command is recorded; 0: until a signal or the end */
    const char *trace;     /* file for the trace; NULL: no trace is kept */
    bool output_to_errors; /* the program's standard output goes to standard error */
    /* size for each processor, a power of two of at least 64 KiB; 0: chosen by the size of memory
     */
    uint64_t buffer_bytes;
    struct labels labels; /* the user's labels */
    const char *tracefs;  /* mount point of tracefs; NULL: it is searched for */
    /* Called many times a second during the recording, by the recording thread; or NULL. */
    void (*progress)(void *context, double seconds);
    void *context;
    /* does not keep processors awake: see program/observe/tracepoint/tracepoint.h */
    bool let_sleep;
};

struct recorder;

/*
 * Makes a recording. ERR_USAGE: no such device, program or process, or the trace's file exists;
 * ERR_MACHINE: this kernel cannot do it, or it is not permitted. The plan must outlive the
 * recording; the caller frees the recorder in every case.
 *
 * For running processes an I/O counts if both its begin and its end lie in the recording. The
 * recording ends when all named processes have ended, even if children still run, or when the
 * control group is removed. A process belongs to the groups that it is in at that instant, and to
 * those above them. No process is ever stopped or sent a signal.
 *
 * SIGINT, SIGTERM and SIGHUP end a recording, unless it is of a command: then the signals are
 * passed on to the command, and the recording ends with it. Signals from the terminal are not
 * passed on, because the terminal sends them to both. A second signal ends the recording and leaves
 * the program alone.
 */
int recorder_run(struct recorder **r, const struct recording_plan *plan, struct err *e);
const struct recording *recording_of(const struct recorder *r);

/* Returns 0, or -1 although the recording is valid: ERR_TARGET: its trace could not be written
   completely; ERR_UNDECIDED: so many events were lost that it has no rates. */
int recorder_status(const struct recorder *r, struct err *e);

void recorder_free(struct recorder *r);

#endif
