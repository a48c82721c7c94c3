/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A folder of files, copied so that power may fail at any time: first to PARENT/NAME.part, every
 * file and folder flushed to the device, then renamed to PARENT/NAME and that flushed too. What
 * stood in PARENT before is whole at every moment, and NAME is there whole or not at all.
 */
#ifndef CUPEL_CMD_KEEP_FOLDER_H
#define CUPEL_CMD_KEEP_FOLDER_H

#include "base/err.h"

/*
 * PARENT/NAME must not exist; a NAME.part that a power failure left is removed first, and again
 * after a failure. ERR_TARGET: the device is full, gone, or fails.
 */
int keep_folder(const char *from, const char *parent, const char *name, struct err *e);

/* Remove a folder and all in it; links are not followed. Nothing when it is not there. */
void remove_folder(const char *path);

/* Remove what power failures left of reports in `parent`: folders DATE...part, and nothing else.
   Nobody may be writing there. */
void remove_unfinished_folders(const char *parent);

/* Call `each` with the path of every regular file below `folder`, and with the part of it behind
   `folder`/ ("nvme0n1-read/summary.csv"), sorted, until it returns -1. ERR_TARGET, or its error. */
typedef int each_file_function(void *context, const char *path, const char *below, struct err *e);
int each_file(const char *folder, each_file_function *each, void *context, struct err *e);

#endif
