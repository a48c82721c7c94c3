/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds values of a JSON text (RFC 8259) by their places, without building a tree: everything else
 * is skipped. A value is a piece of the text; a string is without its quotes, its escapes are kept.
 * Literals and numbers are not checked: the caller finds out whether a value is a number.
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
 * dots. The text after the value is not checked.
 */
enum json_found json_find(struct span text, struct span place, struct span *value);

/* Is the whole text exactly one value? */
bool json_is_value(struct span text);

/* Finds the first value of a text, without the blanks around it, and the text after it. False:
   there is no value, or it has no end. */
bool json_first(struct span text, struct span *value, struct span *after);

/* The members of an object, or the elements of an array, one after the other. */
struct json_walk {
    struct span rest; /* the text after the last member or element */
    char close;       /* the bracket that ends it */
    bool first, broken;
};

/* Returns an empty walk when the value is neither an object nor an array. */
struct json_walk json_walk_of(struct span value);

/* Goes to the next one; an element has no name. False at the end, and when the text breaks off or
   has errors (`broken`). */
bool json_next(struct json_walk *w, struct span *name, struct span *value);

#endif
