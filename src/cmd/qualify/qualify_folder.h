/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A qualification with everything that it keeps, for `cupel qualify -o DIR` and for the live
 * image.
 *
 *   FOLDER/qualification.txt, .csv, .json   the page and the details
 *   FOLDER/machine.json                     the inventory, as cupel probe --format json prints it
 *   FOLDER/DISK-TEST/                       what `cupel run -o` keeps, of each measurement
 */
#ifndef CUPEL_CMD_QUALIFY_FOLDER_H
#define CUPEL_CMD_QUALIFY_FOLDER_H

#include "machine/qualify/qualify.h"

/*
 * Calls qualify() with `folder`, which is made and must not exist before. `folder`, `keep` and
 * `context` of the request are set here; `stage` is called with the request's own context, `so_far`
 * is not called. folder NULL: nothing is kept. Each file is complete or missing. Errors as
 * qualify(); if nothing was written to the folder, it is removed again. On success the caller owns
 * *q (qualifier_free). If only the last files could not be written, it returns -1 with ERR_TARGET
 * and *q is set.
 */
int qualify_into_folder(struct qualifier **q, const struct qualify_request *request,
                        const char *folder, struct err *e);

/* Writes the same files of a qualification to an existing folder. `anew`: the folder is ours, and
   files of an earlier call are replaced. */
int qualify_write_files(const struct qualification *q, const char *folder, bool anew,
                        struct err *e);

/* Makes "FAIL: ...", of any length, for the exit line. The caller frees it; NULL without memory. */
char *qualify_exit_line(const struct qualification *q);

#endif
