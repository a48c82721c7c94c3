/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture is made of: what the probers look at, and a list of what is read past them. */
#include "hw/capture/internal.h"

#include <stdio.h>
#include <string.h>

#include "hw/path/data_path.h"
#include "hw/prober.h"

/* What is read past the watcher: by libpci and libsensors, by the monitor, and what tells more to a
   later version. */
static const struct {
    const char *folder, *files; /* patterns; names parted by blanks */
} also[] = {
    /* libpci, sysfs access */
    {"/sys/bus/pci/devices/*", "vendor device class revision subsystem_vendor subsystem_device irq "
                               "config resource label numa_node modalias enable iommu_group"},
    {"/sys/bus/pci/slots/*", "address max_bus_speed cur_bus_speed"},
    /* libsensors */
    {"/sys/class/hwmon", "* */* */device */device/name */device/subsystem */device/bus"},
    {"/sys/class/i2c-adapter/*", "name device device/name"},
    {"/sys/bus/i2c/devices", "* */name"},
    {"/sys/class/thermal/*", "type temp trip_point_*_temp trip_point_*_type cur_state max_state"},
    /* the monitor and the data path */
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

static bool may_be_target(enum node_kind kind)
{
    return kind == NODE_DISK || kind == NODE_PARTITION || kind == NODE_RAID ||
           kind == NODE_MAPPER || kind == NODE_LOOP || kind == NODE_NETWORK || kind == NODE_BOND;
}

int capture_look(struct capture_paths *paths, bool serials, struct err *e)
{
    struct sysroot_watcher watcher = {saw, paths};
    struct sysroot watched = *paths->root;
    watched.watcher = &watcher;
    /* All probers, and the data path of everything that has one. */
    struct inventory inventory = {0};
    struct probe p = {
        .root = &watched, .inventory = &inventory, .pci_ids = "none", .serials = serials};
    int status = probe_all(&p, e);
    int count = inventory.node_count; /* a path may add nodes */
    for (int i = 0; !status && i < count; i++) {
        struct data_path path;
        if (may_be_target(inventory.nodes[i].kind))
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
            capture_paths_see_all(paths, pattern);
            name += length + (name[length] == ' ');
        }
    }
    capture_paths_sort(paths);
    return paths->failed ? err_set(e, ERR_MACHINE, "not enough memory for the capture") : 0;
}
