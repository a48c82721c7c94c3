/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps two hash tables that are searched for every event: the I/Os in flight, and the processes of
   the program. */
#include "program/observe/internal.h"

size_t flight_table_bytes(size_t slots)
{
    return arena_bytes(slots, sizeof(struct flight));
}

int flight_table_init(struct flight_table *t, struct arena *arena, size_t slots, struct err *e)
{
    *t = (struct flight_table){.slots = arena_alloc(arena, slots, sizeof *t->slots),
                               .mask = slots - 1};
    return t->slots ? 0 : err_no_memory(e, "%zu requests in flight", slots);
}

/* Returns the slot at which the search for a key begins. The upper bits of a product are well
   mixed. */
static size_t home_of(const struct flight_table *t, uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->mask;
}

static size_t slot_of(const struct flight_table *t, uint64_t key)
{
    size_t slot = home_of(t, key);
    while (t->slots[slot].key && t->slots[slot].key != key)
        slot = (slot + 1) & t->mask;
    return slot;
}

struct flight *flight_find(struct flight_table *t, uint64_t key)
{
    struct flight *f = &t->slots[slot_of(t, key)];
    return f->key ? f : NULL;
}

struct flight *flight_begin(struct flight_table *t, uint64_t key)
{
    struct flight *f = &t->slots[slot_of(t, key)];
    if (!f->key) {
        if (t->count > t->mask / 4 * 3)
            return NULL;
        t->count++;
    }
    *f = (struct flight){.key = key, .file = -1, .second = -1};
    return f;
}

/* Removes an entry without leaving a gap: later entries move into it, unless their own slot lies
   after the gap. */
void flight_remove(struct flight_table *t, struct flight *f)
{
    size_t gap = (size_t)(f - t->slots), slot = gap;
    for (;;) {
        slot = (slot + 1) & t->mask;
        if (!t->slots[slot].key)
            break;
        size_t home = home_of(t, t->slots[slot].key);
        if (((slot - home) & t->mask) < ((slot - gap) & t->mask))
            continue;
        t->slots[gap] = t->slots[slot];
        gap = slot;
    }
    t->slots[gap].key = 0;
    t->count--;
}

/* Returns the place of a process in the set, or the free place where it belongs. */
static uint32_t *process_slot(struct recorder *r, uint32_t process)
{
    size_t slot = process & (PROCESSES_MAX - 1);
    while (r->processes[slot] && r->processes[slot] != process)
        slot = (slot + 1) & (PROCESSES_MAX - 1);
    return &r->processes[slot];
}

bool processes_have(struct recorder *r, uint32_t process)
{
    return *process_slot(r, process) != 0;
}

void processes_add(struct recorder *r, uint32_t process)
{
    uint32_t *slot = process_slot(r, process);
    if (*slot || r->process_count >= PROCESSES_MAX / 4 * 3)
        return;
    *slot = process;
    r->process_count++;
}
