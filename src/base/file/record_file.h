/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file in a folder of results is the record. */
#ifndef CUPEL_BASE_FILE_RECORD_FILE_H
#define CUPEL_BASE_FILE_RECORD_FILE_H

#include <limits.h>
#include <stdbool.h>

/* The record of a session; in folders of older versions that of exec, too. */
#define RECORD_FILE "record.cupel"
/* The record of exec, a session of rounds of a program. */
#define PROGRAM_FILE "program.cupel"

/* The record at `path`: the file itself, or the one of these two that the folder holds
   (record.cupel if there is neither). Returns whether there is such a file. */
bool record_file(char to[PATH_MAX], const char *path);

#endif
