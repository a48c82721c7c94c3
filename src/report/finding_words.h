/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a finding says behind the name of its node. All append to a text of the caller. */
#ifndef CUPEL_REPORT_FINDING_WORDS_H
#define CUPEL_REPORT_FINDING_WORDS_H

#include "base/inventory.h"
#include "base/text.h"

struct finding_fact {
    const struct inventory *inventory;
    int node;
    const struct inventory_fact *fact;
    const char *words; /* of the finding's row */
    const char *than;  /* the key beside it that it is measured by, or the value */
};

/* The row's words, and the value when they end in a blank. */
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

/* Does an array work in the background, for that value of sync_action? */
bool finding_runs(const char *action);

#endif
