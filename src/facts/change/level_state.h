/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a stable segment has one level, so that its mean says something about the time after it.
 * A session that asks for precision ends only when its level holds.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_STATE_H
#define CUPEL_FACTS_CHANGE_LEVEL_STATE_H

enum level_state {
    LEVEL_HOLDS,   /* nothing speaks against it */
    LEVEL_MOVES,   /* it still rises or falls by more than the interval allows */
    LEVEL_WANDERS, /* long memory with d close to 1/2: the mean of more readings is no more certain
                    */
    LEVEL_CYCLES,  /* it holds too few periods of its slowest cycle, or moves too slowly for one */
    LEVEL_STATES,
};

/* What keeps a session from claiming that its level holds, though nothing speaks against it. */
enum level_doubt {
    LEVEL_DOUBT_NONE,
    LEVEL_DOUBT_LATE,     /* the level began late: it may not be the one that lasts */
    LEVEL_DOUBT_SLOW_END, /* it may move more slowly than was measured (slow_end.h) */
};

const char *level_name(enum level_state level); /* holds, moves, wanders, cycles */

#endif
