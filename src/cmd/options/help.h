/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help made from the command structs and their option rows: pages and the overview. Each function
   appends to a text that the caller owns. `list` is all commands, ended by NULL. */
#ifndef CUPEL_CMD_OPTIONS_HELP_H
#define CUPEL_CMD_OPTIONS_HELP_H

#include "base/text.h"
#include "cmd/options/command.h"

/*
 * A manual page being built, either as plain text of 80 columns (--help) or as troff source
 * (help --man): the same calls make both.
 *
 * The page appends to a text that the caller owns and keeps nothing else.
 */

enum page_format { PAGE_PLAIN, PAGE_TROFF };

struct page {
    enum page_format format;
    struct text *out;
};

#define PAGE_COLUMNS 80

/* Writes the page of one command, for --help or as a manual page. */
void help_command(const struct command *command, enum page_format format, struct text *out);

/* Writes the manual page cupel(1): all commands with their options. */
void help_manual(const struct command *const list[], struct text *out);

/* Writes the purpose of the program, its commands, and the first commands for a newcomer. */
void help_overview(const struct command *const list[], struct text *out);

/* Writes the rules between options, command by command; docs/rules.md has the same. */
void help_rules(const struct command *const list[], struct text *out);

/* Writes "--bs SIZE" or "-o DIR, --output DIR". */
void help_option_term(const struct option_row *row, char *to, size_t size);

/* Adds the row's help, then its choices, limits and default. */
void help_option_words(const struct option_row *row, struct text *out);

#endif
