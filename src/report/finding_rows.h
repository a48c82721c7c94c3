/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of findings: which fact of which node, and what is said of it. */
#ifndef CUPEL_REPORT_FINDING_ROWS_H
#define CUPEL_REPORT_FINDING_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/finding_words.h"
#include "report/layout.h"

enum finding_when {
    WHEN_IS,      /* the value is `than` */
    WHEN_IS_NOT,  /* there is a value and it is another one */
    WHEN_SOME,    /* a number above 0 */
    WHEN_BEGINS,  /* the value begins with `than` */
    WHEN_REACHES, /* at or above the node's own number `than` */
    WHEN_BELOW,   /* below the number whose key has `than` behind this one's */
    WHEN_RUNS,    /* an array at work in the background */
};

typedef void finding_words(struct text *out, const struct finding_fact *f);

struct finding {
    int kind;        /* of the node; NODE_KINDS: any */
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

/* Most nodes have nothing that a row is about, and need no look at each of their facts. */
bool finding_may_hold(const struct finding *finding, const struct inventory *v, int node);

/* Does the row hold of that fact; of the node's first fact with the row's key? */
bool finding_holds(const struct finding *finding, const struct inventory *v, int node,
                   const struct inventory_fact *fact);
bool finding_of_node(const struct finding *finding, const struct inventory *v, int node);

/* Is it about the node's link? */
bool finding_of_link(const struct finding *finding);

#endif
