/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds parts of the data path that several targets share. */
#include "many/together/together.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Utilisation above which a part is saturated: Li et al., Pilot (2016), Fig. 5, as for one target.
 */
#define SATURATED 0.8

static const struct result_part *part_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->part_count; i++)
        if (r->parts[i].on_path && !strcmp(r->parts[i].name, name))
            return &r->parts[i];
    return NULL;
}

/* Returns true if each disk of `a` is also one of `b`: the counters of `b` then include the bytes
   of `a`. */
static bool lies_within(const struct result *a, const struct result *b)
{
    size_t disks = 0;
    for (size_t i = 0; i < a->part_count; i++) {
        const struct result_part *p = &a->parts[i];
        if (!p->on_path || (p->kind != NODE_DISK && p->kind != NODE_MEMORY_DISK))
            continue;
        disks++;
        if (!part_of(b, p->name))
            return false;
    }
    return disks > 0;
}

static double larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static double sum(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static const struct result *result_at(const struct result_targets *t, size_t i)
{
    return t->targets[i].result;
}

/*
 * Adds up the use of a part by all targets. Targets that are seen by the same counters count once,
 * with the largest reading. A target whose disks belong to another target's array is included in
 * that target's counters, independent of their order.
 */
static void add_up(const struct result_targets *t, struct result_shared *shared)
{
    for (size_t i = 0; i < t->count; i++) {
        double reads = NAN, writes = NAN;
        /* the target's use is included in that of a target on more disks, or of an earlier target
           on the same disks */
        bool counted = false;
        if (!part_of(result_at(t, i), shared->name))
            continue;
        shared->targets++;
        for (size_t k = 0; k < t->count && !counted; k++) {
            const struct result_part *p = part_of(result_at(t, k), shared->name);
            if (!p || (k != i && !lies_within(result_at(t, i), result_at(t, k))))
                continue;
            counted = k < i || !lies_within(result_at(t, k), result_at(t, i));
            reads = larger(reads, p->used_read);
            writes = larger(writes, p->used_write);
        }
        if (counted)
            continue;
        shared->used_read = sum(shared->used_read, reads);
        shared->used_write = sum(shared->used_write, writes);
    }
    shared->utilisation =
        larger(shared->used_read / shared->limit_read, shared->used_write / shared->limit_write);
    shared->limits = shared->utilisation >= SATURATED;
}

/* Returns true if the part can limit targets. The machine itself, and parts without a limit, are
   shared by everything and limit nothing. */
static bool can_limit(const struct result_part *p)
{
    return p->on_path && p->kind != NODE_MACHINE && (p->limit_read > 0 || p->limit_write > 0);
}

/* Returns true if an earlier target has a part of that name. */
static bool is_known(const struct result_targets *t, size_t before, const char *name)
{
    for (size_t i = 0; i < before; i++)
        for (size_t k = 0; k < result_at(t, i)->part_count; k++) {
            const struct result_part *p = &result_at(t, i)->parts[k];
            if (can_limit(p) && !strcmp(p->name, name))
                return true;
        }
    return false;
}

static int by_use(const void *a, const void *b)
{
    const double x = ((const struct result_shared *)a)->utilisation;
    const double y = ((const struct result_shared *)b)->utilisation;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (y > x) - (y < x);
}

/* Keeps a shared part. If there are too many, the most used ones stay. */
static void keep_shared(struct result_targets *t, const struct result_shared *shared)
{
    if (t->shared_count < RESULT_SHARED_MAX) {
        t->shared[t->shared_count++] = *shared;
        return;
    }
    struct result_shared *least = &t->shared[0];
    for (size_t i = 1; i < t->shared_count; i++)
        if (by_use(&t->shared[i], least) > 0)
            least = &t->shared[i];
    if (by_use(shared, least) < 0)
        *least = *shared;
    t->shared_left_out++;
}

void shared_parts_find(struct result_targets *t)
{
    t->shared_count = t->shared_left_out = 0;
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < result_at(t, i)->part_count; k++) {
            const struct result_part *p = &result_at(t, i)->parts[k];
            if (!can_limit(p) || is_known(t, i, p->name))
                continue;
            struct result_shared shared = {.kind = p->kind,
                                           .limit_read = p->limit_read,
                                           .limit_write = p->limit_write,
                                           .used_read = NAN,
                                           .used_write = NAN};
            snprintf(shared.name, sizeof shared.name, "%s", p->name);
            add_up(t, &shared);
            if (shared.targets > 1)
                keep_shared(t, &shared);
        }
    qsort(t->shared, t->shared_count, sizeof *t->shared, by_use);
}
