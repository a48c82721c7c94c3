/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the addresses of requests. */
#include "source/generator/internal.h"

#include <math.h>

#include "base/units.h"

/* Number of blocks in a leaf of the walk's tree: 32 KiB of 4 KiB requests in SPC-1. */
#define WALK_LEAF 8

size_t address_bytes(const struct address_spec *spec)
{
    return spec->kind == ADDRESS_STREAMS    ? arena_bytes((size_t)spec->parameter, sizeof(uint64_t))
           : spec->kind == ADDRESS_SEQUENCE ? arena_bytes(spec->sequence_count, sizeof(uint64_t))
                                            : 0;
}

/* Divides the extent into `parts` equal parts. Returns the position of part number `part`, in bytes
   after the extent's beginning. */
static uint64_t position_of(const struct address *a, uint64_t part, uint64_t parts)
{
    return (uint64_t)((unsigned __int128)a->places * part / parts) * a->unit;
}

/* Sets the end of each zone. Every zone gets at least one place. */
static int init_zones(struct address *a, const struct address_spec *spec, struct err *e)
{
    double requests = 0, region = 0;
    if (a->places < spec->zone_count)
        return err_set(e, ERR_USAGE, "its part of the region has fewer places than zones");
    a->zones = spec->zone_count;
    for (unsigned i = 0; i < a->zones; i++) {
        uint64_t before = i ? a->zone_end[i - 1] : 0, left = a->zones - 1 - i;
        requests += (double)spec->zones[i].requests;
        region += (double)spec->zones[i].region;
        uint64_t end = (uint64_t)(region * (double)a->places);
        end = end > before ? end : before + 1;
        a->zone_end[i] = left && end < a->places - left ? end : a->places - left;
        a->zone_threshold[i] = requests < 1 ? (uint64_t)(requests * 0x1p64) : UINT64_MAX;
    }
    return 0;
}

/* All copies begin with the first number of the sequence. */
static int init_sequence(struct address *a, const struct address_spec *spec, struct arena *arena,
                         struct err *e)
{
    a->streams = spec->sequence_count;
    a->stride = (uint64_t)spec->parameter;
    a->position = 0;
    a->positions = arena_alloc(arena, a->streams, sizeof *a->positions);
    if (!a->positions)
        return err_no_memory(e, "the positions of %u streams", a->streams);
    for (unsigned i = 0; i < a->streams; i++) {
        a->positions[i] = spec->sequence[i];
        a->reach = a->reach > a->positions[i] ? a->reach : a->positions[i];
    }
    if (a->reach >= a->places)
        return err_set(
            e, ERR_USAGE,
            "its part of the region has %llu blocks, and its sequence goes to number %llu",
            (unsigned long long)a->places, (unsigned long long)a->reach);
    return 0;
}

int address_init(struct address *a, const struct address_spec *spec, double sequential_share,
                 const struct address_extent *extent, struct arena *arena, struct err *e)
{
    uint64_t span = extent->end - extent->begin;
    if (span < extent->largest || !extent->largest) {
        char has[UNITS_BUFFER], needs[UNITS_BUFFER];
        return err_set(e, ERR_USAGE, "its part of the region has %s, too little for requests of %s",
                       format_size(has, sizeof has, (double)span),
                       format_size(needs, sizeof needs, extent->largest));
    }
    *a = (struct address){.kind = spec->kind,
                          .begin = extent->begin,
                          .span = span,
                          .unit = extent->align ? extent->align : extent->largest,
                          .aligned = extent->align,
                          .follows = chance_of(sequential_share)};
    a->places = (span - extent->largest) / a->unit + 1;
    a->position = a->follow = position_of(a, extent->copy, extent->copies);
    struct random key;
    random_seed(&key, extent->seed, 0);
    switch (spec->kind) {
    case ADDRESS_ZIPF:
        zipf_init(&a->zipf, a->places, spec->parameter);
        scatter_init(&a->scatter, a->places, &key);
        break;
    case ADDRESS_PARETO:
        a->exponent = log(spec->parameter) / log1p(-spec->parameter);
        scatter_init(&a->scatter, a->places, &key);
        break;
    case ADDRESS_HOTSPOT:
        a->hot = (uint64_t)((double)a->places * spec->parameter);
        a->hot = a->hot ? a->hot : 1;
        a->is_hot = chance_of(a->hot < a->places ? spec->second : 1);
        break;
    case ADDRESS_STRIDE:
        a->stride = (uint64_t)fabs(spec->parameter);
        a->backward = spec->parameter < 0;
        break;
    case ADDRESS_STRIPS:
        a->strip = (uint64_t)spec->parameter;
        a->period = a->strip + (uint64_t)spec->second;
        a->position -= a->position % a->period;
        if (a->strip < extent->largest)
            return err_set(e, ERR_USAGE, "its strips are smaller than its requests");
        break;
    case ADDRESS_ZONED:
        return init_zones(a, spec, e);
    case ADDRESS_SEQUENCE:
        return init_sequence(a, spec, arena, e);
    case ADDRESS_WALK:
        a->climbs = chance_of(spec->parameter);
        break;
    case ADDRESS_STREAMS:
        a->streams = (unsigned)spec->parameter;
        a->positions = arena_alloc(arena, a->streams, sizeof *a->positions);
        if (!a->positions)
            return err_no_memory(e, "%u streams", a->streams);
        for (unsigned i = 0; i < a->streams; i++)
            a->positions[i] = position_of(a, (uint64_t)i * extent->copies + extent->copy,
                                          (uint64_t)a->streams * extent->copies);
        break;
    default:
        break;
    }
    return 0;
}

static uint64_t aligned_up(const struct address *a, uint64_t at)
{
    return a->aligned ? (at + a->unit - 1) / a->unit * a->unit : at;
}

static uint64_t follow_on(const struct address *a, uint64_t *position, uint32_t length)
{
    uint64_t at = aligned_up(a, *position);
    if (at + length > a->span)
        at = 0;
    *position = at + length;
    return at;
}

/*
 * Moves one step of the hierarchical reuse random walk (McNutt, The Fractal Structure of Data
 * Reference, 2000; used by SPC-1). The walk climbs from a leaf of a binary tree as long as random
 * draws with the climb chance succeed, then descends to a random leaf below. At every scale, places
 * near the last request are used again sooner than distant ones.
 */
static uint64_t walk_on(struct address *a, struct random *r)
{
    uint64_t place = a->position / a->unit, width = WALK_LEAF;
    while (width < a->places && chance_hit(&a->climbs, r))
        width *= 2;
    uint64_t first = place / width * width;
    uint64_t count = first + width <= a->places ? width : a->places - first;
    place = first + random_below(r, count);
    a->position = place * a->unit;
    return place;
}

/* Returns the place of the next request of the sequence. */
static uint64_t sequence_on(struct address *a)
{
    uint64_t place = a->position + a->positions[a->turn];
    if (++a->turn < a->streams)
        return place;
    a->turn = 0;
    a->position += a->stride;
    if (a->position + a->reach >= a->places)
        a->position = 0;
    return place;
}

static uint64_t random_place(struct address *a, struct random *r)
{
    switch (a->kind) {
    case ADDRESS_ZIPF:
        return scatter_of(&a->scatter, zipf_rank(&a->zipf, r));
    case ADDRESS_PARETO: {
        uint64_t rank = (uint64_t)((double)a->places * pow(random_unit(r), a->exponent));
        return scatter_of(&a->scatter, rank < a->places ? rank : a->places - 1);
    }
    case ADDRESS_HOTSPOT:
        return chance_hit(&a->is_hot, r) ? random_below(r, a->hot)
                                         : a->hot + random_below(r, a->places - a->hot);
    case ADDRESS_WALK:
        return walk_on(a, r);
    case ADDRESS_ZONED: {
        uint64_t u = random_u64(r), begin;
        unsigned zone = 0;
        while (zone + 1 < a->zones && u >= a->zone_threshold[zone])
            zone++;
        begin = zone ? a->zone_end[zone - 1] : 0;
        return begin + random_below(r, a->zone_end[zone] - begin);
    }
    default:
        return random_below(r, a->places);
    }
}

uint64_t address_next(struct address *a, struct random *r, uint32_t length)
{
    uint64_t at;
    if (chance_hit(&a->follows, r))
        return a->begin + follow_on(a, &a->follow, length);
    switch (a->kind) {
    case ADDRESS_SEQUENTIAL:
        return a->begin + follow_on(a, &a->position, length);
    case ADDRESS_STREAMS:
        at = follow_on(a, &a->positions[a->turn], length);
        a->turn = a->turn + 1 == a->streams ? 0 : a->turn + 1;
        return a->begin + at;
    case ADDRESS_STRIDE:
        at = a->position;
        if (at + length > a->span) {
            /* A pass through the extent visits one remainder of the stride (a lane). At the end of
               the extent the next lane begins. */
            uint64_t lane = at % a->stride + a->unit;
            at = lane < a->stride && lane + length <= a->span ? lane : 0;
        }
        a->position = at + a->stride;
        if (a->backward) {
            uint64_t last = (a->span - length) / a->unit * a->unit;
            at = last > at ? last - at : 0;
        }
        return a->begin + at;
    case ADDRESS_SEQUENCE:
        return a->begin + sequence_on(a) * a->unit;
    case ADDRESS_STRIPS:
        at = aligned_up(a, a->position);
        if (at % a->period + length > a->strip)
            at += a->period - at % a->period;
        if (at + length > a->span)
            at = 0;
        a->position = at + length;
        return a->begin + at;
    default:
        /* A place is as large as the largest request. A smaller request goes to a random multiple
           of its own size within the place, unless an alignment is required. */
        at = random_place(a, r) * a->unit;
        if (!a->aligned && length < a->unit)
            at += random_below(r, a->unit / length) * length;
        return a->begin + at;
    }
}

struct address_mark address_mark(const struct address *a)
{
    return (struct address_mark){.position = a->kind == ADDRESS_STREAMS ? a->positions[a->turn]
                                                                        : a->position,
                                 .follow = a->follow,
                                 .turn = a->turn};
}

void address_back(struct address *a, const struct address_mark *mark)
{
    a->follow = mark->follow;
    a->turn = mark->turn;
    if (a->kind == ADDRESS_STREAMS)
        a->positions[a->turn] = mark->position;
    else
        a->position = mark->position;
}
