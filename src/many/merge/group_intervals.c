/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the intervals of each host, job or device: the sources of one group after the other are
 * merged once more, because the timelines of thousands of groups would not fit into memory at once.
 */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

/* Refuses merges of merges: their sums cannot be divided into sources again. */
static int check_sources(const struct merge *m, struct err *e)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].from_sum)
            return err_set(e, ERR_USAGE,
                           "--interval with --by: %s is known as a part of a merged.cupel alone, "
                           "which has intervals of all sources together: merge the records",
                           m->sources[i].path);
    return 0;
}

static int keep_periods(struct result_group *g, const struct result *r, struct err *e)
{
    struct result_period *periods = malloc((r->period_count + 1) * sizeof *periods);
    if (!periods)
        return err_no_memory(e, "the intervals of %s", g->name);
    if (r->period_count)
        memcpy(periods, r->periods, r->period_count * sizeof *periods);
    g->periods = periods;
    g->period_count = r->period_count;
    return 0;
}

static int merge_group(const struct merge *m, enum merge_by by, const char *name,
                       struct result_group *g, const char *paths[], struct result *r, struct err *e)
{
    struct merge_plan plan = *m->plan;
    struct merge *alone;
    plan.is_part = true;
    plan.by = MERGE_BY_NOTHING;
    plan.statistics.ending.sla[0] = '\0';
    plan.inputs = paths;
    plan.input_count = 0;
    for (size_t i = 0; i < m->source_count; i++)
        if (!strcmp(source_name(&m->sources[i], by), name))
            paths[plan.input_count++] = m->sources[i].path;
    if (merge_run(&alone, &plan, e))
        return -1;
    int status = merge_result(alone, r, e) || keep_periods(g, r, e) ? -1 : 0;
    merge_free(alone);
    return status;
}

int merge_group_intervals(struct merge *m, struct err *e)
{
    enum merge_by by;
    struct merge_groups *groups = shown_groups(m, &by);
    if (by == MERGE_BY_OP)
        return 0; /* the system's own rows are already by operation */
    if (check_sources(m, e))
        return -1;
    const char **paths = calloc(m->source_count + 1, sizeof *paths);
    struct result *r = calloc(1, sizeof *r);
    if (!paths || !r) {
        free(paths);
        free(r);
        return err_no_memory(e, "groups");
    }
    int status = 0;
    for (size_t i = 0; i < groups->count && !status; i++)
        status = merge_group(m, by, groups->names[i], &groups->groups[i], paths, r, e);
    free(paths);
    free(r);
    return status;
}
