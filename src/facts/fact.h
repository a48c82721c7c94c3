/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fact about the machine: its name, its value, and where it was read. "Absent" and "denied" are
 * facts too.
 *
 * A struct facts is a list with fixed room, filled before or after a run, never while it measures.
 * It holds its strings inside, so it can be copied and outlives its sources.
 */
#ifndef CUPEL_FACTS_FACT_H
#define CUPEL_FACTS_FACT_H

#include <stddef.h>

enum fact_status { FACT_OK, FACT_ABSENT, FACT_DENIED, FACT_INVALID };

struct fact {
    char node[32]; /* the node that it belongs to: "machine", "cpu", "vda", "/dev/vda1" */
    char key[40];  /* "model", "kernel", "scheduler" ... */
    char value[160];
    char unit[12];    /* "Hz", "bytes" or "" */
    char source[112]; /* the file or call that it was read from */
    enum fact_status status;
};

#define FACTS_MAX 128

struct facts {
    size_t count;
    size_t left_out; /* number of facts for which there was no room; the last row states it */
    struct fact rows[FACTS_MAX];
};

const char *fact_status_name(enum fact_status status); /* ok, absent, denied, invalid */

/* Append one row; strings longer than their room are cut. */
void facts_add(struct facts *f, const char *node, const char *key, const char *value,
               const char *unit, const char *source, enum fact_status status);

/* The value of the first OK fact with this node (NULL: any node) and key, or NULL. */
const char *facts_find(const struct facts *f, const char *node, const char *key);

/* Gives that fact another value. Does nothing if there is none. */
void facts_replace(struct facts *f, const char *node, const char *key, const char *value);

#endif
