/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kinds of generators have in common: their part of the region. */
#include "generator/internal.h"

static uint64_t share_of(uint64_t region, double share, uint32_t unit)
{
    uint64_t at = share >= 1 ? region : (uint64_t)((double)region * share);
    return at / unit * unit;
}

struct address_extent stream_extent(const struct stream *s, double from, double to,
                                    uint32_t largest, unsigned step)
{
    uint32_t unit = s->spec->align ? s->spec->align : largest;
    unit = unit ? unit : 1;
    uint64_t number = (uint64_t)(s->spec - s->workload->streams) + 1;
    return (struct address_extent){.begin = share_of(s->region, from, unit),
                                   .end = share_of(s->region, to, unit),
                                   .align = s->spec->align,
                                   .largest = largest,
                                   .copy = s->copy,
                                   .copies = s->copies,
                                   .seed = s->seed + (number << 32) + step};
}

int stream_shape_init(const struct stream *s, struct shape *shape, struct arena *arena,
                      struct err *e)
{
    const struct stream_spec *spec = s->spec;
    const struct address_extent extent =
        stream_extent(s, spec->region_from, spec->region_to, stream_spec_largest(spec), 0);
    *shape = (struct shape){.writes = chance_of(spec->write_share)};
    sizes_init(&shape->sizes, spec->sizes, spec->size_count);
    return address_init(&shape->address, &spec->address, spec->sequential_share, &extent, arena, e);
}
