/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of the machine's inventory that a session keeps: general nodes, every part of the
 * target's data path, and the sensors of both.
 */
#ifndef CUPEL_RUN_WATCH_HARDWARE_H
#define CUPEL_RUN_WATCH_HARDWARE_H

#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"

/* Where the data path begins. Zeros: there is no target. */
struct hardware_target {
    dev_t device;               /* a block device, or that of `file` */
    const char *file;           /* or NULL */
    struct data_path_host host; /* of another machine */
};

/*
 * Look at the machine, find the path of the target, and put the part that is kept into the empty
 * inventory `kept`, whose owner is the caller. The path's nodes are those of `kept`. `remote`
 * continues it, where one is open. ERR_MACHINE when memory runs out; ERR_USAGE when the path has no
 * such other end.
 */
int hardware_look(struct inventory *kept, struct data_path *path, const struct sysroot *root,
                  const struct hardware_target *target, const struct remote_end *remote,
                  struct err *e);

/*
 * All of the machine as it is now, into an empty inventory, for changes_find: of a target that has
 * gone there is no path, while most parts of it are still there. ERR_MACHINE likewise.
 */
int hardware_look_again(struct inventory *now, const struct sysroot *root,
                        const struct hardware_target *target, const struct remote_end *remote,
                        struct err *e);

/* What the first of several looks found. Zeros: nothing yet. Owner of `kept`: whoever has it. */
struct hardware_seen {
    bool known;
    struct inventory kept;
    struct data_path path;
};

/* hardware_look the first time, and from then on what it found; with `seen` NULL each time. */
int hardware_see(struct hardware_seen *seen, struct inventory *kept, struct data_path *path,
                 const struct sysroot *root, const struct hardware_target *target,
                 const struct remote_end *remote, struct err *e);

#endif
