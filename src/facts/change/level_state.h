/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a stable segment has one level, so that its mean also says something about later times. A
 * session that was asked for a precision ends only when its level holds.
 */
#ifndef CUPEL_FACTS_CHANGE_LEVEL_STATE_H
#define CUPEL_FACTS_CHANGE_LEVEL_STATE_H

enum level_state {
    LEVEL_HOLDS, /* no sign that the level changes */
    LEVEL_MOVES, /* the level still rises or falls by more than the interval allows */
    /* long memory with d close to 1/2: more readings make the mean no more certain */
    LEVEL_WANDERS,
    /* the segment has too few periods of its slowest cycle, or changes too slowly to show a
       level */
    LEVEL_CYCLES,
    LEVEL_STATES,
};

/* Why a session does not claim that its level holds, although no sign of a change was seen. */
enum level_doubt {
    LEVEL_DOUBT_NONE,
    LEVEL_DOUBT_LATE, /* the level began late in the session: it may not last */
    /* the level may change more slowly than the session can show (slow_end.h) */
    LEVEL_DOUBT_SLOW_END,
};

const char *level_name(enum level_state level); /* "holds", "moves", "wanders", "cycles" */

#endif
