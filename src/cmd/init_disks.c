/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's disks for the menu, and those of them that a configuration names. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/init_parts.h"
#include "hw/prober.h"
#include "io/guard.h"
#include "qualify/disks.h"

static bool in_use(const char *name)
{
    char path[80];
    struct stat s;
    snprintf(path, sizeof path, "/dev/%s", name);
    return stat(path, &s) || !S_ISBLK(s.st_mode) || guard_unused("", s.st_rdev, path, NULL);
}

static void describe(const struct appliance *a, const struct inventory *v, int node,
                     struct menu_disk *to)
{
    struct qualification_device d = {0};
    disk_describe(v, node, &d);
    *to = (struct menu_disk){.size = d.size};
    snprintf(to->name, sizeof to->name, "%s", d.name);
    snprintf(to->model, sizeof to->model, "%s", d.model);
    snprintf(to->serial, sizeof to->serial, "%s", d.serial);
    to->skipped = a->data.found && !strcmp(a->data.disk, d.name);
    if (to->skipped)
        snprintf(to->no_write, sizeof to->no_write, "stick");
    else if (in_use(d.name))
        snprintf(to->no_write, sizeof to->no_write, "in use");
}

size_t init_disks(const struct appliance *a, struct menu_disk *to, size_t room)
{
    struct sysroot root;
    struct inventory v = {0};
    struct probe probe = {.root = &root, .inventory = &v, .pci_ids = "none", .serials = true};
    size_t count = 0;
    if (sysroot_open(&root, NULL, NULL) == 0 && probe_all(&probe, NULL) == 0)
        for (int node = 0; node < v.node_count && count < room; node++)
            if (disk_is_own(&v, node))
                describe(a, &v, node, &to[count++]);
    inventory_free(&v);
    return count;
}

static bool is_named(const struct menu_disk *d, const char *word)
{
    const char *name = strncmp(word, "/dev/", 5) ? word : word + 5;
    return !strcmp(d->name, name) || (*d->serial && !strcmp(d->serial, word));
}

size_t init_choose_disks(struct menu_disk *disks, size_t count, const char *words,
                         struct text *missing)
{
    char copy[sizeof((struct boot_config *)0)->devices], *rest = NULL;
    size_t chosen = 0;
    snprintf(copy, sizeof copy, "%s", words);
    char *word = strtok_r(copy, " \t,", &rest);
    for (size_t i = 0; i < count; i++)
        disks[i].chosen = !word && !disks[i].skipped;
    for (; word; word = strtok_r(NULL, " \t,", &rest)) {
        bool there = false;
        for (size_t i = 0; i < count; i++)
            if (!disks[i].skipped && is_named(&disks[i], word))
                there = disks[i].chosen = true;
        if (!there)
            text_addf(missing, "%s%s", missing->length ? " " : "", word);
    }
    for (size_t i = 0; i < count; i++)
        chosen += disks[i].chosen;
    return chosen;
}
