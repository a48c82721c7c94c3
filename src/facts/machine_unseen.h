/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the machine that cannot be seen, for example in a jail without /sys: facts of the
 * node "machine" that exist only if something cannot be seen. hw/machine/machine_unseen.c adds
 * them. Code that reports a machine as idle, or as not degraded, checks this first.
 *
 *   key         if this fact exists, nothing is known about
 *   sysfs       devices, links, disks and sensors
 *   procfs      processors and memory
 *   proc_stat   the load of other programs on the processors
 *
 * The fact's source is the missing path: "/sys" is not mounted, "/sys/devices" is hidden.
 */
#ifndef CUPEL_FACTS_MACHINE_UNSEEN_H
#define CUPEL_FACTS_MACHINE_UNSEEN_H

#include <stdbool.h>

#include "facts/inventory.h"

#define UNSEEN_DEVICES "sysfs"
#define UNSEEN_MACHINE "procfs"
#define UNSEEN_LOAD    "proc_stat"

#define UNSEEN_BYTES 240

/* Returns true if the fact `key` exists: that part of the machine cannot be seen. */
bool unseen(const struct inventory *v, const char *key);

/* Writes what cannot be seen because of one `key` (NULL: because of all): "/sys and /proc are not
   mounted"; "" if everything can be seen. Returns `to`. */
char *unseen_words(const struct inventory *v, const char *key, char to[UNSEEN_BYTES]);

/* Writes how to mount what is not mounted: "mount it (mount -t sysfs sys /sys), ..."; "" if
   everything can be seen. Returns `to`. */
char *unseen_remedy(const struct inventory *v, char to[UNSEEN_BYTES]);

/*
 * Writes what the reader of a measurement must know: "whether other programs ran cannot be seen
 * here: /proc is not mounted"; "" if there is nothing to say. `load_unknown`: /proc/stat counts
 * nothing. Returns `to`.
 */
#define UNSEEN_NOTE_BYTES 480
char *unseen_note(const struct inventory *v, bool load_unknown, char to[UNSEEN_NOTE_BYTES]);

#endif
