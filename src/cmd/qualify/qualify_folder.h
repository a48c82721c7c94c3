/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a qualification with all its files, for `cupel qualify -o DIR` and for the live image.
 *
 *   FOLDER/qualification.txt, .csv, .json   the page and the details
 *   FOLDER/machine.json                     the inventory, as cupel probe --format json prints it
 *   FOLDER/DISK-TEST/                       for each measurement, the files of `cupel run -o`
 */
#ifndef CUPEL_CMD_QUALIFY_FOLDER_H
#define CUPEL_CMD_QUALIFY_FOLDER_H

#include "machine/qualify/qualify.h"

/* Writes the files of a qualification to an existing folder. `anew`: the folder belongs to cupel,
   and files of an earlier call are replaced. */
int qualify_write_files(const struct qualification *q, const char *folder, bool anew,
                        struct err *e);

#endif
