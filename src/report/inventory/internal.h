/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/report/inventory share. */
#ifndef CUPEL_REPORT_INVENTORY_INTERNAL_H
#define CUPEL_REPORT_INVENTORY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "facts/inventory.h"
#include "report/document/document.h"

/* ---- finding_words.c: the words of a finding after the name of its node ---- */

struct finding_fact {
    const struct inventory *inventory;
    int node;
    const struct inventory_fact *fact;
    const char *words; /* of the finding's row */
    const char *than;  /* key of the fact that it is compared with, or the value */
};

/* Adds the row's words, and the value when the words end in a blank. */
void finding_add_value(struct text *out, const struct finding_fact *f);
/* "16.0 GT/s x2, both ends can 16.0 GT/s x4: 3.75 GB/s of 7.50 GB/s; 2 of 4 lanes" */
void finding_add_link(struct text *out, const struct finding_fact *f);
/* "101 C, at or above its critical temperature of 100 C" */
void finding_add_limit(struct text *out, const struct finding_fact *f);
/* "members missing: 1; a rebuild runs, 9.7 % done" */
void finding_add_members(struct text *out, const struct finding_fact *f);
/* "a check runs, 9.7 % done, and takes its share of what the disks can do" */
void finding_add_action(struct text *out, const struct finding_fact *f);
/* "fan2 (CPU): 0 rpm, its minimum is 300 rpm" */
void finding_add_fan(struct text *out, const struct finding_fact *f);
/* "corrected PCIe errors: 875; its port 0000:40:01.2: 12" */
void finding_add_errors(struct text *out, const struct finding_fact *f);

/* Does this value of sync_action mean that an array works in the background? */
bool finding_runs(const char *action);

/* ---- finding_rows.c: which facts of which nodes are findings ---- */

enum finding_when {
    WHEN_IS,      /* the value is `than` */
    WHEN_IS_NOT,  /* there is a value, and it is different */
    WHEN_SOME,    /* a number above 0 */
    WHEN_BEGINS,  /* the value begins with `than` */
    WHEN_REACHES, /* at or above the node's own number `than` */
    WHEN_BELOW,   /* below the number whose key ends with `than` after this one */
    WHEN_RUNS,    /* an array works in the background */
};

typedef void finding_words(struct text *out, const struct finding_fact *f);

struct finding {
    int kind;        /* of the node; NODE_KINDS: any kind */
    const char *key; /* '#' stands for digits */
    enum finding_when when;
    const char *than;
    const char *lead;
    enum tone tone;
    finding_words *add;
    const char *words;
};

extern const struct finding finding_rows[]; /* the gravest first */
extern const size_t finding_count;

/* A quick test: most nodes have no fact for a row, so their facts need not be searched. */
bool finding_may_hold(const struct finding *finding, const struct inventory *v, int node);

/* Does the row apply to that fact; to the node's first fact with the row's key? */
bool finding_holds(const struct finding *finding, const struct inventory *v, int node,
                   const struct inventory_fact *fact);
bool finding_of_node(const struct finding *finding, const struct inventory *v, int node);

/* Is the finding about the node's link? */
bool finding_of_link(const struct finding *finding);

#endif
