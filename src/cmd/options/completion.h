/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion scripts of shells, made from the command structs and their option rows.
 *
 * Each function appends to a text that the caller owns. `list` is all commands, ended by NULL;
 * `topics` are the other words that cupel help accepts, with a blank before each.
 */
#ifndef CUPEL_CMD_OPTIONS_COMPLETION_H
#define CUPEL_CMD_OPTIONS_COMPLETION_H

#include "cmd/options/words.h"

typedef void completion_script(const struct command *const list[], const char *topics,
                               struct text *out);

completion_script completion_bash, completion_zsh, completion_fish;

/* ---- functions for all three shells ---- */

/* Adds the first sentence of the row's help in single quotes, up to its end or a semicolon. A
   single quote in it is written as `quote`, and each character of `special` gets a backslash. */
void completion_add_sentence(const struct option_row *row, const char *quote, const char *special,
                             struct text *out);

/* Returns whether all words after "--" belong to another program. */
bool completion_of_program(const struct command *command);

#endif
