/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel modules, without udev and without kmod: which ones a device needs, and loading them.
 *
 * The folder /lib/modules/RELEASE holds what depmod wrote: modules.dep, modules.alias,
 * modules.softdep, modules.builtin. They are read once and indexed (matching every modalias against
 * every line took 17 s); memory is freed by modules_free. One thread.
 *
 * Parameters: "nvme.poll_queues=2" of the kernel's command line does not reach a module that we
 * load, so they are found there and given to it (modules_parameters).
 */
#ifndef CUPEL_INIT_MODULES_H
#define CUPEL_INIT_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/pool.h"

struct modules; /* the index */

struct modules_counts {
    unsigned loaded, there, failed; /* `there`: built in, or loaded before us */
};

/*
 * Read the index of `folder` ("/lib/modules/6.1.0-56-amd64"). `command_line` is that of the kernel,
 * for parameters. ERR_MACHINE when it cannot be read; a machine without modules is an index
 * without entries.
 */
int modules_open(struct modules **m, const char *folder, const char *command_line, struct err *e);
void modules_free(struct modules *m);

/* Called in place of the system call, in tests. -errno on failure. */
typedef int modules_insert_function(void *context, const char *path, const char *parameters);
void modules_set_insert(struct modules *m, modules_insert_function *insert, void *context);

/* Load the module of that name, after all it depends on ("nvme-core" and "nvme_core" are the same).
   0 also when it is there already; -errno. Every failure is counted, and kept for modules_failures.
 */
int modules_load(struct modules *m, const char *name);

/* Load every module whose alias matches ("pci:v00008086d0000F1A5sv..."). How many matched. */
unsigned modules_load_for(struct modules *m, const char *modalias);

/* For each modalias file below /sys/devices that was not looked at before. Returns how many new
   ones there were: call it until there are none. `sys` is "/sys", or a tree for tests. */
unsigned modules_load_for_devices(struct modules *m, const char *sys);

struct modules_counts modules_counts(const struct modules *m);
/* One line each "mpt3sas: Exec format error", at most `size` bytes. */
void modules_failures(const struct modules *m, char *to, size_t size);

#endif
