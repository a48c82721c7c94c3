/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the sizes of a section's requests and the offsets at which they begin: bs, bssplit,
   bsrange, blockalign. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cmd/options/fio_option.h"
#include "fio/job/fio_value.h"
#include "fio/job/internal.h"

enum {
    BLOCK_BYTES = 4096, /* fio's default */
    RANGE_SIZES = 24,   /* maximum number of sizes in --bssplit */
    SPLITS_MAX = 64     /* fio's limit */
};

/* Adds a request size and its weight to the stream. */
static int add_size(struct section_reader *s, const struct fio_setting *at, uint64_t bytes,
                    double weight, struct err *e)
{
    char *out = s->stream.sizes;
    size_t used = strlen(out), size = sizeof s->stream.sizes;
    if (used + 48 > size)
        return section_refuse(s, at, e, "%s has too many sizes", at->name);
    snprintf(out + used, size - used, "%s%" PRIu64 "/%.6g", used && out[used - 1] != ',' ? ":" : "",
             bytes, weight);
    return 0;
}

/* Marks in the list of sizes that the sizes added after this call are sizes of writes. */
static void add_writes(struct section_reader *s)
{
    snprintf(s->stream.sizes + strlen(s->stream.sizes),
             sizeof s->stream.sizes - strlen(s->stream.sizes), ",");
}

/* One size of fio's bssplit=4k/60:64k/40; `weight` is 0 if the size has none. */
struct split {
    uint64_t bytes;
    double weight;
};

/* Adds the sizes of a bssplit. As in fio, sizes without a weight share what is left of 100, and the
   last size gets the whole remainder. */
static int add_splits(struct section_reader *s, const struct fio_setting *at,
                      const struct split list[], size_t count, struct err *e)
{
    double given = 0, used = 0;
    size_t without = 0;
    for (size_t i = 0; i < count; i++) {
        without += list[i].weight <= 0;
        given += list[i].weight;
    }
    if (without && given > 100)
        return section_refuse(s, at, e, "%s: its weights are %.0f %% together", at->name, given);
    for (size_t i = 0; i < count; i++) {
        double weight = list[i].weight > 0 ? list[i].weight : (100 - given) / (double)without;
        weight = i + 1 < count ? fmin(weight, 100 - used) : 100 - used;
        used += weight;
        if (weight > 0 && add_size(s, at, list[i].bytes, weight, e))
            return -1;
    }
    return 0;
}

static int add_split(struct section_reader *s, const struct fio_setting *at, char *list,
                     struct err *e)
{
    struct split splits[SPLITS_MAX];
    size_t count = 0;
    for (char *part; (part = strsep(&list, ":"));) {
        uint64_t bytes, weight = 0;
        char *slash = strchr(part, '/');
        if (slash)
            *slash++ = '\0';
        bool weighed = slash && *slash;
        if (count == SPLITS_MAX)
            return section_refuse(s, at, e, "%s has more than %d sizes", at->name, SPLITS_MAX);
        if (fio_bytes(part, s->base, &bytes) || (weighed && parse_unsigned(slash, &weight, NULL)))
            return section_refuse(s, at, e, "%s is a list of SIZE/PERCENT, as 4k/60:64k/40",
                                  at->name);
        splits[count++] = (struct split){bytes, (double)weight};
    }
    return add_splits(s, at, splits, count, e);
}

static int make_split(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_BSSPLIT];
    struct section_directed lists;
    if (section_read_directed(s, at, &lists, e))
        return -1;
    for (unsigned i = 0; i < lists.count; i++) {
        if (i)
            add_writes(s);
        if (add_split(s, at, lists.value[i], e))
            return -1;
    }
    return 0;
}

/* Adds the sizes of a bsrange: all multiples of the smallest size up to the largest, of which fio
   draws one for each request. */
static int add_range(struct section_reader *s, const struct fio_setting *at, char *text,
                     bool one_of_two, struct err *e)
{
    uint64_t from, to = 0;
    size_t length = strcspn(text, "-:");
    const char *greatest = text[length] ? text + length + 1 : NULL;
    text[length] = '\0';
    if (section_read_bytes(s, at, text, &from, e) || section_read_bytes(s, at, greatest, &to, e))
        return -1;
    if (!from || to < from)
        return section_refuse(s, at, e, "%s is a range as 4k-64k", at->name);
    s->stream.block = from;
    if (to / from > RANGE_SIZES)
        section_cannot(s, at, "%s: it has more than 24 sizes", at->name);
    else if (to >= 2 * from || one_of_two)
        for (uint64_t bytes = from; bytes <= to; bytes += from)
            if (add_size(s, at, bytes, 1, e))
                return -1;
    return 0;
}

static int make_range(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_RANGE];
    struct section_directed ranges;
    if (section_read_directed(s, at, &ranges, e))
        return -1;
    for (unsigned i = 0; i < ranges.count; i++) {
        if (i)
            add_writes(s);
        if (add_range(s, at, ranges.value[i], ranges.count > 1, e))
            return -1;
    }
    return 0;
}

/* Converts bs. With bs=4k,64k reads have 4k and writes 64k. fio reads bs=4k-64k, which looks like a
   range, in the same way. */
static int make_block(struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    struct section_directed blocks;
    uint64_t bytes[2] = {0};
    char text[1024];
    if (section_need_value(s, at, e))
        return -1;
    snprintf(text, sizeof text, "%s", at->value);
    bool parted = !strchr(text, ',');
    for (char *p = text; (p = strpbrk(p, "-:")) && parted; p++) {
        *p = ',';
        text_addf(&s->session->notes,
                  "%s: fio takes the first size for reads and the next one for writes; bsrange "
                  "draws sizes of a range\n",
                  at->name);
    }
    struct fio_setting one = *at;
    one.value = text;
    if (section_read_directed(s, &one, &blocks, e))
        return -1;
    for (unsigned i = 0; i < blocks.count; i++) {
        char *end = blocks.value[i] + strcspn(blocks.value[i], "-:/");
        if (end > blocks.value[i])
            *end = '\0'; /* fio ignores the rest of the value */
        if (section_read_bytes(s, at, blocks.value[i], &bytes[i], e))
            return -1;
        if (!bytes[i])
            return section_refuse(s, at, e, "%s is a size above 0", at->name);
    }
    s->stream.block = bytes[0];
    if (blocks.count > 1 && bytes[0] != bytes[1])
        snprintf(s->stream.sizes, sizeof s->stream.sizes, "%" PRIu64 ",%" PRIu64, bytes[0],
                 bytes[1]);
    return 0;
}

static int make_sizes(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_BS];
    s->stream.block = BLOCK_BYTES;
    if (s->given[FIO_KEY_BSSPLIT])
        return make_split(s, e);
    if (s->given[FIO_KEY_RANGE] > at)
        return make_range(s, e);
    return at ? make_block(s, at, e) : 0;
}

/* Sets the alignment of random requests. Sequential requests follow each other without it, as in
   fio. */
static int make_align(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_ALIGN];
    char text[64];
    bool differs = false;
    uint64_t align = 0;
    if (!at)
        return 0;
    if (section_choose_direction(s, at, text, sizeof text, &differs, e) ||
        section_read_bytes(s, at, text, &align, e))
        return -1;
    if (differs)
        section_cannot(s, at, "%s: reads and writes have the same", at->name);
    else if (s->stream.random && (*s->stream.sizes || align != s->stream.block))
        s->stream.align = align;
    return 0;
}

int section_make_sizes(struct section_reader *s, struct err *e)
{
    return make_sizes(s, e) || make_align(s, e) ? -1 : 0;
}
