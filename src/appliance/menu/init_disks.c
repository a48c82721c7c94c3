/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the machine's disks for the menu, and selects those that a configuration names. */
#include "appliance/menu/internal.h"
#include "appliance/process/system.h"
#include "hw/prober.h"
#include "io/target/guard.h"
#include "machine/qualify/disk_selection.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_MS = 10000 };

/* ---- in the child ---- */

struct found {
    size_t count;
    struct menu_disk disks[MENU_DISKS];
};

static void describe_disk(const struct inventory *v, int node, struct menu_disk *to)
{
    struct qualification_device d = {0};
    char path[80];
    struct stat s;
    /* this list is only for a menu, and nothing is written */
    struct guard_sight sight = {.allow_unseen = true};
    disk_describe(v, node, &d);
    *to = (struct menu_disk){.size = d.size};
    snprintf(to->name, sizeof to->name, "%s", d.name);
    snprintf(to->model, sizeof to->model, "%s", d.model);
    snprintf(to->serial, sizeof to->serial, "%s", d.serial);
    snprintf(path, sizeof path, "/dev/%s", d.name);
    if (stat(path, &s) || !S_ISBLK(s.st_mode) || guard_unused("", s.st_rdev, path, &sight, NULL))
        snprintf(to->no_write, sizeof to->no_write, "in use");
}

static void look_for_disks(void *context, void *answer)
{
    struct found *found = answer;
    struct sysroot root;
    struct inventory v = {0};
    struct probe probe = {.root = &root, .inventory = &v, .pci_ids = "none", .serials = true};
    (void)context;
    found->count = 0;
    if (sysroot_open(&root, NULL, NULL))
        return;
    probe_top(&probe);
    for (const struct prober *prober = probers; prober->name; prober++)
        if (prober->finds_disks)
            prober->look(&probe);
    for (int node = 0; node < v.node_count && found->count < MENU_DISKS; node++)
        if (disk_is_own(&v, node))
            describe_disk(&v, node, &found->disks[found->count++]);
    inventory_free(&v);
}

/* ---- in process 1 ---- */

static void look_again(struct appliance *a)
{
    static struct found found;
    /* without modules new devices are not noticed, so disks are listed anew each time */
    a->disks_known = a->modules != NULL;
    a->disks_event = a->settle.events;
    if (child_ask(look_for_disks, NULL, &found, sizeof found, LOOK_MS) != CHILD_ANSWERED) {
        console_print(a->console, "! the disks of this machine could not be looked at\n");
        return;
    }
    a->disk_count = found.count;
    memcpy(a->disks, found.disks, sizeof a->disks);
}

size_t init_disks(struct appliance *a, struct menu_disk *to, size_t room)
{
    size_t count = 0;
    if (!a->disks_known || a->disks_event != a->settle.events)
        look_again(a);
    for (; count < a->disk_count && count < room; count++) {
        to[count] = a->disks[count];
        to[count].skipped = data_partition_is_on(&a->data, to[count].name);
        if (to[count].skipped)
            snprintf(to[count].no_write, sizeof to[count].no_write, "stick");
    }
    return count;
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
        const char *name = strncmp(word, "/dev/", 5) ? word : word + 5;
        for (size_t i = 0; i < count; i++) {
            struct menu_disk *d = &disks[i];
            bool is_meant = !strcmp(d->name, name) || (*d->serial && !strcmp(d->serial, word));
            if (is_meant && !d->skipped)
                there = d->chosen = true;
        }
        if (!there)
            text_addf(missing, "%s%s", missing->length ? " " : "", word);
    }
    for (size_t i = 0; i < count; i++)
        chosen += disks[i].chosen;
    return chosen;
}
