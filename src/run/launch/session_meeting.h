/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions of one process, each in its own thread, that run together: none writes before every
 * target was examined, their first measured rounds begin at the same instant, and none stops its
 * load before the last one has ended.
 *
 * A member only moves forward from phase to phase, and waits by asking again after a moment. A
 * member that ends early counts as having reached all phases, so that nobody waits for it. Any
 * thread may call all functions.
 */
#ifndef CUPEL_RUN_LAUNCH_SESSION_MEETING_H
#define CUPEL_RUN_LAUNCH_SESSION_MEETING_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEETING_MEMBERS 128

enum meeting_phase {
    MEETING_OPENING,
    /* the target is open, nothing was written to it, and the member's needs (workers, NUMA node)
       are known */
    MEETING_EXAMINED,
    MEETING_SET,   /* the machine's settings are changed as requested */
    MEETING_READY, /* trial rounds are over: the member waits for the instant */
    MEETING_ENDED, /* everything is measured, or the member has failed */
};

struct session_shared;
struct carriers;

struct meeting_member {
    enum meeting_phase phase;
    unsigned workers; /* number of the member's threads; set with MEETING_EXAMINED */
    /* NUMA node for the member's threads, near to the target; -1: any; set with MEETING_EXAMINED */
    int numa_node;
    char name[64];                 /* name of the target, shortened */
    struct session_shared *shared; /* belongs to the session */
    bool failed;
    /* instant on the wall clock at which the member's load ended, if the member failed; 0: the load
       continues */
    int64_t ended_ns;
};

struct meeting {
    pthread_mutex_t mutex;
    size_t count;
    /* [count]; after MEETING_EXAMINED, only `phase`, `failed` and `ended_ns` change */
    struct meeting_member members[MEETING_MEMBERS];
    int64_t instant_ns; /* common start on the wall clock; 0: not all members are ready */
    /* index of the member that could not begin, so that no member begins; otherwise `count` */
    size_t broken_by;
    /* threads that run the workers of all members (run/loop/processor_carrier.h); belongs to the
       caller of meeting_init; may be NULL */
    struct carriers *carriers;
    volatile sig_atomic_t over; /* all members have ended */
};

/* Initializes a meeting of `count` members, at most MEETING_MEMBERS. There is nothing to free. */
void meeting_init(struct meeting *m, size_t count);

/* Reports that this member has reached a phase. The last one to be ready determines the instant. */
void meeting_reach(struct meeting *m, size_t member, enum meeting_phase phase);
/* Returns true if all members have reached the phase. */
bool meeting_has_reached(struct meeting *m, enum meeting_phase phase);

/* Reports that this member cannot begin. broken_by is the first one to do so. */
void meeting_break(struct meeting *m, size_t member);
bool meeting_is_broken(struct meeting *m);

/* Reports that everything is measured, or that the member failed. Later calls change nothing. */
void meeting_end(struct meeting *m, size_t member, bool failed);

/* Reports that the member failed, possibly after its end: its load has stopped. Calls after the
   first failure change nothing, and a member that has not ended must still end. */
void meeting_fail(struct meeting *m, size_t member);

/* Returns the common instant on the wall clock, in ns; 0: not yet known. */
int64_t meeting_instant(struct meeting *m);

/* Returns the number of members that wait for the instant, or have ended. */
size_t meeting_ready(struct meeting *m);

/* Finds another member whose load ended before that instant of the wall clock because it failed; if
   there are several, the first. Returns false if there is none. */
bool meeting_lost(struct meeting *m, size_t member, int64_t before_ns, struct meeting_member *lost);

#endif
