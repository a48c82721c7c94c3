/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys that an expectation may have: a new key is one row of expectation_keys.c. */
#ifndef CUPEL_QUALIFY_EXPECTATION_KEYS_H
#define CUPEL_QUALIFY_EXPECTATION_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/qualification.h"
#include "qualify/quantity.h"

enum key_scope {
    KEY_OF_MACHINE,
    KEY_OF_DISK,
    KEY_OF_TEST, /* stands behind the name of a test: "randread iops" */
};

/* What was found of a key. */
struct found {
    double value;          /* NaN: nothing, `missing` says why */
    bool measured;         /* it has an interval, or should have */
    double low, high;      /* the interval; NaN: none */
    double confidence;     /* of it */
    const char *text;      /* of a text or link; NULL: nothing */
    const char *missing;   /* why there is no value */
    const char *undecided; /* why an interval decides nothing; NULL: it may */
    const char *disturbed; /* who else was at work: slowness may be theirs; NULL: nobody */
    bool not_asked;        /* nobody asked for it to be measured: that is no deviation */
    char words[200];       /* room for `missing` */
};

struct expectation_key {
    enum key_scope scope;
    const char *name;
    enum quantity quantity;
    /* Fills `found`, which comes with NaN and NULL. `device` is -1 of the machine, `test` of the
       device or NULL. */
    void (*find)(const struct expectation_key *key, const struct qualification *q, int device,
                 const struct qualification_test *test, struct found *found);
    const char *fact;  /* for `find`: the fact's key */
    enum node_kind of; /* for `find`: the kind of the node, of a machine's fact */
    size_t offset;     /* for `find`: of the member */
    double room;       /* so much less than expected is enough, as a share */
    const char *note;  /* why there is room */
    const char *meaning;
};

extern const struct expectation_key expectation_keys[]; /* ended by a name of NULL */

/* The row of that name, words separated by one blank each, in any case; NULL: none. */
const struct expectation_key *expectation_key_find(enum key_scope scope, struct span name);

/* "disks, memory, ..." of one scope. Returns `to`. */
char *expectation_key_list(enum key_scope scope, char *to, size_t size);

/* Is it a kind of disk, in any case ("nvme", "SATA"), and no pattern of a model? */
bool expectation_is_kind(struct span name);
extern const char *const expectation_kinds[]; /* ended by NULL */

/* The names of tests. */
extern const char *const expectation_tests[]; /* ended by NULL */

#endif
