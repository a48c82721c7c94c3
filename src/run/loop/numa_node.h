/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NUMA nodes of this machine's processors, and memory on one of them.
 *
 * The C library knows nothing of either: the nodes are read from /sys/devices/system/node, the
 * memory is bound by mbind(2) itself. No state: any thread.
 */
#ifndef CUPEL_RUN_LOOP_NUMA_NODE_H
#define CUPEL_RUN_LOOP_NUMA_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/loop/processor_spread.h"

/* The processors that the calling thread may use, in order, with their nodes as /sys below `root`
   ("" for this machine's own) has them. Returns how many, `max` at most. */
size_t numa_processors(const char *root, struct spread_processor list[], size_t max);

/* The same with these processors, out of `count` pairs of cpu and -1. */
void numa_nodes_of(const char *root, struct spread_processor list[], size_t count);

/* Are the processors on more than one node? */
bool numa_is_divided(const struct spread_processor list[], size_t count);

/* "0-3,8" as the kernel writes it: is that processor on the list? */
bool numa_list_holds(const char *list, int cpu);

/* Is there a node of that number? The list of all as the kernel writes it, "0-1": false: none. */
bool numa_node_exists(const char *root, unsigned node);
bool numa_list_nodes(const char *root, char *to, size_t size);

/* Bytes that are free on these nodes (bit by bit) or hold files that nobody has used for long;
   UINT64_MAX where that is not known. */
uint64_t numa_free_bytes(const char *root, uint64_t nodes);

/* The memory that the whole pages in [memory, memory + length) get from now on comes from these
   nodes. False with errno: the kernel does not do it. */
enum numa_policy { NUMA_PREFERRED, NUMA_BOUND, NUMA_INTERLEAVED };
bool numa_set_policy(void *memory, size_t length, enum numa_policy policy, uint64_t nodes);

/*
 * The whole pages in [memory, memory + length) come from that node, as long as it has any; those
 * that are elsewhere already are moved. False: the kernel does not do it.
 */
bool numa_bind_memory(void *memory, size_t length, int node);

#endif
