/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of one process, each in a thread of its own, that go through a run together: none
 * writes before every target was examined, their first measured rounds begin at one instant, and
 * none takes its load away before the last one has ended.
 *
 * A member only goes forward, from phase to phase, and waits by asking again after a moment. One
 * that ends early has reached all phases: nobody waits for it. All functions may be called by any
 * thread.
 */
#ifndef CUPEL_RUN_LAUNCH_MEETING_H
#define CUPEL_RUN_LAUNCH_MEETING_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEETING_MEMBERS 64

enum meeting_phase {
    MEETING_OPENING,
    MEETING_EXAMINED, /* its target is open, nothing was written over, and its needs are known */
    MEETING_SET,      /* the machine's settings are as asked for */
    MEETING_READY,    /* trial rounds are over: it waits for the instant */
    MEETING_ENDED,    /* all that it was to measure is measured, or it failed */
};

struct session_shared;

struct meeting_member {
    enum meeting_phase phase;
    unsigned workers; /* with MEETING_EXAMINED: threads, and the NUMA node that they should be */
    int numa_node;    /* near to; -1: any */
    char name[64];    /* of the target, shortened */
    struct session_shared *shared; /* the session's own */
    bool failed;
    int64_t ended_ns; /* by the wall clock, of its load if it failed; 0: it goes on */
};

struct meeting {
    pthread_mutex_t mutex;
    size_t count;
    struct meeting_member members[MEETING_MEMBERS]; /* count; those that are examined keep still */
    int64_t instant_ns;         /* common, by the wall clock; 0: not all are ready */
    size_t broken_by;           /* this one could not begin, and so nobody does; else count */
    volatile sig_atomic_t over; /* all have ended */
};

/* `count` is MEETING_MEMBERS at most. Nothing has to be given back. */
void meeting_init(struct meeting *m, size_t count);

/* This member has got there. The last one that is ready decides on the instant. */
void meeting_reach(struct meeting *m, size_t member, enum meeting_phase phase);
/* Has everyone got there? */
bool meeting_has_reached(struct meeting *m, enum meeting_phase phase);

/* It cannot begin: the first one that says so is broken_by. */
void meeting_break(struct meeting *m, size_t member);
bool meeting_is_broken(struct meeting *m);

/* All is measured, or it failed. Calls after the first one change nothing. */
void meeting_end(struct meeting *m, size_t member, bool failed);

/* It failed, also after its end: its load is gone from now on. Calls after the first failure change
   nothing, and whoever has not ended goes on to do so. */
void meeting_fail(struct meeting *m, size_t member);

/* By the wall clock, in ns; 0: not yet. */
int64_t meeting_instant(struct meeting *m);

/* Members that wait for the instant, or have ended. */
size_t meeting_ready(struct meeting *m);

/*
 * Another member whose load ended, because it failed, before that instant by the wall clock: which
 * one, and when. Of several the first. False: there is none.
 */
bool meeting_lost(struct meeting *m, size_t member, int64_t before_ns, struct meeting_member *lost);

#endif
