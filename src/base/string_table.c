/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings and their numbers, in a hash table with open addressing that is at most half full. */
#include "base/string_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"

#define FIRST_CAPACITY 256u
#define MAX_CAPACITY   (1u << 24)

struct string_table_entry {
    const char *text;
    uint32_t length, hash;
};

static uint32_t hash_of(struct span s)
{
    return crc32c(0, s.text, s.length);
}

/* Returns the slot that contains the string's number, or if there is none, the free slot in which
   it belongs. */
static uint32_t *slot_of(const struct string_table *t, struct span s, uint32_t hash)
{
    uint32_t mask = t->slot_count - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        if (t->slots[i] == 0)
            return &t->slots[i];
        const struct string_table_entry *entry = &t->entries[t->slots[i] - 1];
        if (entry->hash == hash && entry->length == s.length &&
            memcmp(entry->text, s.text, s.length) == 0)
            return &t->slots[i];
    }
}

static bool grow(struct string_table *t)
{
    uint32_t capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY;
    if (capacity > MAX_CAPACITY)
        return false;
    struct string_table_entry *entries = realloc(t->entries, capacity * sizeof *entries);
    if (entries == NULL)
        return false;
    t->entries = entries;
    uint32_t *slots = calloc((size_t)2 * capacity, sizeof *slots);
    if (slots == NULL)
        return false;
    free(t->slots);
    t->slots = slots;
    t->slot_count = 2 * capacity;
    t->capacity = capacity;
    uint32_t mask = t->slot_count - 1;
    for (uint32_t number = 0; number < t->count; number++) {
        uint32_t i = entries[number].hash & mask;
        while (slots[i] != 0)
            i = (i + 1) & mask;
        slots[i] = number + 1;
    }
    return true;
}

uint32_t string_table_find(const struct string_table *t, struct span s)
{
    if (t->count == 0)
        return STRING_TABLE_NONE;
    /* a free slot contains 0, which becomes STRING_TABLE_NONE */
    return *slot_of(t, s, hash_of(s)) - 1;
}

uint32_t string_table_add(struct string_table *t, struct span s)
{
    if (s.length > UINT32_MAX || (t->count == t->capacity && !grow(t)))
        return STRING_TABLE_NONE;
    uint32_t hash = hash_of(s), *slot = slot_of(t, s, hash);
    if (*slot == 0) {
        t->entries[t->count] = (struct string_table_entry){s.text, (uint32_t)s.length, hash};
        *slot = ++t->count;
    }
    return *slot - 1;
}

void string_table_free(struct string_table *t)
{
    free(t->entries);
    free(t->slots);
    *t = (struct string_table){0};
}
