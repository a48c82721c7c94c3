/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an event of a trace goes on the target: pure arithmetic.
 *
 * The devices of a trace lie one behind the other in one address space, each with the extent that
 * is known of it. A device that appears later than that lies behind all the others.
 *   wrap   each device has a share of the target, as large as its extent is of the whole; an
 * address beyond the share is taken modulo the share. One device has all of the target. fold   an
 * address beyond the target's end is taken modulo the target's size. scale  the address space is
 * shrunk or stretched to the target's size, so that distances between requests shrink or grow with
 * it; requests keep their length. none   addresses stay as they are; what does not fit is left out.
 *
 * Offsets are rounded down and lengths up to whole blocks. Of wrap and fold, the size that is taken
 * modulo is a multiple of 4 KiB where the target is not tiny, and scale keeps the alignment that an
 * offset had, up to 4 KiB: requests that were aligned stay aligned. A request that would reach over
 * the end of its room is moved back, so that it ends there.
 */
#ifndef CUPEL_RUN_REPLAY_MAP_H
#define CUPEL_RUN_REPLAY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/plan.h"
#include "trace/trace.h"

/* A part of the trace's address space, and of the target. Bytes. */
struct replay_place {
    uint64_t begin, size;
};

struct replay_map {
    enum replay_mapping mapping;
    uint64_t target_size; /* bytes, whole blocks */
    uint64_t room;        /* the part of it that wrap, fold and scale use: whole alignment units */
    uint32_t block;       /* logical block of the target */
    uint64_t extent;      /* of the trace's address space */
    size_t devices;       /* known ones */
    struct replay_place device[TRACE_DEVICES_MAX]; /* in the trace's address space */
    struct replay_place share[TRACE_DEVICES_MAX];  /* of the target, for wrap */
};

/*
 * `sizes[0..devices)` are the devices' extents; one of 0 has nothing there. A target of less than
 * one block is ERR_USAGE. `block` 0 counts as 1.
 */
int replay_map_init(struct replay_map *map, enum replay_mapping mapping, uint64_t target_size,
                    uint32_t block, const uint64_t sizes[], size_t devices, struct err *e);

/*
 * Where a read or write goes. False: it cannot be placed, because it is longer than the target or,
 * without mapping, reaches beyond it. Neither offset nor length is ever outside the target.
 */
bool replay_map(const struct replay_map *map, const struct trace_event *event, uint64_t *offset,
                uint32_t *length);

#endif
