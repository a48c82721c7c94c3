/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which facts are findings: a table, and one paragraph for each fact that a row of it holds of. */
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fact_words.h"
#include "report/layout.h"

enum finding_when {
    WHEN_IS,      /* the value is `than` */
    WHEN_IS_NOT,  /* there is a value and it is another one */
    WHEN_SOME,    /* a number above 0 */
    WHEN_BEGINS,  /* the value begins with `than` */
    WHEN_REACHES, /* at or above the node's own number `than` */
};

enum { ANY_KIND = NODE_KINDS };

struct finding {
    int kind;
    const char *key;
    enum finding_when when;
    const char *than;
    const char *lead;
    enum tone tone;
    const char *words; /* and the value when they end in a blank; NULL: the link in words */
};

static const struct finding findings[] = {
    {ANY_KIND, "degraded", WHEN_IS, "yes", "DEGRADED  ", TONE_RED, NULL},
    {NODE_RAID, "degraded_members", WHEN_SOME, "", "DEGRADED  ", TONE_RED, "members missing: "},
    {NODE_NVME, "health", WHEN_IS_NOT, "good", "HEALTH    ", TONE_RED, "health: "},
    {NODE_NVME, "state", WHEN_IS_NOT, "live", "HEALTH    ", TONE_RED, "controller state: "},
    {NODE_NVME, "media_errors", WHEN_SOME, "", "HEALTH    ", TONE_RED, "media errors: "},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_critical", "TOO HOT   ", TONE_RED,
     "at or above its critical temperature: "},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_warning", "HOT       ", TONE_YELLOW,
     "at or above its warning temperature: "},
    {ANY_KIND, "temperature", WHEN_REACHES, "temperature_max", "HOT       ", TONE_YELLOW,
     "at or above its highest permitted temperature: "},
    {NODE_MACHINE, "on_battery", WHEN_IS, "yes", "BATTERY   ", TONE_YELLOW,
     "runs on its battery, where processors and links may be slower"},
    {ANY_KIND, "limited_by", WHEN_BEGINS, "the port", "LIMITED   ", TONE_YELLOW, ""},
    {NODE_NETWORK, "duplex", WHEN_IS, "half", "LIMITED   ", TONE_YELLOW, "duplex is "},
    {NODE_CPU, "core_throttle_count", WHEN_SOME, "", "THROTTLED ", TONE_YELLOW,
     "cores were slowed down for their heat since boot, times: "},
    {NODE_CPU, "package_throttle_count", WHEN_SOME, "", "THROTTLED ", TONE_YELLOW,
     "sockets were slowed down for their heat since boot, times: "},
    {NODE_MEMORY, "edac_uncorrectable", WHEN_SOME, "", "ERRORS    ", TONE_RED,
     "uncorrectable memory errors: "},
    {NODE_MEMORY, "edac_correctable", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "corrected memory errors: "},
    {ANY_KIND, "aer_fatal", WHEN_SOME, "", "ERRORS    ", TONE_RED, "fatal PCIe errors: "},
    {ANY_KIND, "aer_nonfatal", WHEN_SOME, "", "ERRORS    ", TONE_RED, "non-fatal PCIe errors: "},
    {ANY_KIND, "aer_correctable", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "corrected PCIe errors: "},
    {ANY_KIND, "invalid_dword_count", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "invalid words on the SAS link: "},
    {ANY_KIND, "running_disparity_error_count", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "disparity errors on the SAS link: "},
    {ANY_KIND, "loss_of_dword_sync_count", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "losses of synchronisation on the SAS link: "},
    {ANY_KIND, "phy_reset_problem_count", WHEN_SOME, "", "ERRORS    ", TONE_YELLOW,
     "failed resets of the SAS link: "},
};

static bool holds(const struct finding *finding, const struct inventory *v, int node,
                  const struct inventory_fact *fact)
{
    double value = strtod(fact->value, NULL);
    switch (finding->when) {
    case WHEN_IS:
        return !strcmp(fact->value, finding->than);
    case WHEN_IS_NOT:
        return strcmp(fact->value, finding->than) != 0;
    case WHEN_SOME:
        return value > 0;
    case WHEN_BEGINS:
        return !strncmp(fact->value, finding->than, strlen(finding->than));
    case WHEN_REACHES:
        return value >= inventory_number(v, node, finding->than);
    }
    return false;
}

/* "(3.55 of 7.09 GB/s)" as two rates, when both are known. */
static void add_rates(struct text *out, const struct inventory *v, int node)
{
    const struct inventory_fact *now = inventory_fact(v, node, "limit");
    const struct inventory_fact *possible = inventory_fact(v, node, "limit_capable");
    if (!now || !possible || now->status != FACT_OK || possible->status != FACT_OK)
        return;
    text_add(out, ": ");
    fact_add_value(out, now->value, now->unit);
    text_add(out, " of ");
    fact_add_value(out, possible->value, possible->unit);
}

static void add_link(struct text *out, const struct inventory *v, int node)
{
    const char *negotiated = inventory_value(v, node, "negotiated");
    const char *capable = inventory_value(v, node, "capable");
    const char *reason = inventory_value(v, node, "degraded_reason");
    text_addf(out, "%s, both ends can %s", negotiated ? negotiated : "no link",
              capable ? capable : "more");
    add_rates(out, v, node);
    if (reason)
        text_addf(out, "; %s", reason);
}

static void print_finding(const struct finding *finding, const struct inventory *v, int node,
                          const struct inventory_fact *fact, const struct report_style *style,
                          struct text *out)
{
    struct text words = {0};
    fact_add_node(&words, v, node);
    text_add(&words, ": ");
    if (finding->words) {
        text_add(&words, finding->words);
        if (words.length > 0 && words.data[words.length - 1] == ' ')
            fact_add_value(&words, fact->value, fact->unit);
    } else {
        add_link(&words, v, node);
    }
    layout_paragraph(out, style, finding->lead, finding->tone, layout_string(&words));
    out->failed = out->failed || words.failed;
    text_free(&words);
}

/* Of a node's limits of the same key only the gravest is told. */
static bool is_told_before(const struct finding *finding, const struct inventory *v, int node,
                           const struct inventory_fact *fact)
{
    for (const struct finding *f = findings; f < finding; f++)
        if (f->kind == ANY_KIND && !strcmp(f->key, fact->key) && holds(f, v, node, fact))
            return true;
    return false;
}

bool findings_of_link(const struct inventory *v, int node)
{
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        const struct finding *finding = &findings[i];
        const struct inventory_fact *fact = inventory_fact(v, node, finding->key);
        bool link = !strcmp(finding->key, "degraded") || !strcmp(finding->key, "limited_by");
        if (link && fact && fact->status == FACT_OK && holds(finding, v, node, fact))
            return true;
    }
    return false;
}

size_t findings_print(const struct inventory *v, findings_wanted *wanted, const void *context,
                      const struct report_style *style, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        const struct finding *finding = &findings[i];
        for (int node = 0; node < v->node_count; node++) {
            if (finding->kind != ANY_KIND && (int)v->nodes[node].kind != finding->kind)
                continue;
            if (wanted && !wanted(context, v, node))
                continue;
            for (int f = v->nodes[node].first_fact; f != INVENTORY_NONE; f = v->facts[f].next) {
                const struct inventory_fact *fact = &v->facts[f];
                if (fact->status != FACT_OK || strcmp(fact->key, finding->key) != 0 ||
                    !holds(finding, v, node, fact) || is_told_before(finding, v, node, fact))
                    continue;
                print_finding(finding, v, node, fact, style, out);
                count++;
            }
        }
    }
    return count;
}
