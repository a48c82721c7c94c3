/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of the data path, with a function for each kind of node that has other legs than its
   parent. */
#include "hw/path/internal.h"

#include <stdio.h>
#include <string.h>

#include "hw/disk/block.h"
#include "hw/disk/filesystem.h"

#define NAME_BYTES 96
#define LOOKS_MAX  32 /* limit of interfaces below one port of a bridge */

struct step {
    struct next *next;
    const struct sysroot *root;
    struct inventory *v;
    int node;
    dev_t device;
};

static void add_leg(const struct step *s, int node)
{
    struct next *next = s->next;
    for (size_t i = 0; i < next->count; i++)
        if (next->nodes[i] == node)
            return;
    next->full |= node != INVENTORY_NONE && next->count == NEXT_MAX;
    if (node == INVENTORY_NONE || next->count == NEXT_MAX)
        next->unknown = true;
    else
        next->nodes[next->count++] = node;
}

static void next_is_parent(const struct step *s)
{
    if (s->v->nodes[s->node].kind != NODE_MACHINE)
        add_leg(s, s->v->nodes[s->node].parent);
}

/* Takes the next name off a list "sda1, sdb1". False at its end; a name that is too long becomes
   "". */
static bool next_name(const char **list, char name[NAME_BYTES])
{
    *list += strspn(*list, ", ");
    size_t length = strcspn(*list, ",");
    if (!length)
        return false;
    snprintf(name, NAME_BYTES, "%.*s", length < NAME_BYTES ? (int)length : 0, *list);
    *list += length;
    return true;
}

/* ---- volumes ---- */

static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

/* The rank of a leg, by the fact with its state: a spare or failed member of an array carries no
   data, and of several ways to a disk only the best are used. */
static int leg_rank(const struct step *s, const char *name)
{
    static const char *const idle[] = {
        "spare",   "faulty",      "journal",    "offline",      "blocked",
        "standby", "unavailable", "transition", "inaccessible", "persistent-loss",
        "no link", "idle",        NULL};
    static const char *const second[] = {"non-optimized", NULL};
    static const char *const keys[] = {"member_", "path_"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[NAME_BYTES + 8];
        snprintf(key, sizeof key, "%s%s", keys[i], name);
        const char *state = inventory_value(s->v, s->node, key);
        if (state)
            return has_word(state, idle) ? 0 : has_word(state, second) ? 1 : 2;
    }
    return 2;
}

/* Adds the legs that a fact names, if they are in use. */
static void add_listed(const struct step *s, const char *key)
{
    const char *names = inventory_value(s->v, s->node, key);
    char name[NAME_BYTES];
    int best = 0;
    for (const char *rest = names; rest && next_name(&rest, name);) {
        int rank = leg_rank(s, name);
        best = rank > best ? rank : best;
    }
    for (const char *rest = names; rest && next_name(&rest, name);)
        if (leg_rank(s, name) == best)
            add_leg(s, inventory_find(s->v, name));
    if (!s->next->count)
        s->next->unknown = true;
}

static void next_of_volume(const struct step *s)
{
    add_listed(s, "members");
}

/* While an array rebuilds a member, data are written to it too. Such a member has a slot in the
   array, unlike a spare that waits; in trees without that file there is at most one such member. */
static void next_of_raid(const struct step *s)
{
    const char *action = inventory_value(s->v, s->node, "sync_action");
    const char *names = inventory_value(s->v, s->node, "members");
    char name[NAME_BYTES];
    next_of_volume(s);
    if (!action || strcmp(action, "recover") != 0)
        return;
    while (names && next_name(&names, name)) {
        char key[NAME_BYTES + 8], path[2 * NAME_BYTES + 64], slot[32];
        snprintf(key, sizeof key, "member_%s", name);
        const char *state = inventory_value(s->v, s->node, key);
        if (!state || !strstr(state, "spare") || strstr(state, "faulty"))
            continue;
        snprintf(path, sizeof path, "/sys/class/block/%.90s/md/dev-%s/slot",
                 s->v->nodes[s->node].name, name);
        if (sysroot_line(s->root, path, slot, sizeof slot) == FACT_OK &&
            (slot[0] < '0' || slot[0] > '9'))
            continue;
        size_t before = s->next->count;
        add_leg(s, inventory_find(s->v, name));
        if (s->next->count > before)
            s->next->writes_only[before] = true;
    }
}

static void next_of_loop(const struct step *s)
{
    const char *file = inventory_value(s->v, s->node, "backing_file");
    if (file && file[0] == '/') {
        /* The data of a file lie on its filesystem; a block device has none. */
        dev_t device = 0;
        int filesystem = filesystem_add(s->root, s->v, &device, file);
        add_leg(s, filesystem != INVENTORY_NONE ? filesystem : block_node(s->root, s->v, device));
    } else
        s->next->unknown = true;
}

/* ---- filesystems ---- */

static void next_of_filesystem(const struct step *s)
{
    const char *type = inventory_value(s->v, s->node, "type");
    const char *point = inventory_value(s->v, s->node, "mount_point");
    int remote = remote_of(s->root, s->v, s->node);
    if (remote != INVENTORY_NONE) {
        add_leg(s, remote);
        return;
    }
    if (type && (!strcmp(type, "tmpfs") || !strcmp(type, "ramfs") || !strcmp(type, "hugetlbfs"))) {
        add_leg(s, inventory_find(s->v, "memory"));
        return;
    }
    if (inventory_value(s->v, s->node, "members")) {
        add_listed(s, "members"); /* btrfs on several devices */
        return;
    }
    dev_t device = s->device;
    if (!device && point)
        filesystem_add(s->root, s->v, &device, point); /* this finds the device of a mount */
    add_leg(s, block_node(s->root, s->v, device));
}

/* ---- disks ---- */

static void next_of_disk(const struct step *s)
{
    int remote = remote_of(s->root, s->v, s->node);
    if (remote != INVENTORY_NONE)
        add_leg(s, remote);
    else if (inventory_value(s->v, s->node, "paths"))
        add_listed(s, "paths"); /* the controllers with a path to an NVMe namespace */
    else
        next_is_parent(s);
}

/* ---- networks ---- */

static void next_of_remote(const struct step *s)
{
    const char *interface = inventory_value(s->v, s->node, "interface");
    add_leg(s, interface ? inventory_find(s->v, interface) : INVENTORY_NONE);
}

/* Interfaces that were visited: in a captured tree they may form a circle. */
struct looked {
    int nodes[LOOKS_MAX];
    size_t count;
};

/* Does an interface end at hardware? Others lead to guests and containers. */
static bool leads_out(const struct inventory *v, int node, struct looked *looked)
{
    bool was_there = node == INVENTORY_NONE || looked->count == LOOKS_MAX;
    for (size_t i = 0; i < looked->count; i++)
        was_there |= looked->nodes[i] == node;
    if (was_there)
        return false;
    looked->nodes[looked->count++] = node;
    const char *members = inventory_value(v, node, "members");
    char name[NAME_BYTES];
    if (!members)
        return !strstr(v->nodes[node].path, "/devices/virtual/");
    while (looked->count < LOOKS_MAX && next_name(&members, name))
        if (leads_out(v, inventory_find(v, name), looked))
            return true;
    return false;
}

static void next_of_interface(const struct step *s)
{
    const char *members = inventory_value(s->v, s->node, "members");
    char name[NAME_BYTES];
    if (!members) {
        next_is_parent(s);
        return;
    }
    while (next_name(&members, name)) {
        struct looked looked = {.nodes = {s->node}, .count = 1};
        if (leads_out(s->v, inventory_find(s->v, name), &looked))
            add_leg(s, inventory_find(s->v, name));
    }
    if (!s->next->count)
        s->next->unknown = true;
}

/* Standby members are left out. Modes that divide data unequally have rules in data_path_limit.c,
   which expect the active member first. */
static void next_of_bond(const struct step *s)
{
    const char *active = inventory_value(s->v, s->node, "active");
    const char *mode = inventory_value(s->v, s->node, "mode");
    bool standby = mode && (!strcmp(mode, "active-backup") || !strcmp(mode, "802.3ad"));
    if (active)
        add_listed(s, "active");
    if (!active || !standby)
        add_listed(s, "members");
}

/* ---- all kinds ---- */

typedef void next_function(const struct step *s);

static next_function *const functions[NODE_KINDS] = {
    [NODE_FILESYSTEM] = next_of_filesystem,
    [NODE_RAID] = next_of_raid,
    [NODE_MAPPER] = next_of_volume,
    [NODE_LOOP] = next_of_loop,
    [NODE_DISK] = next_of_disk,
    [NODE_NVME] = next_of_disk,
    [NODE_REMOTE] = next_of_remote,
    [NODE_NETWORK] = next_of_interface,
    [NODE_BOND] = next_of_bond,
};

void data_path_next(struct next *next, const struct sysroot *root, struct inventory *v, int node,
                    dev_t device)
{
    struct step step = {.next = next, .root = root, .v = v, .node = node, .device = device};
    *next = (struct next){0};
    next_function *function = functions[v->nodes[node].kind];
    if (function)
        function(&step);
    else
        next_is_parent(&step);
}
