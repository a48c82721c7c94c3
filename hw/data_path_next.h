/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of the data path: from a part to those nearer to the processor. */
#ifndef CUPEL_HW_DATA_PATH_NEXT_H
#define CUPEL_HW_DATA_PATH_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/inventory.h"
#include "hw/sysroot.h"

#define NEXT_MOST 96

struct next {
    int nodes[NEXT_MOST];        /* without repeats; of a bond its active member first */
    bool writes_only[NEXT_MOST]; /* a member that an array is rebuilding: nothing is read of it */
    size_t count;                /* 0 at the machine */
    bool unknown;                /* data go elsewhere too, where the inventory does not tell */
};

/*
 * The legs below `node`: members of volumes, arrays, bonds and bridges, the file's filesystem below
 * a loop device, the network interface to a server, and for all else what it hangs on. `device` is
 * the number of the block device below `node` when it is a filesystem; 0: as the mounts tell it.
 * Filesystem and remote nodes may be added to the inventory.
 */
void data_path_next(struct next *next, const struct sysroot *root, struct inventory *v, int node,
                    dev_t device);

#endif
