/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An expectation once it is read: sections with rules. */
#ifndef CUPEL_QUALIFY_EXPECTATION_RULES_H
#define CUPEL_QUALIFY_EXPECTATION_RULES_H

#include "qualify/expectation.h"
#include "qualify/expectation_keys.h"

enum compare { COMPARE_EQUAL, COMPARE_LEAST, COMPARE_MOST };

struct rule {
    const struct expectation_key *key;
    int test; /* of expectation_tests, -1: none */
    enum compare compare;
    struct amount limit, warn;
    bool has_warn;
    char text[QUANTITY_TEXT_MAX];      /* of the limit, as it was typed */
    char warn_text[QUANTITY_TEXT_MAX]; /* likewise */
    size_t line;
};

struct section {
    bool of_machine;
    char selector[QUANTITY_TEXT_MAX]; /* "nvme", "SAMSUNG*"; "": every disk */
    bool by_kind;                     /* of the disk, not a pattern of its model */
    size_t line, first_rule, rule_count;
};

#define EXPECTATION_SECTIONS 64
#define EXPECTATION_RULES    512

struct expectation {
    char name[128];
    size_t section_count, rule_count;
    struct section sections[EXPECTATION_SECTIONS];
    struct rule rules[EXPECTATION_RULES];
};

#endif
