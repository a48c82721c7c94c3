/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a machine, or worth a look: links below what they can, health, heat, errors.
 */
#ifndef CUPEL_REPORT_FINDINGS_H
#define CUPEL_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/inventory.h"
#include "base/text.h"
#include "report/report.h"

/* Which nodes to look at; NULL: all. */
typedef bool findings_wanted(const void *context, const struct inventory *v, int node);

enum { FINDINGS_OF_A_KIND = 12 }; /* the others of its kind are counted */

struct findings_view {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
    bool all;         /* none is only counted */
    const char *rest; /* where to find those that are only counted: " (see --all)", or "" */
};

/* One paragraph each, the gravest first; returns how many there are. */
size_t findings_print(const struct findings_view *w, const struct report_style *style,
                      struct text *out);

/* Does the node's link do less than it could: than both ends can, or than the card can? */
bool findings_of_link(const struct inventory *v, int node);

/* Is there any link of which both ends are known, so that "nothing degraded" says something? */
bool findings_judge_links(const struct inventory *v);

#endif
