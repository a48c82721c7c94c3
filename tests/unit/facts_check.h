/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the facts of an inventory: a missing one prints its key. */
#ifndef TESTS_UNIT_FACTS_CHECK_H
#define TESTS_UNIT_FACTS_CHECK_H

#include "check.h"
#include "facts/inventory.h"

static inline void fact_is_at(const struct inventory *v, int node, const char *key,
                              const char *expected, const char *file, int line)
{
    const char *value = inventory_value(v, node, key);
    bool same = value && !strcmp(value, expected);
    if (!check_that(same, file, line, key))
        fprintf(stderr, "    got \"%s\", expected \"%s\"\n", value ? value : "(none)", expected);
}

static inline void fact_status_at(const struct inventory *v, int node, const char *key, int status,
                                  const char *file, int line)
{
    const struct inventory_fact *fact = inventory_fact(v, node, key);
    if (!check_that(fact && (int)fact->status == status, file, line, key))
        fprintf(stderr, "    got status %s\n", fact ? fact_status_name(fact->status) : "(none)");
}

/* Check a fact's value, its status, or its absence. A failure is reported at the caller's line. */
#define FACT_IS(v, node, key, expected)                                                            \
    fact_is_at((v), (node), (key), (expected), __FILE__, __LINE__)
#define FACT_STATUS(v, node, key, status)                                                          \
    fact_status_at((v), (node), (key), (status), __FILE__, __LINE__)
#define NO_FACT(v, node, key) CHECK(inventory_fact((v), (node), (key)) == NULL)

#endif
