/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What people who know fio type, and what it is here: its options and its values. The rows stand in
 * tables/fio_options.h. Pure functions, nothing is owned.
 */
#ifndef CUPEL_CMD_OPTIONS_FIO_OPTION_H
#define CUPEL_CMD_OPTIONS_FIO_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "run/plan/option_row.h"
#include "tables/fio_options.h"

/* Are the two names of options the same? '-' and '_' are one character in them. */
bool option_names_equal(const char *a, const char *b);

/* The row of an option of fio's that cupel does not have under that name, or NULL. */
const struct fio_option *fio_option_find(const char *name);

/* fio's engine of that name, when cupel has one that issues the same or like calls; or NULL. */
const struct fio_engine *fio_engine_find(const char *name);

/* The value of --sync for one of fio's sync=; NULL: it has none like it. */
const char *fio_sync_kind(const char *name);

/*
 * What is said to --`typed` where a command has the option `rows` alone: the whole message as
 * ERR_USAGE and -1. 0: it is no option of fio's, or not one for this command.
 */
int fio_option_hint(const struct option_row rows[], const char *typed, struct err *e);

/*
 * A value of fio's in place of ours: *value of --ioengine, --rw and --sync becomes ours where the
 * meaning is the same. ERR_USAGE: it is near, but not the same, and which one it is.
 */
int fio_option_value(const struct option_row *row, const char **value, struct err *e);

#endif
