/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the NUMA memory policy of a plan from its text, in fio's form. */
#include <stdio.h>
#include <string.h>

#include "run/plan/internal.h"

/* Returns true if the mask has a single node. It is never empty, because the text has at least one
   digit. */
static bool is_one(const uint64_t nodes[PLAN_CPUS_MAX / 64])
{
    unsigned count = 0;
    for (unsigned node = 0; node < PLAN_CPUS_MAX; node++)
        count += plan_mask_has(nodes, node);
    return count == 1;
}

int plan_memory_policy(const struct plan *p, struct memory_policy *to, struct err *e)
{
    static const char *const names[] = {[MEMORY_DEFAULT] = "default",
                                        [MEMORY_LOCAL] = "local",
                                        [MEMORY_PREFER] = "prefer",
                                        [MEMORY_BIND] = "bind",
                                        [MEMORY_INTERLEAVE] = "interleave"};
    static const struct option_row list = {.kind = OPTION_PROCESSORS};
    const char *text = p->memory_policy, *nodes = strchr(text, ':');
    const size_t length = strcspn(text, ":");
    *to = (struct memory_policy){.kind = MEMORY_NEAR};
    if (!*text)
        return 0;
    for (unsigned kind = MEMORY_DEFAULT; kind <= MEMORY_INTERLEAVE; kind++)
        if (strlen(names[kind]) == length && !strncmp(names[kind], text, length))
            to->kind = (enum memory_kind)kind;
    const bool needs_nodes = to->kind >= MEMORY_PREFER;
    if (to->kind == MEMORY_NEAR || needs_nodes != (nodes != NULL))
        return err_set(e, ERR_USAGE,
                       "--numa_mem_policy %.60s: default, local, prefer:NODE, bind:NODES or "
                       "interleave:NODES is expected, as in bind:0-1",
                       text);
    if (!nodes)
        return 0;
    to->all = to->kind != MEMORY_PREFER && !strcmp(nodes + 1, "all");
    if (!to->all && option_store_value(&list, nodes + 1, to->nodes, e))
        return err_context(e, "--numa_mem_policy %.60s", text);
    if (to->kind == MEMORY_PREFER && !is_one(to->nodes))
        return err_set(e, ERR_USAGE, "--numa_mem_policy %.60s: one node is preferred, not several",
                       text);
    return 0;
}

int plan_check_nodes(const struct plan *p, struct err *e)
{
    struct memory_policy policy;
    return plan_memory_policy(p, &policy, e);
}
