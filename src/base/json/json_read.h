/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds values in a JSON text (RFC 8259) by their paths, without building a tree; all other values
 * are skipped. A value is a piece of the text; a string is without its quotes, and its escapes stay
 * as they are. Literals and numbers are not checked: the caller finds out whether a value is a
 * number.
 *
 * The text may end anywhere. No memory, no state: any thread may call these functions.
 */
#ifndef CUPEL_BASE_JSON_JSON_READ_H
#define CUPEL_BASE_JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

enum json_found { JSON_FOUND, JSON_ABSENT, JSON_BROKEN };

/*
 * Finds the value at the path `place`: names of members and indices of arrays, joined by dots.
 * Names may contain dots. The text after the value is not checked.
 */
enum json_found json_find(struct span text, struct span place, struct span *value);

/* Returns true if the whole text is exactly one value. */
bool json_is_value(struct span text);

/* Finds the first value of a text, without the blanks around it, and the text after the value.
   Returns false if there is no value or the value has no end. */
bool json_first(struct span text, struct span *value, struct span *after);

/* The members of an object, or the elements of an array, one after the other. */
struct json_walk {
    struct span rest; /* the text after the last member or element */
    char close;       /* the bracket that ends the object or array */
    bool first, broken;
};

/* Begins a walk; it is empty when the value is neither an object nor an array. */
struct json_walk json_walk_of(struct span value);

/* Goes to the next member or element; an element has no name. Returns false at the end, and when
   the text breaks off or has errors (`broken` is then set). */
bool json_next(struct json_walk *w, struct span *name, struct span *value);

#endif
