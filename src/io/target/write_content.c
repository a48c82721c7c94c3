/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes data for writes of which a requested share can be compressed, or repeats. */
#include "io/target/write_content.h"

#include <string.h>

#include "io/target/target.h"

void write_content_set_fixed(struct write_content *c, const unsigned char bytes[], unsigned count)
{
    /* The bytes are repeated as often as they fit into the array, so that short patterns need fewer
       copies later. */
    c->fixed_bytes = 0;
    while (count && c->fixed_bytes + count <= WRITE_FIXED_BYTES) {
        memcpy(c->fixed + c->fixed_bytes, bytes, count);
        c->fixed_bytes += count;
    }
}

void write_maker_init(struct write_maker *m, const struct write_content *content, unsigned worker)
{
    *m = (struct write_maker){.content = content, .worker = worker};
    random_seed(&m->random, content->salt, worker);
}

static void put_fixed(const struct write_content *c, unsigned char *to, size_t length)
{
    if (!c->fixed_bytes) {
        memset(to, 0, length);
        return;
    }
    for (; length > c->fixed_bytes; to += c->fixed_bytes, length -= c->fixed_bytes)
        memcpy(to, c->fixed, c->fixed_bytes);
    memcpy(to, c->fixed, length);
}

/* Fills a unit. The noise of all its chunks is made in one piece, and then moved to the chunks, the
   last chunk first. */
static void fill_unit(const struct write_content *c, unsigned char *to, size_t length,
                      uint64_t number)
{
    size_t chunk = c->chunk && c->chunk < length ? c->chunk : length;
    size_t noise = chunk * (100 - c->fixed_percent) / 100;
    size_t rest = length % chunk, rest_noise = rest < noise ? rest : noise;
    write_data_fill(to, length / chunk * noise + rest_noise, c->salt, number);
    for (size_t i = length / chunk + (rest > 0); i-- > 0;) {
        unsigned char *begin = to + i * chunk;
        size_t room = i < length / chunk ? chunk : rest, kept = room < noise ? room : noise;
        if (begin != to + i * noise)
            memmove(begin, to + i * noise, kept);
        put_fixed(c, begin + kept, room - kept);
    }
}

/* Returns the number of the next unit. If this is the number of an earlier unit, the unit is a copy
   of that one. Other workers are assumed to have made as many units as this one. */
static uint64_t next_unit(struct write_maker *m)
{
    const struct write_content *c = m->content;
    uint64_t known = m->made * c->workers;
    if (known && c->copy_percent && random_below(&m->random, 100) < c->copy_percent)
        return c->working_set
                   ? random_below(&m->random, known < c->working_set ? known : c->working_set)
                   : m->last;
    m->last = m->made++ * c->workers + m->worker;
    return m->last;
}

void write_maker_fill(struct write_maker *m, unsigned char *buffer, size_t length)
{
    size_t unit = m->content->unit ? m->content->unit : length;
    for (; length > unit; buffer += unit, length -= unit)
        fill_unit(m->content, buffer, unit, next_unit(m));
    if (length)
        fill_unit(m->content, buffer, length, next_unit(m));
}
