/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Giving a module to the kernel: at once, or in a thread of its own. The call returns only when the
 * module's drivers have looked at their devices and everything that the kernel probes meanwhile is
 * done (async_synchronize_full, Linux 5.17 and later): seconds for a RAID controller, for ever for
 * a broken one. So modules with devices go in side by side, and what is under way tells that
 * the kernel is still probing.
 */
#ifndef CUPEL_INIT_MODULE_INSERT_H
#define CUPEL_INIT_MODULE_INSERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A file as it is, or compressed (.gz, .xz, .zst) for a kernel that can unpack it. -errno. With
   "async_probe" among its parameters the call does not wait for what is being probed. */
int module_insert(const char *path, const char *parameters);

/* Has it begun to work, so that what needs it can be inserted? Before module_insert returns it has:
   the kernel then waits for what is being probed. */
bool module_is_live(const char *name);

struct module_insertions {
    int fd, thread_fd; /* `fd` is readable when one is done */
    unsigned under_way;
};

struct module_inserted {
    uint32_t module;
    int result; /* 0 or -errno */
};

int module_insertions_open(struct module_insertions *i, struct err *e);
/* What is under way goes on; two descriptors stay open for it then. */
void module_insertions_close(struct module_insertions *i);

/* module_insert in a thread; `module` comes back with the result. False: could not be started. */
bool module_insertions_start(struct module_insertions *i, uint32_t module, const char *path,
                             const char *parameters);

/* One that is done; waits for one for so long (0: only looks). False: none is done, or none is
   under way. */
bool module_insertions_take(struct module_insertions *i, unsigned milliseconds,
                            struct module_inserted *done);

#endif
