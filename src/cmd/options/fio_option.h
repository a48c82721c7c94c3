/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options and values of fio and their equivalents in cupel, for people who know fio. The rows are
   in tables/fio_options.h. The functions are pure and own nothing. */
#ifndef CUPEL_CMD_OPTIONS_FIO_OPTION_H
#define CUPEL_CMD_OPTIONS_FIO_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/plan/option_row.h"
#include "tables/fio_options.h"

/* Returns true if two option names are the same, where '-' and '_' count as one character. */
bool option_names_equal(const char *a, const char *b);

/* Returns the row of a fio option that cupel has under another name or does not have, or NULL. */
const struct fio_option *fio_option_find(const char *name);

/* Returns the fio engine of this name if cupel has an engine with the same or similar calls, or
   NULL. */
const struct fio_engine *fio_engine_find(const char *name);

/* Returns the value of --sync that corresponds to a value of fio's sync=, or NULL. */
const char *fio_sync_kind(const char *name);

/*
 * Sets the error about --`typed`, which is an option of fio, in a command that has only the options
 * `rows`. Returns -1 with ERR_USAGE, or 0 if it is no option of fio or not for this command.
 */
int fio_option_hint(const struct option_row rows[], const char *typed, struct err *e);

/* Replaces *value, a fio value of --ioengine, --rw or --sync, by cupel's if that has the same
   meaning. Fails with ERR_USAGE if cupel's nearest value has another meaning; the message names
   it. */
int fio_option_value(const struct option_row *row, const char **value, struct err *e);

#endif
