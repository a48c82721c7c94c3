/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the inventory in words, for the text reports. All append to a text of the caller. */
#ifndef CUPEL_REPORT_FACT_WORDS_H
#define CUPEL_REPORT_FACT_WORDS_H

#include "base/inventory.h"
#include "base/text.h"

/* The value as people write it: "16 GiB", "2.50 GHz", "47 C", "7.09 GB/s". */
void fact_add_value(struct text *out, const char *value, const char *unit);

/* With the words that its key needs to be understood: "scheduler none", "32 cores". */
void fact_add_words(struct text *out, const struct inventory *v, int node,
                    const struct inventory_fact *fact);

/* The facts of the node's `shown` keys, joined by commas; nothing when it has none of them. */
void fact_add_shown(struct text *out, const struct inventory *v, int node);

/* Every OK fact as "key value", joined by semicolons. */
void fact_add_all(struct text *out, const struct inventory *v, int node);

/* "0000:41:00.0 PM9A1 (nvme0n1)": the name, what it is called, and what hangs on it. */
void fact_add_node(struct text *out, const struct inventory *v, int node);

#endif
