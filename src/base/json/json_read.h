/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of a JSON text (RFC 8259) by their places, without building anything: what is not on the
 * way is skipped. A value is a piece of the text, of a string without its quotes, its escapes as
 * they stand. Words are not looked at: who wants a number finds out whether it is one.
 *
 * The text may end anywhere. No memory, no state: any thread may call it.
 */
#ifndef CUPEL_BASE_JSON_JSON_READ_H
#define CUPEL_BASE_JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

enum json_found { JSON_FOUND, JSON_ABSENT, JSON_BROKEN };

/*
 * Find the value at `place`: names of members and indices of arrays, joined by dots. Names may hold
 * dots. What follows the value is not looked at.
 */
enum json_found json_find(struct span text, struct span place, struct span *value);

/* Is it one value from its begin to its end? */
bool json_is_value(struct span text);

/* The first value of a text, without the blanks around it, and what follows it. False: there is
   none, or it has no end. */
bool json_first(struct span text, struct span *value, struct span *after);

/* The members of an object, or the elements of an array, one after the other. */
struct json_walk {
    struct span rest; /* after the last one that was given */
    char close;       /* what ends it */
    bool first, broken;
};

/* An empty walk when the value is neither an object nor an array. */
struct json_walk json_walk_of(struct span value);

/* The next one; an element has no name. False at the end, and when the text breaks off or has
   faults (`broken`). */
bool json_next(struct json_walk *w, struct span *name, struct span *value);

#endif
