/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which facts are findings: a table, and one paragraph for each fact that a row of it holds of. */
#include "report/findings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fact_words.h"
#include "report/finding_words.h"
#include "report/layout.h"

enum finding_when {
    WHEN_IS,      /* the value is `than` */
    WHEN_IS_NOT,  /* there is a value and it is another one */
    WHEN_SOME,    /* a number above 0 */
    WHEN_BEGINS,  /* the value begins with `than` */
    WHEN_REACHES, /* at or above the node's own number `than` */
    WHEN_BELOW,   /* below the number whose key has `than` behind this one's */
    WHEN_RUNS,    /* an array at work in the background */
};

enum { ANY_KIND = NODE_KINDS };

typedef void finding_words(struct text *out, const struct finding_fact *f);

struct finding {
    int kind;
    const char *key; /* '#' stands for digits */
    enum finding_when when;
    const char *than;
    const char *lead;
    enum tone tone;
    finding_words *add;
    const char *words;
};

#define DEGRADED  "DEGRADED  ", TONE_RED
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

static const struct finding findings[] = {
    {ANY_KIND, "degraded", WHEN_IS, "yes", DEGRADED, finding_add_link, ""},
    {NODE_RAID, "degraded_members", WHEN_SOME, "", DEGRADED, finding_add_members,
     "members missing: "},
    {NODE_NVME, "health", WHEN_IS_NOT, "good", HEALTH, finding_add_value, "health: "},
    {NODE_NVME, "state", WHEN_IS_NOT, "live", HEALTH, finding_add_value, "controller state: "},
    {NODE_NVME, "media_errors", WHEN_SOME, "", HEALTH, finding_add_value, "media errors: "},
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

enum { FINDINGS = sizeof findings / sizeof *findings };

/* ---- does a row hold? ---- */

static bool is_key(const char *pattern, const char *key)
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

static bool is_below(const struct inventory *v, int node, const struct inventory_fact *fact,
                     const char *ending)
{
    char key[80];
    snprintf(key, sizeof key, "%.60s%s", fact->key, ending);
    return strtod(fact->value, NULL) < inventory_number(v, node, key);
}

static bool holds(const struct finding *finding, const struct inventory *v, int node,
                  const struct inventory_fact *fact)
{
    if ((finding->kind != ANY_KIND && (int)v->nodes[node].kind != finding->kind) ||
        fact->status != FACT_OK || !is_key(finding->key, fact->key))
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
        return is_below(v, node, fact, finding->than);
    case WHEN_RUNS:
        return finding_runs(fact->value);
    }
    return false;
}

static bool node_has(const struct finding *finding, const struct inventory *v, int node)
{
    const struct inventory_fact *fact = inventory_fact(v, node, finding->key);
    return fact && holds(finding, v, node, fact);
}

static bool is_of_link(const struct finding *finding)
{
    return !strcmp(finding->key, "degraded") || !strcmp(finding->key, "limited_by");
}

bool findings_of_link(const struct inventory *v, int node)
{
    for (size_t i = 0; i < FINDINGS; i++)
        if (is_of_link(&findings[i]) && node_has(&findings[i], v, node))
            return true;
    return false;
}

/* ---- one fault is told once ---- */

/* The nodes that are looked at. */
struct view {
    const struct inventory *inventory;
    findings_wanted *wanted;
    const void *context;
};

static bool is_wanted(const struct view *w, int node)
{
    return !w->wanted || w->wanted(w->context, w->inventory, node);
}

static bool is_hot(const struct view *w, int node)
{
    for (size_t i = 0; i < FINDINGS; i++)
        if (findings[i].when == WHEN_REACHES && node_has(&findings[i], w->inventory, node))
            return is_wanted(w, node);
    return false;
}

/* What a sensor chip says of a drive, the drive says too. */
static bool is_told_of_device(const struct view *w, int node)
{
    const struct inventory *v = w->inventory;
    if (v->nodes[node].kind != NODE_SENSOR)
        return false;
    for (node = v->nodes[node].parent; node != INVENTORY_NONE; node = v->nodes[node].parent)
        if (is_hot(w, node))
            return true;
    return false;
}

/* The reason of a link that trained lower has the errors of both its ends. */
static bool reason_tells(const struct view *w, int node, const char *key)
{
    const char *reason = inventory_value(w->inventory, node, "degraded_reason");
    return reason && !strcmp(key, "aer_correctable") && strstr(reason, "correctable errors");
}

/* A port's errors are told with those of the device at the other end of its link. */
static bool is_told_of_other_end(const struct view *w, const struct finding *finding, int node)
{
    const struct inventory *v = w->inventory;
    if (reason_tells(w, node, finding->key))
        return true;
    if (v->nodes[node].kind != NODE_PCI_BRIDGE)
        return false;
    for (int i = v->nodes[node].first_child; i != INVENTORY_NONE; i = v->nodes[i].next_sibling)
        if (is_wanted(w, i) && inventory_value(v, i, "negotiated") &&
            (node_has(finding, v, i) || reason_tells(w, i, finding->key)))
            return true;
    return false;
}

/* The functions of a card tell of its link one by one. */
static bool is_told_of_function(const struct view *w, const struct finding *finding, int node)
{
    for (int i = 0; i < node; i++)
        if (fact_share_link(w->inventory, i, node) && is_wanted(w, i) &&
            node_has(finding, w->inventory, i))
            return true;
    return false;
}

/* Of a node's limits of the same key, and of a fan, only the gravest. */
static bool is_told_before(const struct view *w, const struct finding *finding, int node,
                           const struct inventory_fact *fact)
{
    char fan[80];
    snprintf(fan, sizeof fan, "%.*s", (int)strcspn(fact->key, "_"), fact->key);
    const struct inventory_fact *speed = inventory_fact(w->inventory, node, fan);
    for (const struct finding *f = findings; f < finding; f++)
        if (holds(f, w->inventory, node, fact) ||
            (f->when == WHEN_BELOW && speed && holds(f, w->inventory, node, speed)))
            return true;
    return false;
}

static bool is_told_elsewhere(const struct view *w, const struct finding *finding, int node,
                              const struct inventory_fact *fact)
{
    if (finding->when == WHEN_REACHES && is_told_of_device(w, node))
        return true;
    if (finding->add == finding_add_errors && is_told_of_other_end(w, finding, node))
        return true;
    if (is_of_link(finding) && is_told_of_function(w, finding, node))
        return true;
    if (finding->when == WHEN_RUNS && inventory_number(w->inventory, node, "degraded_members") > 0)
        return true;
    return is_told_before(w, finding, node, fact);
}

/* ---- printing ---- */

static void print_finding(const struct finding *finding, const struct inventory *v, int node,
                          const struct inventory_fact *fact, const struct report_style *style,
                          struct text *out)
{
    const struct finding_fact f = {v, node, fact, finding->words, finding->than};
    struct text words = {0};
    fact_add_node(&words, v, node, is_of_link(finding));
    text_add(&words, ": ");
    finding->add(&words, &f);
    layout_paragraph(out, style, finding->lead, finding->tone, layout_string(&words));
    out->failed = out->failed || words.failed;
    text_free(&words);
}

size_t findings_print(const struct inventory *v, findings_wanted *wanted, const void *context,
                      const struct report_style *style, struct text *out)
{
    const struct view w = {v, wanted, context};
    size_t count = 0;
    for (const struct finding *finding = findings; finding < findings + FINDINGS; finding++) {
        for (int node = 0; node < v->node_count; node++) {
            if (!is_wanted(&w, node))
                continue;
            for (int f = v->nodes[node].first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
                const struct inventory_fact *fact = &v->facts[f];
                if (!holds(finding, v, node, fact) || is_told_elsewhere(&w, finding, node, fact))
                    continue;
                print_finding(finding, v, node, fact, style, out);
                count++;
            }
        }
    }
    return count;
}

bool findings_judge_links(const struct inventory *v)
{
    for (int node = 0; node < v->node_count; node++)
        if (inventory_value(v, node, "degraded"))
            return true;
    return false;
}
