/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps an address in the trace to an address on the target. */
#include "run/replay/replay_source.h"

/* Requests whose address in the trace is a multiple of this number stay aligned to it. */
enum { UNIT = 4096 };

__extension__ typedef unsigned __int128 wide;

static uint64_t round_down(uint64_t value, uint64_t unit)
{
    return value / unit * unit;
}

static uint64_t at_most(wide value, uint64_t max)
{
    return value < max ? (uint64_t)value : max;
}

/* Returns the begin of a device's share of the target: its begin in the trace, scaled to the
   target. */
static uint64_t share_begin(const struct replay_map *map, uint64_t begin, uint64_t unit)
{
    return round_down((uint64_t)((wide)begin * map->room / map->extent), unit);
}

int replay_map_init(struct replay_map *map, enum replay_mapping mapping, uint64_t target_size,
                    uint32_t block, const uint64_t sizes[], size_t devices, struct err *e)
{
    *map = (struct replay_map){.mapping = mapping, .block = block ? block : 1, .devices = devices};
    uint64_t unit = map->block < UNIT && target_size >= UNIT ? UNIT : map->block;
    map->target_size = round_down(target_size, map->block);
    map->room = round_down(target_size, unit);
    if (!map->target_size)
        return err_set(e, ERR_USAGE, "the target is smaller than one block of %u bytes",
                       map->block);
    /* The devices lie one after the other in the address space. Addresses are limited to 64 bits,
       which only damaged traces exceed. */
    for (size_t i = 0; i < devices; i++) {
        map->device[i] = (struct replay_place){map->extent, sizes[i]};
        wide end = (wide)map->extent + ((wide)sizes[i] + unit - 1) / unit * unit;
        map->extent = at_most(end, UINT64_MAX);
    }
    for (size_t i = 0; i < devices && map->extent; i++) {
        uint64_t begin = share_begin(map, map->device[i].begin, unit);
        uint64_t next = i + 1 < devices ? map->device[i + 1].begin : map->extent;
        map->share[i] = (struct replay_place){begin, share_begin(map, next, unit) - begin};
    }
    return 0;
}

/* Places a request at `at` in `place`, or earlier, so that it does not reach beyond the end.
   Returns false if it is too long. */
static bool put(const struct replay_map *map, struct replay_place place, uint64_t at,
                uint32_t length, uint64_t *offset)
{
    if (length > place.size)
        return false;
    at = round_down(at, map->block);
    if (at > place.size - length)
        at = round_down(place.size - length, map->block);
    *offset = place.begin + at;
    return true;
}

/* Reduces a discard to the whole blocks in it. Returns false if there are none. */
static bool shrink(const struct replay_map *map, struct trace_event *discard)
{
    const uint64_t end = round_down(discard->offset + discard->length, map->block);
    const uint64_t begin = round_down(discard->offset + map->block - 1, map->block);
    if (end <= begin)
        return false;
    discard->offset = begin;
    discard->length = (uint32_t)(end - begin);
    return true;
}

bool replay_map(const struct replay_map *map, const struct trace_event *of, uint64_t *offset,
                uint32_t *length)
{
    struct trace_event changed = *of;
    const struct trace_event *event = &changed;
    if (of->op == OPERATION_TRIM && !shrink(map, &changed))
        return false;
    const struct replay_place all = {0, map->room}, whole_target = {0, map->target_size};
    struct replay_place from = {map->extent, 0}, share = all;
    if (event->device < map->devices) {
        from = map->device[event->device];
        share = map->share[event->device];
    }
    /* Lengths are rounded up to whole blocks. A length beyond 32 bits is cut to a whole block
       below. */
    uint64_t up = round_down((uint64_t)event->length + map->block - 1, map->block);
    *length = (uint32_t)(up <= UINT32_MAX ? up : round_down(UINT32_MAX, map->block));
    uint64_t within = event->offset, at = 0;
    wide address = (wide)from.begin + within;

    switch (map->mapping) {
    case MAP_WRAP:
        if (*length > share.size)
            share = all;
        return share.size && put(map, share, within % share.size, *length, offset);
    case MAP_FOLD:
        at = (from.begin % map->room + within % map->room) % map->room;
        return put(map, all, at, *length, offset);
    case MAP_SCALE:
        /* An address beyond the known extent of a device is moved to its last byte. */
        if (within >= from.size)
            address = (wide)from.begin + (from.size ? from.size - 1 : 0);
        if (map->extent)
            at = at_most(address * map->room / map->extent, map->room);
        /* The lowest set bit of an address is its alignment; 0 has every alignment. */
        uint64_t lowest = (within | UNIT) & -(within | UNIT);
        at = round_down(at, lowest > map->block ? lowest : map->block);
        return put(map, all, at, *length, offset);
    case MAP_NONE:
        return address + event->length <= map->target_size &&
               put(map, whole_target, from.begin + within, *length, offset);
    }
    return false;
}
