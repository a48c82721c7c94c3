/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file in a folder of results is the record. */
#ifndef CUPEL_BASE_FILE_RECORD_FILE_H
#define CUPEL_BASE_FILE_RECORD_FILE_H

#include <limits.h>
#include <stdbool.h>

#define RECORD_FILE "record.cupel" /* a session's; in folders of older versions that of exec, too  \
                                    */
#define PROGRAM_FILE "program.cupel" /* that of exec, a session of rounds of a program */

/* The record at `path`: the file itself, or the one of these two that the folder holds
   (record.cupel if there is neither). Returns whether there is such a file. */
bool record_file(char to[PATH_MAX], const char *path);

#endif
