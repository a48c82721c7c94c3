/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests memory: patterns are written over all free memory and read again, by all processors, until
 * the time is over. A margin stays free for others, also within limits of control groups, and
 * memory is given back when others need it.
 *
 * Only memory that the kernel gives to a process is tested, and whether it is corrected (ECC) shows
 * in the kernel's counters alone.
 */
#ifndef CUPEL_MACHINE_MEMORY_BURN_H
#define CUPEL_MACHINE_MEMORY_BURN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MEMORY_ERRORS_KEPT 16

/* A word that was not what had been written. */
struct memory_error {
    const void *address;
    uint64_t physical; /* address in the machine; 0: not permitted to know */
    int node;          /* -1: not known */
    uint64_t expected, found;
    const char *pattern; /* "moving inversion" */
};

struct memory_burn {
    uint64_t bytes;  /* tested */
    uint64_t passes; /* in which every pattern was written and read */
    uint64_t error_count;
    struct memory_error errors[MEMORY_ERRORS_KEPT]; /* the first ones */
    size_t kept;
    char modules[120]; /* of which EDAC counted errors meanwhile: "CPU_SrcID#0_MC#1_Chan#0_DIMM#0";
                          "" */
    bool stopped;
};

struct memory_burn_request {
    double seconds;
    uint64_t bytes_max;                /* 0: all that is free but the margin */
    const char *root;                  /* "" for this machine; for EDAC's counters */
    const volatile sig_atomic_t *stop; /* NULL: nothing stops it */
    /* Called after a pattern was written to a range and before it is read again; NULL: not. */
    void (*written)(void *context, void *memory, size_t bytes);
    void *context;
};

/* ERR_MACHINE: there is no memory to test, or a thread cannot be started. */
int memory_burn(const struct memory_burn_request *request, struct memory_burn *result,
                struct err *e);

#endif
