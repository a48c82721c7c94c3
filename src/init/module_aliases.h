/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules.alias: which modules are for a device, by its modalias.
 *
 * A pattern is filed under its beginning, as far as that is literal, cut to one of a few lengths
 * (module_aliases.c); a lookup tries the patterns filed under the beginnings of the modalias only,
 * a hundred instead of 26,000. Owner: module_aliases_free. One thread; lookups change nothing.
 */
#ifndef CUPEL_INIT_MODULE_ALIASES_H
#define CUPEL_INIT_MODULE_ALIASES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "init/string_table.h"

struct module_alias {
    const char *pattern, *module; /* both normalised (module_pattern.h) */
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
   returns how many, at most `most`. A module may be there twice. */
size_t module_aliases_find(const struct module_aliases *a, const char *modalias,
                           const char *modules[], size_t most);

#endif
