/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the io_uring backend begins: private to uring.c. */
#ifndef CUPEL_IO_URING_SETUP_H
#define CUPEL_IO_URING_SETUP_H

#include "io/ring.h"

/* Make the ring, with polled completions where they are asked for or really polled, and say in
   b->description what is in use. ERR_MACHINE. */
int uring_setup(struct ring *r, struct io_backend *b, struct err *e);

#endif
