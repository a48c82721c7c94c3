/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes facts of the inventory in words, for the text reports. All functions append to the
   caller's text. */
#ifndef CUPEL_REPORT_LAYOUT_FACT_WORDS_H
#define CUPEL_REPORT_LAYOUT_FACT_WORDS_H

#include "base/text.h"
#include "facts/inventory.h"

/* Adds the value in readable form: "16 GiB", "2.50 GHz", "47 C", "7.09 GB/s". If a value is longer
   than a few lines, this and the following functions leave out its middle. */
void fact_add_value(struct text *out, const char *value, const char *unit);

/* Adds a number with the unit of a fact ("share", "Hz", "C", "1"), with few digits; "-" for NaN. */
void fact_add_number(struct text *out, double value, const char *unit);

/* Adds the value together with words that its key needs: "scheduler none", "32 cores". */
void fact_add_words(struct text *out, const struct inventory *v, int node,
                    const struct inventory_fact *fact);

/* Adds those facts of the node that its kind shows (node_kind_shown), joined by commas. */
void fact_add_shown(struct text *out, const struct inventory *v, int node);

/* Adds each FACT_OK fact as "key value", joined by semicolons. */
void fact_add_all(struct text *out, const struct inventory *v, int node);

/* Returns true if two nodes are functions of one card and so share its PCIe link. */
bool fact_share_link(const struct inventory *v, int a, int b);

/* Adds a node's name, model, attached devices and physical place: "0000:41:00.0 PM9A1 (nvme0n1) in
   slot 3"; with `whole_card` also the other functions on its link. */
void fact_add_node(struct text *out, const struct inventory *v, int node, bool whole_card);

/* Adds a part of a data path without its name: "Samsung NVMe SSD PM1733, slot 21, 16.0 GT/s x2,
   DEGRADED, can 16.0 GT/s x4". If the part has no link, nothing is said about one. */
void fact_add_part(struct text *out, const struct inventory *v, int node);

#endif
