/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel modules, without udev and without kmod: which modules a device needs, and loading them.
 *
 * depmod wrote the files in the folder /lib/modules/RELEASE: modules.dep, modules.alias,
 * modules.softdep, modules.builtin. They are read once and indexed (matching every modalias against
 * every line took 17 s); modules_free frees the memory. All functions are called by one thread.
 *
 * Modules with devices of their own are inserted in parallel threads, because the kernel may take
 * seconds to probe a device, or never finish. Only modules_load waits, and modules_finish when
 * asked to, for at most 10 s each. modules_finish counts what is done; device_wait_quiet calls it.
 * Modules without devices (filesystems, libraries) are inserted by the caller's thread, without
 * waiting for anything that is being probed.
 *
 * Parameters: "nvme.poll_queues=2" on the kernel's command line does not reach a module that we
 * load, so such parameters are found there and passed to it. "module_blacklist=A,B" keeps modules
 * out; "modprobe.blacklist=A,B" only keeps them from being loaded for a device.
 */
#ifndef CUPEL_APPLIANCE_MODULE_MODULES_H
#define CUPEL_APPLIANCE_MODULE_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct modules; /* the index */

struct modules_counts {
    unsigned loaded, there, failed; /* `there`: built in, or loaded before */
    unsigned unneeded;              /* modules that found nothing to drive (ENODEV) and did not
                                       stay */
    unsigned busy;                  /* modules still being inserted, or waiting for one that is */
};

/*
 * Reads the index of `folder` ("/lib/modules/6.12.118+deb13-amd64"). `command_line` is the kernel's
 * command line, for parameters, or NULL. ERR_MACHINE if it cannot be read; for a machine without
 * modules the index is empty.
 */
int modules_open(struct modules **m, const char *folder, const char *command_line, struct err *e);
void modules_free(struct modules *m);

/* Replaces the system call by `insert`, for tests: then no threads are used, and the running kernel
   is not asked for its modules. `insert` returns 0 or -errno. */
typedef int modules_insert_function(void *context, const char *path, const char *parameters);
void modules_set_insert(struct modules *m, modules_insert_function *insert, void *context);

/* Marks the modules in a list of loaded ones (/proc/modules) as present. The first load calls this
   function. */
void modules_note_loaded(struct modules *m, const char *proc_modules);

/*
 * Loads the module of that name after all modules it depends on ("nvme-core" and "nvme_core" are
 * the same), or the modules with that alias ("crypto-crc32c", "fs-vfat"), and waits for it. Returns
 * 0, also if it is there already; -errno; -EINPROGRESS after 10 s. Each module is tried once. Every
 * failure is counted, and kept for modules_failures.
 */
int modules_load(struct modules *m, const char *name);
/* Like modules_load, but does not wait: modules_finish takes note of the end. */
void modules_begin(struct modules *m, const char *name);

/* Begins to load every module whose alias matches ("pci:v00008086d0000F1A5sv..."). Returns the
   number of matches. A modalias is looked up once; the result is 0 if it comes again. */
unsigned modules_load_for(struct modules *m, const char *modalias);

/* Loads modules for all modaliases of present devices that were not looked up before, USB
   controllers first. Returns the number of new modaliases. `sys` is "/sys", or a tree for tests.
   `meanwhile` (may be NULL) is called after each, to handle events that come in between. */
unsigned modules_load_for_devices(struct modules *m, const char *sys,
                                  void (*meanwhile)(void *context), void *context);

/* Takes note of finished insertions, and begins modules that need them. With `wait` it waits until
   nothing is under way, for at most 10 s. Returns the number of finished insertions. `modules_fd`
   is readable (poll) if there is one. */
unsigned modules_finish(struct modules *m, bool wait);
int modules_fd(const struct modules *m);

struct modules_counts modules_counts(const struct modules *m);
/* Writes lines such as "mpt3sas: Exec format error" or "mpt3sas: still loading", at most `size`
   bytes. */
void modules_failures(const struct modules *m, char *to, size_t size);

#endif
