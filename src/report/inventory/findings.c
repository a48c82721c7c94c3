/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints the findings of an inventory: one paragraph for each, and each fault only once. The table
 * defines which facts of which nodes are findings. The words of a finding are its value, the limit
 * that the value is compared with, and related values.
 */
#include "report/inventory/inventory_sections.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/document/document.h"
#include "report/layout/fact_words.h"

struct finding_fact {
    const struct inventory *inventory;
    int node;
    const struct inventory_fact *fact;
    const char *words; /* `words` of the finding's row */
    /* `than` of that row: a text, or the key of a fact that the value is compared with */
    const char *than;
};

enum finding_when {
    WHEN_IS,      /* the value is the text `than` */
    WHEN_IS_NOT,  /* there is a value, but not the text `than` */
    WHEN_SOME,    /* the value is a number above 0 */
    WHEN_BEGINS,  /* the value begins with the text `than` */
    WHEN_REACHES, /* the value is at least the value of the node's fact `than` */
    /* the value is below that of the node's fact whose key is `key` followed by `than` */
    WHEN_BELOW,
    WHEN_RUNS, /* the value is a running background action of an array */
};

typedef void finding_words(struct text *out, const struct finding_fact *f);

struct finding {
    int kind;        /* kind of the node; NODE_KINDS: any kind */
    const char *key; /* key of the fact; '#' matches digits */
    enum finding_when when;
    const char *than;
    const char *lead;
    enum tone tone;
    finding_words *add;
    const char *words;
};

enum { FINDINGS_OF_A_KIND = 12 }; /* more findings of a kind are only counted */

enum { ANY_KIND = NODE_KINDS };

#define DEGRADED  "DEGRADED  ", TONE_RED
#define UNJUDGED  "DEGRADED? ", TONE_YELLOW
#define HEALTH    "HEALTH    ", TONE_RED
#define TOO_HOT   "TOO HOT   ", TONE_RED
#define HOT       "HOT       ", TONE_YELLOW
#define FAN       "FAN       ", TONE_RED
#define BUSY      "BUSY      ", TONE_YELLOW
#define BATTERY   "BATTERY   ", TONE_YELLOW
#define LIMITED   "LIMITED   ", TONE_YELLOW
#define THROTTLED "THROTTLED ", TONE_YELLOW
#define FAULTS    "ERRORS    ", TONE_RED
#define ERRORS    "ERRORS    ", TONE_YELLOW

static void add_fact(struct text *out, const struct inventory_fact *fact)
{
    fact_add_value(out, fact->value, fact->unit);
}

static const struct inventory_fact *fact_beside(const struct finding_fact *f, const char *key)
{
    const struct inventory_fact *fact = inventory_fact(f->inventory, f->node, key);
    return fact && fact->status == FACT_OK ? fact : NULL;
}

/* Adds the row's words. If these end in a blank, the value follows. */
static void finding_add_value(struct text *out, const struct finding_fact *f)
{
    size_t length = strlen(f->words);
    text_add(out, f->words);
    if (!length || f->words[length - 1] == ' ')
        add_fact(out, f->fact);
}

/* Adds "16.0 GT/s x2, both ends can 16.0 GT/s x4: 3.75 GB/s of 7.50 GB/s; 2 of 4 lanes". */
static void finding_add_link(struct text *out, const struct finding_fact *f)
{
    const char *negotiated = inventory_value(f->inventory, f->node, "negotiated");
    const char *capable = inventory_value(f->inventory, f->node, "capable");
    const char *reason = inventory_value(f->inventory, f->node, "degraded_reason");
    const struct inventory_fact *now = fact_beside(f, "limit");
    const struct inventory_fact *possible = fact_beside(f, "limit_capable");
    text_addf(out, "%s, both ends can %s", negotiated ? negotiated : "no link",
              capable ? capable : "more");
    if (now && possible) {
        text_add(out, ": ");
        add_fact(out, now);
        text_add(out, " of ");
        add_fact(out, possible);
    }
    if (reason)
        text_addf(out, "; %s", reason);
}

/* Adds "8.0 GT/s x2, the card can 16.0 GT/s x4; what the port above it can is not known, ...". */
static void finding_add_unjudged(struct text *out, const struct finding_fact *f)
{
    const char *negotiated = inventory_value(f->inventory, f->node, "negotiated");
    const char *card = inventory_value(f->inventory, f->node, "card_capable");
    text_addf(out,
              "%s, the card can %s; what the port above it can is not known, which may be the "
              "reason",
              negotiated ? negotiated : "no link", card ? card : "more");
}

/* Adds "101 C, at or above its critical temperature of 100 C". */
static void finding_add_limit(struct text *out, const struct finding_fact *f)
{
    const struct inventory_fact *limit = fact_beside(f, f->than);
    add_fact(out, f->fact);
    text_addf(out, ", at or above its %s of ", f->words);
    if (limit)
        add_fact(out, limit);
}

/* ---- arrays ---- */

/* Returns true if this value of sync_action means that an array works in the background. */
static bool finding_runs(const char *action)
{
    return action && strcmp(action, "idle") != 0 && strcmp(action, "frozen") != 0;
}

/* Adds "a check runs, 9.7 % done". */
static void add_action(struct text *out, const struct finding_fact *f, const char *action)
{
    const struct inventory_fact *progress = fact_beside(f, "sync_progress");
    char cut[80];
    /* md's name of a rebuild is "recover" */
    const char *words = !strcmp(action, "recover")  ? "rebuild"
                        : !strcmp(action, "resync") ? "resynchronisation"
                                                    : action;
    text_addf(out, "a %s runs", layout_shorten(cut, sizeof cut, words, 20));
    if (!progress)
        return;
    text_add(out, ", ");
    add_fact(out, progress);
    text_add(out, " done");
}

/* Adds "a check runs, 9.7 % done, and takes its share of what the disks can do". */
static void finding_add_action(struct text *out, const struct finding_fact *f)
{
    add_action(out, f, f->fact->value);
    text_add(out, ", and takes its share of what the disks can do");
}

/* Adds "members missing: 1; a rebuild runs, 9.7 % done, and takes its share of ...". */
static void finding_add_members(struct text *out, const struct finding_fact *f)
{
    const char *action = inventory_value(f->inventory, f->node, "sync_action");
    finding_add_value(out, f);
    if (!finding_runs(action))
        return;
    text_add(out, "; ");
    add_action(out, f, action);
    text_add(out, ", and takes its share of what the disks can do");
}

/* ---- fans ---- */

/* Adds "fan2 (CPU): 0 rpm, its minimum is 300 rpm". */
static void finding_add_fan(struct text *out, const struct finding_fact *f)
{
    char fan[64], key[80];
    snprintf(fan, sizeof fan, "%.40s", f->fact->key);
    fan[strcspn(fan, "_")] = '\0';
    snprintf(key, sizeof key, "%s_label", fan);
    const struct inventory_fact *label = fact_beside(f, key);
    snprintf(key, sizeof key, "%s_min", fan);
    const struct inventory_fact *min = fact_beside(f, key), *now = fact_beside(f, fan);
    text_add(out, fan);
    if (label) {
        text_add(out, " (");
        add_fact(out, label);
        text_add(out, ")");
    }
    text_addf(out, ": %s", f->words);
    if (now)
        add_fact(out, now);
    if (now && min) {
        text_add(out, ", its minimum is ");
        add_fact(out, min);
    }
}

/* ---- errors ---- */

/* Adds "corrected PCIe errors: 875; its port 0000:40:01.2: 12". */
static void finding_add_errors(struct text *out, const struct finding_fact *f)
{
    const struct inventory *v = f->inventory;
    int port = v->nodes[f->node].parent;
    bool has_link = inventory_value(v, f->node, "negotiated") && port != INVENTORY_NONE &&
                    v->nodes[port].kind == NODE_PCI_BRIDGE;
    const struct inventory_fact *other = has_link ? inventory_fact(v, port, f->fact->key) : NULL;
    finding_add_value(out, f);
    if (!other || other->status != FACT_OK || !(strtod(other->value, NULL) > 0))
        return;
    text_addf(out, "; its port %s: ", v->nodes[port].name);
    add_fact(out, other);
}

static const struct finding finding_rows[] = {
    {ANY_KIND, "degraded", WHEN_IS, "yes", DEGRADED, finding_add_link, ""},
    {ANY_KIND, "degraded", WHEN_IS, "unknown", UNJUDGED, finding_add_unjudged, ""},
    {NODE_RAID, "degraded_members", WHEN_SOME, "", DEGRADED, finding_add_members,
     "members missing: "},
    {NODE_NVME, "health", WHEN_IS_NOT, "good", HEALTH, finding_add_value, "health: "},
    {NODE_NVME, "state", WHEN_IS_NOT, "live", HEALTH, finding_add_value, "controller state: "},
    {NODE_NVME, "media_errors", WHEN_SOME, "", HEALTH, finding_add_value, "media errors: "},
    {NODE_DISK, "health", WHEN_IS_NOT, "good", HEALTH, finding_add_value, "health: "},
    {NODE_DISK, "pending_sectors", WHEN_SOME, "", HEALTH, finding_add_value,
     "sectors that it could not read and waits to replace: "},
    {NODE_DISK, "reported_uncorrectable", WHEN_SOME, "", HEALTH, finding_add_value,
     "errors that it could not correct: "},
    {NODE_DISK, "write_uncorrectable", WHEN_SOME, "", HEALTH, finding_add_value,
     "errors of writes that it could not correct: "},
    {NODE_DISK, "verify_uncorrectable", WHEN_SOME, "", HEALTH, finding_add_value,
     "errors of verifying that it could not correct: "},
    {NODE_DISK, "offline_uncorrectable", WHEN_SOME, "", HEALTH, finding_add_value,
     "sectors that its own tests could not read: "},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_critical", TOO_HOT, finding_add_limit,
     "critical temperature"},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_warning", HOT, finding_add_limit,
     "warning temperature"},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_max", HOT, finding_add_limit,
     "highest permitted temperature"},
    {NODE_SENSOR, "fan#", WHEN_BELOW, "_min", FAN, finding_add_fan, ""},
    {NODE_SENSOR, "fan#_alarm", WHEN_IS, "yes", FAN, finding_add_fan, "alarm; "},
    {NODE_RAID, "sync_action", WHEN_RUNS, "", BUSY, finding_add_action, ""},
    {NODE_MACHINE, "on_battery", WHEN_IS, "yes", BATTERY, finding_add_value,
     "runs on its battery, where processors and links may be slower"},
    {ANY_KIND, "limited_by", WHEN_BEGINS, "the port", LIMITED, finding_add_value, ""},
    {NODE_BOND, "limited_by", WHEN_BEGINS, "the members", LIMITED, finding_add_value, ""},
    {NODE_NETWORK, "duplex", WHEN_IS, "half", LIMITED, finding_add_value, "duplex is "},
    {NODE_CPU, "core_throttle_count", WHEN_SOME, "", THROTTLED, finding_add_value,
     "cores were slowed down for their heat since boot, times: "},
    {NODE_CPU, "package_throttle_count", WHEN_SOME, "", THROTTLED, finding_add_value,
     "sockets were slowed down for their heat since boot, times: "},
    {NODE_MEMORY, "edac_uncorrectable", WHEN_SOME, "", FAULTS, finding_add_value,
     "uncorrectable memory errors: "},
    {NODE_MEMORY, "edac_correctable", WHEN_SOME, "", ERRORS, finding_add_value,
     "corrected memory errors: "},
    {NODE_MEMORY, "channels_empty", WHEN_IS_NOT, "", LIMITED, finding_add_value,
     "channels without a memory module: "},
    {NODE_MEMORY, "channels_unequal", WHEN_IS_NOT, "", LIMITED, finding_add_value,
     "channels with fewer memory modules than others: "},
    {NODE_MEMORY, "modules_slower", WHEN_IS_NOT, "", LIMITED, finding_add_value,
     "memory modules slower than they can be: "},
    {NODE_MEMORY, "modules_mixed", WHEN_IS_NOT, "", LIMITED, finding_add_value,
     "different memory modules: "},
    {NODE_MEMORY, "interleaving", WHEN_IS, "off", LIMITED, finding_add_value,
     "modules are not interleaved, so that one at a time is used: interleaving is "},
    {ANY_KIND, "aer_fatal", WHEN_SOME, "", FAULTS, finding_add_errors, "fatal PCIe errors: "},
    {ANY_KIND, "aer_nonfatal", WHEN_SOME, "", FAULTS, finding_add_errors,
     "non-fatal PCIe errors: "},
    {ANY_KIND, "aer_correctable", WHEN_SOME, "", ERRORS, finding_add_errors,
     "corrected PCIe errors: "},
    {ANY_KIND, "invalid_dword_count", WHEN_SOME, "", ERRORS, finding_add_value,
     "invalid words on the SAS link: "},
    {ANY_KIND, "running_disparity_error_count", WHEN_SOME, "", ERRORS, finding_add_value,
     "disparity errors on the SAS link: "},
    {ANY_KIND, "loss_of_dword_sync_count", WHEN_SOME, "", ERRORS, finding_add_value,
     "losses of synchronisation on the SAS link: "},
    {ANY_KIND, "phy_reset_problem_count", WHEN_SOME, "", ERRORS, finding_add_value,
     "failed resets of the SAS link: "},
};

static const size_t finding_count = sizeof finding_rows / sizeof *finding_rows;

/* ---- whether a row applies ---- */

static bool key_matches(const char *pattern, const char *key)
{
    for (; *pattern; pattern++) {
        if (*pattern != '#' && *pattern != *key++)
            return false;
        if (*pattern != '#')
            continue;
        if (!isdigit((unsigned char)*key))
            return false;
        while (isdigit((unsigned char)*key))
            key++;
    }
    return !*key;
}

static bool is_of_kind(const struct finding *finding, const struct inventory *v, int node)
{
    return finding->kind == ANY_KIND || (int)v->nodes[node].kind == finding->kind;
}

/* Returns false if the row cannot apply to any fact of the node. This is a quick test, which avoids
   a search through the facts of most nodes. */
static bool finding_may_hold(const struct finding *finding, const struct inventory *v, int node)
{
    return is_of_kind(finding, v, node) &&
           (strchr(finding->key, '#') || inventory_fact(v, node, finding->key));
}

/* finding_holds returns true if the row applies to this fact; finding_of_node, if it applies to the
   node's first fact with the row's key. */
static bool finding_holds(const struct finding *finding, const struct inventory *v, int node,
                          const struct inventory_fact *fact)
{
    char key[80];
    if (!is_of_kind(finding, v, node) || fact->status != FACT_OK ||
        !key_matches(finding->key, fact->key))
        return false;
    switch (finding->when) {
    case WHEN_IS:
        return !strcmp(fact->value, finding->than);
    case WHEN_IS_NOT:
        return strcmp(fact->value, finding->than) != 0;
    case WHEN_SOME:
        return strtod(fact->value, NULL) > 0;
    case WHEN_BEGINS:
        return !strncmp(fact->value, finding->than, strlen(finding->than));
    case WHEN_REACHES:
        return strtod(fact->value, NULL) >= inventory_number(v, node, finding->than);
    case WHEN_BELOW:
        snprintf(key, sizeof key, "%.60s%s", fact->key, finding->than);
        return strtod(fact->value, NULL) < inventory_number(v, node, key);
    case WHEN_RUNS:
        return finding_runs(fact->value);
    }
    return false;
}

static bool finding_of_node(const struct finding *finding, const struct inventory *v, int node)
{
    const struct inventory_fact *fact = inventory_fact(v, node, finding->key);
    return fact && finding_holds(finding, v, node, fact);
}

/* Returns true if the finding is about the node's link. */
static bool finding_of_link(const struct finding *finding)
{
    return !strcmp(finding->key, "degraded") || !strcmp(finding->key, "limited_by");
}

/* ---- every fault is reported once ---- */

static bool is_wanted(const struct findings_view *w, int node)
{
    return !w->wanted || w->wanted(w->context, w->inventory, node);
}

/* Returns true for the sensor chip of a drive whose temperature is reported for the drive
   itself. */
static bool is_reported_by_device(const struct findings_view *w, int node)
{
    const struct inventory *v = w->inventory;
    if (v->nodes[node].kind != NODE_SENSOR)
        return false;
    for (node = v->nodes[node].parent; node != INVENTORY_NONE; node = v->nodes[node].parent)
        for (size_t i = 0; i < finding_count; i++)
            if (finding_rows[i].when == WHEN_REACHES && is_wanted(w, node) &&
                finding_of_node(&finding_rows[i], v, node))
                return true;
    return false;
}

/* Returns true if degraded_reason of the node's link already names the errors that the fact `key`
   counts. */
static bool reason_names(const struct findings_view *w, int node, const char *key)
{
    const char *reason = inventory_value(w->inventory, node, "degraded_reason");
    return reason && !strcmp(key, "aer_correctable") && strstr(reason, "correctable errors");
}

/* Returns true for a port whose errors are reported with those of the device at the other end of
   its link. */
static bool is_reported_by_other_end(const struct findings_view *w, const struct finding *finding,
                                     int node)
{
    const struct inventory *v = w->inventory;
    if (reason_names(w, node, finding->key))
        return true;
    if (v->nodes[node].kind != NODE_PCI_BRIDGE)
        return false;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling)
        if (is_wanted(w, i) && inventory_value(v, i, "negotiated") &&
            (finding_of_node(finding, v, i) || reason_names(w, i, finding->key)))
            return true;
    return false;
}

/* Returns true if another function of the same card already has this finding, about the link that
   they share. The search stops at the first such function, so that the time does not grow with the
   square of the number of functions. */
static bool is_reported_by_function(const struct findings_view *w, const struct finding *finding,
                                    int node)
{
    const struct inventory *v = w->inventory;
    int parent = v->nodes[node].parent;
    if (parent == INVENTORY_NONE || v->nodes[parent].kind != NODE_PCI_BRIDGE ||
        !inventory_value(v, node, "capable"))
        return false;
    for (int i = v->nodes[parent].first_child; i != node; i = v->nodes[i].next_sibling)
        if (fact_share_link(v, i, node) && is_wanted(w, i) && finding_of_node(finding, v, i))
            return true;
    return false;
}

static bool is_reported_elsewhere(const struct findings_view *w, const struct finding *finding,
                                  int node, const struct inventory_fact *fact)
{
    if (finding->when == WHEN_REACHES && is_reported_by_device(w, node))
        return true;
    if (finding->add == finding_add_errors && is_reported_by_other_end(w, finding, node))
        return true;
    if (finding_of_link(finding) && is_reported_by_function(w, finding, node))
        return true;
    if (finding->when == WHEN_RUNS && inventory_number(w->inventory, node, "degraded_members") > 0)
        return true;
    /* If several rows apply to a fact, or to facts of one fan, only the first row is reported,
       which is the most severe one. */
    char fan[80];
    snprintf(fan, sizeof fan, "%.*s", (int)strcspn(fact->key, "_"), fact->key);
    const struct inventory_fact *speed = inventory_fact(w->inventory, node, fan);
    for (const struct finding *f = finding_rows; f < finding; f++)
        if (finding_holds(f, w->inventory, node, fact) ||
            (f->when == WHEN_BELOW && speed && finding_holds(f, w->inventory, node, speed)))
            return true;
    return false;
}

/* ---- printing ---- */

/* Prints the paragraphs of one row of the table. Returns the number of facts that the row applies
   to. */
static size_t print_findings_of_row(const struct findings_view *w, const struct finding *finding,
                                    struct document *out)
{
    const struct inventory *v = w->inventory;
    size_t count = 0;
    for (int node = 0; node < v->node_count; node++) {
        if (!finding_may_hold(finding, v, node) || !is_wanted(w, node))
            continue;
        for (int f = v->nodes[node].first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
            const struct inventory_fact *fact = &v->facts[f];
            if (!finding_holds(finding, v, node, fact) ||
                is_reported_elsewhere(w, finding, node, fact))
                continue;
            if (count++ >= FINDINGS_OF_A_KIND && !w->all)
                continue;
            const struct finding_fact found = {v, node, fact, finding->words, finding->than};
            struct text words = {0};
            fact_add_node(&words, v, node, finding_of_link(finding));
            text_add(&words, ": ");
            finding->add(&words, &found);
            document_paragraph_from(out, finding->lead, finding->tone, &words);
        }
    }
    return count;
}

size_t findings_print(const struct findings_view *w, struct document *out)
{
    size_t all = 0;
    for (size_t i = 0; i < finding_count; i++) {
        size_t count = print_findings_of_row(w, &finding_rows[i], out);
        if (count > FINDINGS_OF_A_KIND && !w->all)
            document_line(out, "%*sand %zu more like it%s", (int)strlen(finding_rows[i].lead), "",
                          count - FINDINGS_OF_A_KIND, w->rest);
        all += count;
    }
    return all;
}

bool findings_of_link(const struct inventory *v, int node)
{
    for (size_t i = 0; i < finding_count; i++)
        if (finding_of_link(&finding_rows[i]) && finding_of_node(&finding_rows[i], v, node))
            return true;
    return false;
}
