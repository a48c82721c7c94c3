/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The possible values of an option or operand, for help and completion: a list of words, or the
   kind of value that the placeholder in the help names. */
#ifndef CUPEL_CMD_OPTIONS_WORDS_H
#define CUPEL_CMD_OPTIONS_WORDS_H

#include <stdbool.h>

#include "base/text.h"
#include "cmd/options/command.h"

enum value_kind {
    VALUE_NONE,  /* no argument */
    VALUE_OTHER, /* a number, a time or a text, which cannot be completed */
    VALUE_FILES,
    VALUE_FOLDERS,
    VALUE_DISKS,
    VALUE_PROGRAMS,
    VALUE_PROCESSES,
    VALUE_COMMANDS, /* names of cupel's commands, and the other topics of its help */
};

/* Returns the kind of a placeholder such as "DIR|FILE" or "[TARGET...]"; `typed` may be NULL. */
enum value_kind value_kind(const char *typed);

/* Adds the row's choices or words with a blank before each; nothing if it has none. */
void option_add_words(const struct option_row *row, struct text *out);

/* Returns whether the row's words are only the begin of a longer text. */
bool option_words_go_on(const struct option_row *row);

/* Adds a sentence with the row's words, after a blank, unless the help already lists them. */
void option_words_in_help(const struct option_row *row, struct text *out);

#endif
