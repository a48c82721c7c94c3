/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What depmod wrote about the modules of a kernel, read once: modules.dep, modules.builtin,
 * modules.softdep, modules.alias. A file that is missing has no lines; a line that makes no sense
 * is passed over. Owner: module_index_free. One thread; after the reading nothing changes.
 */
#ifndef CUPEL_INIT_MODULE_INDEX_H
#define CUPEL_INIT_MODULE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "init/module_aliases.h"
#include "init/string_table.h"

#define MODULE_NAME 64 /* with the '\0': what the kernel allows, and a little more */

struct module {
    const char *name;  /* normalised: "usb_storage" */
    const char *path;  /* below the folder: "kernel/drivers/usb/storage/usb-storage.ko" */
    const char *needs; /* paths as in modules.dep: the last is to be loaded first */
    bool built_in;     /* path and needs are "" */
    bool has_devices;  /* a modalias leads to it: it drives something itself */
};

/* Of "softdep MODULE pre: A B post: C": what is better loaded before, and after. */
struct module_softdep {
    uint32_t module;
    struct span name; /* A; a module or an alias */
    bool before;
};

struct module_index {
    struct string_table names; /* module numbers */
    struct module *modules;
    struct module_softdep *softdeps;
    uint32_t softdep_count;
    struct module_aliases aliases;
    struct pool pool;
    char *texts[3]; /* of files, which the above points into */
};

/* ERR_MACHINE when a file that is there cannot be read, or without memory. */
int module_index_read(struct module_index *index, const char *folder, struct err *e);
void module_index_free(struct module_index *index);

/* The number of the module with that name ("nvme-core", "nvme_core") or of that path ("a/b.ko",
   "b.ko.xz"); STRING_TABLE_NONE when there is none. */
uint32_t module_index_find(const struct module_index *index, struct span name_or_path);

/* The modules with that name, or else with that alias ("crypto-crc32c"); returns how many. */
#define MODULES_OF_ALIAS 64
size_t module_index_named(const struct module_index *index, struct span name,
                          uint32_t modules[MODULES_OF_ALIAS]);

/* The next word at *text, which is moved behind it. False at the end. */
bool module_index_word(const char **text, struct span *word);
/* The same from the right end of *text, which is cut off there. */
bool module_index_last_word(struct span *text, struct span *word);

#endif
