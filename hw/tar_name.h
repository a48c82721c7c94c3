/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names in a tar archive, which may be anybody's: none of them may lead to what is outside of
 * the folder it is unpacked to.
 *
 * As ".." stands only at the start of what a link leads to, and a link lies in a true folder, every
 * link stays inside, and so do links that lead to links.
 */
#ifndef CUPEL_HW_TAR_NAME_H
#define CUPEL_HW_TAR_NAME_H

#include "base/span.h"
#include "hw/tar_read.h"

/* "prefix/name" without "./" and doubled or last slashes; "" is the top folder. NULL, or what is
   wrong with it in words. */
const char *tar_take_name(char to[TAR_NAME], struct span prefix, struct span name);

/* The same for what the link `name` leads to, which is taken as it is but for needless parts. */
const char *tar_take_target(char to[TAR_NAME], const char *name, struct span target);

#endif
