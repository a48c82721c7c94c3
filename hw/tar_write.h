/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a tar archive (POSIX ustar, with pax records for what is too long for it) into memory.
 *
 * Names are relative, without "." and "..". The archive grows in `bytes`, whose `failed` is looked
 * at once, at the end. Owner: text_free of bytes. One thread.
 */
#ifndef CUPEL_HW_TAR_WRITE_H
#define CUPEL_HW_TAR_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct tar_writer {
    struct text bytes;
    int64_t time; /* of all members, seconds since 1970; not below 0 */
};

void tar_add_folder(struct tar_writer *w, const char *name);
void tar_add_link(struct tar_writer *w, const char *name, const char *target);
/* `mode` is 0 or permission bits. */
void tar_add_file(struct tar_writer *w, const char *name, unsigned mode, const void *data,
                  size_t length);
/* The end mark. Nothing is added after it. */
void tar_end(struct tar_writer *w);

#endif
