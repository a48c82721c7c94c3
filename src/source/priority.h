/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Priorities of requests, as defined by ioprio_set(2): a class, a level within it, and a hint to
 * the device. The kernel encodes a priority as class << 13 | hint << 3 | level. Pure.
 */
#ifndef CUPEL_SOURCE_PRIORITY_H
#define CUPEL_SOURCE_PRIORITY_H

#include <stddef.h>
#include <stdint.h>

/* The kernel's numbers of the classes. A request without a class has its thread's priority: the one
   that was set for the thread, or best effort with a level that follows from the nice value. */
enum priority_class { PRIORITY_NONE, PRIORITY_RT, PRIORITY_BE, PRIORITY_IDLE };

#define PRIORITY_LEVEL_MAX 7 /* 0 is the highest level */
#define PRIORITY_HINT_MAX  7 /* a hint is a command duration limit; 0: no hint */

static inline uint16_t priority_value(enum priority_class class, unsigned level, unsigned hint)
{
    return (uint16_t)((unsigned)class << 13 | hint << 3 | level);
}
static inline enum priority_class priority_class_of(uint16_t value)
{
    return (enum priority_class)(value >> 13);
}
static inline unsigned priority_level_of(uint16_t value)
{
    return value & 7;
}
static inline unsigned priority_hint_of(uint16_t value)
{
    return value >> 3 & 0x3ff;
}

/* Writes the priority as text such as "rt/0", "be/4", "idle", "none"; with a hint "be/0/2". Returns
   `to`. */
#define PRIORITY_WORDS 16
char *priority_words(uint16_t value, char to[PRIORITY_WORDS]);

/* Returns the class with that word or number, or -1. */
int priority_class_named(const char *text, size_t length);

#endif
