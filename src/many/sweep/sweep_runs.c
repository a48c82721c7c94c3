/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the runs of a sweep in memory, with their values and the names of their hosts. */
#include <string.h>

#include "base/array.h"
#include "many/sweep/internal.h"

int sweep_runs_add(struct sweep_runs *all, const struct sweep_run *run, struct err *e)
{
    if (all->count == all->room) {
        size_t room = all->room;
        if (!array_grow(&all->runs, sizeof *all->runs, all->count, &room) ||
            !array_grow(&all->values, all->response_count * sizeof *all->values, all->count,
                        &all->room))
            return err_no_memory(e, "runs");
        for (size_t i = 0; i < all->count; i++)
            all->runs[i].values = all->values + i * all->response_count;
    }
    double *values = all->values + all->count * all->response_count;
    memcpy(values, run->values, all->response_count * sizeof *values);
    all->runs[all->count] = *run;
    all->runs[all->count++].values = values;
    return 0;
}

const char *sweep_host_name(struct sweep_runs *all, const char *name)
{
    for (size_t i = 0; i < all->host_count; i++)
        if (!strcmp(all->host_names[i], name))
            return all->host_names[i];
    const char *kept = pool_copy(&all->hosts, name, strlen(name));
    if (kept && all->host_count < sizeof all->host_names / sizeof *all->host_names)
        all->host_names[all->host_count++] = kept;
    return kept;
}
