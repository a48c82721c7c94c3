/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks: two runs that change one setting would take it away from each other, and the one that ends
 * last would restore what the other had set. So a run locks the file of each setting that it was
 * asked for: for itself alone where it changes the value; together with others where the value is
 * in force already, so that nobody changes it under them.
 *
 * A lock (flock) belongs to the open file, which the keeper shares: it lasts until the keeper has
 * restored, also when the run is killed. Only runs of cupel look at it: other programs may write.
 */
#ifndef CUPEL_HW_KNOB_LOCK_H
#define CUPEL_HW_KNOB_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "hw/knob.h"

/* One file that is held; knob.h names the list only. */
struct knob_lock {
    const char *path; /* a string of the pool */
    int fd;
};

/* Make room for so many locks, and let the process have as many more files open. ERR_MACHINE. */
int knob_locks_reserve(struct knobs *k, size_t count, struct err *e);

/* Lock a file together with others, or for this run alone when it is held already. ERR_UNSAFE:
   another run holds it; ERR_MACHINE: it cannot be locked. A file that cannot be opened is left to
   the one who reads it: it is not held then. */
int knob_lock_share(struct knobs *k, const char *path, struct err *e);
int knob_lock_alone(const struct knobs *k, const char *path, struct err *e);

bool knob_is_locked(const struct knobs *k, const char *path);

/* Everything is restored: others may have the files, whoever still shares them with us. */
void knob_locks_open(const struct knobs *k);

/* Let go of the files: the locks last for as long as the keeper has them. */
void knob_locks_close(struct knobs *k);

#endif
