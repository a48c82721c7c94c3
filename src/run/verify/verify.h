/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --verify: the writes of a session carry stamps (readback/ledger.h), and after the last one the
 * target is asked what it holds. One thread, the session's own.
 */
#ifndef CUPEL_RUN_VERIFY_VERIFY_H
#define CUPEL_RUN_VERIFY_VERIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "io/io.h"
#include "io/target/target.h"
#include "readback/ledger.h"
#include "run/record/contents.h"

/*
 * What sessions with plan.verify wrote to one target, for later ones that read it back: sections of
 * a job file. A target that is removed at the end is forgotten, and so is what a session without
 * plan.verify wrote over.
 */
struct written_before;
struct written_before *written_before_new(void); /* NULL: no memory */

struct verify {
    /* set by the session */
    struct contents *contents; /* its plan; what is said goes to its settings, notes and verdict */
    const struct target *target;
    const struct io_ops *ops;
    const struct clock *clock;
    struct arena *arena;                       /* for a moment, while it is prepared */
    struct written_before *before;             /* or NULL */
    uint64_t region;                           /* bytes of each job, from the plan's offset on */
    uint32_t block;                            /* bytes that all requests are multiples of */
    const volatile sig_atomic_t *stop;         /* may be NULL */
    void (*show)(void *context, double share); /* progress of the reading */
    void *context;

    struct ledger own;
    struct ledger *ledger; /* this one, or that of `before`; NULL: nothing is read back */
};

/* Before the target is touched: is there anything to read back? ERR_USAGE. */
int verify_expect_written(const struct verify *s, struct err *e);

/* Bytes that the ledger will take; 0: none is made. */
uint64_t verify_bytes(const struct verify *s);

/* The ledger. Once the region and the backend are known. ERR_USAGE: sectors or blocks that cannot
   be stamped; ERR_MACHINE: no memory. */
int verify_prepare(struct verify *s, struct err *e);

/*
 * All is measured and the workers have ended: read back, and change the verdict where data are
 * damaged or not all of it could be read. `stuck`: writes have not come back; nothing is read.
 */
void verify_read_back(struct verify *s, bool stuck);

/* Its memory. */
void verify_free(struct verify *s);

#endif
