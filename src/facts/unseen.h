/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the machine that cannot be seen, for example in a jail without /sys: facts of the
 * node "machine" that exist only if something cannot be seen. hw/machine/unseen.c adds them. Code
 * that reports a machine as idle, or as not degraded, checks this first.
 *
 *   key         if it exists, nothing is known about
 *   sysfs       devices, links, disks and sensors
 *   procfs      processors and memory
 *   proc_stat   the load of other programs on the processors
 *
 * The fact's source is the path that is missing: "/sys" is not mounted, "/sys/devices" is hidden.
 */
#ifndef CUPEL_FACTS_UNSEEN_H
#define CUPEL_FACTS_UNSEEN_H

#include <stdbool.h>

#include "facts/inventory.h"

#define UNSEEN_DEVICES "sysfs"
#define UNSEEN_MACHINE "procfs"
#define UNSEEN_LOAD    "proc_stat"

#define UNSEEN_BYTES 240

/* Is there such a fact? */
bool unseen(const struct inventory *v, const char *key);

/* Writes what cannot be seen, "/sys and /proc are not mounted", in all or for one `key`; "" if
   everything is seen. Returns `to`. */
char *unseen_words(const struct inventory *v, const char *key, char to[UNSEEN_BYTES]);

/* "mount it (mount -t sysfs sys /sys), ..." for what is not mounted; "" when all is seen. */
char *unseen_remedy(const struct inventory *v, char to[UNSEEN_BYTES]);

/*
 * What the reader of a measurement must know: "whether other programs ran cannot be seen here:
 * /proc is not mounted". `load_unknown`: /proc/stat counts nothing. "" when there is nothing to
 * say.
 */
#define UNSEEN_NOTE_BYTES 480
char *unseen_note(const struct inventory *v, bool load_unknown, char to[UNSEEN_NOTE_BYTES]);

#endif
