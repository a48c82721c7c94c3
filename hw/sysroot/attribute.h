/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts that are one small file each: a row of a table names the file and the way to read it. Also
 * sums of counters that many parts of a machine have.
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
    ATTRIBUTE_NUMBER, /* a whole number, decimal or 0x...; the fact is the number times `scale` */
    ATTRIBUTE_SIGNED, /* like ATTRIBUTE_NUMBER, but the number may be negative */
    ATTRIBUTE_YES_NO, /* 0 or 1, N or Y */
    ATTRIBUTE_CHOICE, /* the word in brackets, as in "none [mq-deadline] kyber"; or the only word */
};

struct attribute {
    const char *key;
    enum attribute_kind kind;
    const char *files[3]; /* files below the folder; the first one that exists is used */
    uint64_t scale;       /* factor for numbers; 0 means 1 */
    const char *unit;
    bool optional; /* an absent file gives no fact: most machines do not have it */
};

/* Appends one fact to `node` for each row. If the file is absent, denied or invalid, the fact has
   that status and no value. */
void attributes_add(const struct sysroot *root, struct inventory *v, int node, const char *folder,
                    const struct attribute *rows, size_t count);

/* Reads one whole number from a file. Returns false when the file is absent, denied or not a
   number. */
bool attribute_number(const struct sysroot *root, const char *folder, const char *file,
                      uint64_t *value);

#define ATTRIBUTE_COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* Reads a first line that consists only of a whole number of 0 or more. Otherwise *value is 0. */
enum fact_status counter_read(const struct sysroot *root, const char *path, uint64_t *value);

/* The sum of a counter that many parts of a machine have (memory errors of each controller,
   throttle events of each core), as one fact. A struct of zeros is an empty sum. */
struct counter {
    uint64_t sum;
    size_t files; /* number of files in the sum */
    /* why at least one file is not in the sum: FACT_ABSENT only when all were absent; FACT_OK: no
       problem */
    enum fact_status trouble;
};

void counter_add(struct counter *c, const struct sysroot *root, const char *path);

/* Adds the sum of the files that could be read as a fact; if none could, a fact with the status
   `trouble`. Without any file the fact is absent, or left out when it is `optional`. */
void counter_fact(const struct counter *c, struct inventory *v, int node, const char *key,
                  const char *source, bool optional);

#endif
