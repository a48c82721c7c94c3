/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The NUMA nodes of this machine's processors, and memory on one of them.
 *
 * The C library supports neither: the nodes are read from /sys/devices/system/node, and the memory
 * is bound by the system call mbind(2). No state; any thread may call these functions.
 */
#ifndef CUPEL_RUN_LOOP_NUMA_NODE_H
#define CUPEL_RUN_LOOP_NUMA_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/loop/target_processors.h"

/* Lists the processors that the calling thread may use, in order, with their nodes from /sys below
   `root` ("" for this machine). Returns their number, `max` at most. */
size_t numa_processors(const char *root, struct spread_processor list[], size_t max);

/* Fills in the nodes of the given processors, whose `node` is -1 before. */
void numa_nodes_of(const char *root, struct spread_processor list[], size_t count);

/* Returns true if the processors are on more than one node. */
bool numa_is_divided(const struct spread_processor list[], size_t count);

/* Returns true if the processor is in a list such as "0-3,8", as the kernel writes it. */
bool numa_list_holds(const char *list, int cpu);

/* numa_node_exists returns true if the node exists. numa_list_nodes writes the list of all nodes as
   the kernel does, "0-1", and returns false if there is none. */
bool numa_node_exists(const char *root, unsigned node);
bool numa_list_nodes(const char *root, char *to, size_t size);

/* Returns the bytes on these nodes (a bit for each) that are free or hold files unused for long;
   UINT64_MAX if that is not known. */
uint64_t numa_free_bytes(const char *root, uint64_t nodes);

/* Sets the nodes from which new memory for the whole pages in [memory, memory + length) comes.
   Returns false with errno if the kernel does not do it. */
enum numa_policy { NUMA_PREFERRED, NUMA_BOUND, NUMA_INTERLEAVED };
bool numa_set_policy(void *memory, size_t length, enum numa_policy policy, uint64_t nodes);

/* Places the whole pages in [memory, memory + length) on that node, as long as it has free memory.
   Pages on other nodes are moved. Returns false if the kernel does not do it. */
bool numa_bind_memory(void *memory, size_t length, int node);

#endif
