/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates how long all tests of all disks will still take: the rest of the current test, and for
 * each test that has not begun the mean time of the finished tests of its kind. Before a test of a
 * kind has ended, its limit is used instead, and the words say "up to about".
 *
 * Plain data of one thread; times are in seconds.
 */
#ifndef CUPEL_MACHINE_QUALIFY_TIME_LEFT_H
#define CUPEL_MACHINE_QUALIFY_TIME_LEFT_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/qualification.h"
#include "run/session/session.h"

struct time_left {
    double limit_seconds; /* limit of each test */
    struct time_left_kind {
        size_t planned, begun, ended;
        double seconds; /* sum over the tests that have ended */
    } kinds[QUALIFICATION_TESTS];
    size_t disk, disks; /* the current disk, from 1; the number of disks */
};

void time_left_begin_test(struct time_left *t, size_t kind);
void time_left_end_test(struct time_left *t, size_t kind, double seconds);

/* Writes "disk 2 of 8, about 3 min 20 s left in all". `now`: progress of the current test. Returns
   `to`. */
char *time_left_words(const struct time_left *t, const struct session_progress *now, char *to,
                      size_t size);

#endif
