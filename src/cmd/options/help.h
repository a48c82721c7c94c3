/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes help from the command structs and their option rows: pages and the overview. Each function
   appends to the caller's text. `list` is all commands, ended by NULL. */
#ifndef CUPEL_CMD_OPTIONS_HELP_H
#define CUPEL_CMD_OPTIONS_HELP_H

#include "base/text.h"
#include "cmd/options/command.h"

/*
 * A page of the help is either plain text of 80 columns (--help) or troff source (help --man). The
 * same calls make both.
 *
 * They append to the caller's text and keep no other state.
 */

enum page_format { PAGE_PLAIN, PAGE_TROFF };

struct page {
    enum page_format format;
    struct text *out;
};

#define PAGE_COLUMNS 80

/* Writes the page of a command, for --help or as a manual page. */
void help_command(const struct command *command, enum page_format format, struct text *out);

/* Writes the manual page cupel(1): all commands with their options. */
void help_manual(const struct command *const list[], struct text *out);

/* Writes what the program is for, its commands, and the first commands for a newcomer. */
void help_overview(const struct command *const list[], struct text *out);

/* Writes the rules between options, command by command; docs/rules.md is the same text. */
void help_rules(const struct command *const list[], struct text *out);

/* Writes an option as the help shows it: "--bs SIZE" or "-o DIR, --output DIR". */
void help_option_term(const struct option_row *row, char *to, size_t size);

/* Adds the row's help text, then its choices, limits and default. */
void help_option_words(const struct option_row *row, struct text *out);

#endif
