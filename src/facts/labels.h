/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: remarks that a person adds to a measurement (--label ticket=4711), kept with it and shown
 * in every report. They own no memory and can be copied; a zeroed list is empty.
 *
 * A key has 1 to 48 letters, digits, '_', '.' and '-', and begins with a letter or '_', so that it
 * means nothing special to a spreadsheet, a shell or a page. A value is a text of up to 200 bytes
 * without characters that change how other text is shown (span_steers).
 */
#ifndef CUPEL_FACTS_LABELS_H
#define CUPEL_FACTS_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/text.h"

enum { LABEL_KEY_MAX = 48, LABEL_VALUE_MAX = 200, LABELS_MAX = 16 };

struct labels {
    char text[1536]; /* lines "key=value", each ended by '\n' */
};

struct label {
    char key[LABEL_KEY_MAX + 1], value[LABEL_VALUE_MAX + 1];
};

/* Adds "key=value". Fails with ERR_USAGE and the reason, for example if the key is already used. */
int labels_add(struct labels *to, const char *text, struct err *e);

/* Gets the label at *at and moves *at to the next one; begin with 0. Returns false at the end. */
bool labels_next(const struct labels *from, size_t *at, struct label *label);

/* Finds the label with this key. Returns false if there is none. */
bool labels_find(const struct labels *from, const char *key, struct label *label);

/* Appends "key=value;key=value" for a field of a table. ';' and '\' in a value are escaped by
   '\'. */
void labels_add_words(const struct labels *from, struct text *out);

/* Removes labels that `other` does not have with the same value. */
void labels_keep_common(struct labels *to, const struct labels *other);

/* Adds those labels of `from` whose keys are not used yet, as far as they fit. */
void labels_add_missing(struct labels *to, const struct labels *from);

/* Returns true if every label would pass labels_add. For text that was read from a file. */
bool labels_hold(const struct labels *of);

#endif
