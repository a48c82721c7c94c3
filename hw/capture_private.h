/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture does not tell about whose machine it is, unless it is asked for. */
#ifndef CUPEL_HW_CAPTURE_PRIVATE_H
#define CUPEL_HW_CAPTURE_PRIVATE_H

#include <stdbool.h>

#include "base/span.h"
#include "base/text.h"
#include "hw/capture_mask.h"

/* The contents of a file that is there but cannot be read, or not shown: a character (NAK) that is
   text to no reader, so that it stays FACT_INVALID. */
#define CAPTURE_UNREADABLE "\x15"

/* Append what of the contents of the file `path` ("/sys/...") may be known. False: the file is not
   to be kept at all, and nothing was appended. */
bool capture_private_contents(struct capture_mask *m, const char *path, struct span contents,
                              struct text *to);

#endif
