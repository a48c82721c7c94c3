/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of counters, and single numbers, from files of one line. */
#include "hw/sysroot/counter.h"

#include <stdio.h>

#include "base/units.h"

enum fact_status counter_read(const struct sysroot *root, const char *path, uint64_t *value)
{
    char text[64];
    enum fact_status status = sysroot_line(root, path, text, sizeof text);
    if (status == FACT_OK && parse_unsigned(text, value, NULL))
        status = FACT_INVALID;
    if (status != FACT_OK)
        *value = 0;
    return status;
}

void counter_add(struct counter *c, const struct sysroot *root, const char *path)
{
    uint64_t value;
    enum fact_status status = counter_read(root, path, &value);
    if (status == FACT_OK && !__builtin_add_overflow(c->sum, value, &value)) {
        c->sum = value;
        c->told++;
    } else if (c->trouble == FACT_OK || c->trouble == FACT_ABSENT) {
        c->trouble = status == FACT_OK ? FACT_INVALID : status;
    }
}

void counter_fact(const struct counter *c, struct inventory *v, int node, const char *key,
                  const char *source, bool optional)
{
    bool absent = c->trouble == FACT_OK || c->trouble == FACT_ABSENT;
    if (c->told)
        inventory_add_number(v, node, key, c->sum, "", source);
    else if (!absent || !optional)
        inventory_add(v, node, key, "", "", source, absent ? FACT_ABSENT : c->trouble);
}
