/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions that may never be answered: opening a disk, looking at all of the machine. A child
 * process asks, and process 1, which must not hang, waits for a limited time. One thread.
 */
#ifndef CUPEL_INIT_PROCESS_CHILD_QUESTION_H
#define CUPEL_INIT_PROCESS_CHILD_QUESTION_H

#include <stddef.h>

enum aside_status {
    ASIDE_ANSWERED,
    ASIDE_FAILED, /* no child, no memory, it died, or it had another length to say */
    ASIDE_SILENT, /* the time was over: it was killed, or left behind where that takes no effect */
};

/*
 * Run `function` in a child with all signals at their defaults; it fills `answer`, `size` bytes
 * which are then copied to the caller's own `answer` (as it was unless ASIDE_ANSWERED). Nothing
 * else that it changes is seen by the caller. A child left behind is reaped by system_run.
 */
enum aside_status aside(void (*function)(void *context, void *answer), void *context, void *answer,
                        size_t size, unsigned milliseconds);

/* In a child: every signal does what it does by default, and none is blocked. */
void aside_clear_signals(void);

#endif
