/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a request looks like: read or write, how large, and where. Not for two threads. */
#ifndef CUPEL_GENERATOR_SHAPE_H
#define CUPEL_GENERATOR_SHAPE_H

#include "generator/address.h"

/* Sizes with their weights. */
struct sizes {
    uint64_t threshold[SIZES_MAX]; /* cumulative, of 2^64; the last one is not looked at */
    uint32_t bytes[SIZES_MAX];
    unsigned count;
};

/* At least one size, and one weight above 0. */
void sizes_init(struct sizes *sizes, const struct size_spec spec[], unsigned count);

static inline uint32_t sizes_draw(const struct sizes *sizes, struct random *r)
{
    if (sizes->count == 1)
        return sizes->bytes[0];
    uint64_t u = random_u64(r);
    unsigned i = 0;
    while (i + 1 < sizes->count && u >= sizes->threshold[i])
        i++;
    return sizes->bytes[i];
}

struct shape {
    struct sizes sizes;
    struct chance writes;
    struct address address;
};

/* Op, length and offset. */
struct request_shape {
    uint64_t offset;
    uint32_t length;
    uint8_t op;
};

static inline struct request_shape shape_draw(struct shape *shape, struct random *r)
{
    struct request_shape request = {.op = chance_hit(&shape->writes, r),
                                    .length = sizes_draw(&shape->sizes, r)};
    request.offset = address_next(&shape->address, r, request.length);
    return request;
}

#endif
