/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel modules, without udev and without kmod: which ones a device needs, and loading them.
 *
 * The folder /lib/modules/RELEASE holds what depmod wrote: modules.dep, modules.alias,
 * modules.softdep, modules.builtin. They are read once and indexed (matching every modalias against
 * every line took 17 s); memory is freed by modules_free. All functions are called by one thread.
 *
 * Modules with devices of their own are inserted in threads side by side, for the kernel may take
 * seconds to probe what one drives, or for ever. What may wait: modules_load and
 * modules_finish when asked to, for at most 10 s each; nothing else does. modules_finish counts
 * what is done; device_wait_quiet calls it. Modules without devices (filesystems, libraries) are
 * inserted by the caller's thread, without waiting for anything that is being probed.
 *
 * Parameters: "nvme.poll_queues=2" of the kernel's command line does not reach a module that we
 * load, so they are found there and given to it. "module_blacklist=A,B" keeps a module out,
 * "modprobe.blacklist=A,B" keeps it from being loaded for a device.
 */
#ifndef CUPEL_INIT_MODULE_MODULES_H
#define CUPEL_INIT_MODULE_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct modules; /* the index */

struct modules_counts {
    unsigned loaded, there, failed; /* `there`: built in, or loaded before us */
    unsigned unneeded;              /* found nothing to drive (ENODEV) and did not stay */
    unsigned busy;                  /* still being inserted, or waiting for one that is */
};

/*
 * Read the index of `folder` ("/lib/modules/6.1.0-56-amd64"). `command_line` is that of the kernel,
 * for parameters; NULL for none. ERR_MACHINE when it cannot be read; a machine without modules is
 * an index without entries.
 */
int modules_open(struct modules **m, const char *folder, const char *command_line, struct err *e);
void modules_free(struct modules *m);

/* Called in place of the system call, in tests: nothing is inserted in a thread then, and the
   running kernel is not asked what it has. -errno on failure. */
typedef int modules_insert_function(void *context, const char *path, const char *parameters);
void modules_set_insert(struct modules *m, modules_insert_function *insert, void *context);

/* Those in the list of loaded modules (/proc/modules) are there. The first load calls it. */
void modules_note_loaded(struct modules *m, const char *proc_modules);

/* Load the module of that name, after all it depends on ("nvme-core" and "nvme_core" are the same),
   or those with that alias ("crypto-crc32c", "fs-vfat"), and wait for it. 0 also when it is there
   already; -errno, -EINPROGRESS after 10 s. Each module is tried once. Every failure is counted,
   and kept for modules_failures. */
int modules_load(struct modules *m, const char *name);
/* The same without waiting: its end is seen by modules_finish. */
void modules_begin(struct modules *m, const char *name);

/* Begin to load every module whose alias matches ("pci:v00008086d0000F1A5sv..."). How many matched.
   A modalias is looked up once; 0 when it comes again. */
unsigned modules_load_for(struct modules *m, const char *modalias);

/* For each modalias of the devices that are there and that was not looked up
   before; USB controllers first. Returns how many new ones there were. `sys` is "/sys", or a tree
   for tests. `meanwhile` (NULL for none) is called after each, for what comes during all this. */
unsigned modules_load_for_devices(struct modules *m, const char *sys,
                                  void (*meanwhile)(void *context), void *context);

/* Take note of what has been inserted meanwhile, and begin what needs it; with `wait`, until
   nothing is under way, for at most 10 s. Returns how many were done. `modules_fd` is readable
   (poll) when there is one. */
unsigned modules_finish(struct modules *m, bool wait);
int modules_fd(const struct modules *m);

struct modules_counts modules_counts(const struct modules *m);
/* One line each "mpt3sas: Exec format error", at most `size` bytes; also "mpt3sas: still loading".
 */
void modules_failures(const struct modules *m, char *to, size_t size);

#endif
