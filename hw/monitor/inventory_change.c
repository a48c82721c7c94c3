/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds changes between two inventories of a machine, by a table of rules. */
#include "hw/monitor/inventory_change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum rule_kind {
    RULE_OTHER, /* reports any value that differs from the one before */
    RULE_GREW,  /* reports a counter that has grown */
    RULE_ABOVE, /* reports a number above the fact `limit` of the same node */
};

struct rule {
    enum node_kind kind; /* kind of node; NODE_KINDS: any kind */
    const char *key;
    enum rule_kind rule;
    const char *limit;
    const char *words; /* words for the change, which reports print after the node's name */
};

static const struct rule rules[] = {
    {NODE_CPU, "governor", RULE_OTHER, NULL, "the governor changed"},
    {NODE_CPU, "frequency_max", RULE_OTHER, NULL, "the highest frequency allowed changed"},
    {NODE_CPU, "turbo", RULE_OTHER, NULL, "turbo changed"},
    {NODE_CPU, "online", RULE_OTHER, NULL, "the number of processors online changed"},
    {NODE_CPU, "core_throttle_count", RULE_GREW, NULL, "cores were throttled for heat, events"},
    {NODE_CPU, "package_throttle_count", RULE_GREW, NULL,
     "the package was throttled for heat, events"},
    {NODE_KINDS, "negotiated", RULE_OTHER, NULL, "its link trained again"},
    {NODE_KINDS, "aer_correctable", RULE_GREW, NULL, "new PCIe errors that were corrected"},
    {NODE_KINDS, "aer_nonfatal", RULE_GREW, NULL, "new PCIe errors that were not corrected"},
    {NODE_KINDS, "aer_fatal", RULE_GREW, NULL, "new fatal PCIe errors"},
    {NODE_MEMORY, "edac_correctable", RULE_GREW, NULL, "new memory errors that were corrected"},
    {NODE_MEMORY, "edac_uncorrectable", RULE_GREW, NULL,
     "new memory errors that were not corrected"},
    {NODE_NVME, "firmware", RULE_OTHER, NULL, "its firmware changed"},
    {NODE_NVME, "state", RULE_OTHER, NULL, "its state changed"},
    {NODE_NVME, "media_errors", RULE_GREW, NULL, "new media errors"},
    {NODE_NVME, "critical_warning", RULE_OTHER, NULL, "its critical warning changed"},
    {NODE_NVME, "throttled_light", RULE_GREW, NULL, "the drive throttled itself for heat, times"},
    {NODE_NVME, "throttled_heavy", RULE_GREW, NULL,
     "the drive throttled itself heavily for heat, times"},
    {NODE_NVME, "temperature", RULE_ABOVE, "temperature_warning",
     "it is warmer than its warning threshold"},
    {NODE_KINDS, "invalid_dword_count", RULE_GREW, NULL, "new invalid words on the SAS link"},
    {NODE_KINDS, "loss_of_dword_sync_count", RULE_GREW, NULL,
     "new losses of synchronisation on the SAS link"},
    {NODE_SENSOR, "temperature", RULE_ABOVE, "temperature_max", "it is above its limit"},
    {NODE_DISK, "scheduler", RULE_OTHER, NULL, "the I/O scheduler changed"},
    {NODE_DISK, "health", RULE_OTHER, NULL, "its health changed"},
    {NODE_DISK, "reallocated_sectors", RULE_GREW, NULL, "it replaced sectors"},
    {NODE_DISK, "pending_sectors", RULE_GREW, NULL, "new sectors that it could not read"},
    {NODE_DISK, "reported_uncorrectable", RULE_GREW, NULL, "new errors that it could not correct"},
    {NODE_DISK, "write_uncorrectable", RULE_GREW, NULL,
     "new errors of writes that it could not correct"},
    {NODE_DISK, "verify_uncorrectable", RULE_GREW, NULL,
     "new errors of verifying that it could not correct"},
    {NODE_DISK, "grown_defects", RULE_GREW, NULL, "new defects, whose blocks it replaced"},
    {NODE_DISK, "offline_uncorrectable", RULE_GREW, NULL,
     "new sectors that its own tests could not read"},
    {NODE_DISK, "write_cache", RULE_OTHER, NULL, "its write cache changed"},
    {NODE_RAID, "degraded_members", RULE_OTHER, NULL, "the number of missing members changed"},
    {NODE_RAID, "sync_action", RULE_OTHER, NULL, "its background action changed"},
    {NODE_BOND, "active", RULE_OTHER, NULL, "another member became active"},
    {NODE_NETWORK, "state", RULE_OTHER, NULL, "its state changed"},
    {NODE_MACHINE, "on_battery", RULE_OTHER, NULL, "the power supply changed: on battery"},
};

struct finder {
    const struct inventory *before, *after;
    struct change *changes;
    size_t count, max;
};

static struct change *add_change(struct finder *f, const char *node, const char *key)
{
    if (f->count == f->max)
        return NULL;
    struct change *c = &f->changes[f->count++];
    snprintf(c->node, sizeof c->node, "%s", node);
    snprintf(c->key, sizeof c->key, "%s", key);
    return c;
}

static void compare_fact(struct finder *f, const struct rule *rule, int before, int after)
{
    const char *text_before = inventory_value(f->before, before, rule->key);
    const char *text = inventory_value(f->after, after, rule->key);
    if (!text_before || !text)
        return;
    double number_before = inventory_number(f->before, before, rule->key);
    double number = inventory_number(f->after, after, rule->key);
    double limit = rule->limit ? inventory_number(f->after, after, rule->limit) : (double)NAN;
    bool changed = false;
    switch (rule->rule) {
    case RULE_OTHER:
        changed = strcmp(text_before, text) != 0;
        break;
    case RULE_GREW:
        changed = number > number_before;
        break;
    case RULE_ABOVE:
        changed = number > limit;
        break;
    }
    if (!changed)
        return;
    const char *name = f->after->nodes[after].name;
    const char *unit = inventory_fact(f->after, after, rule->key)->unit;
    struct change *c = add_change(f, name, rule->key);
    if (!c)
        return;
    if (rule->rule == RULE_ABOVE)
        snprintf(c->text, sizeof c->text, "%s: %s: %g %s, limit %g", name, rule->words, number,
                 unit, limit);
    else
        snprintf(c->text, sizeof c->text, "%s: %s: from %.50s to %.50s%s%s", name, rule->words,
                 text_before, text, *unit ? " " : "", unit);
}

size_t changes_find(const struct inventory *before, const struct inventory *after,
                    struct change changes[], size_t max)
{
    struct finder f = {before, after, changes, 0, max};
    for (int node = 0; node < before->node_count; node++) {
        const struct inventory_node *n = &before->nodes[node];
        int now = inventory_find(after, n->name);
        /* a component of the user is only in the first inventory */
        if (now == INVENTORY_NONE && n->kind == NODE_COMPONENT)
            continue;
        if (now == INVENTORY_NONE) {
            struct change *c = add_change(&f, n->name, "present");
            if (c)
                snprintf(c->text, sizeof c->text, "%s: it is no longer there", n->name);
            continue;
        }
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
            if (rules[i].kind == NODE_KINDS || rules[i].kind == n->kind)
                compare_fact(&f, &rules[i], node, now);
    }
    return f.count;
}
