/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An empty folder that is only in memory, for what unpacks archives: it knows the names of what was
 * made in it, and ends the program when something is made outside of it or through a link.
 */
#ifndef TESTS_FUZZ_MEMORY_FOLDER_H
#define TESTS_FUZZ_MEMORY_FOLDER_H

#include <stdbool.h>

#define MEMORY_FOLDER    "/memory/folder"
#define MEMORY_FOLDER_FD (1 << 21)
#define MEMORY_SINK_FD   (MEMORY_FOLDER_FD + 1) /* any file that was made in it: takes all */

void memory_folder_begin(void);                /* empty again */
int memory_folder_make_file(const char *name); /* as openat() does */

#endif
