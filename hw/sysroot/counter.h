/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters that many parts of a machine have one of each (memory errors per controller, throttle
 * events per core): their sum as one fact. Also single numbers with their status.
 */
#ifndef CUPEL_HW_SYSROOT_COUNTER_H
#define CUPEL_HW_SYSROOT_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

/* A whole number of 0 or more that is all that stands in the first line. *value is 0 otherwise. */
enum fact_status counter_read(const struct sysroot *root, const char *path, uint64_t *value);

/* Of zeros it is empty. */
struct counter {
    uint64_t sum;
    size_t told;              /* files that went into the sum */
    enum fact_status trouble; /* why a file did not: absent only when all were; FACT_OK: none */
};

void counter_add(struct counter *c, const struct sysroot *root, const char *path);

/* The sum of those that told; the trouble when none did. No file at all is absent, or no fact when
   it is `optional`. */
void counter_fact(const struct counter *c, struct inventory *v, int node, const char *key,
                  const char *source, bool optional);

#endif
