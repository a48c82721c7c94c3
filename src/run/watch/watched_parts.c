/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the parts that are watched, and the gauges of each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/watch/gauge_samples.h"

/*
 * Returns true for the disks with the target's data. If a path begins with a host (cupel run
 * --net), all of it is network; the path of a network filesystem begins with the filesystem.
 */
static bool is_under_test(const struct inventory *v, const struct data_path *path,
                          const struct data_path_part *part)
{
    const enum node_kind kind = v->nodes[part->node].kind;
    const bool network = kind == NODE_REMOTE || kind == NODE_NETWORK || kind == NODE_BOND;
    return part->is_target_device || kind == NODE_LOOP ||
           (network && v->nodes[path->parts[0].node].kind == NODE_REMOTE);
}

_Static_assert((int)DATA_PATH_PARTS <= RESULT_PARTS_MAX && (int)DATA_PATH_EDGES <= RESULT_EDGES_MAX,
               "every path has room in a result");

void watch_left_out_words(const struct watch *w, bool path_is_full, char to[WATCH_LEFT_OUT_BYTES])
{
    to[0] = '\0';
    if (path_is_full)
        snprintf(to, WATCH_LEFT_OUT_BYTES,
                 "the data path has more than the %d parts that fit: the others are not watched, "
                 "and a limit or the bottleneck may be among them",
                 DATA_PATH_PARTS);
    else if (w->parts_left_out)
        snprintf(to, WATCH_LEFT_OUT_BYTES,
                 "%zu more disks, processors or sensors: there is no room to watch them",
                 w->parts_left_out);
}

void watch_path(struct watch *w, const struct inventory *v, const struct data_path *path)
{
    w->limit_read = path->limit_read;
    w->limit_write = path->limit_write;
    w->limiting_read = path->limiting_read;
    w->limiting_write = path->limiting_write;
    w->complete = path->complete;
    for (size_t i = 0; i < path->part_count; i++) {
        const struct data_path_part *from = &path->parts[i];
        struct watch_part *to = &w->parts[w->part_count++];
        *to = (struct watch_part){.kind = v->nodes[from->node].kind,
                                  .on_path = true,
                                  .under_test = is_under_test(v, path, from),
                                  .depth = from->depth,
                                  .limit_read = from->limit_read,
                                  .limit_write = from->limit_write,
                                  .interrupts = -1,
                                  .workers = -1,
                                  .share = -1};
        snprintf(to->name, sizeof to->name, "%s", v->nodes[from->node].name);
        snprintf(to->measure, sizeof to->measure, "bytes");
    }
    for (size_t i = 0; i < path->edge_count; i++)
        w->edges[w->edge_count++] =
            (struct result_edge){(unsigned)path->edges[i].from, (unsigned)path->edges[i].to};
}

/* Adds a processor or memory beside the path, with one gauge of its use. */
static void add_beside(struct watch *w, size_t gauge, const char *name, enum node_kind kind,
                       const char *measure, bool under_test, bool aside)
{
    if (w->part_count == RESULT_PARTS_MAX) {
        w->parts_left_out++;
        return;
    }
    struct watch_part *p = &w->parts[w->part_count++];
    *p = (struct watch_part){.kind = kind,
                             .interrupts = -1,
                             .workers = -1,
                             .under_test = under_test,
                             .aside = aside,
                             .limit_read = NAN,
                             .limit_write = NAN,
                             .share = (int)gauge};
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->measure, sizeof p->measure, "%s", measure);
}

static void gauge_set_add(struct gauge_set *set, size_t gauge)
{
    set->bits[gauge / 64] |= UINT64_C(1) << gauge % 64;
}

/* Merges the sets. Returns true if anything was new. */
static bool gauge_set_merge(struct gauge_set *to, const struct gauge_set *from)
{
    bool changed = false;
    for (size_t i = 0; i < MONITOR_GAUGES / 64; i++) {
        changed |= (from->bits[i] & ~to->bits[i]) != 0;
        to->bits[i] |= from->bits[i];
    }
    return changed;
}

static void assign_gauge(struct watch *w, size_t gauge, enum watch_workers workers)
{
    const struct watch_gauge *g = &w->gauges[gauge];
    struct watch_part *p = NULL;
    for (size_t i = 0; i < w->part_count && !p; i++)
        if (!strcmp(w->parts[i].name, g->node))
            p = &w->parts[i];
    bool busy = !strcmp(g->key, "busy"), use = !strcmp(g->key, "use");
    bool polls = workers == WORKERS_POLL;
    if (use && !p) {
        add_beside(w, gauge, g->node, NODE_COMPONENT, "limit", false, false);
    } else if (use) {
        p->share = (int)gauge;
        snprintf(p->measure, sizeof p->measure, "limit");
    } else if (!strcmp(g->key, "kernel")) {
        /* Arrays, encryption and loop devices run in kernel threads on any processor. */
        bool kernel_works = false;
        for (size_t i = 0; i < w->part_count; i++)
            kernel_works |= w->parts[i].kind == NODE_RAID || w->parts[i].kind == NODE_MAPPER ||
                            w->parts[i].kind == NODE_LOOP;
        add_beside(w, gauge, "another processor", NODE_CPU_CORE, "time in the kernel", false,
                   !kernel_works);
    } else if (!strcmp(g->key, "stalled")) {
        add_beside(w, gauge, "memory", NODE_MEMORY, "time stalled", false, false);
    } else if (busy && !p) {
        add_beside(w, gauge, g->node, NODE_CPU_CORE, polls ? "time polling" : "processor time",
                   workers == WORKERS_UNDER_TEST, polls);
    } else if (busy &&
               (p->kind == NODE_DISK || p->kind == NODE_MEMORY_DISK || p->kind == NODE_LOOP)) {
        /* An array is as busy as its busiest member, because only devices with a queue have this
           gauge. */
        p->share = (int)gauge;
        snprintf(p->measure, sizeof p->measure, "busy time");
    } else if (p && !strcmp(g->key, "interrupts")) {
        p->interrupts = (int)gauge;
    } else if (p && !strcmp(g->key, "workers")) {
        p->workers = (int)gauge;
    } else if (p && !strcmp(g->key, "read")) {
        gauge_set_add(&p->reads, gauge);
    } else if (p && !strcmp(g->key, "write")) {
        gauge_set_add(&p->writes, gauge);
    }
}

/* Returns true if several branches of the path meet in this part and none of them shows its bytes,
   as the branches of a server's array do. */
static bool unknown_ways_meet(const struct watch *w, const bool own[], unsigned part)
{
    size_t count = 0;
    for (size_t i = 0; i < w->edge_count; i++) {
        if (w->edges[i].to == part && own[w->edges[i].from])
            return false;
        count += w->edges[i].to == part;
    }
    return count > 1;
}

/* Copies the gauges of parts that count bytes along the edges, or against them, to parts that do
   not. */
static void spread_gauges(struct watch *w, bool along)
{
    bool own[RESULT_PARTS_MAX] = {false}, changed = true;
    for (size_t i = 0; i < w->part_count; i++) {
        uint64_t any = 0;
        for (size_t k = 0; k < MONITOR_GAUGES / 64; k++)
            any |= w->parts[i].reads.bits[k] | w->parts[i].writes.bits[k];
        own[i] = any != 0;
    }
    while (changed) {
        changed = false;
        for (size_t i = 0; i < w->edge_count; i++) {
            unsigned from = along ? w->edges[i].from : w->edges[i].to;
            unsigned to = along ? w->edges[i].to : w->edges[i].from;
            if (own[to] || (!along && unknown_ways_meet(w, own, from)))
                continue;
            changed |= gauge_set_merge(&w->parts[to].reads, &w->parts[from].reads);
            changed |= gauge_set_merge(&w->parts[to].writes, &w->parts[from].writes);
        }
    }
}

void watch_gauges(struct watch *w, const struct monitor *m, enum watch_workers workers)
{
    w->parts_left_out += m->left_out;
    for (size_t i = 0; i < m->gauge_count; i++) {
        const struct gauge *from = &m->gauges[i];
        struct watch_gauge *to = &w->gauges[w->gauge_count++];
        *to = (struct watch_gauge){.limit = from->limit, .peak = NAN};
        snprintf(to->node, sizeof to->node, "%s", from->name);
        snprintf(to->key, sizeof to->key, "%s", from->key);
        snprintf(to->unit, sizeof to->unit, "%s", from->unit);
    }
    for (size_t i = 0; i < w->gauge_count; i++)
        assign_gauge(w, i, workers);
    /* Bytes that a disk or interface counts go through every part between it and the processor, and
       come from every part between it and the target. */
    spread_gauges(w, true);
    spread_gauges(w, false);
}
