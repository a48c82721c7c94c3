/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a terminal sends, as keys: ECMA-48 control sequences (escape [ ... letter), the single
 * shifts of keypads in application mode (escape O letter), and the Linux console's escape [ [
 * letter. Escape alone looks like the beginning of any of them: only time tells. One decoder for
 * each terminal; one of zeros is at its beginning.
 */
#ifndef CUPEL_INIT_CONSOLE_KEYS_H
#define CUPEL_INIT_CONSOLE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#define KEY_ESCAPE_MS 50 /* a sequence that does not go on for so long is over */

struct key_decoder {
    enum { KEYS_PLAIN, KEYS_ESCAPE, KEYS_CONTROL, KEYS_SHIFT, KEYS_LINUX } state;
    unsigned number; /* of "escape [ 5 ~" */
    bool after_return;
};

/* The first key in `bytes` (enum console_key or a character), CONSOLE_NONE when they hold none or
   only the beginning of one. *taken: how many bytes were used; call again with the rest. */
int key_decode(struct key_decoder *d, const unsigned char *bytes, size_t length, size_t *taken);

/* Bytes are missing: after KEY_ESCAPE_MS without any call key_expire. */
bool key_is_pending(const struct key_decoder *d);
/* CONSOLE_ESCAPE if it was escape alone, else CONSOLE_NONE: the half sequence is dropped. */
int key_expire(struct key_decoder *d);

#endif
