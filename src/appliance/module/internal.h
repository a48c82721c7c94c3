/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/appliance/module. */
#ifndef CUPEL_APPLIANCE_MODULE_INTERNAL_H
#define CUPEL_APPLIANCE_MODULE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "appliance/module/modules.h"
#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/string_table.h"
#include "base/text.h"

/* ---- modules.alias (module_index.c) ---- */

/*
 * modules.alias: finds the modules for a device by its modalias.
 *
 * A pattern is filed under its literal beginning, cut to one of a few lengths. A
 * lookup tries only the patterns under the beginnings of the modalias: a hundred instead of 26,000.
 * The index owns them. One thread; lookups change nothing.
 */

struct module_alias {
    const char *pattern, *module; /* both normalised */
    uint32_t next;                /* index + 1 of the next alias with the same beginning; 0: none */
};

struct module_aliases {
    char *text; /* text of the file, which the patterns point into */
    struct module_alias *all;
    uint32_t count;
    struct string_table beginnings;
    /* [number of the beginning in `beginnings`], index + 1 of the first alias with that
       beginning */
    uint32_t *first;
};

/* Finds the modules of all patterns that match the modalias (normalised), in the order of the file;
   returns their number, at most `max`. A module may be there twice. */
size_t module_aliases_find(const struct module_aliases *a, const char *modalias,
                           const char *modules[], size_t max);

/* ---- the index of a kernel's modules ---- */

/*
 * The index of a kernel's modules, from files that depmod wrote and that are read once:
 * modules.dep, modules.builtin, modules.softdep, modules.alias. A missing file counts as empty; a
 * line that makes no sense is skipped. The caller frees it with module_index_free. One thread;
 * after the reading nothing changes.
 */

#define MODULE_NAME 64 /* bytes with the '\0', slightly more than the kernel allows */

struct module {
    const char *name;  /* normalised: "usb_storage" */
    const char *path;  /* below the folder: "kernel/drivers/usb/storage/usb-storage.ko" */
    const char *needs; /* paths as in modules.dep, of which the last must be loaded first */
    bool built_in;     /* path and needs are "" */
    bool has_devices;  /* a modalias leads to the module, so it drives devices itself */
};

/* One entry of "softdep MODULE pre: A B post: C": a module that should be loaded before or after
   another. */
struct module_softdep {
    uint32_t module;
    struct span name; /* the name A, of a module or an alias */
    bool before;
};

struct module_index {
    struct string_table names; /* maps names to numbers of modules */
    struct module *modules;
    struct module_softdep *softdeps;
    uint32_t softdep_count;
    struct module_aliases aliases;
    struct pool pool;
    char *texts[3]; /* texts of the files, to which the fields above point */
};

/* Reads the index. ERR_MACHINE: an existing file cannot be read, or there is no memory. */
int module_index_read(struct module_index *index, const char *folder, struct err *e);
void module_index_free(struct module_index *index);

/* Returns the number of the module with that name ("nvme-core", "nvme_core") or that path
   ("a/b.ko", "b.ko.xz"); STRING_TABLE_NONE if there is no such module. */
uint32_t module_index_find(const struct module_index *index, struct span name_or_path);

/* Finds the modules with that name, or else with that alias ("crypto-crc32c"); returns their
   number. */
#define MODULES_OF_ALIAS 64
size_t module_index_named(const struct module_index *index, struct span name,
                          uint32_t modules[MODULES_OF_ALIAS]);

/* Gets the next word at *text, and moves *text past it. Returns false at the end. */
bool module_index_word(const char **text, struct span *word);
/* Gets the last word of *text, and cuts it off. Returns false if there is no word. */
bool module_index_last_word(struct span *text, struct span *word);

/* ---- giving a module to the kernel ---- */

/*
 * A module is inserted directly, or in a thread of its own. The system call returns only when the
 * module's drivers have looked at their devices and everything that the kernel probes meanwhile is
 * done (async_synchronize_full, Linux 5.17 and later): after seconds for a RAID controller, never
 * for a broken one. So modules with devices are inserted in parallel, and an insertion that is
 * under way means that the kernel is still probing.
 */

struct module_insertions {
    /* `fd` is readable when an insertion has ended; `thread_fd` is the other end */
    int fd, thread_fd;
    unsigned under_way;
};

/* ---- the order of loading ---- */

/*
 * Loads modules of an index. The modules that a module needs come first, and each is tried once.
 * Those that have devices are inserted in parallel threads. This is the inner part of modules.h,
 * which explains the terms.
 *
 * A module that needs one which is still being inserted is deferred until that one works; the next
 * module_loader_take begins it. The caller closes the loader with module_loader_close. All
 * functions are called by one thread.
 */

struct module_attempt;

struct module_loader {
    const struct module_index *index;
    const char *folder, *command_line;
    modules_insert_function *insert; /* inserts a module in tests; NULL: the system call is used */
    void *insert_context;

    struct module_attempt *attempts; /* indexed by module */
    uint32_t *deferred;
    uint32_t deferred_count;
    unsigned depth; /* current depth of the recursion from a module to the modules that it needs */
    struct module_insertions insertions;
    struct modules_counts counts;
    struct text failures;
};

/* Opens a loader. The caller keeps the strings and the index alive. Errors: ERR_MACHINE. */
int module_loader_open(struct module_loader *l, const struct module_index *index,
                       const char *folder, const char *command_line, struct err *e);
void module_loader_close(struct module_loader *l);

/* Notes that the kernel already has the module. */
void module_loader_note_present(struct module_loader *l, uint32_t module);

/* Loads the module, or begins to. Returns 0 or -errno; -EINPROGRESS: `wait` is false, or the module
   was not loaded within 10 s. */
int module_loader_load(struct module_loader *l, uint32_t module, bool wait);
/* Like module_loader_load, but by name or alias. Returns -ENOENT, which is counted, if there is no
   such module. */
int module_loader_load_named(struct module_loader *l, const char *name, bool wait);

/* Takes note of finished insertions, and begins modules that waited for them. With `wait` it waits
   until nothing is under way, for at most 10 s. Returns the number of finished insertions. */
unsigned module_loader_take(struct module_loader *l, bool wait);

/* Adds a line such as "mpt3sas: still loading" for each module that is under way. */
void module_loader_add_busy(const struct module_loader *l, struct text *to);

/* ---- patterns (module_patterns.c) ---- */

/*
 * The patterns of modules.alias, which name the devices that a module is for:
 * "pci:v00008086d*sv*sd*bc01sc06i01*". '*' matches any text, '?' any character, "[0-9a]" and
 * "[!0-9]" one of a set; a '[' that is not closed stands for itself. In patterns and modaliases '-'
 * and '_' are the same, except in brackets: both are normalised once before they are compared.
 */

/* Changes '-' to '_' outside of brackets, in place. Also for modaliases and names of modules. */
void module_pattern_normalise(char *text);

/* Returns the number of literal characters at the beginning of the pattern. */
size_t module_pattern_literal(const char *pattern);

/* Returns whether the pattern matches all of the text. */
bool module_pattern_matches(const char *pattern, const char *text);

#endif
