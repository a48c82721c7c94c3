/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the chips that libsensors finds, each below the device that it measures. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sensors/error.h>
#include <sensors/sensors.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/probers.h"
#include "hw/sensor/internal.h"

/* ---- the library ---- */

#define ROOT_VARIABLE "SENSORS_SYSFS_ROOT"
#define DEPTH_MAX     16
#define PREFIX_MAX    128

/* ---- errors ---- */

/* Where the callback for fatal errors jumps to: it has no context argument and must not return. */
static jmp_buf *way_out;

static void leave(const char *function, const char *message)
{
    (void)function;
    (void)message;
    longjmp(*way_out, 1); // NOLINT(cert-err52-cpp)
}

static void ignore(const char *message, const char *file, int line)
{
    (void)message;
    (void)file;
    (void)line;
}

struct handlers {
    void (*parse)(const char *, const char *, int);
    void (*fatal)(const char *, const char *);
};

static struct handlers set_handlers(struct handlers h)
{
    struct handlers before = {sensors_parse_error_wfn, sensors_fatal_error};
    sensors_parse_error_wfn = h.parse;
    sensors_fatal_error = h.fatal;
    return before;
}

/* Redirects stderr, because the library prints a line when its root is not a mounted sysfs. Returns
   the old stderr, or -1 if it was not redirected. */
static int silence(void)
{
    int nothing = memfd_create("silence", MFD_CLOEXEC);
    int before = nothing < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (before >= 0 && dup2(nothing, STDERR_FILENO) < 0) {
        close(before);
        before = -1;
    }
    if (nothing >= 0)
        close(nothing);
    return before;
}

/* ---- trees that no kernel made ---- */

static char *full_path(const struct sysroot *root, const char *folder, const char *file,
                       char full[PATH_MAX])
{
    char path[PATH_MAX];
    return sysroot_path(root, full, PATH_MAX, sysroot_join(path, sizeof path, folder, file));
}

static bool is_regular_or_absent(const struct sysroot *root, const char *folder, const char *file)
{
    char full[PATH_MAX];
    struct stat s;
    return stat(full_path(root, folder, file, full), &s) != 0 || S_ISREG(s.st_mode);
}

/* Returns true if the folder's link names its bus: the library takes the text after the last '/' of
   the link, and requires that there is a '/'. Without `subsystem` it uses `bus`. */
static bool names_bus(const struct sysroot *root, const char *folder)
{
    static const char *const links[] = {"subsystem", "bus"};
    ssize_t length = -1;
    char full[PATH_MAX], target[PATH_MAX];
    for (int i = 0; length < 0 && i < 2; i++)
        length = readlink(full_path(root, folder, links[i], full), target, sizeof target - 1);
    return length < 0 || memchr(target, '/', (size_t)length);
}

/* Returns true if the chain of devices ends: the library goes from device to device until it knows
   the bus. Links must be relative, as the kernel's are: the library lets the system resolve them,
   and an absolute link would lead out of the tree. */
static bool devices_end(const struct sysroot *root, const char *entry)
{
    char folder[PATH_MAX], link[PATH_MAX];
    bool absolute;
    enum fact_status status = sysroot_follow(root, entry, folder, sizeof folder, &absolute);
    if (status == FACT_ABSENT)
        status = sysroot_folder(root, entry, folder, sizeof folder);
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        if (status != FACT_OK || absolute || !names_bus(root, folder) ||
            !is_regular_or_absent(root, folder, "name"))
            return false;
        sysroot_join(link, sizeof link, folder, "device");
        status = sysroot_follow(root, link, folder, sizeof folder, &absolute);
        if (status == FACT_ABSENT)
            return true;
    }
    return false;
}

/* Checks everything that the library opens or follows below its root. */
static bool is_harmless(const struct sysroot *root)
{
    static const char *const lists[] = {"/sys/class/hwmon", "/sys/class/i2c-adapter",
                                        "/sys/bus/i2c/devices"};
    bool harmless = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct sysroot_names names;
        sysroot_list(root, lists[i], &names);
        for (size_t n = 0; harmless && n < names.count; n++) {
            char entry[PATH_MAX];
            sysroot_join(entry, sizeof entry, lists[i], names.names[n]);
            harmless = is_regular_or_absent(root, entry, "device/name") && devices_end(root, entry);
        }
        sysroot_names_free(&names);
    }
    return harmless;
}

/* ---- use ---- */

static enum sensor_library_result use(const struct sysroot *root, sensor_library_work *work,
                                      void *context)
{
    jmp_buf here;
    bool volatile opened = false;
    /* Sets the library's root by its environment variable. The library keeps a pointer to the
       variable's text, so the variable is set again for every use. */
    char folder[sizeof root->prefix + sizeof "/sys"];
    if (setenv(ROOT_VARIABLE, sysroot_path(root, folder, sizeof folder, "/sys"), 1))
        return SENSOR_LIBRARY_NO_MEMORY;
    way_out = &here;
    bool whole = !setjmp(here); // NOLINT(cert-err52-cpp)
    if (whole) {
        /* A configuration of one empty line, so that the library looks for no file. */
        char empty[] = "\n";
        FILE *configuration = fmemopen(empty, 1, "r");
        if (!configuration)
            leave("", "");
        opened = !sensors_init(configuration);
        fclose(configuration);
        if (opened)
            work(context);
    }
    way_out = NULL;
    if (opened)
        sensors_cleanup();
    return !whole ? SENSOR_LIBRARY_NO_MEMORY : opened ? SENSOR_LIBRARY_DONE : SENSOR_LIBRARY_FAILED;
}

enum sensor_library_result sensor_library_use(const struct sysroot *root, sensor_library_work *work,
                                              void *context)
{
    if (root->prefix[0] && (strlen(root->prefix) > PREFIX_MAX || !is_harmless(root)))
        return SENSOR_LIBRARY_REFUSED;
    const char *variable = getenv(ROOT_VARIABLE);
    char *before = variable ? strdup(variable) : NULL;
    if (variable && !before)
        return SENSOR_LIBRARY_NO_MEMORY;
    struct handlers handlers = set_handlers((struct handlers){ignore, leave});
    int output = silence();
    enum sensor_library_result result = use(root, work, context);
    if (output >= 0) {
        dup2(output, STDERR_FILENO);
        close(output);
    }
    set_handlers(handlers);
    if (before)
        setenv(ROOT_VARIABLE, before, 1);
    else
        unsetenv(ROOT_VARIABLE);
    free(before);
    return result;
}

/* Returns the part of the path after the prefix; NULL when the path is not in /sys below the
   prefix. */
static const char *below(const char *path, const char *prefix)
{
    size_t length = strlen(prefix);
    bool below = !strncmp(path, prefix, length) && !strncmp(path + length, "/sys/", 5);
    return below ? path + length : NULL;
}

/* Converts a path of the library ("PREFIX/sys/class/hwmon/hwmon0") to one below the root. `to`
   becomes "" when the path leads out of the root. */
static void sensor_library_path(const struct sysroot *root, const char *path, char *to, size_t size)
{
    const char *rest = below(path, root->prefix);
    to[0] = '\0';
    if (!rest) {
        /* If a driver has its files in the device's folder, the library has followed all links, and
           the path begins with the root's name without links. */
        char canonical[PATH_MAX], full[PATH_MAX];
        if (realpath(sysroot_path(root, full, sizeof full, "/"), canonical))
            rest = below(path, canonical);
    }
    if (rest && strlen(rest) < size)
        memcpy(to, rest, strlen(rest) + 1);
}

/* ---- sensors ---- */

#define HWMON_FOLDER "/sys/class/hwmon"
#define CHIPS_MAX    1024
#define DEVICES_MAX  4

/* Returns the disk of a drive whose chip belongs to its SCSI device: the disk's folder is below
   that of the device. */
static int disk_of(struct probe *p, const char *device)
{
    char path[PROBE_FOLDER + 8];
    struct sysroot_names names;
    sysroot_join(path, sizeof path, device, "block");
    sysroot_list(p->root, path, &names);
    int disk = names.count ? inventory_find(p->inventory, names.names[0]) : INVENTORY_NONE;
    sysroot_names_free(&names);
    return disk;
}

/* Returns the node that the chip measures: nvme0 for
   /sys/devices/.../0000:01:00.0/nvme/nvme0/hwmon3. */
static int parent_of(struct probe *p, const sensors_chip_name *name, const char *folder)
{
    char device[PROBE_FOLDER], package[32];
    memcpy(device, folder, strlen(folder) + 1); /* a folder is at most as long as the buffer */
    for (int i = 0; i < 2; i++) { /* removes "/hwmon3", and "/hwmon" above it if it is there */
        char *slash = strrchr(device, '/');
        if (slash && !strncmp(slash, "/hwmon", 6))
            *slash = '\0';
    }
    snprintf(package, sizeof package, "package%d", name->addr);
    int parent = INVENTORY_NONE;
    if (!strcmp(name->prefix, "coretemp"))
        parent = inventory_find(p->inventory, package);
    int itself = inventory_at(p->inventory, device);
    bool is_disk = itself != INVENTORY_NONE &&
                   node_kind_is(p->inventory->nodes[itself].kind, KIND_CARRIES_DISK);
    if (parent == INVENTORY_NONE && !is_disk)
        parent = disk_of(p, device);
    if (parent == INVENTORY_NONE)
        parent = itself;
    if (parent == INVENTORY_NONE)
        parent = inventory_above(p->inventory, device);
    return parent == INVENTORY_NONE ? probe_top(p) : parent;
}

/* Shows the watcher of a capture the files that the library read to name the chip, from device to
   device until it knew the bus. */
static void look_again(struct probe *p, const char *chip)
{
    char folder[PROBE_FOLDER], path[PROBE_FOLDER + 16], text[64];
    if (!p->root->watcher)
        return;
    snprintf(folder, sizeof folder, "%s", chip);
    for (int depth = 0; depth < DEVICES_MAX; depth++) {
        snprintf(path, sizeof path, "%s/name", folder);
        sysroot_line(p->root, path, text, sizeof text);
        snprintf(path, sizeof path, "%s/subsystem", folder);
        sysroot_link(p->root, path, text, sizeof text);
        snprintf(path, sizeof path, "%s/device", folder);
        if (sysroot_link(p->root, path, text, sizeof text) != FACT_OK ||
            sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            return;
    }
}

struct found {
    const sensors_chip_name *name;
};

static int compare_found(const void *a, const void *b)
{
    return strverscmp(((const struct found *)a)->name->path, ((const struct found *)b)->name->path);
}

/* Adds the chips, sorted, since the library lists them in no particular order. Called while the
   library is open. */
static void add_chips(void *context)
{
    struct probe *p = context;
    struct found chips[CHIPS_MAX];
    size_t count = 0;
    int number = 0;
    while (count < CHIPS_MAX && (chips[count].name = sensors_get_detected_chips(NULL, &number)))
        count++;
    if (count)
        qsort(chips, count, sizeof *chips, compare_found);
    for (size_t i = 0; i < count; i++) {
        const sensors_chip_name *name = chips[i].name;
        char shown[96], path[PROBE_FOLDER], folder[PROBE_FOLDER];
        sensor_library_path(p->root, name->path, path, sizeof path);
        if (!*path || sysroot_folder(p->root, path, folder, sizeof folder) != FACT_OK)
            continue;
        if (sensors_snprintf_chip_name(shown, sizeof shown, name) < 0)
            snprintf(shown, sizeof shown, "%.90s", name->prefix);
        look_again(p, folder);
        int parent = parent_of(p, name, folder);
        int node = inventory_add_node(p->inventory, NODE_SENSOR, shown, folder, parent);
        sensor_chip_add_facts(p, node, name, path);
    }
    if (count)
        inventory_add_number(p->inventory, probe_top(p), "sensors", count, "", HWMON_FOLDER);
    else
        inventory_add(p->inventory, probe_top(p), "sensors", "", "", HWMON_FOLDER, FACT_ABSENT);
}

void look_at_sensors(struct probe *p)
{
    struct sysroot_names names;
    enum fact_status status = sysroot_list(p->root, HWMON_FOLDER, &names);
    sysroot_names_free(&names);
    if (status == FACT_OK) {
        switch (sensor_library_use(p->root, add_chips, p)) {
        case SENSOR_LIBRARY_DONE:
            return;
        case SENSOR_LIBRARY_NO_MEMORY:
            p->inventory->failed = true;
            return;
        case SENSOR_LIBRARY_REFUSED:
        case SENSOR_LIBRARY_FAILED:
            status = FACT_INVALID;
        }
    }
    inventory_add(p->inventory, probe_top(p), "sensors", "", "", HWMON_FOLDER, status);
}
