/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the paths of a capture: follows each link by link, and remembers each path once. */
#include "hw/capture/internal.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/glob.h"
#include "hw/path/data_path.h"
#include "hw/prober.h"

#define HOPS_MAX 40 /* maximum number of links on one path, as in the kernel */

/* ---- a set of paths ---- */

/* Adds a path. Returns true if it is new in the set. */
static bool path_set_add(struct capture_paths *c, struct path_set *s, const char *path)
{
    if (string_table_find(&s->table, span_of(path)) != STRING_TABLE_NONE)
        return false;
    const char *copy = array_grow(&s->paths, sizeof *s->paths, s->table.count, &s->capacity)
                           ? pool_copy(&c->strings, path, strlen(path))
                           : NULL;
    uint32_t number = copy ? string_table_add(&s->table, span_of(copy)) : STRING_TABLE_NONE;
    if (number == STRING_TABLE_NONE)
        c->failed = true;
    else
        s->paths[number] = copy;
    return number != STRING_TABLE_NONE;
}

static void path_set_free(struct path_set *s)
{
    free(s->paths);
    string_table_free(&s->table);
    *s = (struct path_set){0};
}

/* ---- following a path ---- */

static bool is_below(const char *path, const char *top)
{
    size_t length = strlen(top);
    return !strncmp(path, top, length) && (!path[length] || path[length] == '/');
}

static void path_leave(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

/* Puts the link's target before the remaining parts of the path. Returns false if it is too long,
   or absolute. */
static bool put_before(char rest[PATH_MAX], const char *full)
{
    char target[PATH_MAX];
    ssize_t length = readlink(full, target, sizeof target - 1);
    size_t left = strlen(rest);
    if (length <= 0 || target[0] == '/' || (size_t)length + 1 + left >= PATH_MAX)
        return false;
    memmove(rest + length + 1, rest, left + 1);
    memcpy(rest, target, (size_t)length);
    rest[length] = '/';
    return true;
}

/* Moves the next part of `rest` to the end of `at`. Returns false if there is no further part, or
   it does not fit. */
static bool step(char at[PATH_MAX], char rest[PATH_MAX])
{
    char *part = rest + strspn(rest, "/");
    size_t length = strcspn(part, "/"), used = strlen(at);
    if (!length)
        return false;
    if (length == 2 && !strncmp(part, "..", 2)) {
        path_leave(at);
    } else if (length != 1 || *part != '.') {
        if (used + length + 2 > PATH_MAX)
            return false;
        at[used] = '/';
        memcpy(at + used + 1, part, length);
        at[used + 1 + length] = '\0';
    }
    memmove(rest, part + length, strlen(part + length) + 1);
    return true;
}

/* Follows a path, and adds every link, folder and file on the way to the kept paths. Returns true
   if the path exists; `end` (PATH_MAX bytes) is then its name without links. */
static bool follow(struct capture_paths *c, const char *path, char *end, struct stat *s)
{
    char rest[PATH_MAX], full[PATH_MAX];
    int hops = 0;
    end[0] = '\0';
    if (snprintf(rest, sizeof rest, "%s", path) >= (int)sizeof rest)
        return false;
    while (step(end, rest)) {
        bool of_proc = is_below(end, "/proc");
        if (!of_proc && !is_below(end, "/sys"))
            return false;
        sysroot_path(c->root, full, sizeof full, end);
        if (!full[0] || (of_proc ? stat(full, s) : lstat(full, s)))
            return false;
        if (S_ISLNK(s->st_mode)) {
            if (++hops > HOPS_MAX || !put_before(rest, full))
                return false;
            path_set_add(c, &c->kept, end);
            path_leave(end);
        } else if (S_ISDIR(s->st_mode) || S_ISREG(s->st_mode)) {
            path_set_add(c, &c->kept, end);
        }
    }
    return end[0];
}

/* Records that a prober looked at a path, whether the path exists or not. */
static void capture_paths_see(struct capture_paths *c, const char *path)
{
    char full[PATH_MAX], below[PATH_MAX], at[PATH_MAX] = "", end[PATH_MAX] = "";
    struct stat s = {0};
    if (!path_set_add(c, &c->asked, path) || !follow(c, path, at, &s) || !S_ISDIR(s.st_mode))
        return;
    /* /proc itself is not listed: a capture does not need all its processes. */
    DIR *folder =
        strcmp(at, "/proc") != 0 ? opendir(sysroot_path(c->root, full, sizeof full, at)) : NULL;
    if (!folder)
        return;
    /* Keeps the folders and links in a folder, but not the contents of folders that links lead
       to. */
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.' || entry->d_type == DT_REG ||
            snprintf(below, sizeof below, "%s/%s", at, entry->d_name) >= (int)sizeof below)
            continue;
        if (lstat(sysroot_path(c->root, full, sizeof full, below), &s) == 0 && !S_ISREG(s.st_mode))
            follow(c, below, end, &s);
    }
    closedir(folder);
}

/* ---- patterns ---- */

/* Records, as paths that were looked at, all existing paths that match: each '*' in a part of the
   pattern stands for any characters (base/glob.h). `at` exists; `pattern` is the remaining part,
   beginning with '/'. */
static void see_below(struct capture_paths *c, const char *at, const char *pattern)
{
    char full[PATH_MAX], below[PATH_MAX], part[NAME_MAX + 1];
    const char *star = strchr(pattern, '*');
    if (!star) {
        if (snprintf(below, sizeof below, "%s%s", at, pattern) < (int)sizeof below)
            capture_paths_see(c, below);
        return;
    }
    const char *begin = star;
    while (*begin != '/')
        begin--;
    size_t length = strcspn(begin + 1, "/");
    if (length > NAME_MAX)
        return;
    memcpy(part, begin + 1, length);
    part[length] = '\0';
    if (snprintf(below, sizeof below, "%s%.*s", at, (int)(begin - pattern), pattern) >=
        (int)sizeof below)
        return;
    struct sysroot_names names;
    struct sysroot silent = *c->root;
    silent.watcher = NULL;
    sysroot_list(&silent, below, &names);
    for (size_t i = 0; i < names.count; i++)
        if (glob_matches(part, names.names[i]) &&
            snprintf(full, sizeof full, "%s/%s", below, names.names[i]) < (int)sizeof full)
            see_below(c, full, begin + 1 + length);
    sysroot_names_free(&names);
}

static int path_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void capture_paths_free(struct capture_paths *c)
{
    path_set_free(&c->asked);
    path_set_free(&c->kept);
    pool_free(&c->strings);
}

/* ---- everything that a capture holds ---- */

/* Files that the watcher does not see, because libpci, libsensors or the monitor read them; and
   files that a later version may need. */
static const struct {
    const char *folder, *files; /* patterns; names are separated by blanks */
} also[] = {
    /* read by libpci, which reads through sysfs */
    {"/sys/bus/pci/devices/*", "vendor device class revision subsystem_vendor subsystem_device irq "
                               "config resource label numa_node modalias enable iommu_group"},
    {"/sys/bus/pci/slots/*", "address max_bus_speed cur_bus_speed"},
    /* libsensors */
    {"/sys/class/hwmon", "* */* */device */device/name */device/subsystem */device/bus"},
    {"/sys/class/i2c-adapter/*", "name device device/name"},
    {"/sys/bus/i2c/devices", "* */name"},
    {"/sys/class/thermal/*", "type temp trip_point_*_temp trip_point_*_type cur_state max_state"},
    /* read by the monitor and to find data paths */
    {"/proc", "stat loadavg uptime cpuinfo meminfo interrupts self/mountinfo version cmdline"},
    {"/proc/net", "route ipv6_route dev"},
    {"/proc/pressure", "cpu io memory"},
    {"/proc/irq/*", "effective_affinity_list smp_affinity_list"},
    {"/sys/dev/block", "*"},
    {"/sys/class/block/*", "stat inflight dev size ro partition slaves holders device/state"},
    {"/sys/class/net/*", "statistics/rx_bytes statistics/tx_bytes operstate carrier"},
    {"/sys/devices/system/cpu/cpu*", "cpufreq/scaling_cur_freq cpufreq/scaling_governor "
                                     "cpufreq/scaling_available_governors thermal_throttle/*"},
    {"/sys/fs/btrfs/*", "devices"},
};

static void saw(void *context, const char *path)
{
    capture_paths_see(context, path);
}

int capture_paths_find(struct capture_paths *paths, bool serials, struct err *e)
{
    struct sysroot_watcher watcher = {saw, paths};
    struct sysroot watched = *paths->root;
    watched.watcher = &watcher;
    /* Runs all probers, and finds the data path of everything that has one. */
    struct inventory inventory = {0};
    struct probe p = {
        .root = &watched, .inventory = &inventory, .pci_ids = "none", .serials = serials};
    int status = probe_all(&p, e);
    int count = inventory.node_count; /* finding a path may add nodes */
    for (int i = 0; !status && i < count; i++) {
        struct data_path path;
        if (node_kind_is(inventory.nodes[i].kind, KIND_STARTS_PATH))
            data_path_of_name(&path, &watched, &inventory, inventory.nodes[i].name);
    }
    inventory_free(&inventory);
    if (status)
        return -1;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++) {
        const char *name = also[i].files;
        while (*name) {
            char pattern[256];
            size_t length = strcspn(name, " ");
            snprintf(pattern, sizeof pattern, "%s/%.*s", also[i].folder, (int)length, name);
            see_below(paths, "", pattern);
            name += length + (name[length] == ' ');
        }
    }
    /* Sorts the paths, so that a folder comes before its contents. */
    if (paths->kept.table.count)
        qsort(paths->kept.paths, paths->kept.table.count, sizeof *paths->kept.paths, path_compare);
    return paths->failed ? err_no_memory(e, "the capture") : 0;
}
