/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long all tests of all disks still take: what is left of the test that goes on, and for each
 * test that has not begun the mean time of those of its kind that have ended. Before one of a kind
 * has ended, its limit stands for it, and the words say "up to about".
 *
 * Plain data of one thread; times are seconds.
 */
#ifndef CUPEL_MACHINE_QUALIFY_TIME_LEFT_H
#define CUPEL_MACHINE_QUALIFY_TIME_LEFT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/qualification.h"
#include "run/session/session.h"

struct time_left {
    double limit_seconds; /* of each test */
    struct time_left_kind {
        size_t planned, begun, ended;
        double seconds; /* of those that ended */
    } kinds[QUALIFICATION_TESTS];
    size_t disk, disks; /* the one under way, from 1 */
};

void time_left_begin_test(struct time_left *t, size_t kind);
void time_left_end_test(struct time_left *t, size_t kind, double seconds);

/* "disk 2 of 8, about 3 min 20 s left in all". `now`: of the test that goes on. Returns `to`. */
char *time_left_words(const struct time_left *t, const struct session_progress *now, char *to,
                      size_t size);

#endif
