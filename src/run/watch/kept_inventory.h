/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of the machine's inventory that a session keeps: general nodes, every part of the
 * target's data path, and the sensors of both.
 */
#ifndef CUPEL_RUN_WATCH_KEPT_INVENTORY_H
#define CUPEL_RUN_WATCH_KEPT_INVENTORY_H

#include <sys/types.h>

#include "facts/inventory.h"
#include "hw/path/data_path.h"
#include "hw/remote/remote_end.h"
#include "hw/sysroot/sysroot.h"

/* The begin of the data path. All zeros: there is no target. */
struct hardware_target {
    dev_t device;               /* a block device, or the device of `file` */
    const char *file;           /* may be NULL */
    struct data_path_host host; /* end of the path on another machine */
};

/*
 * Reads the machine's state, finds the path of the target, and copies the part that is kept into
 * the empty inventory `kept`, which belongs to the caller. The path's nodes are those of `kept`. If
 * `remote` is open, the path continues on that machine. ERR_MACHINE: no memory. ERR_USAGE: the path
 * has no such other end.
 */
int hardware_look(struct inventory *kept, struct data_path *path, const struct sysroot *root,
                  const struct hardware_target *target, const struct remote_end *remote,
                  struct err *e);

/* Reads the state of the whole machine once more, into an empty inventory, for changes_find: a
   target that is gone has no path, while most of its parts still exist. ERR_MACHINE: no memory. */
int hardware_look_again(struct inventory *now, const struct sysroot *root,
                        const struct hardware_target *target, const struct remote_end *remote,
                        struct err *e);

/* The result of the first reading, which later sessions reuse. All zeros: nothing was read yet.
   `kept` belongs to the owner of this struct. */
struct hardware_seen {
    bool known;
    struct inventory kept;
    struct data_path path;
};

/* Calls hardware_look the first time, and then returns copies of its result. If `seen` is NULL,
   calls hardware_look every time. */
int hardware_see(struct hardware_seen *seen, struct inventory *kept, struct data_path *path,
                 const struct sysroot *root, const struct hardware_target *target,
                 const struct remote_end *remote, struct err *e);

#endif
