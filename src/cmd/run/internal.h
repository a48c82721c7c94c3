/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/cmd/run share. */
#ifndef CUPEL_CMD_RUN_INTERNAL_H
#define CUPEL_CMD_RUN_INTERNAL_H

#include "base/err.h"
#include "cmd/options/options.h"

/* Measures the memory or the processors (--memory, --processors), prints the result and keeps it.
   Returns the exit status. Fails with ERR_USAGE if a target or an option about requests was given,
   with ERR_MACHINE if there is too little memory or threads cannot be started. In run_machine.c. */
int run_machine(const struct option_set *set, struct err *e);

/* The rows of the options --memory and --processors; `of` has members with these names. */
/* clang-format off */
#define MACHINE_OPTIONS(of)                                                                        \
    {.name = "memory",                                                                             \
     .kind = OPTION_FLAG,                                                                          \
     OPTION_FIELD(of, memory),                                                                     \
     .help = "Measure the memory in place of a TARGET: how many bytes a second all processors "    \
             "read, write, copy and combine (STREAM's kernels; *_nt: with stores past the "        \
             "caches), and how long a load takes, alone and beside loads of the other processors; "\
             "with several NUMA nodes on each path between two of them."},                         \
    {.name = "processors",                                                                         \
     .kind = OPTION_FLAG,                                                                          \
     OPTION_FIELD(of, processors),                                                                 \
     .help = "Measure the processors in place of a TARGET: the clock that they have while all of " \
             "them multiply and add, how much of that they do, the slowest of them, and how long "  \
             "a cache line takes from one to another."}
/* clang-format on */

#endif
