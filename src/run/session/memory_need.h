/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the memory that a session needs with the memory that this process may still use,
 * before any of it is allocated: a kernel that promises more than it has would kill the process
 * in the middle of the run.
 *
 * The available memory is the smallest of three numbers: MemAvailable of /proc/meminfo;
 * memory.max of the control group and of all above it (memory.limit_in_bytes of the first
 * version), minus the used memory that they would not free at once (memory.current without
 * inactive_file); the limit on the address space (ulimit -v), minus the mapped part. A file that
 * cannot be read sets no limit. No state; any thread may call these functions.
 */
#ifndef CUPEL_RUN_SESSION_MEMORY_NEED_H
#define CUPEL_RUN_SESSION_MEMORY_NEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan/plan.h"

struct memory_room {
    uint64_t bytes;    /* available bytes; UINT64_MAX: not known */
    const char *limit; /* name of what sets the limit: "MemAvailable" */
};

/* Finds the memory that this process may still use, and what limits it. `root` is "" for this
   machine, or a folder with a tree like its own, for tests. */
struct memory_room memory_room_find(const char *root);

/*
 * Checks whether `bytes` of memory are available; most of them are buffers of the plan.
 * ERR_MACHINE: they are not; the message has both amounts and what to do. Otherwise, if the need is
 * more than a quarter of the available memory, `words` becomes a notice for the user; else "".
 */
int memory_need_check(uint64_t bytes, const struct plan *plan, const struct memory_room *room,
                      char *words, size_t size, struct err *e);

#endif
