/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where requests go: the kinds of enum address_kind over one extent of the region. Some remember a
 * position; address_mark and address_back take back what was drawn and not used, in reverse order.
 * Not for two threads.
 */
#ifndef CUPEL_GENERATOR_ADDRESS_H
#define CUPEL_GENERATOR_ADDRESS_H

#include "base/arena.h"
#include "base/err.h"
#include "generator/chance.h"
#include "generator/workload_spec.h"
#include "generator/zipf.h"

/* What the addresses are of. */
struct address_extent {
    uint64_t begin, end;   /* bytes into the workload's region */
    uint32_t align;        /* 0: of the request's size */
    uint32_t largest;      /* request */
    unsigned copy, copies; /* sequential positions of copies begin apart */
    uint64_t seed;         /* of what is spread by a hash: the same for all copies */
};

struct address {
    enum address_kind kind;
    uint64_t begin, span;  /* bytes */
    uint64_t unit, places; /* random requests begin at begin + place * unit */
    bool aligned;          /* positions are multiples of unit, too */
    uint64_t position; /* bytes after begin: where the next goes, or where the last went (walk) */
    uint64_t follow;   /* the same of the sequential share */
    struct chance follows;

    struct zipf zipf;
    struct scatter scatter;
    double exponent;      /* pareto */
    uint64_t hot;         /* hotspot: places, */
    struct chance is_hot; /* ... and whether one of them is taken */
    struct chance climbs; /* walk */
    uint64_t stride;      /* bytes */
    uint64_t *positions;  /* streams */
    unsigned streams, turn;
};

size_t address_bytes(const struct address_spec *spec);

/* ERR_USAGE: the extent is too small (without a name: the caller adds whose it is). ERR_MACHINE:
   the arena is used up. */
int address_init(struct address *a, const struct address_spec *spec, double sequential_share,
                 const struct address_extent *extent, struct arena *arena, struct err *e);

/* Bytes into the workload's region; length <= largest. */
uint64_t address_next(struct address *a, struct random *r, uint32_t length);

struct address_mark {
    uint64_t position, follow;
    unsigned turn;
};

struct address_mark address_mark(const struct address *a);
void address_back(struct address *a, const struct address_mark *mark);

#endif
