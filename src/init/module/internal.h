/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/init/module share. */
#ifndef CUPEL_INIT_MODULE_INTERNAL_H
#define CUPEL_INIT_MODULE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/string_table.h"
#include "base/text.h"
#include "init/module/modules.h"

/* ---- the modaliases of the devices that the kernel knows now (modules.c) ---- */

/*
 * Calls `found` with each modalias of each device: bus/BUS/devices/DEVICE/modalias below `sys`
 * ("/sys", or a tree for tests), and those of the processors and of the board, which are on no bus.
 * The buses have every device once in a flat list; all of /sys/devices has ten times as many
 * folders. A device may have several modaliases, one a line.
 */
void device_modaliases(const char *sys, void (*found)(void *context, const char *modalias),
                       void *context);

/* ---- modules.alias ---- */

/*
 * modules.alias: which modules are for a device, by its modalias.
 *
 * A pattern is filed under its beginning, as far as that is literal, cut to one of a few lengths
 * (module_aliases.c); a lookup tries the patterns filed under the beginnings of the modalias only,
 * a hundred instead of 26,000. Owner: module_aliases_free. One thread; lookups change nothing.
 */

struct module_alias {
    const char *pattern, *module; /* both normalised */
    uint32_t next;                /* filed under the same beginning: number + 1 */
};

struct module_aliases {
    char *text; /* of the file; what it holds is pointed to */
    struct module_alias *all;
    uint32_t count;
    struct string_table beginnings;
    uint32_t *first; /* by beginning: the number of an alias + 1 */
};

/* Files the lines of `text` (of malloc, NULL for none), which it owns from now on, also on failure.
   Other lines than "alias PATTERN MODULE" are passed over. ERR_MACHINE without memory. */
int module_aliases_file(struct module_aliases *a, char *text, struct err *e);
void module_aliases_free(struct module_aliases *a);

/* The modules of all patterns that match the modalias (normalised), in the order of the file;
   returns how many, at most `max`. A module may be there twice. */
size_t module_aliases_find(const struct module_aliases *a, const char *modalias,
                           const char *modules[], size_t max);

/* ---- the index of a kernel's modules ---- */

/*
 * What depmod wrote about the modules of a kernel, read once: modules.dep, modules.builtin,
 * modules.softdep, modules.alias. A file that is missing has no lines; a line that makes no sense
 * is passed over. Owner: module_index_free. One thread; after the reading nothing changes.
 */

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

/* How many lines a file's text has (NULL: none), or one more. */
size_t module_lines(const char *text);

/* The next word at *text, which is moved past it. False at the end. */
bool module_index_word(const char **text, struct span *word);
/* The same from the right end of *text, which is cut off there. */
bool module_index_last_word(struct span *text, struct span *word);

/* ---- giving a module to the kernel ---- */

/*
 * A module is inserted at once, or in a thread of its own. The call returns only when the
 * module's drivers have looked at their devices and everything that the kernel probes meanwhile is
 * done (async_synchronize_full, Linux 5.17 and later): seconds for a RAID controller, for ever for
 * a broken one. So modules with devices go in side by side, and an insertion that is under way
 * means that the kernel is still probing.
 */

/* A file as it is, or compressed (.gz, .xz, .zst) for a kernel that can unpack it. -errno. With
   "async_probe" among its parameters the call does not wait for what is being probed. */
int module_insert(const char *path, const char *parameters);

/* Has it begun to work, so that what needs it can be inserted? Before module_insert returns it has:
   the kernel then waits for what is being probed. */
bool module_is_live(const char *name);

struct module_insertions {
    int fd, thread_fd; /* `fd` is readable when one is done */
    unsigned under_way;
};

struct module_inserted {
    uint32_t module;
    int result; /* 0 or -errno */
};

int module_insertions_open(struct module_insertions *i, struct err *e);
/* What is under way goes on; two descriptors stay open for it then. */
void module_insertions_close(struct module_insertions *i);

/* module_insert in a thread; `module` comes back with the result. False: could not be started. */
bool module_insertions_start(struct module_insertions *i, uint32_t module, const char *path,
                             const char *parameters);

/* One that is done; waits for one for so long (0: only looks). False: none is done, or none is
   under way. */
bool module_insertions_take(struct module_insertions *i, unsigned milliseconds,
                            struct module_inserted *done);

/* ---- the order of loading ---- */

/*
 * Loading modules of an index: what a module needs first, each module tried once, those that have
 * devices in threads side by side. The inner part of modules.h, which says what all of it means.
 *
 * A module that needs one that is still being inserted is deferred until that is live, and begun by
 * the next module_loader_take. Owner: module_loader_close. Called by one thread.
 */

struct module_attempt;

struct module_loader {
    const struct module_index *index;
    const char *folder, *command_line;
    modules_insert_function *insert; /* NULL: the system call */
    void *insert_context;

    struct module_attempt *attempts; /* by module */
    uint32_t *deferred;
    uint32_t deferred_count;
    unsigned depth; /* of modules that need each other */
    struct module_insertions insertions;
    struct modules_counts counts;
    struct text failures;
};

/* The strings and the index are kept by the caller. ERR_MACHINE. */
int module_loader_open(struct module_loader *l, const struct module_index *index,
                       const char *folder, const char *command_line, struct err *e);
void module_loader_close(struct module_loader *l);

/* It was in the kernel before us. */
void module_loader_note_present(struct module_loader *l, uint32_t module);

/* Load it, or begin to. 0, -errno, and -EINPROGRESS when it is not waited for, or 10 s were not
   enough. */
int module_loader_load(struct module_loader *l, uint32_t module, bool wait);
/* The same by name or alias; -ENOENT, which is counted, when there is none of it. */
int module_loader_load_named(struct module_loader *l, const char *name, bool wait);

/* Note what has been inserted, and begin what waited for a module that works now. With `wait`,
   until nothing is under way, for at most 10 s. Returns how many were done. */
unsigned module_loader_take(struct module_loader *l, bool wait);

/* Adds "mpt3sas: still loading" lines. */
void module_loader_add_busy(const struct module_loader *l, struct text *to);

/* ---- patterns (module_aliases.c) ---- */

/*
 * The patterns of modules.alias, which name the devices a module is for:
 * "pci:v00008086d*sv*sd*bc01sc06i01*". '*' is any text, '?' any character, "[0-9a]" and "[!0-9]"
 * one of a set; a '[' that nothing closes is itself. In patterns and modaliases '-' and '_' are the
 * same except in brackets: both are normalised once, and compared as they are then.
 */

/* '-' becomes '_' outside of brackets, in place. Also for modaliases and names of modules. */
void module_pattern_normalise(char *text);

/* How many characters at the beginning stand for themselves. */
size_t module_pattern_literal(const char *pattern);

/* Does the pattern match all of the text? */
bool module_pattern_matches(const char *pattern, const char *text);

#endif
