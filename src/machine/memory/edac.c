/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the counters of memory errors that the kernel keeps for each module (EDAC). */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "machine/memory/internal.h"

enum { CONTROLLERS_MAX = 64, MODULES_MAX = 32 };

static uint64_t count_of(const char *root, int controller, int module, const char *name)
{
    char path[PATH_MAX], line[64];
    return file_path(path, "%s/sys/devices/system/edac/mc/mc%d/dimm%d/%s", root, controller, module,
                     name) &&
                   file_first_line(path, line, sizeof line)
               ? strtoull(line, NULL, 10)
               : 0;
}

void edac_counts_read(struct edac_counts *c, const char *root)
{
    c->count = 0;
    for (int controller = 0; controller < CONTROLLERS_MAX; controller++)
        for (int module = 0; module < MODULES_MAX && c->count < EDAC_MODULES_MAX; module++) {
            struct edac_module *m = &c->modules[c->count];
            char path[PATH_MAX], folder[32];
            snprintf(folder, sizeof folder, "mc%d/dimm%d", controller, module);
            if (!file_path(path, "%s/sys/devices/system/edac/mc/%s/dimm_label", root, folder) ||
                !file_first_line(path, m->label, sizeof m->label))
                continue;
            m->errors = count_of(root, controller, module, "dimm_ce_count") +
                        count_of(root, controller, module, "dimm_ue_count");
            c->count++;
        }
}

void edac_counts_grown(const struct edac_counts *before, const struct edac_counts *after, char *to,
                       size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; i < after->count && i < before->count && used < size; i++)
        if (after->modules[i].errors > before->modules[i].errors)
            used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ", " : "",
                                     after->modules[i].label);
}
