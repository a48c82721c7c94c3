/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests memory: patterns are written over all free memory and read again, by all processors, until
 * the time is over. A margin stays free for others, also within limits of control groups, and
 * memory is given back when others need it.
 *
 * Only memory that the kernel gives to a process is tested. Errors that ECC corrects show only in
 * the kernel's counters.
 */
#ifndef CUPEL_MACHINE_MEMORY_MEMORY_BURN_H
#define CUPEL_MACHINE_MEMORY_MEMORY_BURN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MEMORY_ERRORS_KEPT 16

/* A word that was read with another value than was written. */
struct memory_error {
    const void *address;
    uint64_t physical; /* physical address; 0: not permitted to read it */
    int node;          /* -1: not known */
    uint64_t expected, found;
    const char *pattern; /* "moving inversion" */
};

struct memory_burn {
    uint64_t bytes;  /* tested */
    uint64_t passes; /* complete passes; each writes and reads every pattern */
    uint64_t error_count;
    struct memory_error errors[MEMORY_ERRORS_KEPT]; /* the first ones */
    size_t kept;
    /* modules for which EDAC counted errors during the test, "CPU_SrcID#0_MC#1_Chan#0_DIMM#0"; "":
       none */
    char modules[120];
    bool stopped;
};

struct memory_burn_request {
    double seconds;
    uint64_t bytes_max;                /* 0: all free memory except the margin */
    const char *root;                  /* below which EDAC's counters lie; "" for this machine */
    const volatile sig_atomic_t *stop; /* NULL: nothing stops the test */
    /* Called after a pattern was written to a range and before it is read again; may be NULL. */
    void (*written)(void *context, void *memory, size_t bytes);
    void *context;
};

/* Tests memory as requested. ERR_MACHINE: there is no memory to test, or a thread cannot be
   started. */
int memory_burn(const struct memory_burn_request *request, struct memory_burn *result,
                struct err *e);

#endif
