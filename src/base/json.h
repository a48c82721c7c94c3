/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A JSON writer (RFC 8259) that appends to a text. The writer adds commas and indentation; the
 * caller takes care of the order: each begin has its end, the key is a member's name, and NULL
 * for an element of an array.
 *
 * Strings may contain any bytes: characters that steer a terminal (span_steers) are escaped,
 * bytes that are not UTF-8 become U+FFFD. JSON has no NaN and no infinity: they are written as
 * null. The text belongs to the caller.
 */
#ifndef CUPEL_BASE_JSON_H
#define CUPEL_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct json {
    struct text *out;
    int depth;
    bool empty; /* nothing has been written to the open object or array yet */
};

/* Returns a writer that appends to `out`; the first value that it writes has no key. */
struct json json_on(struct text *out);

void json_begin_object(struct json *j, const char *key);
void json_end_object(struct json *j);
void json_begin_array(struct json *j, const char *key);
void json_end_array(struct json *j);

void json_string(struct json *j, const char *key, const char *value);
void json_number(struct json *j, const char *key, double value);
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);

/* Writes a whole array on one line. */
void json_numbers(struct json *j, const char *key, const double values[], size_t count);
void json_sizes(struct json *j, const char *key, const size_t values[], size_t count);

#endif
