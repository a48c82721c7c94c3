/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What guard.c and guard_file.c share: reading the system's tables line by line. */
#ifndef CUPEL_IO_GUARD_TABLES_H
#define CUPEL_IO_GUARD_TABLES_H

#include <stdbool.h>

#include "base/err.h"

/* The refusal of what cannot be looked up. Always -1. */
int guard_cannot_look(const char *path, const char *what, struct err *e);

/* Looks at one line, which it may change. 0, or -1 with the error, which ends the table. */
typedef int guard_check_line(void *context, char *line, struct err *e);

/*
 * Check every line of `table` below `root`. One that is not there is refused (for `path`) only when
 * it is `required`.
 */
int guard_check_table(const char *root, const char *table, bool required, const char *path,
                      guard_check_line *check, void *context, struct err *e);

/* The path in the first field of a line of /proc/swaps. */
char *guard_swap_path(char *line);

#endif
