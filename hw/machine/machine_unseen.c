/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the parts of /sys and /proc that cannot be seen: not mounted, hidden below something else,
   or not permitted. */
#include "facts/machine_unseen.h"

#include <string.h>

#include "hw/probers.h"

/* The first of a row's paths that shows nothing is reported. A folder without entries shows
   nothing: where /sys is not mounted its folder remains, and a hidden folder usually appears
   empty. */
static const struct sight {
    const char *key;
    const char *folders[3];
    const char *file; /* or NULL */
    /* captures do not hold this path, so it is checked on the running machine only */
    bool of_machine_only;
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

/* Returns FACT_OK if everything in the row can be seen. Otherwise returns the status of the first
   path that cannot be seen, and sets *path to it. */
static enum fact_status look(const struct sysroot *root, const struct sight *sight,
                             const char **path)
{
    char line[256];
    enum fact_status status = FACT_OK;
    for (size_t i = 0; i < 3 && sight->folders[i] && status == FACT_OK; i++) {
        *path = sight->folders[i];
        if (root->by_number && !strcmp(*path, "/sys/class"))
            /* a tree that shows its block devices by number has no classes: nothing is missing */
            continue;
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
    /* The checks are hidden from the watcher, because a capture shall hold only what the probers
       read. */
    root.watcher = NULL;
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
