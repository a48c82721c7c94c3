/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the data path step by step from the target, until every branch has reached the machine.
 * There is a step function for each kind of node that continues not only with its parent.
 */
#include "hw/path/data_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/disk/block.h"
#include "hw/disk/filesystem.h"
#include "hw/path/internal.h"

#define NAME_BYTES 96
/* maximum number of interfaces that are visited below one port of a bridge */
#define LOOKS_MAX 32

struct step {
    struct next *next;
    const struct sysroot *root;
    struct inventory *v;
    int node;
    dev_t device;
};

int data_path_part(const struct data_path *path, int node)
{
    for (size_t i = 0; i < path->part_count; i++)
        if (path->parts[i].node == node)
            return (int)i;
    return -1;
}

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

/* Takes the next name off a list such as "sda1, sdb1". Returns false at its end. A name that is too
   long becomes "". */
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

/* Returns the rank of a leg (a way to one member), by the fact with the member's state. A spare or
   failed member of an array carries no data, and of several ways to a disk only the best count. */
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

/* Adds the members of an array. While an array rebuilds a member, data are written to that member
   too. It has a slot in the array, unlike a spare that waits. In trees without the slot's file
   there is at most one such member. */
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
        add_listed(s, "members"); /* a btrfs on several devices has this fact */
        return;
    }
    dev_t device = s->device;
    if (!device && point)
        filesystem_add(s->root, s->v, &device, point); /* finds the device of a mount */
    add_leg(s, block_node(s->root, s->v, device));
}

/* ---- disks ---- */

static void next_of_disk(const struct step *s)
{
    int remote = remote_of(s->root, s->v, s->node);
    if (remote != INVENTORY_NONE)
        add_leg(s, remote);
    else if (inventory_value(s->v, s->node, "paths"))
        add_listed(s, "paths"); /* names the controllers with a path to an NVMe namespace */
    else
        next_is_parent(s);
}

/* ---- networks ---- */

static void next_of_remote(const struct step *s)
{
    const char *interface = inventory_value(s->v, s->node, "interface");
    add_leg(s, interface ? inventory_find(s->v, interface) : INVENTORY_NONE);
}

/* Interfaces that were visited; in a captured tree they may form a circle. */
struct looked {
    int nodes[LOOKS_MAX];
    size_t count;
};

/* Returns true if an interface ends at hardware; others lead to guests and containers. */
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

/* Adds the members of a bond. Standby members are left out. For modes that divide data unequally,
   the rules of data_path_limit.c expect the active member first. */
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

/*
 * Finds the legs below `node`: members of volumes, arrays, bonds and bridges; the file's filesystem
 * below a loop device; the network interface to a server; for anything else its parent. `device` is
 * the number of the block device below `node` when it is a filesystem; 0: the device that the
 * mounts name. Filesystem and remote nodes may be added to the inventory.
 */
static void data_path_next(struct next *next, const struct sysroot *root, struct inventory *v,
                           int node, dev_t device)
{
    struct step step = {.next = next, .root = root, .v = v, .node = node, .device = device};
    *next = (struct next){0};
    next_function *function = functions[v->nodes[node].kind];
    if (function)
        function(&step);
    else
        next_is_parent(&step);
}

static const char device_files[] = "/dev/";

/* Returns true if there is a way from one part to the other. */
static bool leads_to(const struct data_path *path, int from, int to)
{
    bool seen[DATA_PATH_PARTS] = {false};
    int waiting[DATA_PATH_PARTS];
    size_t count = 0;
    seen[from] = true;
    waiting[count++] = from;
    while (count) {
        int part = waiting[--count];
        if (part == to)
            return true;
        for (size_t e = 0; e < path->edge_count; e++) {
            int next = path->edges[e].to;
            if (path->edges[e].from == part && !seen[next]) {
                seen[next] = true;
                waiting[count++] = next;
            }
        }
    }
    return false;
}

/* Adds a part and returns its index; -1 when the path has DATA_PATH_PARTS parts. */
static int add_part(struct data_path *path, const struct inventory *v, int node, unsigned depth)
{
    if (path->part_count == DATA_PATH_PARTS) {
        path->full = true;
        return -1;
    }
    enum node_kind kind = v->nodes[node].kind;
    path->remote |= kind == NODE_REMOTE;
    path->parts[path->part_count] = (struct data_path_part){
        .node = node,
        .depth = depth,
        .is_target_device = kind == NODE_DISK || kind == NODE_MEMORY_DISK,
    };
    return (int)path->part_count++;
}

/* Adds an edge. Returns false if it does not fit, or if it would close a cycle, as in a damaged
   captured tree. */
static bool add_edge(struct data_path *path, const struct inventory *v, int from, int node,
                     bool writes_only)
{
    int to = 0;
    while (to < (int)path->part_count && path->parts[to].node != node)
        to++;
    bool is_new = to == (int)path->part_count;
    if (!is_new && leads_to(path, to, from))
        return false;
    if (path->edge_count == DATA_PATH_EDGES) {
        path->full = true;
        return false;
    }
    if (is_new)
        to = add_part(path, v, node, path->parts[from].depth + 1);
    if (to < 0)
        return false;
    path->edges[path->edge_count++] = (struct data_path_edge){from, to, writes_only};
    return true;
}

/* Follows the parts in the order in which they were found, so that each part is found from the
   nearest one. */
static void follow(struct data_path *path, const struct sysroot *root, struct inventory *v,
                   int target, dev_t device)
{
    struct next next;
    *path = (struct data_path){.complete = true};
    if (target == INVENTORY_NONE)
        path->complete = false;
    else
        add_part(path, v, target, 0);
    for (size_t p = 0; p < path->part_count; p++) {
        data_path_next(&next, root, v, path->parts[p].node, p == 0 ? device : 0);
        path->complete &= !next.unknown;
        path->full |= next.full;
        for (size_t i = 0; i < next.count; i++)
            path->complete &= add_edge(path, v, (int)p, next.nodes[i], next.writes_only[i]);
    }
    data_path_limits(path, v);
}

/* Finds a node by "nvme0n1", "/dev/nvme0n1", "/dev/mapper/vg-root" or "vg-root". */
static int find_by_name(const struct inventory *v, const char *name)
{
    if (!strncmp(name, device_files, sizeof device_files - 1))
        name += sizeof device_files - 1;
    int node = inventory_find(v, name);
    if (node != INVENTORY_NONE && node_kind_is(v->nodes[node].kind, KIND_STARTS_PATH))
        return node;
    const char *volume = strncmp(name, "mapper/", 7) ? name : name + 7;
    for (node = 0; node < v->node_count; node++) {
        const char *own = inventory_value(v, node, "name");
        if (v->nodes[node].kind == NODE_MAPPER && own && !strcmp(own, volume))
            return node;
    }
    return INVENTORY_NONE;
}

void data_path_find(struct data_path *path, const struct sysroot *root, struct inventory *v,
                    dev_t device, const char *file)
{
    int target = INVENTORY_NONE;
    /* On this machine the number of the device decides; a captured tree has no device files. */
    if (file && root->prefix[0] && !strncmp(file, device_files, sizeof device_files - 1))
        target = find_by_name(v, file);
    if (target == INVENTORY_NONE && file)
        target = filesystem_add(root, v, &device, file);
    if (target == INVENTORY_NONE)
        target = block_node(root, v, device);
    follow(path, root, v, target, device);
}

bool data_path_of_name(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const char *name)
{
    int target = find_by_name(v, name);
    follow(path, root, v, target, 0);
    return target != INVENTORY_NONE;
}

void data_path_to_host(struct data_path *path, const struct sysroot *root, struct inventory *v,
                       const struct data_path_host *host)
{
    follow(path, root, v, remote_host(root, v, host), 0);
}

void data_path_depths(struct data_path *path)
{
    for (size_t p = 1; p < path->part_count; p++)
        path->parts[p].depth = DATA_PATH_PARTS;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t e = 0; e < path->edge_count; e++) {
            unsigned depth = path->parts[path->edges[e].from].depth + 1;
            struct data_path_part *to = &path->parts[path->edges[e].to];
            changed |= depth < to->depth;
            to->depth = depth < to->depth ? depth : to->depth;
        }
    }
}

/* Inserts the part right before `to`, the end that is nearer to the processor. The legs of arrays
   have joined before that place, so the rules for how arrays divide data over their legs still
   hold. */
bool data_path_insert(struct data_path *path, const struct inventory *v, int node, int from, int to)
{
    if (from == to || !leads_to(path, from, to) || path->edge_count == DATA_PATH_EDGES)
        return false;
    bool is_on_way[DATA_PATH_PARTS];
    for (int p = 0; p < (int)path->part_count; p++)
        is_on_way[p] = leads_to(path, from, p);
    int part = add_part(path, v, node, 0);
    if (part < 0)
        return false;
    for (size_t e = 0; e < path->edge_count; e++)
        if (path->edges[e].to == to && is_on_way[path->edges[e].from])
            path->edges[e].to = part;
    path->edges[path->edge_count++] = (struct data_path_edge){.from = part, .to = to};
    data_path_depths(path);
    data_path_limits(path, v);
    return true;
}

int data_path_numa_node(const struct data_path *path, const struct inventory *v)
{
    int found = -1;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct inventory_node *n = &v->nodes[path->parts[i].node];
        if (n->kind != NODE_NUMA || strncmp(n->name, "node", 4) != 0)
            continue;
        const int node = (int)strtol(n->name + 4, NULL, 10);
        if (found >= 0 && found != node)
            return -1;
        found = node;
    }
    return found;
}
