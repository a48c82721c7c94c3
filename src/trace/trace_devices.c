/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices of a trace, by a hash of their names. */
#include "trace/internal.h"

#include <string.h>

#include "base/text.h"

static size_t slot_of(struct span key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < key.length; i++)
        hash = (hash ^ (unsigned char)key.text[i]) * 0x100000001b3u;
    return (size_t)(hash >> 32) % DEVICES_SLOTS;
}

static bool has_key(const struct devices *d, size_t i, struct span key)
{
    return d->key_length[i] == key.length && memcmp(d->key[i], key.text, key.length) == 0;
}

int devices_find(struct devices *d, struct span key)
{
    if (key.length >= sizeof *d->key)
        return DEVICES_LONG;
    if (d->count && has_key(d, d->last, key))
        return (int)d->last;
    size_t slot = slot_of(key);
    for (; d->slot[slot]; slot = (slot + 1) % DEVICES_SLOTS)
        if (has_key(d, d->slot[slot] - 1u, key)) {
            d->last = d->slot[slot] - 1u;
            return (int)d->last;
        }
    if (d->count == TRACE_DEVICES_MAX)
        return DEVICES_NO_ROOM;
    d->last = d->count++;
    d->slot[slot] = (uint16_t)d->count;
    span_copy(d->key[d->last], key);
    d->key_length[d->last] = (uint8_t)key.length;
    span_printable(d->device[d->last].name, sizeof d->device->name, key);
    return (int)d->last;
}

int devices_find_number(struct devices *d, uint64_t major, uint64_t minor)
{
    char name[2 * TEXT_DIGITS], digits[TEXT_DIGITS];
    char *end = span_copy(name, span_of(text_digits(digits, major)));
    *end++ = ',';
    end = span_copy(end, span_of(text_digits(digits, minor)));
    return devices_find(d, (struct span){name, (size_t)(end - name)});
}
