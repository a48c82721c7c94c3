/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NUMA nodes of processors, and memory on a node. */
#include "run/loop/numa_node.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

/* The kernel's own limit is 1024; numbers may have gaps. */
#define NODES_MAX 64
#define LIST_MAX  4096

bool numa_list_holds(const char *list, int cpu)
{
    while (*list) {
        char *end;
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return false;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (cpu >= first && cpu <= last)
            return true;
        list = *end == ',' ? end + 1 : end;
        if (list == end && *list)
            return false;
    }
    return false;
}

void numa_nodes_of(const char *root, struct spread_processor list[], size_t count)
{
    for (int node = 0; node < NODES_MAX; node++) {
        char path[PATH_MAX], cpus[LIST_MAX];
        if (!file_path(path, "%s/sys/devices/system/node/node%d/cpulist", root, node) ||
            !file_first_line(path, cpus, sizeof cpus))
            continue;
        for (size_t i = 0; i < count; i++)
            if (numa_list_holds(cpus, list[i].cpu))
                list[i].node = node;
    }
}

size_t numa_processors(const char *root, struct spread_processor list[], size_t max)
{
    cpu_set_t allowed;
    size_t count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < max; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            list[count++] = (struct spread_processor){cpu, -1};
    numa_nodes_of(root, list, count);
    return count;
}

bool numa_is_divided(const struct spread_processor list[], size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (list[i].node != list[0].node)
            return true;
    return false;
}

bool numa_bind_memory(void *memory, size_t length, int node)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + length) / page * page;
    if (node < 0 || node >= NODES_MAX || end <= begin)
        return false;
    const unsigned long nodes = 1UL << node;
    /* Preferred: a node without free memory makes it slower, and does not end the program. */
    return !syscall(SYS_mbind, begin, end - begin, MPOL_PREFERRED, &nodes, NODES_MAX + 1,
                    MPOL_MF_MOVE);
}
