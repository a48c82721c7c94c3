/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory prober: memory, its error counters, NUMA nodes. */
#include "inventory_checks.h"

#define NODE "/sys/devices/system/node"
#define EDAC "/sys/devices/system/edac/mc"

static void server(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_file(
        t, "/proc/meminfo",
        "MemTotal:       263741356 kB\nMemFree:         1000000 kB\n"
        "MemAvailable:   250000000 kB\nSwapCached:            7 kB\nSwapTotal:             0 kB\n");
    tree_file(t, EDAC "/mc0/ce_count", "3\n");
    tree_file(t, EDAC "/mc0/ue_count", "0\n");
    tree_file(t, EDAC "/mc1/ce_count", "4\n");
    tree_file(t, EDAC "/mc1/dimm0/dimm_label", "CPU_SrcID#1_MC#0_Chan#0_DIMM#0\n");
    tree_file(t, EDAC "/mc1/dimm0/dimm_ce_count", "0\n");
    tree_file(t, EDAC "/mc1/dimm3/dimm_label", "CPU_SrcID#1_MC#0_Chan#1_DIMM#0\n");
    tree_file(t, EDAC "/mc1/dimm3/dimm_ce_count", "4\n");
    tree_file(t, EDAC "/mc1/ue_count", "1\n");
    tree_file(t, EDAC "/power/ce_count", "100\n");
    tree_file(t, NODE "/node0/cpulist", "0-31,64-95\n");
    tree_file(t, NODE "/node0/meminfo",
              "Node 0 MemTotal:       131870678 kB\n"
              "Node 0 MemFree:        1 kB\n");
    tree_file(t, NODE "/node0/distance", "10 32 60\n");
    tree_file(t, NODE "/node1/cpulist", "\n"); /* memory on CXL */
    tree_file(t, NODE "/node1/meminfo", "Node 1 MemTotal:       1024 kB\n");
    tree_file(t, NODE "/node1/distance", "32 10 60\n");
    tree_file(t, NODE "/node10/cpulist", "32-63,96-127\n");
    tree_file(t, NODE "/node1x/cpulist", "1\n");
    tree_file(t, NODE "/online", "0-1,10\n");
    look_at_memory(&m.probe);
    PARENT_IS(&m, "memory", "machine");
    VALUE_IS(&m, "machine", "memory", "270071148544", "bytes"); /* 263741356 * 1024 */
    VALUE_IS(&m, "memory", "size", "270071148544", "bytes");
    VALUE_IS(&m, "memory", "available", "256000000000", "bytes");
    VALUE_IS(&m, "memory", "swap", "0", "bytes");
    VALUE_IS(&m, "memory", "edac_correctable", "7", "");
    VALUE_IS(&m, "memory", "edac_uncorrectable", "1", "");
    VALUE_IS(&m, "memory", "edac_modules", "CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (4)", "");
    PARENT_IS(&m, "node0", "machine");
    VALUE_IS(&m, "node0", "cpus", "0-31,64-95", "");
    VALUE_IS(&m, "node0", "memory", "135035574272", "bytes"); /* 131870678 * 1024 */
    VALUE_IS(&m, "node0", "distances", "10 32 60", "");
    VALUE_IS(&m, "node1", "cpus", "none", "");
    STATUS_IS(&m, "node10", "memory", FACT_ABSENT);
    STATUS_IS(&m, "node10", "distances", FACT_ABSENT);
    CHECK(inventory_find(&m.inventory, "node1x") == INVENTORY_NONE);
    CHECK(inventory_at(&m.inventory, NODE "/node10") == inventory_find(&m.inventory, "node10"));
    machine_end(&m);
}

static void guest(void)
{
    struct machine m;
    machine_begin(&m);
    tree_file(&m.tree, "/proc/meminfo", "MemTotal: 1024 kB");
    look_at_memory(&m.probe);
    VALUE_IS(&m, "memory", "size", "1048576", "bytes");
    STATUS_IS(&m, "memory", "available", FACT_ABSENT);
    STATUS_IS(&m, "memory", "edac_correctable", FACT_ABSENT);
    CHECK(inventory_find(&m.inventory, "node0") == INVENTORY_NONE);
    machine_end(&m);
}

static void garbage_and_denied(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_file(t, "/proc/meminfo",
              "MemTotal: 99999999999999999999999 kB\nXMemAvailable: 1 kB\nSwapTotal: 12 MB\n");
    tree_file(t, EDAC "/mc0/ce_count", "3\n");
    tree_deny(t, EDAC "/mc0/ue_count");
    tree_file(t, EDAC "/mc1/ce_count", "three\n");
    tree_bytes(t, NODE "/node0/cpulist", "\0\xff\n", 3);
    tree_file(t, NODE "/node0/meminfo", "\n");
    tree_file(t, NODE "/node1/cpulist", "all of them\n");
    tree_file(t, NODE "/node1/distance", "10 ten -10\n");
    tree_deny(t, NODE "/node0/distance");
    look_at_memory(&m.probe);
    STATUS_IS(&m, "memory", "size", FACT_INVALID);
    STATUS_IS(&m, "machine", "memory", FACT_INVALID);
    STATUS_IS(&m, "memory", "available", FACT_ABSENT);
    STATUS_IS(&m, "memory", "swap", FACT_INVALID);
    VALUE_IS(&m, "memory", "edac_correctable", "3", "");
    STATUS_IS(&m, "memory", "edac_uncorrectable", FACT_DENIED);
    STATUS_IS(&m, "node0", "cpus", FACT_INVALID);
    STATUS_IS(&m, "node0", "memory", FACT_INVALID);
    STATUS_IS(&m, "node0", "distances", FACT_DENIED);
    STATUS_IS(&m, "node1", "cpus", FACT_INVALID);
    STATUS_IS(&m, "node1", "distances", FACT_INVALID);

    machine_forget(&m);
    tree_deny(t, "/proc/meminfo");
    tree_remove(t, EDAC);
    tree_file(t, EDAC, "a file where a folder belongs\n");
    tree_remove(t, NODE);
    look_at_memory(&m.probe);
    STATUS_IS(&m, "memory", "size", FACT_DENIED);
    STATUS_IS(&m, "memory", "edac_correctable", FACT_INVALID);
    machine_end(&m);
}

int main(void)
{
    server();
    guest();
    garbage_and_denied();
    return check_result();
}
