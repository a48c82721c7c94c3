/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What process 1 must do because nobody else does: mount the kernel's filesystems, reap children,
 * run one, switch off. system_* functions are for process 1 on a machine of its own and refuse to
 * do anything else (ERR_MACHINE) when this is not process 1.
 */
#ifndef CUPEL_INIT_SYSTEM_H
#define CUPEL_INIT_SYSTEM_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

/* /proc, /sys, /dev (devtmpfs), /dev/pts, /run, /tmp, debugfs and tracefs where there are; stdin,
   stdout, stderr on /dev/console. What is mounted already is left. */
int system_mount(struct err *e);

/* The kernel's command line as text; *text is freed by the caller with text_free. */
int system_command_line(struct text *text, struct err *e);

/*
 * Run `function(context)` in a child process, with `output` called with everything it writes to
 * stdout and stderr, `keys` several times a second (the console is looked at there; it returns true
 * to send the child SIGINT, a second time SIGKILL). Returns its exit status, 128 + the signal that
 * killed it, or -1 with the error. Other children that end meanwhile are reaped.
 */
struct system_child {
    int (*function)(void *context);
    void *context;
    void (*output)(void *sink, const char *text, size_t length);
    bool (*interrupt)(void *sink);
    void *sink;
};
int system_run(const struct system_child *child, struct err *e);

enum system_end { SYSTEM_POWER_OFF, SYSTEM_REBOOT, SYSTEM_HALT };

/* Sync, unmount what can be, switch off. Returns only when the kernel refused. */
int system_end(enum system_end how, struct err *e);

#endif
