/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the inventory in words, for the text reports. All append to a text of the caller. */
#ifndef CUPEL_REPORT_LAYOUT_FACT_WORDS_H
#define CUPEL_REPORT_LAYOUT_FACT_WORDS_H

#include "base/text.h"
#include "facts/inventory.h"

/* The value as people write it: "16 GiB", "2.50 GHz", "47 C", "7.09 GB/s". One that is longer than
   a few lines is shortened in the middle, here and below. */
void fact_add_value(struct text *out, const char *value, const char *unit);

/* A number of a unit of facts ("share", "Hz", "C", "1"), as short; "-" for none. */
void fact_add_number(struct text *out, double value, const char *unit);

/* With the words that its key needs to be understood: "scheduler none", "32 cores". */
void fact_add_words(struct text *out, const struct inventory *v, int node,
                    const struct inventory_fact *fact);

/* The facts of the node's `shown` keys, joined by commas; nothing when it has none of them. */
void fact_add_shown(struct text *out, const struct inventory *v, int node);

/* Every OK fact as "key value", joined by semicolons. */
void fact_add_all(struct text *out, const struct inventory *v, int node);

/* Are they functions of one card, which share its PCI Express link? */
bool fact_share_link(const struct inventory *v, int a, int b);

/* "0000:41:00.0 PM9A1 (nvme0n1) in slot 3": the name, what it is called, what hangs on it, and
   where a hand finds it; with `whole_card` also the other functions on its link. */
void fact_add_node(struct text *out, const struct inventory *v, int node, bool whole_card);

/* A part of a data path without its name: "Samsung NVMe SSD PM1733, slot 21, 16.0 GT/s
   x2, DEGRADED, can 16.0 GT/s x4"; nothing when it has no link. */
void fact_add_part(struct text *out, const struct inventory *v, int node);

#endif
