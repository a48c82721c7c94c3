/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the processors, NUMA nodes and last-level caches on which memory is measured. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/units.h"
#include "machine/memory/internal.h"
#include "run/loop/numa_node.h"

#define CACHE_LEVELS 8
#define LIST_MAX     4096

/* Reads the first line of a file that describes one of a processor's caches. */
static bool cache_line(const char *root, int cpu, int index, const char *name, char *to,
                       size_t size)
{
    char path[PATH_MAX];
    return file_path(path, "%s/sys/devices/system/cpu/cpu%d/cache/index%d/%s", root, cpu, index,
                     name) &&
           file_first_line(path, to, size);
}

/* Returns the size of the processor's last-level cache; 0 if it is not known, or if a processor
   before it in the list shares the cache. */
static uint64_t cache_of(const char *root, const struct memory_places *p, size_t at, bool *known)
{
    char text[LIST_MAX];
    const int cpu = p->processors[at].cpu;
    int last = -1;
    long level = 0;
    for (int index = 0; index < CACHE_LEVELS; index++)
        if (cache_line(root, cpu, index, "level", text, sizeof text) &&
            strtol(text, NULL, 10) > level) {
            level = strtol(text, NULL, 10);
            last = index;
        }
    uint64_t bytes = 0;
    if (last < 0 || !cache_line(root, cpu, last, "size", text, sizeof text) ||
        parse_size(text, &bytes, NULL))
        return 0;
    *known = true;
    if (!cache_line(root, cpu, last, "shared_cpu_list", text, sizeof text))
        return bytes;
    for (size_t i = 0; i < at; i++)
        if (numa_list_holds(text, p->processors[i].cpu))
            return 0;
    return bytes;
}

static int by_node(const void *a, const void *b)
{
    const struct spread_processor *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                              : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void add_node(struct memory_places *p, int node)
{
    for (size_t i = 0; i < p->node_count; i++)
        if (p->nodes[i] == node)
            return;
    if (p->node_count < MEMORY_NODES_MAX)
        p->nodes[p->node_count++] = node;
}

void memory_places_complete(const char *root, struct memory_places *p)
{
    char nodes[LIST_MAX];
    qsort(p->processors, p->processor_count, sizeof *p->processors, by_node);
    p->node_count = 0;
    for (size_t i = 0; i < p->processor_count; i++)
        add_node(p, p->processors[i].node);
    p->near_count = p->node_count;
    /* Nodes that have memory but no processors, for example CXL, are measured from the other nodes.
     */
    char path[PATH_MAX];
    if (file_path(path, "%s/sys/devices/system/node/has_memory", root) &&
        file_first_line(path, nodes, sizeof nodes))
        for (int node = 0; node < MEMORY_NODES_MAX; node++)
            if (numa_list_holds(nodes, node))
                add_node(p, node);
    p->cache_bytes = 0;
    p->cache_known = false;
    for (size_t i = 0; i < p->processor_count; i++)
        p->cache_bytes += cache_of(root, p, i, &p->cache_known);
}
