/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which disks of an acceptance work at the same time. Stages that write and read back
 * (purge, capacity, precondition, verify) do not measure a drive's speed, so all disks run them at
 * once. The tests of the PTS measure. Drives that share a part which could slow them take turns at
 * them, and none begins while another drive on that part still writes. While a drive measures, it
 * has processors of its own, near the drive if some are free there.
 *
 * A disk has one turn for all its tests, so that it does not rest between them.
 */
#ifndef CUPEL_MACHINE_ACCEPT_TURNS_H
#define CUPEL_MACHINE_ACCEPT_TURNS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/accept/accept.h"
#include "run/plan/plan.h"

enum turn_work { TURN_WRITES, TURN_WAITS, TURN_MEASURES, TURN_OVER };

struct turns {
    enum accept_at_once at_once;
    size_t count;     /* number of disks; set these four members, and group and node of each disk,
                         before turns_init */
    unsigned workers; /* maximum number of workers of a test */
    const char *root; /* root of the files that describe the processors: "" */
    unsigned slots;   /* number of disks that can measure at once with processors of their own; 0:
                         any number */
    struct turn {
        unsigned group; /* number of the group of disks that share a part which could slow them */
        int node;       /* NUMA node; -1: not known */
        enum turn_work work;
        /* bit set of the disk's processors while the disk measures; empty: any processor */
        uint64_t cpus[PLAN_CPUS_MAX / 64];
        unsigned cpu_count;
    } disks[ACCEPT_DISKS_MAX];
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* Begins with all disks writing. Threads that call the functions below must be joined before the
   memory is freed. */
void turns_init(struct turns *t);

/* Waits until the disk may do this work (TURN_WRITES or TURN_MEASURES), and returns at once if it
   already does it. Returns false if it was stopped meanwhile. */
bool turns_begin(struct turns *t, size_t disk, enum turn_work work,
                 const volatile sig_atomic_t *stop);
/* Notes that the disk has no more work. */
void turns_end(struct turns *t, size_t disk);

/* Writes "8 disks: 5 write, 1 waits, 2 done". */
char *turns_words(struct turns *t, char *to, size_t size);

/* Returns how many disks can have processors of their own at the same time; at least one. */
unsigned turns_slots(const struct turns *t);

/* Returns true if all disks are in one group: they share a part which could slow them. */
bool turns_is_one_group(const struct turns *t);

/* Returns how long everything takes when each disk writes and measures for these seconds. Pure. */
double turns_seconds(const struct turns *t, const double writes[], const double measures[]);

#endif
