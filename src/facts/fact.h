/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fact about the machine: its name, its value, and the source that it was read from. "Absent" and
 * "denied" are facts, too.
 *
 * A struct facts is a list with a fixed number of places. It is filled before or after a run, never
 * during the measurement. It contains its strings, so it can be copied and outlives its sources.
 */
#ifndef CUPEL_FACTS_FACT_H
#define CUPEL_FACTS_FACT_H

#include <stddef.h>

enum fact_status { FACT_OK, FACT_ABSENT, FACT_DENIED, FACT_INVALID };

struct fact {
    char node[32]; /* part of the machine: "machine", "cpu", "vda", "/dev/vda1" */
    char key[40];  /* "model", "kernel", "scheduler" ... */
    char value[160];
    char unit[12];    /* "Hz", "bytes" or "" */
    char source[112]; /* file or system call that it was read from */
    enum fact_status status;
};

#define FACTS_MAX 128

struct facts {
    size_t count;
    size_t left_out; /* number of facts that did not fit; the last row states it */
    struct fact rows[FACTS_MAX];
};

const char *fact_status_name(enum fact_status status); /* ok, absent, denied, invalid */

/* Appends a fact. Strings that are too long are cut. */
void facts_add(struct facts *f, const char *node, const char *key, const char *value,
               const char *unit, const char *source, enum fact_status status);

/* Returns the value of the first FACT_OK fact with this node (NULL: any node) and key, or NULL. */
const char *facts_find(const struct facts *f, const char *node, const char *key);

/* Replaces the value of the first FACT_OK fact with this node and key. Does nothing if there is
   none. */
void facts_replace(struct facts *f, const char *node, const char *key, const char *value);

#endif
