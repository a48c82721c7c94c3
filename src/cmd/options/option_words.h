/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The possible values of an option or operand, for help and completion: a list of words, or a kind
   of value, as the placeholder in the help says. */
#ifndef CUPEL_CMD_OPTIONS_OPTION_WORDS_H
#define CUPEL_CMD_OPTIONS_OPTION_WORDS_H

#include <stdbool.h>

#include "base/text.h"
#include "cmd/options/command.h"

enum value_kind {
    VALUE_NONE,  /* no argument */
    VALUE_OTHER, /* a number, time or text, which cannot be completed */
    VALUE_FILES,
    VALUE_FOLDERS,
    VALUE_DISKS,
    VALUE_PROGRAMS,
    VALUE_PROCESSES,
    VALUE_COMMANDS, /* names of cupel's commands, and other topics of its help */
};

/* Returns the kind of value of a placeholder such as "DIR|FILE" or "[TARGET...]"; `typed` may be
   NULL. */
enum value_kind value_kind(const char *typed);

/* Adds the choices or words of a row, if it has any, with a blank before each. */
void option_add_words(const struct option_row *row, struct text *out);

/* Returns true if the row's words are only the beginning of a value. */
bool option_words_go_on(const struct option_row *row);

/* Adds a blank and a sentence with the row's words, unless the help text already lists them. */
void option_words_in_help(const struct option_row *row, struct text *out);

#endif
