/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of a workload's requests: the list of all kinds, and the draw of the next one. */
#include <stdio.h>

#include "source/generator/internal.h"

#define ALL_OF_THEM (1 - 1e-9) /* shares that add up to this are taken as all requests */

static bool is_about(const struct priority_split *split, unsigned op, uint32_t bytes)
{
    return split->op == op && split->share > 0 && (!split->bytes || split->bytes == bytes);
}

/* Returns the share of requests of that operation and size that have a split. */
static double split_share(const struct stream_spec *stream, unsigned op, uint32_t bytes)
{
    double share = 0;
    for (unsigned i = 0; i < stream->split_count; i++)
        if (is_about(&stream->splits[i], op, bytes))
            share += stream->splits[i].share;
    return share;
}

static bool is_shaped(const struct stream_spec *stream)
{
    return stream->kind == STREAM_OPEN || stream->kind == STREAM_CLOSED;
}

struct priority_kind stream_spec_kind(const struct stream_spec *stream, unsigned op, uint32_t bytes,
                                      uint16_t value)
{
    const struct size_spec *sizes;
    const unsigned count = is_shaped(stream) ? stream_spec_sizes(stream, op, &sizes) : 0;
    struct priority_kind kind = {
        .bytes = count == 1 ? sizes[0].bytes : 0, .value = value, .op = (uint8_t)op};
    /* Requests of a size that has splits are kept apart from the others, because their latency
       differs anyway. */
    for (unsigned i = 0; i < stream->split_count && count > 1; i++)
        if (stream->splits[i].bytes && is_about(&stream->splits[i], op, bytes))
            kind.bytes = bytes;
    return kind;
}

static int add_kind(struct workload_spec *spec, const struct stream_spec *stream, unsigned op,
                    uint32_t bytes, uint16_t value, struct err *e)
{
    const struct priority_kind kind = stream_spec_kind(stream, op, bytes, value);
    if (priority_kinds_add(&spec->kinds, &kind))
        return 0;
    return err_set(e, ERR_USAGE, "more than %d kinds of requests cannot be kept apart",
                   PRIORITY_KINDS_MAX);
}

static int add_kinds_of_size(struct workload_spec *spec, const struct stream_spec *stream,
                             unsigned op, uint32_t bytes, struct err *e)
{
    for (unsigned i = 0; i < stream->split_count; i++)
        if (is_about(&stream->splits[i], op, bytes) &&
            add_kind(spec, stream, op, bytes, stream->splits[i].value, e))
            return -1;
    return split_share(stream, op, bytes) < ALL_OF_THEM
               ? add_kind(spec, stream, op, bytes, stream->priority, e)
               : 0;
}

/* Reports a split whose size no request has: it would be ignored without a word. */
static int check_splits(const struct stream_spec *stream, struct err *e)
{
    for (unsigned i = 0; i < stream->split_count; i++) {
        const struct priority_split *split = &stream->splits[i];
        const struct size_spec *sizes;
        const unsigned count = stream_spec_sizes(stream, split->op, &sizes);
        bool found = !split->bytes || !stream_spec_has(stream, split->op) || !(split->share > 0);
        for (unsigned k = 0; k < count && !found; k++)
            found = sizes[k].bytes == split->bytes;
        if (!found)
            return err_set(e, ERR_USAGE, "no %s has %u bytes, which a priority is given to",
                           split->op ? "write" : "read", split->bytes);
    }
    return 0;
}

static bool has_priorities(const struct workload_spec *spec)
{
    for (unsigned i = 0; i < spec->stream_count; i++) {
        const struct stream_spec *stream = &spec->streams[i];
        if (stream->priority || stream->split_count)
            return true;
    }
    return false;
}

int workload_spec_find_kinds(struct workload_spec *spec, struct err *e)
{
    spec->kinds.count = 0;
    for (unsigned i = 0; i < spec->stream_count && has_priorities(spec); i++) {
        const struct stream_spec *stream = &spec->streams[i];
        if (check_splits(stream, e))
            return -1;
        for (unsigned op = 0; op < 2; op++) {
            const struct size_spec *sizes;
            const unsigned count = stream_spec_sizes(stream, op, &sizes);
            for (unsigned k = 0; k < count && stream_spec_has(stream, op); k++)
                if (sizes[k].weight > 0 && add_kinds_of_size(spec, stream, op, sizes[k].bytes, e))
                    return -1;
        }
    }
    return 0;
}

void kind_draw_init(struct kind_draw *draw, const struct workload_spec *workload,
                    const struct stream_spec *spec, unsigned op)
{
    const struct priority_kinds *kinds = &workload->kinds;
    struct priority_kind kind = stream_spec_kind(spec, op, 0, spec->priority);
    *draw = (struct kind_draw){.other = priority_kinds_find(kinds, &kind)};
    for (unsigned i = 0; i < spec->split_count; i++) {
        const struct priority_split *split = &spec->splits[i];
        if (!is_about(split, op, split->bytes))
            continue;
        kind = stream_spec_kind(spec, op, split->bytes, split->value);
        const uint8_t own = priority_kinds_find(kinds, &kind);
        kind.value = spec->priority;
        const bool all = split_share(spec, op, split->bytes) >= ALL_OF_THEM;
        draw->splits[draw->count].bytes = split->bytes;
        draw->splits[draw->count].width =
            split->share < 1 ? (uint64_t)(split->share * 0x1p64) : UINT64_MAX;
        draw->splits[draw->count].kind = own;
        draw->splits[draw->count++].the_rest = all ? own : priority_kinds_find(kinds, &kind);
    }
}

uint8_t kind_draw_next(const struct kind_draw *draw, struct random *r, uint32_t bytes)
{
    uint8_t kind = draw->other;
    uint64_t left = 0;
    bool drawn = false;
    for (unsigned i = 0; i < draw->count; i++) {
        if (draw->splits[i].bytes && draw->splits[i].bytes != bytes)
            continue;
        if (!drawn)
            left = random_u64(r);
        drawn = true;
        if (left < draw->splits[i].width)
            return draw->splits[i].kind;
        left -= draw->splits[i].width;
        kind = draw->splits[i].the_rest;
    }
    return kind;
}
