/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts that are one small file each: a row of a table names the file and how it is read. Sums of
 * counters that many parts of a machine have.
 */
#ifndef CUPEL_HW_SYSROOT_ATTRIBUTE_H
#define CUPEL_HW_SYSROOT_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"

enum attribute_kind {
    ATTRIBUTE_TEXT,
    ATTRIBUTE_NUMBER, /* a whole number, decimal or 0x...; the fact is `scale` times it */
    ATTRIBUTE_SIGNED, /* the same, may be below 0 */
    ATTRIBUTE_YES_NO, /* 0 or 1, N or Y */
    ATTRIBUTE_CHOICE, /* "none [mq-deadline] kyber": what stands in brackets, or the only word */
};

struct attribute {
    const char *key;
    enum attribute_kind kind;
    const char *files[3]; /* below the folder; the first that is there counts */
    uint64_t scale;       /* of numbers; 0 means 1 */
    const char *unit;
    bool optional; /* where it is absent there is no fact: most machines have no such thing */
};

/* Append one fact per row to `node`. What is absent, denied or invalid is a fact with that status
 * and no value. */
void attributes_add(const struct sysroot *root, struct inventory *v, int node, const char *folder,
                    const struct attribute *rows, size_t count);

/* One whole number from a file; false when it is absent, denied or something else. */
bool attribute_number(const struct sysroot *root, const char *folder, const char *file,
                      uint64_t *value);

#define ATTRIBUTE_COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* A whole number of 0 or more that is all that stands in the first line. *value is 0 otherwise. */
enum fact_status counter_read(const struct sysroot *root, const char *path, uint64_t *value);

/* The sum of a counter that many parts of a machine have (memory errors of each controller,
   throttle events of each core), as one fact. Zeros: nothing was added yet. */
struct counter {
    uint64_t sum;
    size_t files;             /* that went into the sum */
    enum fact_status trouble; /* why a file did not: absent only when all were; FACT_OK: none */
};

void counter_add(struct counter *c, const struct sysroot *root, const char *path);

/* The sum of the files that could be read; the trouble when none could. No file at all is absent,
   or no fact when it is `optional`. */
void counter_fact(const struct counter *c, struct inventory *v, int node, const char *key,
                  const char *source, bool optional);

#endif
