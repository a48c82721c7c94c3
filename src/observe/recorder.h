/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recording: the I/O of an unmodified program with its children, of processes that run already, of
 * a control group, of all processes but this one, or of a device, by the kernel's own events
 * (src/observe/tracepoint). Nothing of the machine or the programs is changed, and nothing stays
 * when this process is killed.
 *
 * How an I/O counts in BPS (He, Sun, Yin, section III): with the bytes that it asked for, whether
 * it moved all of them, some or none, or failed: every call on a file or block device, of readv and
 * the like the sum of its vectors. A read that finds the file's end is such an attempt, but no I/O
 * otherwise. Where the length is only a limit (sendfile, copy_file_range, splice), or could not be
 * read, the bytes that were moved count in its place, and a note says how often. A descriptor that
 * stands for no file (EBADF) asks for nothing. All bytes together are divided by 512 once.
 *
 * The response time is from the call's begin to its end, for a request of io_uring from when the
 * kernel takes it to when it reports the result, for one of io_submit from that call to when
 * io_getevents returned it, for a device from issue to completion; the busy time is the union of
 * all of these.
 */
#ifndef CUPEL_OBSERVE_RECORDER_H
#define CUPEL_OBSERVE_RECORDER_H

#include <sys/types.h>

#include "base/err.h"
#include "facts/recording.h"

#define RECORDING_BUFFER_MAX (1 << 30)

#define RECORDING_PROCESSES_MAX 64

/* One of command, process, cgroup, everyone and device is given. */
struct recording_plan {
    char *const *command; /* ended by NULL */
    struct {
        pid_t number[RECORDING_PROCESSES_MAX];
        size_t count;
    } process;
    const char *cgroup; /* absolute, or below where groups of version 2 are mounted */
    bool everyone;
    const char *device;    /* its path */
    double seconds;        /* how long, other than of a command; 0: until a signal or the end */
    const char *trace;     /* where the trace goes; NULL: none is kept */
    bool output_to_errors; /* the program's standard output goes to standard error */
    uint64_t buffer_bytes; /* for each processor, a power of two of at least 64 KiB; 0: by memory */
    struct labels labels;  /* what a person says of it */
    const char *tracefs;   /* NULL: found */
    /* Called now and then while it records, from the thread that does; or NULL. */
    void (*progress)(void *context, double seconds);
    void *context;
    bool let_sleep; /* processors may sleep: see observe/tracepoint/tracepoint.h */
};

struct recorder;

/*
 * Record from begin to end. ERR_USAGE: no such device, program or process, or the trace's file
 * exists; ERR_MACHINE: this kernel or permission cannot do it. The plan must outlive the recording,
 * whose recorder the caller frees in every case.
 *
 * Of processes that run already, an I/O counts whose begin and end both lie in the recording, which
 * ends when all of the named ones have ended, their children or not, or when the control group is
 * removed. A process belongs to the groups that it is in at that instant, and to those above them.
 * None is ever stopped or sent a signal.
 *
 * SIGINT, SIGTERM and SIGHUP end a recording, unless it is of a command: then they are passed on to
 * it, but for those of its terminal, which sends them to both; the recording ends with the program.
 * A second one ends the recording and leaves the program alone.
 */
int recorder_run(struct recorder **r, const struct recording_plan *plan, struct err *e);
const struct recording *recording_of(const struct recorder *r);

/* -1 with ERR_TARGET: the recording stands, but its trace could not be written whole; with
   ERR_UNDECIDED: too many events were lost for any rate. */
int recorder_status(const struct recorder *r, struct err *e);

void recorder_free(struct recorder *r);

#endif
