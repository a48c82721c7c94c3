/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion scripts of shells, generated from the command structs and their option rows.
 *
 * Each function appends to the caller's text. `list` is all commands, ended by NULL; `topics` are
 * the other words that cupel help accepts, with a blank before each.
 */
#ifndef CUPEL_CMD_OPTIONS_COMPLETION_H
#define CUPEL_CMD_OPTIONS_COMPLETION_H

#include "cmd/options/option_words.h"

typedef void completion_script(const struct command *const list[], const char *topics,
                               struct text *out);

completion_script completion_bash, completion_zsh, completion_fish;

/* ---- functions for all three shells ---- */

/* Adds the row's help in single quotes, only up to the end of its first sentence or a semicolon. A
   single quote in it is written as `quote`, and a backslash is put before each character of
   `special`. */
void completion_add_sentence(const struct option_row *row, const char *quote, const char *special,
                             struct text *out);

/* Returns true if all words after "--" belong to another program. */
bool completion_of_program(const struct command *command);

#endif
