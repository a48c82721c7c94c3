/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probers: each examines one kind of hardware and adds nodes and facts to the inventory.
 *
 * A prober is one file and one row of hw/probers.h. They run in the table's order, so that the
 * parent of a device is there before it: the node is added with its folder of /sys/devices as path,
 * and its parent is inventory_above() of that path, or probe_top() when nothing is there.
 *
 * A prober writes nothing to the machine, needs no privilege for what the kernel shows to
 * everybody, and turns files that it may not read into facts of status FACT_DENIED. It cannot fail:
 * a missing file gives no fact. Its input may be garbage (captured trees).
 */
#ifndef CUPEL_HW_PROBER_H
#define CUPEL_HW_PROBER_H

#include <stdbool.h>

#include "facts/inventory.h"
#include "facts/unseen.h"
#include "hw/sysroot/sysroot.h"

#define PROBE_FOLDER 512

struct probe {
    const struct sysroot *root;
    struct inventory *inventory;
    const char *pci_ids;  /* file with device names; NULL: the usual places; "none": no file */
    const char *pci_dump; /* the text of lspci, the only source of PCI devices; NULL: they
                             are read below the root */
    bool dump_alone;      /* nothing but the dump is known of the machine */
    bool commands; /* drives may be asked for identity and health (never below a root other than
                      this machine) */
    bool serials;  /* serial numbers become facts */
};

struct prober {
    const char *name;
    const char *looks_at; /* what it examines, for the help */
    void (*look)(struct probe *p);
    bool finds_disks; /* finds disks, or controllers and the like that have disks */
};

/* The rows of hw/probers.h, in the order in which they run; the end has the name NULL. */
extern const struct prober probers[];

/* Runs all probers. ERR_MACHINE when memory runs out. Any thread: they run one at a time. */
int probe_all(struct probe *p, struct err *e);

/* unseen_note for this root, for callers that need no inventory. */
char *probe_unseen(const struct sysroot *root, char to[UNSEEN_NOTE_BYTES]);

/* The node "machine", which is made when it does not exist. */
int probe_top(struct probe *p);

/* Adds a node for the device with the link or folder `path` ("/sys/class/net/eth0"): the folder is
   resolved, the parent found, *folder (of PROBE_FOLDER bytes) filled. INVENTORY_NONE when it does
   not exist. */
int probe_add_device(struct probe *p, enum node_kind kind, const char *name, const char *path,
                     char *folder);

/* Adds a node for a device whose folder is known. Only a folder below /sys/devices shows the parent
   of a device: any other (in a damaged tree) is no node's path, and the device is put below the
   machine. */
int probe_add_below(struct probe *p, enum node_kind kind, const char *name, const char *folder);

#endif
