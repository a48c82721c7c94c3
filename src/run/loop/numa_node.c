/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the NUMA nodes of processors, and places memory on given nodes. */
#include "run/loop/numa_node.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file.h"

/* The kernel's own limit is 1024. Node numbers may have gaps. */
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

bool numa_node_exists(const char *root, unsigned node)
{
    char path[PATH_MAX];
    return node < NODES_MAX && file_path(path, "%s/sys/devices/system/node/node%u", root, node) &&
           !access(path, F_OK);
}

bool numa_list_nodes(const char *root, char *to, size_t size)
{
    char path[PATH_MAX];
    return file_path(path, "%s/sys/devices/system/node/online", root) &&
           file_first_line(path, to, size) && *to;
}

/*
 * Returns the free memory of a node in bytes, with file pages that were unused for long: the sum of
 * two lines such as "Node 0 MemFree: 123 kB". -1: the file is missing.
 */
static int64_t free_on_node(const char *root, unsigned node)
{
    static const char *const names[] = {"MemFree:", "Inactive(file):"};
    char path[PATH_MAX], line[160];
    int64_t sum = 0;
    FILE *f = file_path(path, "%s/sys/devices/system/node/node%u/meminfo", root, node)
                  ? fopen(path, "re")
                  : NULL;
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            const char *at = strstr(line, names[i]);
            if (at)
                sum += strtoll(at + strlen(names[i]), NULL, 10) * 1024;
        }
    fclose(f);
    return sum;
}

uint64_t numa_free_bytes(const char *root, uint64_t nodes)
{
    uint64_t sum = 0;
    for (unsigned node = 0; node < NODES_MAX; node++) {
        const int64_t bytes = nodes >> node & 1 ? free_on_node(root, node) : 0;
        if (bytes < 0)
            return UINT64_MAX;
        sum += (uint64_t)bytes;
    }
    return sum;
}

/* Sets the policy of the whole pages in the range. Returns false with errno. */
static bool set_policy(void *memory, size_t length, int mode, uint64_t nodes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + length) / page * page;
    const unsigned long mask[] = {nodes}; /* one word of 64 bits, for NODES_MAX nodes */
    if (end <= begin) {
        errno = EINVAL;
        return false;
    }
    return !syscall(SYS_mbind, begin, end - begin, mode, mask, NODES_MAX + 1, MPOL_MF_MOVE);
}

bool numa_set_policy(void *memory, size_t length, enum numa_policy policy, uint64_t nodes)
{
    static const int modes[] = {[NUMA_PREFERRED] = MPOL_PREFERRED,
                                [NUMA_BOUND] = MPOL_BIND,
                                [NUMA_INTERLEAVED] = MPOL_INTERLEAVE};
    return set_policy(memory, length, modes[policy], nodes);
}

bool numa_bind_memory(void *memory, size_t length, int node)
{
    /* The node is only preferred: if it has no free memory, the program becomes slower but does not
       end. */
    return node >= 0 && node < NODES_MAX &&
           set_policy(memory, length, MPOL_PREFERRED, UINT64_C(1) << node);
}
