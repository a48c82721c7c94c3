/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking at all that a capture is to hold. */
#ifndef CUPEL_HW_CAPTURE_LOOK_H
#define CUPEL_HW_CAPTURE_LOOK_H

#include <stdbool.h>

#include "base/err.h"
#include "hw/capture_paths.h"

/* Run all probers below paths->root and find every data path; paths->kept is sorted then.
   ERR_MACHINE: not enough memory. */
int capture_look(struct capture_paths *paths, bool serials, struct err *e);

#endif
