/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The zones of a region of a zoned device, which of these zones may be written, and at which
 * offset. The rules are those of fio's zonemode=zbd.
 *
 *   - a sequential zone is written only at its write pointer, by one job at a time: a job takes a
 *     zone, writes one block, and gives the zone back before it takes the next;
 *   - at most `open_limit` zones are being written to, and at most `active_limit` zones of the
 *     device are partly written. A zone that another job has taken, or that would exceed a limit,
 *     is passed over;
 *   - a full zone is reset before it is written again. If less than a block is left, that part is
 *     never written, and the zone is finished, so that it no longer counts as open;
 *   - above `threshold`, a share of the region that is written, every `reset_every`-th write first
 *     resets the zone that it goes to;
 *   - after a failure the device is asked for the state of the zone; a zone that is read-only or
 *     offline is not used. Conventional zones have no write pointer, and are written anywhere.
 *
 * Offsets are bytes on the device, lengths bytes. zones_take and zones_give_back reset and finish
 * zones through zone_ops, without holding the lock. This time does not count as time of writes.
 *
 * The session owns the struct, and only its thread calls the functions that are not marked "Any
 * thread". The arrays belong to the caller. Nothing is allocated here.
 */
#ifndef CUPEL_IO_ZONE_ZONES_H
#define CUPEL_IO_ZONE_ZONES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/random.h"

/* Conditions, with the same numbers as in the kernel, ZBC, ZAC and ZNS. */
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
    uint64_t start, capacity; /* bytes; the writable part ends at start + capacity */
    /* bytes from the start to the write pointer; in a conventional zone, to the offset of the next
       sequential write */
    uint64_t written;
    uint8_t condition; /* enum zone_condition, as the device last reported it */
    bool conventional;
    /* set by the functions of zones.c */
    bool taken;  /* a job has the zone */
    bool open;   /* the zone is being written to; counted in open_count */
    bool active; /* the zone is partly written; counted in active_count */
};

static inline bool zone_is_lost(const struct zone *z)
{
    return z->condition == ZONE_READ_ONLY || z->condition == ZONE_OFFLINE;
}

enum zone_action { ZONE_RESET, ZONE_FINISH, ZONE_ACTIONS };

struct zone_ops {
    /* Does the action on a zone. Returns 0 or an errno. Any thread. */
    int (*act)(void *context, enum zone_action action, uint64_t start, uint64_t length);
    /* Reads the zone's present condition and `written` from the device. Returns 0 or an errno. Any
       thread. */
    int (*look)(void *context, struct zone *zone);
};

/* Number and durations of resets or of finishes. */
struct zone_action_times {
    uint64_t count, failed;
    uint64_t sum_ns, min_ns, max_ns;
    int error; /* errno of the first failure */
};

struct zones {
    struct zone *at;
    unsigned count;
    /* bytes from the start of one zone to that of the next; the last zone of a device may be
       smaller */
    uint64_t zone_size;
    uint64_t end;                      /* end of the device, in bytes */
    uint32_t block;                    /* bytes of each write and read */
    unsigned open_limit, active_limit; /* 0: no limit */
    /* share of written bytes above which zones are reset; 0: only full zones are reset */
    double threshold;
    uint64_t reset_every; /* above `threshold`: number of writes from one reset to the next */
    bool beyond;          /* reads may also go to blocks beyond the write pointers */
    const struct zone_ops *ops;
    void *context;

    pthread_mutex_t lock;
    unsigned open_count, open_most;
    unsigned active_count; /* partly written zones of the whole device, also outside the region */
    unsigned *open;        /* indices of the open zones; the array must have `count` elements */
    uint64_t written;      /* bytes written in the region's sequential zones */
    uint64_t since_reset;  /* writes above the threshold since the last reset */
    uint64_t used;         /* number of times that a zone was opened for writes */
    struct zone_action_times times[ZONE_ACTIONS];

    /* For workloads that only read: blocks[i] is the number of readable blocks in zones 0 .. i-1
       (zones_count_readable). */
    uint64_t *blocks;
};

/* Initializes the zones. The caller has already set `at`, `count`, sizes, limits and ops;
   active_count is the number of partly written zones outside the region. */
void zones_init(struct zones *z);

/* The zone that a job has taken, and where its sequential I/O goes on. */
struct zone_job {
    unsigned next;  /* index of the zone in which sequential I/O goes on */
    unsigned taken; /* index of the zone that the job has taken; valid if `has` */
    bool has;       /* the job has a zone */
    bool wrote;     /* a write of the job to that zone was submitted */
};

/* returned instead of an offset when no block can be read */
#define ZONES_NOWHERE UINT64_MAX

/*
 * Any thread. Takes a zone for the job, at random or in sequence, and returns the offset of its
 * next write. If no zone can be written (all are read-only or offline, or the limits allow none),
 * it returns the end of the device, where every write fails.
 */
uint64_t zones_take(struct zones *z, struct zone_job *job, bool sequential, struct random *r);

/* Any thread. Gives the job's zone back after the write to it has ended. Does nothing when the job
   has no zone. */
void zones_give_back(struct zones *z, struct zone_job *job, bool failed);

/* Any thread. Returns the offset of a random block to read while zones are being written;
   ZONES_NOWHERE when no block is written. */
uint64_t zones_read_among_writes(struct zones *z, struct random *r);

/* Returns the number of blocks that can be read now, and fills z->blocks, which must have room for
   count + 1 elements. */
uint64_t zones_count_readable(struct zones *z);
/* Any thread. Returns the offset of the readable block with the number `block`, from 0. */
uint64_t zones_readable(const struct zones *z, uint64_t block);

/* ---- zone_device.c: the zones of a block device, by the kernel's ioctls ---- */

struct zone_device {
    int fd; /* descriptor of the block device; open for writing if zones are to be reset */
    uint64_t zone_size;
    unsigned zone_count;
    /* limits of open and of partly written zones, from sysfs; 0: no limit */
    unsigned open_max, active_max;
};

/* Fills *d for the block device `fd`, which the caller continues to own. ERR_MACHINE: the device is
   not zoned, or its zones cannot be read. */
int zone_device_open(struct zone_device *d, int fd, dev_t device, const char *path, struct err *e);

/* Reads zones [first, first + n) into to[]. Errors: ERR_TARGET. */
int zone_device_report(const struct zone_device *d, unsigned first, unsigned n, struct zone to[],
                       struct err *e);

/* The zone_ops of a block device. Their context is a struct zone_device. */
extern const struct zone_ops zone_device_ops;

/* Returns the condition in words, such as "implicitly open". */
const char *zone_condition_name(enum zone_condition condition);

#endif
