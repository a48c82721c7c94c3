/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk written in order, for the stage of that name and before the tests of the PTS. */
#ifndef CUPEL_ACCEPT_PRECONDITION_H
#define CUPEL_ACCEPT_PRECONDITION_H

#include "accept/internal.h"

#define PRECONDITION_BLOCK (128u << 10)

/* [0, end) of a disk, so many times. */
struct precondition {
    const char *stage;        /* in progress and findings */
    const char *event, *mark; /* of its lines in the journal; their fields begin with the mark */
    uint32_t block;
    uint64_t end;
    unsigned passes;
};

/* From where the journal stands. Errors as sequential_write, and ERR_TARGET: it stays too hot. */
int precondition_write(struct accept_disk *d, const struct precondition *what, struct err *e);

#endif
