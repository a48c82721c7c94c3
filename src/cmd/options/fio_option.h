/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options and values of fio and their equivalents in cupel, for people who know fio. The rows are
   in tables/fio_options.h. Pure functions; nothing is owned. */
#ifndef CUPEL_CMD_OPTIONS_FIO_OPTION_H
#define CUPEL_CMD_OPTIONS_FIO_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/plan/option_row.h"
#include "tables/fio_options.h"

/* Returns whether two names of options are the same; '-' and '_' count as one character. */
bool option_names_equal(const char *a, const char *b);

/* Returns the row of a fio option that cupel has only under another name or not at all; or NULL. */
const struct fio_option *fio_option_find(const char *name);

/* Returns fio's engine of that name, if cupel has one with the same or similar calls; or NULL. */
const struct fio_engine *fio_engine_find(const char *name);

/* Returns the value of --sync for a value of fio's sync=; NULL: there is no equivalent. */
const char *fio_sync_kind(const char *name);

/*
 * Makes the message about --`typed` for a command that has only the options `rows`: returns -1 with
 * ERR_USAGE. 0: it is not an option of fio, or not for this command.
 */
int fio_option_hint(const struct option_row rows[], const char *typed, struct err *e);

/* Replaces a value of fio by ours: *value of --ioengine, --rw and --sync changes if the meaning is
   the same. ERR_USAGE: our nearest value is not the same, and the message names it. */
int fio_option_value(const struct option_row *row, const char **value, struct err *e);

#endif
