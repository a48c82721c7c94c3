/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Link facts of buses whose links have one rate. */
#include "hw/link_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_TEXT 48

static char *format(char *to, const struct link_ends *link, double bits)
{
    limit_format_bits(to, RATE_TEXT, bits);
    size_t used = strlen(to);
    if (link->rates_are_per_lane && link->lanes > 1)
        snprintf(to + used, RATE_TEXT - used, " x%u", link->lanes);
    return to;
}

static void add_text(struct inventory *v, int node, const char *key, const struct link_ends *link,
                     double bits)
{
    char text[RATE_TEXT];
    if (!isnan(bits))
        inventory_add(v, node, key, format(text, link, bits), "", link->source, FACT_OK);
}

static void add_rate(struct inventory *v, int node, const char *key, double rate,
                     const char *source)
{
    if (!isnan(rate))
        inventory_addf(v, node, key, "bytes/s", source, "%.0f", rate);
}

/* What both ends can; NaN when one of them is not known. */
static double both_can(const struct link_ends *link)
{
    if (isnan(link->port) || isnan(link->device))
        return (double)NAN;
    return link->port < link->device ? link->port : link->device;
}

static void add_degraded(struct inventory *v, int node, const struct link_ends *link,
                         double capable)
{
    char port[RATE_TEXT], device[RATE_TEXT];
    bool device_unknown = isnan(link->device) && !(link->negotiated >= link->port);
    if (device_unknown) {
        inventory_add(v, node, "degraded", "", "", link->source, FACT_ABSENT);
        return;
    }
    bool degraded = link->negotiated < link->device;
    inventory_add(v, node, "degraded", degraded ? "yes" : "no", "", link->source, FACT_OK);
    if (!degraded)
        return;
    format(device, link, link->device);
    if (isnan(link->port))
        inventory_addf(v, node, "degraded_reason", "", link->source,
                       "the %s can %s; what the port can is not known", link->device_word, device);
    else if (!(link->negotiated < capable))
        inventory_addf(v, node, "degraded_reason", "", link->source, "the port can %s, the %s %s",
                       format(port, link, link->port), link->device_word, device);
    else
        inventory_add(v, node, "degraded_reason",
                      link->reason_slower ? link->reason_slower
                                          : "it trained lower than both ends can",
                      "", link->source, FACT_OK);
}

void link_facts_add(struct inventory *v, int node, const struct link_ends *link)
{
    char key[40];
    double capable = both_can(link);
    snprintf(key, sizeof key, "%s_capable", link->device_word);
    add_text(v, node, "port_capable", link, link->port);
    add_text(v, node, key, link, link->device);
    add_text(v, node, "capable", link, capable);
    if (isnan(link->negotiated)) {
        inventory_add(v, node, "negotiated", "", "", link->source, FACT_ABSENT);
        return;
    }
    struct link_rate now = link->limit_negotiated ? *link->limit_negotiated
                                                  : link->limit(link->negotiated, link->lanes);
    add_text(v, node, "negotiated", link, link->negotiated);
    add_rate(v, node, "limit", now.payload, now.source);
    if (!isnan(capable)) {
        struct link_rate best = link->limit(capable, link->lanes);
        add_rate(v, node, "limit_capable", best.payload, best.source);
    }
    add_rate(v, node, "link_rate", now.line, now.source);
    add_degraded(v, node, link, capable);
}
