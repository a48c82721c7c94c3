/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Help made from the command structs and their option rows: pages, the overview, and the completion
 * script of a shell. Each function appends to a text that the caller owns.
 */
#ifndef CUPEL_CMD_HELP_H
#define CUPEL_CMD_HELP_H

#include "base/text.h"
#include "cmd/command.h"
#include "cmd/page.h"

/* The page of one command, as --help prints it or as a manual page. */
void help_command(const struct command *command, enum page_format format, struct text *out);

/* The manual page cupel(1): all commands with their options. */
void help_manual(struct text *out);

/* What it is, the commands, and the three that a newcomer wants. */
void help_overview(struct text *out);

/* A completion script for bash, to be sourced. */
void help_completion_bash(struct text *out);

/* "--bs SIZE" or "-o DIR, --output DIR" */
void help_option_term(const struct option_row *row, char *to, size_t size);

/* The row's help with its default, its choices and its limits behind it. */
void help_option_words(const struct option_row *row, struct text *out);

#endif
