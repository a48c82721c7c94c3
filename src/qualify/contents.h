/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a disk holds where it is read: zeros may be blocks that were never written, of which a drive
   answers without reaching its medium. */
#ifndef CUPEL_QUALIFY_CONTENTS_H
#define CUPEL_QUALIFY_CONTENTS_H

#include "base/qualification.h"

/* Samples the whole disk at `path`; zeros among the samples are a warning. Is most of it zeros?
   `allowed`: it is measured all the same. */
bool contents_unwritten(struct qualification *q, int device, const char *path, bool allowed);

/* Likewise the first `covered` bytes, which are all that a sequential test came to. Nothing when
   the disk has its warning already, or was covered whole. */
void contents_judge_covered(struct qualification *q, int device, const char *path, double covered);

#endif
