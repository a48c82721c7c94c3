/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of facts that are findings, and the test whether a row applies to a fact. */
#include "report/inventory/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_KIND = NODE_KINDS };

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

const struct finding finding_rows[] = {
    {ANY_KIND, "degraded", WHEN_IS, "yes", DEGRADED, finding_add_link, ""},
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

const size_t finding_count = sizeof finding_rows / sizeof *finding_rows;

/* ---- does a row apply? ---- */

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

bool finding_may_hold(const struct finding *finding, const struct inventory *v, int node)
{
    return is_of_kind(finding, v, node) &&
           (strchr(finding->key, '#') || inventory_fact(v, node, finding->key));
}

bool finding_holds(const struct finding *finding, const struct inventory *v, int node,
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

bool finding_of_node(const struct finding *finding, const struct inventory *v, int node)
{
    const struct inventory_fact *fact = inventory_fact(v, node, finding->key);
    return fact && finding_holds(finding, v, node, fact);
}

bool finding_of_link(const struct finding *finding)
{
    return !strcmp(finding->key, "degraded") || !strcmp(finding->key, "limited_by");
}
