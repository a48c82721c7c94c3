/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probers: each looks at one kind of hardware and adds nodes and facts to the inventory.
 *
 * A prober is one file and one row of hw/probers.h. They run in the table's order, so
 * that a device finds what it hangs on: its node is added with its folder of /sys/devices as path,
 * and its parent is inventory_above() of that path, or probe_top() when nothing is there.
 *
 * A prober writes nothing to the machine, needs no privilege for what the kernel shows to
 * everybody, and turns files that it may not read into facts of status FACT_DENIED. It cannot fail:
 * absent files make no facts. Anything it reads may be garbage (captured trees).
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
    const char *pci_ids;  /* file with device names; NULL: the usual places; "none": none */
    const char *pci_dump; /* PCI devices from this `lspci -xxxx` text alone; NULL: from the root */
    bool commands; /* drives may be asked for identity and health (never below another root) */
    bool serials;  /* serial numbers become facts */
};

struct prober {
    const char *name;
    const char *looks_at; /* for the help */
    void (*look)(struct probe *p);
    bool finds_disks; /* or what carries them */
};

/* The rows of hw/probers.h, in the order they run; ends with a name of NULL. */
extern const struct prober probers[];

/* All of them. ERR_MACHINE when memory runs out. Any thread: one at a time looks. */
int probe_all(struct probe *p, struct err *e);

/* unseen_note of this root alone, for who needs no inventory. */
char *probe_unseen(const struct sysroot *root, char to[UNSEEN_NOTE_BYTES]);

/* The node "machine", made when there is none yet. */
int probe_top(struct probe *p);

/* A node for the device whose link or folder is `path` ("/sys/class/net/eth0"): its folder is
   resolved, its parent found, *folder (of PROBE_FOLDER bytes) filled. INVENTORY_NONE when it is not
   there. */
int probe_add_device(struct probe *p, enum node_kind kind, const char *name, const char *path,
                     char *folder);

/* The same for a folder that is known. Only below /sys/devices does a folder say what a thing hangs
   on: any other (of a damaged tree) is no node's path, and the thing hangs on the machine. */
int probe_add_below(struct probe *p, enum node_kind kind, const char *name, const char *folder);

#endif
