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
 * qualify() with `folder` made for it, which must not exist; `folder`, `keep` and `context` of the
 * request are set here, `stage` is called with the request's context as before, `so_far` is not.
 * NULL: nothing is kept. Each file is whole or not there. Errors as qualify(); a folder in which
 * nothing was written is removed again. On success *q is the caller's (qualifier_free), also when
 * the last files could not be written: then -1 with ERR_TARGET and *q set.
 */
int qualify_into_folder(struct qualifier **q, const struct qualify_request *request,
                        const char *folder, struct err *e);

/* The same files of a qualification into a folder that exists; `anew`: a folder of ours, in place
   of what an earlier call wrote. */
int qualify_write_files(const struct qualification *q, const char *folder, bool anew,
                        struct err *e);

/* "FAIL: ..." of any length, for the exit line. The caller frees it; NULL without memory. */
char *qualify_exit_line(const struct qualification *q);

#endif
