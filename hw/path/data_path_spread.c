/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How volumes, arrays and bonds divide data among their members: a rule a row. */
#include "hw/path/internal.h"

#include <stddef.h>
#include <string.h>

enum division { FREE, FIRST, STRIPE, MIRROR, TWO_COPIES, ONE_PARITY, TWO_PARITIES };

static const struct spread spreads[] = {
    [FREE] = {SPREAD_FREE, 0, 0},          [FIRST] = {SPREAD_FIRST, 0, 0},
    [STRIPE] = {SPREAD_FIXED, 1, 0},       [MIRROR] = {SPREAD_FIXED, 0, 0},
    [TWO_COPIES] = {SPREAD_FIXED, 2, 0},   [ONE_PARITY] = {SPREAD_FIXED, 1, 1},
    [TWO_PARITIES] = {SPREAD_FIXED, 1, 2},
};

/*
 * Every rule is a ceiling: the best that the scheme allows, by full stripes and many requests.
 *
 * Volumes of the device mapper have no row. /sys does not tell a linear volume from a striped one,
 * and requests all over either keep all its legs busy at once, as several ways to one disk do: the
 * legs add up (FREE).
 */
static const struct rule {
    enum node_kind kind;
    const char *key, *value;
    enum division read, write;
} rules[] = {
    /* Each request lies on one member, or its chunks on all in turn: all have the same share. */
    {NODE_RAID, "level", "raid0", STRIPE, STRIPE},
    /* One member behind the other: where the data are decides. */
    {NODE_RAID, "level", "linear", FREE, FREE},
    /* Either copy may be read, md asks the member that is less busy; both are written. */
    {NODE_RAID, "level", "raid1", FREE, MIRROR},
    /* Two copies (near 2, the default) of each chunk, spread over all members. */
    {NODE_RAID, "level", "raid10", FREE, TWO_COPIES},
    /* One member's worth of each stripe is parity: what is written takes n / (n - 1) of room. Of
     * raid5 the parity goes around, so all n members are read; raid4's parity member, which is
     * idle then, is not told by its name, and n members are the ceiling. */
    {NODE_RAID, "level", "raid4", STRIPE, ONE_PARITY},
    {NODE_RAID, "level", "raid5", STRIPE, ONE_PARITY},
    /* The same with two. */
    {NODE_RAID, "level", "raid6", STRIPE, TWO_PARITIES},
    /* Linux bonding: one member at a time; the others add up over many connections. */
    {NODE_BOND, "mode", "active-backup", FIRST, FIRST},
    /* All packets leave by every member, one copy of them is used. */
    {NODE_BOND, "mode", "broadcast", FREE, MIRROR},
    /* It balances what it sends alone: everything is received by the active member. */
    {NODE_BOND, "mode", "balance-tlb", FIRST, FREE},
};

struct spread data_path_spread(const struct inventory *v, int node, bool write)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        const char *value = inventory_value(v, node, rule->key);
        if (rule->kind == v->nodes[node].kind && value && !strcmp(value, rule->value))
            return spreads[write ? rule->write : rule->read];
    }
    return spreads[FREE];
}
