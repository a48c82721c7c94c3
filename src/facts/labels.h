/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: what a person says of a measurement (--label ticket=4711), kept with it and shown in
 * every report. They own nothing and can be copied; a cleared one is empty.
 *
 * A key has 1 to 48 letters, digits, '_', '.' and '-', and begins with a letter or '_', so that it
 * means nothing to a spreadsheet, a shell or a page. A value is any text of up to 200 bytes without
 * characters that steer how text is shown (span_steers).
 */
#ifndef CUPEL_FACTS_LABELS_H
#define CUPEL_FACTS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum { LABEL_KEY_MAX = 48, LABEL_VALUE_MAX = 200, LABELS_MAX = 16 };

struct labels {
    char text[1536]; /* "key=value" lines, each with its '\n' */
};

struct label {
    char key[LABEL_KEY_MAX + 1], value[LABEL_VALUE_MAX + 1];
};

/* Add "key=value". ERR_USAGE says why not; a key that is there already is such a reason. */
int labels_add(struct labels *to, const char *text, struct err *e);

/* The next label after *at, which begins with 0. False: there is none. */
bool labels_next(const struct labels *from, size_t *at, struct label *label);

/* The value of that key; false: there is none. */
bool labels_find(const struct labels *from, const char *key, struct label *label);

/* "key=value;key=value" for a field of a table; ';' and '\' of a value stand after a '\'. */
void labels_add_words(const struct labels *from, struct text *out);

/* Leave those that stand in `other` with the same value. */
void labels_keep_common(struct labels *to, const struct labels *other);

/* Add those of `from` whose keys are not there yet, as far as there is room. */
void labels_add_missing(struct labels *to, const struct labels *from);

/* Is it what labels_add could have made? For a text out of a file. */
bool labels_hold(const struct labels *of);

#endif
