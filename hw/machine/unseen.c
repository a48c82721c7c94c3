/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which parts of /sys and /proc cannot be seen here: not mounted, hidden below something else, or
   not permitted. */
#include "facts/unseen.h"

#include <string.h>

#include "hw/probers.h"

/* The first of these paths that shows nothing is reported. A folder without entries shows nothing:
   where /sys is not mounted its folder remains, and a hidden folder usually appears empty. */
static const struct sight {
    const char *key;
    const char *folders[3];
    const char *file;     /* or NULL */
    bool of_machine_only; /* captures do not hold it */
} sights[] = {
    {UNSEEN_DEVICES, {"/sys", "/sys/devices", "/sys/class"}, NULL, false},
    {UNSEEN_MACHINE, {"/proc"}, "/proc/cpuinfo", false},
    {UNSEEN_LOAD, {"/proc"}, "/proc/stat", true},
};

static enum fact_status folder_status(const struct sysroot *root, const char *folder)
{
    struct sysroot_names names;
    enum fact_status status = sysroot_list(root, folder, &names);
    if (status == FACT_OK && !names.count)
        status = FACT_ABSENT;
    sysroot_names_free(&names);
    return status;
}

/* FACT_OK: everything can be seen. Otherwise *path is the one that cannot. */
static enum fact_status look(const struct sysroot *root, const struct sight *sight,
                             const char **path)
{
    char line[256];
    enum fact_status status = FACT_OK;
    for (size_t i = 0; i < 3 && sight->folders[i] && status == FACT_OK; i++) {
        *path = sight->folders[i];
        if (root->by_number && !strcmp(*path, "/sys/class"))
            continue; /* of such a tree the block devices can be seen */
        status = folder_status(root, *path);
    }
    if (status == FACT_OK && sight->file) {
        size_t got;
        *path = sight->file;
        status = sysroot_bytes(root, *path, line, sizeof line, &got);
        if (status != FACT_DENIED)
            status = got ? FACT_OK : FACT_ABSENT;
    }
    return status;
}

void look_at_unseen(struct probe *p)
{
    struct sysroot root = *p->root;
    root.watcher = NULL; /* not shown to the watcher: a capture only holds what others look at */
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        const char *path = "";
        if (sights[i].of_machine_only && root.prefix[0])
            continue;
        enum fact_status status = look(&root, &sights[i], &path);
        if (status != FACT_OK)
            inventory_add(p->inventory, probe_top(p), sights[i].key, "", "", path, status);
    }
}

char *probe_unseen(const struct sysroot *root, char to[UNSEEN_NOTE_BYTES])
{
    struct inventory v = {0};
    struct probe p = {.root = root, .inventory = &v};
    look_at_unseen(&p);
    unseen_note(&v, false, to);
    inventory_free(&v);
    return to;
}
