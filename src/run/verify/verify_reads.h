/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --verify: the writes of a session carry stamps (io/readback/verify_ledger.h), and after the last
 * one the target is read back and compared. Only the session's thread calls these functions.
 */
#ifndef CUPEL_RUN_VERIFY_VERIFY_READS_H
#define CUPEL_RUN_VERIFY_VERIFY_READS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "io/io.h"
#include "io/readback/verify_ledger.h"
#include "io/target/target.h"
#include "run/record/contents.h"

/*
 * The writes of sessions with plan.verify to one target, for later sessions that read them back:
 * sections of a job file. The writes are forgotten if the target is removed at the end, or if a
 * session without plan.verify overwrites it.
 */
struct written_before;
struct written_before *written_before_new(void); /* NULL: no memory */

struct verify {
    /* set by the session */
    /* the session's contents: the plan, and the settings, notes and verdict to which reports go */
    struct contents *contents;
    const struct target *target;
    const struct io_ops *ops;
    const struct clock *clock;
    struct arena *arena;           /* used only during the preparation */
    struct written_before *before; /* NULL: no other session */
    uint64_t region;               /* bytes of each job's region, from the plan's
                                      offset on */
    /* size of a block in bytes; all requests are multiples of it */
    uint32_t block;
    const volatile sig_atomic_t *stop;         /* may be NULL */
    void (*show)(void *context, double share); /* shows the progress of the reading */
    void *context;

    struct ledger own;
    struct ledger *ledger; /* a new ledger, or that of `before`; NULL: nothing is read back */
};

/* Checks, before the target is touched, that there is something to read back. ERR_USAGE: there is
   nothing to read back. */
int verify_expect_written(const struct verify *s, struct err *e);

/* Returns the bytes that the ledger needs; 0: there is none. */
uint64_t verify_bytes(const struct verify *s);

/* Makes the ledger, once the region and the backend are known. ERR_USAGE: sectors or blocks cannot
   be stamped. ERR_MACHINE: no memory. */
int verify_prepare(struct verify *s, struct err *e);

/*
 * Reads the writes back after everything is measured and the workers have ended. Changes the
 * verdict if data are damaged or could not all be read. If `stuck` is true, some writes have not
 * completed, and nothing is read.
 */
void verify_read_back(struct verify *s, bool stuck);

/* Frees its memory. */
void verify_free(struct verify *s);

#endif
