/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds all kinds of a workload's requests, and draws the kind of the next request. */
#include <stdio.h>

#include "source/generator/internal.h"

#define ALL_OF_THEM (1 - 1e-9) /* a sum of shares of at least this value counts as all requests */

static bool is_about(const struct request_split *split, unsigned op, uint32_t bytes)
{
    return (split->kind.command != REQUEST_READ) == op && split->share > 0 &&
           (!split->kind.bytes || split->kind.bytes == bytes);
}

/* Returns the share of the requests of that operation and size to which a split applies. */
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

/* Returns the kind of a request of that size to which `split` applies; NULL: to which no split
   applies. */
static struct request_kind kind_of(const struct stream_spec *stream, unsigned op, uint32_t bytes,
                                   const struct request_split *split)
{
    const struct size_spec *sizes;
    const unsigned count = is_shaped(stream) ? stream_spec_sizes(stream, op, &sizes) : 0;
    struct request_kind kind = {.priority = stream->priority,
                                .command = !op              ? REQUEST_READ
                                           : stream->change ? stream->change
                                                            : REQUEST_WRITE};
    if (split)
        kind = split->kind;
    kind.bytes = count == 1 ? sizes[0].bytes : 0;
    /* All requests of a size with a split are told apart by size, also those to which no split
       applies: their latency differs from that of other sizes anyway. */
    for (unsigned i = 0; i < stream->split_count && count > 1; i++)
        if (stream->splits[i].kind.bytes && is_about(&stream->splits[i], op, bytes))
            kind.bytes = bytes;
    return kind;
}

static int add_kind(struct workload_spec *spec, const struct stream_spec *stream, unsigned op,
                    uint32_t bytes, const struct request_split *split, struct err *e)
{
    const struct request_kind kind = kind_of(stream, op, bytes, split);
    if (request_kinds_add(&spec->kinds, &kind))
        return 0;
    return err_set(e, ERR_USAGE, "more than %d kinds of requests cannot be kept apart",
                   REQUEST_KINDS_MAX);
}

static int add_kinds_of_size(struct workload_spec *spec, const struct stream_spec *stream,
                             unsigned op, uint32_t bytes, struct err *e)
{
    for (unsigned i = 0; i < stream->split_count; i++)
        if (is_about(&stream->splits[i], op, bytes) &&
            add_kind(spec, stream, op, bytes, &stream->splits[i], e))
            return -1;
    return split_share(stream, op, bytes) < ALL_OF_THEM ? add_kind(spec, stream, op, bytes, NULL, e)
                                                        : 0;
}

/* Reports a split for a size that no request has, because it would have no effect. */
static int check_splits(const struct stream_spec *stream, struct err *e)
{
    for (unsigned i = 0; i < stream->split_count; i++) {
        const struct request_split *split = &stream->splits[i];
        const unsigned op = split->kind.command != REQUEST_READ;
        const struct size_spec *sizes;
        const unsigned count = stream_spec_sizes(stream, op, &sizes);
        bool found = !split->kind.bytes || !stream_spec_has(stream, op) || !(split->share > 0);
        for (unsigned k = 0; k < count && !found; k++)
            found = sizes[k].bytes == split->kind.bytes;
        if (!found)
            return err_set(e, ERR_USAGE, "no %s has %u bytes, which a priority is given to",
                           operation_names[op], split->kind.bytes);
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
    spec->kinds = (struct request_kinds){.count = 0};
    for (unsigned i = 0; i < spec->stream_count && has_priorities(spec); i++) {
        const struct stream_spec *stream = &spec->streams[i];
        if (check_splits(stream, e))
            return -1;
        spec->kinds.by_command |= stream->by_command;
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

/* ---- the draw ---- */

static struct drawn_kind find(const struct request_kinds *kinds, struct request_kind kind)
{
    return (struct drawn_kind){request_kinds_find(kinds, &kind), kind.command};
}

struct drawn_kind stream_kind(const struct stream *s, unsigned op, uint32_t bytes)
{
    return find(&s->workload->kinds, kind_of(s->spec, op, bytes, NULL));
}

void kind_draw_init(struct kind_draw *draw, const struct workload_spec *workload,
                    const struct stream_spec *spec, unsigned op)
{
    const struct request_kinds *kinds = &workload->kinds;
    *draw = (struct kind_draw){.other = find(kinds, kind_of(spec, op, 0, NULL))};
    for (unsigned i = 0; i < spec->split_count; i++) {
        const struct request_split *split = &spec->splits[i];
        const uint32_t bytes = split->kind.bytes;
        if (!is_about(split, op, bytes))
            continue;
        const struct drawn_kind own = find(kinds, kind_of(spec, op, bytes, split));
        const bool all = split_share(spec, op, bytes) >= ALL_OF_THEM;
        draw->splits[draw->count].bytes = bytes;
        draw->splits[draw->count].width =
            split->share < 1 ? (uint64_t)(split->share * 0x1p64) : UINT64_MAX;
        draw->splits[draw->count].kind = own;
        draw->splits[draw->count++].the_rest =
            all ? own : find(kinds, kind_of(spec, op, bytes, NULL));
    }
}

struct drawn_kind kind_draw_next(const struct kind_draw *draw, struct random *r, uint32_t bytes)
{
    struct drawn_kind kind = draw->other;
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
