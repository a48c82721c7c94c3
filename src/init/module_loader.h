/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loading modules of an index: what a module needs first, each module tried once, those that have
 * devices in threads side by side. The inner part of modules.h, which says what all of it means.
 *
 * A module that needs one that is still being inserted is deferred until that is live, and begun by
 * the next module_loader_take. Owner: module_loader_close. Called by one thread.
 */
#ifndef CUPEL_INIT_MODULE_LOADER_H
#define CUPEL_INIT_MODULE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "init/module_index.h"
#include "init/module_insert.h"
#include "init/modules.h"

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

#endif
