/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: remarks that a person adds to a measurement (--label ticket=4711), kept with it and shown
 * in every report. They own nothing and can be copied; a zeroed list is empty.
 *
 * A key has 1 to 48 letters, digits, '_', '.' and '-', and begins with a letter or '_', so that it
 * means nothing special to a spreadsheet, a shell or a page. A value is any text of up to 200 bytes
 * without characters that steer how text is shown (span_steers).
 */
#ifndef CUPEL_FACTS_LABELS_H
#define CUPEL_FACTS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum { LABEL_KEY_MAX = 48, LABEL_VALUE_MAX = 200, LABELS_MAX = 16 };

struct labels {
    char text[1536]; /* lines "key=value", each with its '\n' */
};

struct label {
    char key[LABEL_KEY_MAX + 1], value[LABEL_VALUE_MAX + 1];
};

/* Adds "key=value". ERR_USAGE with the reason, for example that the key is there already. */
int labels_add(struct labels *to, const char *text, struct err *e);

/* Gets the next label after *at, which is 0 at first. False: there is no further label. */
bool labels_next(const struct labels *from, size_t *at, struct label *label);

/* Finds the label with that key; false: there is none. */
bool labels_find(const struct labels *from, const char *key, struct label *label);

/* Appends "key=value;key=value" for a field of a table; ';' and '\' in a value are preceded by
   '\'. */
void labels_add_words(const struct labels *from, struct text *out);

/* Keeps only the labels that `other` has with the same value. */
void labels_keep_common(struct labels *to, const struct labels *other);

/* Adds the labels of `from` whose keys are not there yet, as far as there is room. */
void labels_add_missing(struct labels *to, const struct labels *from);

/* Is every label valid, as labels_add checks? For text from a file. */
bool labels_hold(const struct labels *of);

#endif
