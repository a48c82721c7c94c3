/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The zones of a region of a zoned device, and which of them may be written where: the rules of
 * fio's zonemode=zbd.
 *
 *   - a sequential zone is written at its write pointer alone, by one job at a time: a job takes a
 *     zone, writes one block, and gives it back before it takes the next;
 *   - at most `open_limit` zones are being written to, and at most `active_limit` of the device's
 *     are partly written. A zone that another job has, or that would break a limit, is passed over;
 *   - a full zone is reset before it is written again; a rest that is smaller than a block is never
 *     written, and the zone is finished, so that it counts as open no longer;
 *   - above `threshold`, the share of the region that is written, every `reset_every`-th write
 *     resets the zone that it goes to first;
 *   - what fails is looked up at the device again; a zone that is read-only or offline is left
 *     alone, and so are conventional zones' write pointers, which are none: they are written
 *     anywhere.
 *
 * Offsets are bytes on the device, lengths bytes. Resets and finishes happen in zones_take and
 * zones_give_back, by the ops, outside the lock; how long they took is counted apart from writes.
 *
 * Owner: the session, which alone calls the functions without "any thread"; the arrays are the
 * caller's. Nothing is allocated here.
 */
#ifndef CUPEL_IO_ZONE_ZONES_H
#define CUPEL_IO_ZONE_ZONES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/random.h"

/* The numbers of the kernel and of ZBC, ZAC and ZNS. */
enum zone_condition {
    ZONE_NOT_WRITE_POINTER = 0,
    ZONE_EMPTY = 1,
    ZONE_IMPLICITLY_OPEN = 2,
    ZONE_EXPLICITLY_OPEN = 3,
    ZONE_CLOSED = 4,
    ZONE_READ_ONLY = 13,
    ZONE_FULL = 14,
    ZONE_OFFLINE = 15,
};

struct zone {
    uint64_t start, capacity; /* bytes; what may be written ends at start + capacity */
    uint64_t written;         /* bytes from the start on: the write pointer. Of a conventional zone
                                 where the next write in sequence goes */
    uint8_t condition;        /* enum zone_condition, as the device last reported it */
    bool conventional;
    /* the machine's own */
    bool taken;  /* by a job */
    bool open;   /* one of those that are written to: open_count */
    bool active; /* partly written: active_count */
};

static inline bool zone_is_lost(const struct zone *z)
{
    return z->condition == ZONE_READ_ONLY || z->condition == ZONE_OFFLINE;
}

enum zone_action { ZONE_RESET, ZONE_FINISH, ZONE_ACTIONS };

struct zone_ops {
    /* 0 or an errno. Any thread. */
    int (*act)(void *context, enum zone_action action, uint64_t start, uint64_t length);
    /* The zone as the device has it now: its condition and `written`. 0 or an errno. Any thread. */
    int (*look)(void *context, struct zone *zone);
};

/* What resets or finishes took. */
struct zone_action_times {
    uint64_t count, failed;
    uint64_t sum_ns, min_ns, max_ns;
    int error; /* the first errno */
};

struct zones {
    struct zone *at;
    unsigned count;
    uint64_t zone_size; /* bytes from one zone to the next; the last of a device may be smaller */
    uint64_t end;       /* of the device */
    uint32_t block;     /* bytes of a write or read */
    unsigned open_limit, active_limit; /* 0: none */
    double threshold;                  /* 0: full zones alone are reset */
    uint64_t reset_every;              /* writes */
    bool beyond;                       /* reads go beyond write pointers */
    const struct zone_ops *ops;
    void *context;

    pthread_mutex_t lock;
    unsigned open_count, open_most;
    unsigned active_count; /* of the device: those outside of the region as well */
    unsigned *open;        /* indices of the zones that are open: room for `count` */
    uint64_t written;      /* of sequential zones, bytes */
    uint64_t since_reset;  /* writes above the threshold */
    uint64_t used;         /* zones that a write went to, each time one was opened */
    struct zone_action_times times[ZONE_ACTIONS];

    /* Of reads alone: blocks[i] are the readable blocks of zones 0 .. i-1 (zones_count_readable) */
    uint64_t *blocks;
};

/* `at`, `count`, sizes, limits and ops are set; active_count is that of zones outside the region.
 */
void zones_init(struct zones *z);

/* A job's place among the zones. */
struct zone_job {
    unsigned next;  /* zone, of what goes in sequence */
    unsigned taken; /* index of the zone that it has, */
    bool has;       /* ... if it has one */
    bool wrote;     /* its block was handed over as a write to that zone */
};

/* No read goes there. */
#define ZONES_NOWHERE UINT64_MAX

/*
 * Any thread: where the job's next write goes, in a zone that the job then has: at random or in
 * sequence. Where no zone can be written (all of them are read-only or offline, or the limits
 * leave none), the end of the device, where every write fails.
 */
uint64_t zones_take(struct zones *z, struct zone_job *job, bool sequential, struct random *r);

/* Any thread: the write to the job's zone is over. Without a zone nothing happens. */
void zones_give_back(struct zones *z, struct zone_job *job, bool failed);

/* Any thread: a block to read at random while zones are written; ZONES_NOWHERE: none is written. */
uint64_t zones_read_among_writes(struct zones *z, struct random *r);

/* Blocks that can be read now; fills z->blocks, which has room for count + 1. */
uint64_t zones_count_readable(struct zones *z);
/* Any thread: the offset of one of these. */
uint64_t zones_readable(const struct zones *z, uint64_t block);

/* ---- zone_device.c: the zones of a block device, by the kernel's ioctls ---- */

struct zone_device {
    int fd; /* of the block device; for resets open for writing */
    uint64_t zone_size;
    unsigned zone_count;
    unsigned open_max, active_max; /* of sysfs; 0: no limit */
};

/* ERR_MACHINE: it is not zoned, or its zones cannot be read. `fd` stays the caller's. */
int zone_device_open(struct zone_device *d, int fd, dev_t device, const char *path, struct err *e);

/* Zones [first, first + n) into to[]. ERR_TARGET. */
int zone_device_report(const struct zone_device *d, unsigned first, unsigned n, struct zone to[],
                       struct err *e);

/* Their context is a struct zone_device. */
extern const struct zone_ops zone_device_ops;

/* "implicitly open" */
const char *zone_condition_name(enum zone_condition condition);

#endif
