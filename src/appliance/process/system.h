/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The duties of process 1: mounting the kernel's filesystems, reaping children, running a child,
 * switching off.
 *
 * system_mount and system_end are for a machine of our own: they refuse (ERR_MACHINE) unless
 * system_is_ours(). Kernel modules: /proc/sys/kernel/modprobe is left alone. It names a program
 * that the image does not have, so needed modules are loaded by name (appliance/module/modules.h),
 * and the kernel's own requests for modules fail quickly.
 */
#ifndef CUPEL_APPLIANCE_PROCESS_SYSTEM_H
#define CUPEL_APPLIANCE_PROCESS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* Returns whether this is process 1 with the root folder in memory: the live image. Process 1 of a
   container must not touch anything of its host. */
bool system_is_ours(void);

/*
 * Mounts /proc, /sys, /dev (devtmpfs), /dev/pts, /run, /tmp; debugfs, tracefs and securityfs where
 * the kernel has them; opens stdin, stdout, stderr on /dev/console. Existing mounts are kept.
 * Kernel messages do not appear on the consoles (/dev/kmsg has them; ignore_loglevel on the
 * kernel's command line shows them anyway). The host name becomes "cupel" unless the kernel was
 * given one. SIGINT is blocked from here on and means Ctrl-Alt-Del: console_key reports it.
 */
int system_mount(struct err *e);

/* Reads the kernel's command line; the caller frees *text with text_free. */
int system_command_line(struct text *text, struct err *e);

/*
 * Runs `function(context)` in a child process, which has a session of its own, an empty stdin, and
 * all signals unblocked with their default effects. `output` is called with everything that the
 * child writes to stdout and stderr. `interrupt` is called about ten times a second (the console is
 * checked there); when it returns true, the child's process group is sent SIGINT, the second time
 * SIGKILL. Both may be NULL.
 *
 * After `seconds` the child is sent SIGINT, and SIGKILL if it has not ended 20 s later.
 *
 * Returns the child's exit status, 128 + the signal that killed it, or -1 with the error:
 * ERR_MACHINE if it cannot be started, ERR_TARGET if even SIGKILL did not end it within 10 s (a
 * device does not answer; the child is left running). When it ends, all processes that are left in
 * its process group are killed. In process 1 other children that end meanwhile are reaped.
 */
struct system_child {
    int (*function)(void *context);
    void *context;
    void (*output)(void *sink, const char *text, size_t length);
    bool (*interrupt)(void *sink);
    void *sink;
    double seconds; /* time limit; 0: no limit */
    bool *overdue;  /* set to whether the time limit was exceeded; may be NULL */
};
int system_run(const struct system_child *child, struct err *e);

/*
 * Asks a question that may never be answered (opening a disk, examining the whole machine). A child
 * process asks, and process 1, which must not hang, waits for a limited time. `function` runs in
 * the child with all signals at their defaults, and fills `answer`. Its `size` bytes are then
 * copied to the caller's `answer`, which stays unchanged unless the status is CHILD_ANSWERED. Other
 * changes that `function` makes stay in the child. A child that is left running is reaped by
 * system_run.
 */
enum child_status {
    CHILD_ANSWERED,
    CHILD_FAILED, /* no child, no memory, the child died, or the answer has another length */
    CHILD_SILENT, /* the time was over: the child was killed, or left running where killing has no
                     effect */
};
enum child_status child_ask(void (*function)(void *context, void *answer), void *context,
                            void *answer, size_t size, unsigned milliseconds);

enum system_end { SYSTEM_POWER_OFF, SYSTEM_REBOOT, SYSTEM_HALT };

/* Ends all other processes, unmounts filesystems (read-only if that fails) within at most 30 s,
   because a device may not answer; then switches off. Returns only on failure. */
int system_end(enum system_end how, struct err *e);

#endif
