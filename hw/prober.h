/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probers: each examines one kind of hardware and adds nodes and facts to the inventory.
 *
 * A prober is one file and one row of hw/probers.h. They run in the table's order, so that the
 * parent of a device is added before it. A node's path is its folder in /sys/devices, and its
 * parent is inventory_above() of that path, or probe_top() when that finds nothing.
 *
 * A prober writes nothing to the machine, needs no privilege for what the kernel shows to
 * everybody, and turns files that it may not read into facts of status FACT_DENIED. It cannot fail:
 * a missing file gives no fact. Its input may be garbage (captured trees).
 */
#ifndef CUPEL_HW_PROBER_H
#define CUPEL_HW_PROBER_H

#include <stdbool.h>

#include "facts/inventory.h"
#include "facts/machine_unseen.h"
#include "hw/sysroot/sysroot.h"

#define PROBE_FOLDER 512

struct probe {
    const struct sysroot *root;
    struct inventory *inventory;
    /* file with device names; NULL: look in the usual places; "none": use no file */
    const char *pci_ids;
    /* file with the output of lspci, which replaces PCI devices of sysfs; NULL: sysfs is read */
    const char *pci_dump;
    bool dump_alone; /* the dump is all that is known about the machine */
    /* drives may be sent commands for identity and health (only if the root is this machine) */
    bool commands;
    bool serials; /* add serial numbers as facts */
};

struct prober {
    const char *name;
    const char *looks_at; /* the hardware that it examines, for the help */
    void (*look)(struct probe *p);
    bool finds_disks; /* finds disks, or controllers and the like that have disks */
};

/* The rows of hw/probers.h, in the order in which they run; the last row has a name of NULL. */
extern const struct prober probers[];

/* Runs all probers. ERR_MACHINE when memory runs out. Any thread may call it; calls run one at a
   time. */
int probe_all(struct probe *p, struct err *e);

/* Writes unseen_note for this root, for callers that need no inventory. Returns `to`. */
char *probe_unseen(const struct sysroot *root, char to[UNSEEN_NOTE_BYTES]);

/* Returns the node "machine"; it is added if it does not exist. */
int probe_top(struct probe *p);

/* Adds a node for the device with the link or folder `path` ("/sys/class/net/eth0"), below its
   parent. `folder` (PROBE_FOLDER bytes) receives the folder that the link leads to. INVENTORY_NONE
   when the device does not exist. */
int probe_add_device(struct probe *p, enum node_kind kind, const char *name, const char *path,
                     char *folder);

/* Adds a node for a device whose folder is known. Only a folder below /sys/devices shows the parent
   of a device. With any other folder (in a damaged tree) the node has no path, and is added below
   the machine. */
int probe_add_below(struct probe *p, enum node_kind kind, const char *name, const char *folder);

#endif
