/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the sources that have been read, and the current one. */
#include "many/merge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- by identity ---- */

/* Returns the slot that holds a source of that identity, or where it would be inserted. */
static size_t slot_of(const struct merge *m, const uint64_t identity[2])
{
    size_t slot = (size_t)((identity[0] ^ identity[1]) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (slot &= m->slot_count - 1; m->slots[slot]; slot = (slot + 1) & (m->slot_count - 1)) {
        const struct merge_source *there = &m->sources[m->slots[slot] - 1];
        if (!memcmp(there->identity, identity, sizeof there->identity))
            break;
    }
    return slot;
}

const struct merge_source *source_of_identity(const struct merge *m, const uint64_t identity[2])
{
    size_t number = m->slot_count ? m->slots[slot_of(m, identity)] : 0;
    return number ? &m->sources[number - 1] : NULL;
}

/* Enlarges the hash table so that at least half of its slots are empty. */
static int grow_slots(struct merge *m, struct err *e)
{
    size_t count = m->slot_count ? 2 * m->slot_count : 128;
    free(m->slots);
    m->slots = calloc(count, sizeof *m->slots);
    m->slot_count = m->slots ? count : 0;
    for (size_t i = 0; i < m->source_count && m->slots; i++)
        m->slots[slot_of(m, m->sources[i].identity)] = i + 1;
    return m->slots ? 0 : err_no_memory(e, "%zu sources", m->source_count);
}

static int remember(struct merge *m, struct err *e)
{
    m->source_count++;
    if (2 * m->source_count > m->slot_count)
        return grow_slots(m, e);
    m->slots[slot_of(m, m->sources[m->source_count - 1].identity)] = m->source_count;
    return 0;
}

/* ---- the current source ---- */

/* Returns the name for a path: "/shared/run1" for "/shared/run1/record.cupel". */
static const char *name_of_path(struct merge *m, const char *path)
{
    static const char file[] = "/record.cupel";
    size_t length = strlen(path), end = sizeof file - 1;
    return length > end && !strcmp(path + length - end, file) ? merge_string(m, path, length - end)
                                                              : path;
}

void source_resume(struct merge *m, size_t source)
{
    m->current = &m->sources[source];
    m->offset_known = false;
    for (int op = 0; op < MERGE_SUMS; op++)
        m->totals[op] = (struct open_buckets){.min = UINT64_MAX};
}

int source_begin(struct merge *m, const struct merge_source *is, struct err *e)
{
    if (!array_grow(&m->sources, sizeof *m->sources, m->source_count, &m->source_capacity))
        return err_no_memory(e, "more than %zu sources", m->source_count);
    m->sources[m->source_count] = *is;
    m->sources[m->source_count].name = name_of_path(m, is->path);
    source_resume(m, m->source_count);
    return 0;
}

/* Adds the sums that were stored before a pause to the new ones. */
static void add_before(struct open_buckets *total, const struct latency_buckets *before)
{
    total->n += before->n;
    total->over += before->over;
    total->min = before->n && before->min < total->min ? before->min : total->min;
    total->max = before->max > total->max ? before->max : total->max;
    for (size_t i = 0; i < before->used; i++)
        total->count[before->bucket[i]] += before->count[i];
}

/* Stores the source's sums, in as little memory as possible. */
int source_pause(struct merge *m, struct err *e)
{
    struct merge_source *s = m->current;
    m->current = NULL;
    for (int op = 0; op < MERGE_SUMS; op++) {
        struct open_buckets *total = &m->totals[op];
        struct source_op *to = &s->op[op];
        size_t used = 0;
        if (!total->n && to->latency.n)
            continue;
        add_before(total, &to->latency);
        for (size_t i = 0; i < HISTOGRAM_BUCKETS && total->n; i++)
            used += total->count[i] > 0;
        free(to->bucket);
        free(to->count);
        to->bucket = used ? malloc(used * sizeof *to->bucket) : NULL;
        to->count = used ? malloc(used * sizeof *to->count) : NULL;
        to->latency = (struct latency_buckets){.n = 0};
        if (used && (!to->bucket || !to->count))
            return err_no_memory(e, "the sums of %s", s->path);
        to->latency = (struct latency_buckets){total->n, total->min, total->max, total->over,
                                               0,        to->bucket, to->count};
        for (size_t i = 0; i < HISTOGRAM_BUCKETS && used; i++)
            if (total->count[i]) {
                to->bucket[to->latency.used] = (uint16_t)i;
                to->count[to->latency.used++] = total->count[i];
            }
    }
    return 0;
}

int source_end(struct merge *m, struct err *e)
{
    if (m->current->time == TIME_RELATIVE && m->plan->start_ns)
        m->current->time = TIME_ABSOLUTE;
    if (source_pause(m, e)) {
        source_free(&m->sources[m->source_count]);
        return -1;
    }
    return remember(m, e);
}

void source_free(struct merge_source *s)
{
    for (int op = 0; op < MERGE_SUMS; op++) {
        free(s->op[op].bucket);
        free(s->op[op].count);
    }
}

/* Returns the first source that has only sums of its whole run, or NULL. */
const struct merge_source *whole_run(const struct merge *m)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (m->sources[i].time == TIME_NONE && m->sources[i].end_ns)
            return &m->sources[i];
    return NULL;
}
