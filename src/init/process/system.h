/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What process 1 must do because nobody else does: mount the kernel's filesystems, reap children,
 * run one, switch off.
 *
 * system_mount and system_end are for a machine of our own: they refuse (ERR_MACHINE) unless
 * system_is_ours(). Kernel modules: /proc/sys/kernel/modprobe is left alone. It names a program
 * that the image does not have, so whatever is needed is loaded by name (init/module/modules.h),
 * and a module that the kernel asks for itself is not found, quickly.
 */
#ifndef CUPEL_INIT_PROCESS_SYSTEM_H
#define CUPEL_INIT_PROCESS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

/* This is process 1 and the root folder is in memory: the live image, and not a container, whose
   process 1 must not touch what belongs to its host. */
bool system_is_ours(void);

/*
 * /proc, /sys, /dev (devtmpfs), /dev/pts, /run, /tmp; debugfs, tracefs and securityfs where the
 * kernel has them; stdin, stdout, stderr on /dev/console. What is mounted already is left. Kernel
 * messages stay off the consoles (/dev/kmsg has them; ignore_loglevel on the kernel's command line
 * shows them nevertheless). The host name is "cupel" unless the kernel was given one. SIGINT is
 * blocked from here on and means Ctrl-Alt-Del: console_key reports it.
 */
int system_mount(struct err *e);

/* The kernel's command line as text; *text is freed by the caller with text_free. */
int system_command_line(struct text *text, struct err *e);

/*
 * Run `function(context)` in a child process, which has a session of its own, an empty stdin, no
 * signal blocked and all of them at their defaults. `output` is called with everything it
 * writes to stdout and stderr, `interrupt` about ten times a second (the console is looked at
 * there; true sends the child's process group SIGINT, a second time SIGKILL); either may be NULL.
 *
 * After `seconds` it is sent SIGINT, and SIGKILL when that did not end it within 20 s.
 *
 * Returns its exit status, 128 + the signal that killed it, or -1 with the error: ERR_MACHINE when
 * it cannot be started, ERR_TARGET when even SIGKILL did not end it within 10 s (a device does not
 * answer; it is left behind). When it ends, what it started and left in its process group is
 * killed. In process 1 other children that end meanwhile are reaped.
 */
struct system_child {
    int (*function)(void *context);
    void *context;
    void (*output)(void *sink, const char *text, size_t length);
    bool (*interrupt)(void *sink);
    void *sink;
    double seconds; /* how long it may take; 0: as long as it likes */
    bool *overdue;  /* set to whether that was not enough; may be NULL */
};
int system_run(const struct system_child *child, struct err *e);

/*
 * A question that may never be answered (opening a disk, looking at all of the machine): a child
 * process asks, and process 1, which must not hang, waits for a limited time. `function` runs in
 * the child with all signals at their defaults, and fills `answer`; its `size` bytes are then
 * copied to the caller's own `answer`, which stays as it was unless CHILD_ANSWERED. Nothing else
 * that `function` changes is seen by the caller. A child left running is reaped by system_run.
 */
enum child_status {
    CHILD_ANSWERED,
    CHILD_FAILED, /* no child, no memory, it died, or its answer has another length */
    CHILD_SILENT, /* the time was over: it was killed, or left running where that takes no effect */
};
enum child_status child_ask(void (*function)(void *context, void *answer), void *context,
                            void *answer, size_t size, unsigned milliseconds);

/* In a child: every signal has its default effect, and none is blocked. */
void child_clear_signals(void);

enum system_end { SYSTEM_POWER_OFF, SYSTEM_REBOOT, SYSTEM_HALT };

/* End all other processes, unmount what can be (read-only where it cannot), for at most 30 s, for a
   device may not answer; switch off. Returns only when it is refused. */
int system_end(enum system_end how, struct err *e);

#endif
