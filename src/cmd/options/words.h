/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may be typed for an option, or as an operand of a command: a list of words, or the kind of
 * thing that the placeholder of its help names. For help and completion.
 */
#ifndef CUPEL_CMD_OPTIONS_WORDS_H
#define CUPEL_CMD_OPTIONS_WORDS_H

#include <stdbool.h>

#include "base/text.h"
#include "cmd/options/command.h"

enum value_kind {
    VALUE_NONE,  /* no argument */
    VALUE_OTHER, /* a number, a time, a text: nobody can guess it */
    VALUE_FILES,
    VALUE_FOLDERS,
    VALUE_DISKS,
    VALUE_PROGRAMS,
    VALUE_PROCESSES,
    VALUE_COMMANDS, /* of cupel, and the other topics of its help */
};

/* What a placeholder such as "DIR|FILE" or "[TARGET...]" stands for; `typed` may be NULL. */
enum value_kind value_kind(const char *typed);

/* The row's choices or words with a blank before each; none of them adds nothing. */
void option_add_words(const struct option_row *row, struct text *out);

/* Are the row's words parts of a text, which goes on after them? */
bool option_words_go_on(const struct option_row *row);

/* A sentence with the row's words, with a blank before it, where its help does not list them. */
void option_words_in_help(const struct option_row *row, struct text *out);

#endif
