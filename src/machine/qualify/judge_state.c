/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds checks with words, and judges a machine by its state. */
#include "machine/qualify/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/machine/permission.h"
#include "base/number_parse.h"
#include "hw/disk/block.h"
#include "machine/qualify/disk_selection.h"

/* ---- checks with words ---- */

static struct qualification_check *add_note(struct qualification *q, int device, enum grade grade,
                                            const char *what, const char *found, const char *format,
                                            va_list args)
{
    struct qualification_check *check = qualification_add(q, device, grade, what);
    if (!check)
        return NULL;
    vsnprintf(check->note, sizeof check->note, format, args);
    snprintf(check->found, sizeof check->found, "%s", found);
    return check;
}

void note_check(struct qualification *q, int device, enum grade grade, const char *what,
                const char *found, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_note(q, device, grade, what, found, format, args);
    va_end(args);
}

void note_replaceable(struct qualification *q, int device, enum grade grade, const char *what,
                      const char *found, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct qualification_check *check = add_note(q, device, grade, what, found, format, args);
    va_end(args);
    if (check)
        check->replaceable = true;
}

/* ---- links ---- */

static const char *value_or(const struct inventory *v, int node, const char *key, const char *other)
{
    const char *value = inventory_value(v, node, key);
    return value ? value : other;
}

/* Returns the inventory's words if the port limits the link, else NULL: a card that is slower than
   its slot is no fault. */
static const char *limited_by_port(const struct inventory *v, int node)
{
    const char *limited = inventory_value(v, node, "limited_by");
    return limited && !strncmp(limited, "the port", 8) ? limited : NULL;
}

/* Graphics cards, the bridges on them, and sleeping devices slow their links down until they have
   something to do. */
static bool slows_down_idle(const struct inventory *v, int node)
{
    static const char *const classes[] = {"VGA controller", "3D controller", "display controller",
                                          "processing accelerator"};
    const char *class = value_or(v, node, "class", ""),
               *power = inventory_value(v, node, "power_state");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(class, classes[i]))
            return true;
    for (int child = v->nodes[node].first_child; child != INVENTORY_NONE;
         child = v->nodes[child].next_sibling)
        if (v->nodes[child].kind == NODE_PCI_DEVICE && slows_down_idle(v, child))
            return true;
    return power && !strncmp(power, "D3", 2);
}

/* Returns the slot of a card: that of its own node or of the port above it; "": not known. */
static const char *slot_of(const struct inventory *v, int node)
{
    const char *slot = inventory_value(v, node, "slot");
    const int parent = v->nodes[node].parent;
    if (!slot && parent != INVENTORY_NONE && v->nodes[parent].kind == NODE_PCI_BRIDGE)
        slot = inventory_value(v, parent, "slot");
    return slot ? slot : "";
}

static void judge_link(struct qualification *q, int device, int node, const char *what)
{
    const struct inventory *v = q->hardware;
    /* the slot of a disk is reported with the disk */
    const char *slot = device < 0 ? slot_of(v, node) : "";
    const char *now = inventory_value(v, node, "negotiated");
    const char *capable = inventory_value(v, node, "capable");
    const char *degraded = inventory_value(v, node, "degraded");
    const char *limited = limited_by_port(v, node);
    const char *reason = value_or(v, node, "degraded_reason", "");
    if (!now)
        note_check(q, device, GRADE_NONE, what, "not known", "%s", "");
    else if (degraded && !strcmp(degraded, "yes") && slows_down_idle(v, node))
        note_check(q, device, GRADE_NONE, what, now,
                   "both ends can %s; not judged, for it slows down while idle",
                   capable ? capable : "more");
    else if (degraded && !strcmp(degraded, "yes"))
        note_check(q, device, GRADE_FAIL, what, now, "%s%s%sdegraded, both ends can %s%s%s",
                   *slot ? "slot " : "", slot, *slot ? ", " : "", capable ? capable : "more",
                   *reason ? "; " : "", reason);
    else if (limited)
        note_replaceable(q, device, GRADE_WARN, what, now, "limited by %s", limited);
    else if (degraded)
        note_check(q, device, GRADE_PASS, what, now, "%s", "");
    else
        note_check(q, device, GRADE_NONE, what, now, "what both ends can do is not known");
}

/* ---- health ---- */

/* Appends a number of the health log, as in ", 2 % used", if the log has it. */
static void add_number(const struct inventory *v, int node, const char *key, const char *before,
                       const char *after, char *to, size_t size)
{
    const struct inventory_fact *fact = disk_fact(v, node, key);
    size_t used = strlen(to);
    if (fact && fact->status == FACT_OK)
        snprintf(to + used, size - used, ", %s%s%s", before, fact->value, after);
}

static void judge_health(struct qualification *q, int device, int node)
{
    const struct inventory *v = q->hardware;
    char found[120];
    const struct inventory_fact *health = disk_fact(v, node, "health");
    bool has_health = disk_kind_is(q->devices[device].kind, DISK_HAS_HEALTH);
    if (!health && !has_health) {
        note_check(q, device, GRADE_NONE, "health", "not known", "a %s disk was not asked for it",
                   q->devices[device].kind);
        return;
    }
    /* Virtual disks and volumes of RAID adapters have no health; the fact's source says why. */
    if (health && health->status == FACT_ABSENT && !has_health) {
        note_check(q, device, GRADE_NONE, "health", "not known", "%s", health->source);
        return;
    }
    if (!health || health->status != FACT_OK) {
        char remedy[PERMISSION_BYTES];
        const bool denied = health && health->status == FACT_DENIED;
        note_check(q, device, GRADE_WARN, "health", "not known", "%s%s",
                   denied ? "not permitted; " : "the drive did not report it",
                   denied ? permission_remedy(NULL, remedy) : "");
        return;
    }
    snprintf(found, sizeof found, "%s", health->value);
    add_number(v, node, "percentage_used", "", " % used", found, sizeof found);
    add_number(v, node, "available_spare", "spare ", " %", found, sizeof found);
    note_check(q, device, !strcmp(health->value, "good") ? GRADE_PASS : GRADE_FAIL, "health", found,
               "%s", "");
}

/* ---- counters and states ---- */

enum state_when { STATE_SOME, STATE_IS, STATE_IS_NOT, STATE_REACHES };

static const struct state_row {
    int kind; /* NODE_KINDS: any kind */
    const char *key;
    enum state_when when;
    /* value with which the fact is compared, or the key of the fact that is its limit */
    const char *than;
    enum grade grade;
    const char *what, *note;
} state_rows[] = {
    {NODE_NVME, "state", STATE_IS_NOT, "live", GRADE_FAIL, "controller state", ""},
    {NODE_NVME, "media_errors", STATE_SOME, "", GRADE_FAIL, "media errors", "since it was made"},
    {NODE_DISK, "pending_sectors", STATE_SOME, "", GRADE_FAIL, "media errors",
     "sectors that it could not read and waits to replace"},
    {NODE_DISK, "reported_uncorrectable", STATE_SOME, "", GRADE_FAIL, "media errors",
     "since it was made"},
    {NODE_DISK, "write_uncorrectable", STATE_SOME, "", GRADE_FAIL, "media errors",
     "of writes, since it was made"},
    {NODE_DISK, "verify_uncorrectable", STATE_SOME, "", GRADE_FAIL, "media errors",
     "of verifying, since it was made"},
    {NODE_DISK, "background_scan_errors", STATE_SOME, "", GRADE_WARN, "media errors",
     "blocks that its background scan reports"},
    {NODE_DISK, "grown_defects", STATE_SOME, "", GRADE_WARN, "media errors",
     "blocks that it has replaced since it was made"},
    {NODE_DISK, "offline_uncorrectable", STATE_SOME, "", GRADE_FAIL, "media errors",
     "sectors that its own tests could not read"},
    {NODE_SENSOR, "temperature", STATE_REACHES, "temperature_critical", GRADE_FAIL, "temperature",
     "critical"},
    {NODE_SENSOR, "fan*_alarm", STATE_IS, "yes", GRADE_WARN, "fan alarm", ""},
    {NODE_MEMORY, "edac_uncorrectable", STATE_SOME, "", GRADE_FAIL, "memory errors",
     "not corrected since the start"},
    {NODE_MEMORY, "edac_correctable", STATE_SOME, "", GRADE_WARN, "memory errors",
     "corrected since the start"},
    {NODE_MEMORY, "channels_empty", STATE_IS_NOT, "", GRADE_WARN, "memory channels",
     "without a module"},
    {NODE_MEMORY, "channels_unequal", STATE_IS_NOT, "", GRADE_WARN, "memory channels",
     "with fewer modules than others"},
    {NODE_MEMORY, "modules_slower", STATE_IS_NOT, "", GRADE_WARN, "memory modules",
     "slower than they can be"},
    {NODE_MEMORY, "modules_mixed", STATE_IS_NOT, "", GRADE_WARN, "memory modules", "different"},
    {NODE_MEMORY, "interleaving", STATE_IS, "off", GRADE_WARN, "memory channels",
     "interleaving is off"},
    {NODE_KINDS, "aer_fatal", STATE_SOME, "", GRADE_FAIL, "PCIe errors", "fatal since the start"},
    {NODE_KINDS, "aer_nonfatal", STATE_SOME, "", GRADE_WARN, "PCIe errors",
     "not corrected since the start"},
    {NODE_KINDS, "aer_correctable", STATE_SOME, "", GRADE_WARN, "PCIe errors",
     "corrected since the start"},
    {NODE_KINDS, "invalid_dword_count", STATE_SOME, "", GRADE_WARN, "SAS link errors",
     "invalid words since the start"},
    {NODE_KINDS, "loss_of_dword_sync_count", STATE_SOME, "", GRADE_WARN, "SAS link errors",
     "losses of synchronisation since the start"},
    {NODE_CPU, "core_throttle_count", STATE_SOME, "", GRADE_WARN, "throttling",
     "cores slowed down for their heat, times since the start"},
    {NODE_CPU, "package_throttle_count", STATE_SOME, "", GRADE_WARN, "throttling",
     "sockets slowed down for their heat, times since the start"},
    {NODE_MACHINE, "on_battery", STATE_IS, "yes", GRADE_WARN, "power", "it runs on its battery"},
};

static void judge_fact(struct qualification *q, int node, const struct inventory_fact *fact)
{
    const struct inventory *v = q->hardware;
    enum node_kind kind = v->nodes[node].kind;
    bool alone = kind == NODE_MACHINE || kind == NODE_MEMORY || kind == NODE_CPU;
    const char *name = alone ? "" : v->nodes[node].name;
    for (size_t i = 0; i < sizeof state_rows / sizeof *state_rows; i++) {
        const struct state_row *row = &state_rows[i];
        if ((row->kind != NODE_KINDS && row->kind != (int)kind) || fact->status != FACT_OK ||
            !glob_matches(row->key, fact->key))
            continue;
        double number;
        if (number_parse(fact->value, strlen(fact->value), &number) != NUMBER_OK)
            number = NAN;
        bool is = !strcmp(fact->value, row->than);
        bool holds = row->when == STATE_IS       ? is
                     : row->when == STATE_IS_NOT ? !is
                     : row->when == STATE_SOME   ? number > 0
                                                 : number >= inventory_number(v, node, row->than);
        if (!holds)
            continue;
        char found[80] = "";
        if (row->when != STATE_IS)
            snprintf(found, sizeof found, "%.60s%s%.10s", fact->value, *fact->unit ? " " : "",
                     fact->unit);
        /* the memory module to exchange, where the kernel names it */
        const char *modules =
            strncmp(fact->key, "edac_", 5) ? NULL : inventory_value(v, node, "edac_modules");
        const char *of = modules ? modules : name;
        note_replaceable(q, disk_owner(q, node), row->grade, row->what, found, "%s%s%.100s",
                         row->note, *row->note && *of ? ", " : "", of);
    }
}

void judge_state(struct qualification *q)
{
    for (size_t i = 0; i < q->device_count; i++) {
        int node = inventory_find(q->hardware, q->devices[i].name);
        if (!q->devices[i].size)
            note_check(q, (int)i, GRADE_FAIL, "size", "0 bytes", "there is nothing to measure");
        if (disk_link(q->hardware, node) != INVENTORY_NONE)
            judge_link(q, (int)i, disk_link(q->hardware, node), "link");
        judge_health(q, (int)i, node);
    }
    const struct inventory *v = q->hardware;
    /* Judges network cards, adapters and expanders whose links are slower than they could be. The
       link of a disk is judged with the disk; a device in a USB port is no part of the machine. */
    for (int node = 0; node < v->node_count; node++) {
        const char *degraded = inventory_value(v, node, "degraded");
        bool is_degraded = degraded && !strcmp(degraded, "yes");
        bool is_limited = v->nodes[node].kind == NODE_PCI_DEVICE && limited_by_port(v, node);
        char what[40];
        bool of_disk = false;
        if ((!is_degraded && !is_limited) || node_kind_is(v->nodes[node].kind, KIND_PLUGGED))
            continue;
        for (int disk = 0; disk < v->node_count && !of_disk; disk++)
            of_disk = v->nodes[disk].kind == NODE_DISK && disk_link(v, disk) == node;
        if (of_disk)
            continue;
        snprintf(what, sizeof what, "link of %.30s", v->nodes[node].name);
        judge_link(q, -1, node, what);
    }
    for (int node = 0; node < v->node_count; node++)
        for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next)
            judge_fact(q, node, &v->facts[i]);
}
