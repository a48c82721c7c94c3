/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/io/ring share. */
#ifndef CUPEL_IO_RING_INTERNAL_H
#define CUPEL_IO_RING_INTERNAL_H

#include "io/ring/ring.h"

/* ---- uring_setup ---- */

/* How the io_uring backend begins: private to uring.c. */

/* Make the ring, with polled completions where they are asked for or really polled, and say in
   b->description what is in use. ERR_MACHINE. */
int uring_setup(struct ring *r, struct io_backend *b, struct err *e);

#endif
