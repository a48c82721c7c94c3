/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that a session takes, held against the memory that this process may still have, before
 * any of it is taken: a kernel that promises more than it has ends the process in the middle.
 *
 * The room: MemAvailable of /proc/meminfo; memory.max of the control group and of all above it
 * (memory.limit_in_bytes of the first version), less the part in use that they would not give back
 * at once (memory.current without inactive_file); the limit on the address space (ulimit -v), less
 * what is mapped. A file that cannot be read limits nothing. No state: any thread.
 */
#ifndef CUPEL_RUN_SESSION_MEMORY_NEED_H
#define CUPEL_RUN_SESSION_MEMORY_NEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan/plan.h"

struct memory_room {
    uint64_t bytes;    /* UINT64_MAX: nothing is known */
    const char *limit; /* what sets it, in words: "MemAvailable" */
};

/* `root` is "" for this machine, or a folder with a tree like its own, for tests. */
struct memory_room memory_room_find(const char *root);

/*
 * Is there room for `bytes`, most of which are buffers of the plan? ERR_MACHINE: no, with both
 * amounts and what to do. Else `words` is a notice for the user, when it is more than a quarter
 * of the room, or "".
 */
int memory_need_check(uint64_t bytes, const struct plan *plan, const struct memory_room *room,
                      char *words, size_t size, struct err *e);

#endif
