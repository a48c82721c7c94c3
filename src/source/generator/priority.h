/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Priorities of requests, as ioprio_set(2) has them: a class, a level within it, a hint to the
 * device. The kernel's number for one is class << 13 | hint << 3 | level.
 *
 * Requests of one operation, size and priority are a kind. Reports show each kind separately. A
 * request has the index of its kind in the list of kinds. Pure.
 */
#ifndef CUPEL_SOURCE_GENERATOR_PRIORITY_H
#define CUPEL_SOURCE_GENERATOR_PRIORITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The kernel's numbers. A request without a class has its thread's priority: the one that was set,
   or best effort with a level that follows from the nice value. */
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

/* Text such as "rt/0", "be/4", "idle", "none"; with a hint "be/0/2"; for a command "zeroes".
   Returns `to`. */
#define PRIORITY_WORDS 16
char *priority_words(uint16_t value, char to[PRIORITY_WORDS]);

/* Returns the class with that word or number, or -1. */
int priority_class_named(const char *text, size_t length);

struct priority_kind {
    uint32_t bytes; /* size of the request; 0: several sizes */
    uint16_t value; /* a priority, or a command of writes (write_mode.h) */
    uint8_t op;     /* 0 read, 1 write */
};

#define PRIORITY_KINDS_MAX 12
struct priority_kinds {
    struct priority_kind kind[PRIORITY_KINDS_MAX]; /* sorted by operation, size and priority */
    unsigned count;                                /* 0: no request has a priority of its own */
};

/* Adds a kind unless the list has it. Returns false if there is no room. */
bool priority_kinds_add(struct priority_kinds *kinds, const struct priority_kind *kind);
/* Returns the index of a kind, or 0 if the list does not have it. */
uint8_t priority_kinds_find(const struct priority_kinds *kinds, const struct priority_kind *kind);

/* Converts kinds to text without blanks, "r4096/8192,w0/0", and back. Return 0 or ERR_USAGE. */
#define PRIORITY_KINDS_TEXT (PRIORITY_KINDS_MAX * 16)
void priority_kinds_write(const struct priority_kinds *kinds, char to[PRIORITY_KINDS_TEXT]);
int priority_kinds_read(struct priority_kinds *kinds, const char *text, struct err *e);

#endif
