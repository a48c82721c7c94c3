/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/cmd/run. */
#ifndef CUPEL_CMD_RUN_INTERNAL_H
#define CUPEL_CMD_RUN_INTERNAL_H

#include "base/err.h"
#include "cmd/options/options.h"

/* run_memory.c: --memory. Measures the memory, prints the result and keeps it; returns the exit
   status. ERR_USAGE: a target or an option about requests was given; ERR_MACHINE: the memory does
   not suffice. */
int run_memory(const struct option_set *set, struct err *e);

#endif
