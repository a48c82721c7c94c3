/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the record in a folder of results: the file with everything that was measured. */
#ifndef CUPEL_BASE_FILE_RECORD_FILE_H
#define CUPEL_BASE_FILE_RECORD_FILE_H

#include <limits.h>
#include <stdbool.h>

/* The record of a session. In folders that older versions wrote, the record of exec has this name,
   too. */
#define RECORD_FILE "record.cupel"
/* The record of exec: a session that runs a program in rounds. */
#define PROGRAM_FILE "program.cupel"

/* Finds the record at `path`: `path` itself if it is a file, or one of the two files above in the
   folder `path` (record.cupel if the folder has neither). Returns true if the file exists. */
bool record_file(char to[PATH_MAX], const char *path);

#endif
