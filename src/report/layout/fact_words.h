/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the inventory in words, for the text reports. All functions append to a text of the
   caller. */
#ifndef CUPEL_REPORT_LAYOUT_FACT_WORDS_H
#define CUPEL_REPORT_LAYOUT_FACT_WORDS_H

#include "base/text.h"
#include "facts/inventory.h"

/* Adds the value in readable form: "16 GiB", "2.50 GHz", "47 C", "7.09 GB/s". Here and below, a
   value longer than a few lines is shortened in the middle. */
void fact_add_value(struct text *out, const char *value, const char *unit);

/* Adds a number with a unit of facts ("share", "Hz", "C", "1"), short; "-" for NaN. */
void fact_add_number(struct text *out, double value, const char *unit);

/* Adds the value with the words that its key needs: "scheduler none", "32 cores". */
void fact_add_words(struct text *out, const struct inventory *v, int node,
                    const struct inventory_fact *fact);

/* Adds the facts of the node's `shown` keys, joined by commas; nothing when it has no such
   facts. */
void fact_add_shown(struct text *out, const struct inventory *v, int node);

/* Adds every OK fact as "key value", joined by semicolons. */
void fact_add_all(struct text *out, const struct inventory *v, int node);

/* Are two nodes functions of one card, which share its PCI Express link? */
bool fact_share_link(const struct inventory *v, int a, int b);

/* Adds "0000:41:00.0 PM9A1 (nvme0n1) in slot 3": the node's name, model, attached devices, and
   physical place; with `whole_card` also the other functions on its link. */
void fact_add_node(struct text *out, const struct inventory *v, int node, bool whole_card);

/* Adds a part of a data path without its name: "Samsung NVMe SSD PM1733, slot 21, 16.0 GT/s x2,
   DEGRADED, can 16.0 GT/s x4"; the link is omitted when there is no link. */
void fact_add_part(struct text *out, const struct inventory *v, int node);

#endif
