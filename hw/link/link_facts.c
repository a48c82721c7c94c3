/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the link facts of buses whose links have one rate. */
#include "hw/link/link_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE_TEXT 48

bool link_facts_denied(const struct sysroot *root, const char *folder, const char *file)
{
    char path[512], text[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return sysroot_line(root, path, text, sizeof text) == FACT_DENIED;
}

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

void link_facts_add(struct inventory *v, int node, const struct link_ends *link)
{
    char key[40];
    bool both = !isnan(link->port) && !isnan(link->device);
    double capable = both ? fmin(link->port, link->device) : (double)NAN;
    snprintf(key, sizeof key, "%s_capable", link->device_word);
    add_text(v, node, "port_capable", link, link->port);
    add_text(v, node, key, link, link->device);
    add_text(v, node, "capable", link, capable);
    if (isnan(link->negotiated)) {
        inventory_add(v, node, "negotiated", "", "", link->source,
                      link->denied ? FACT_DENIED : FACT_ABSENT);
        return;
    }
    struct link_rate now = link->limit_negotiated ? *link->limit_negotiated
                                                  : link->limit(link->negotiated, link->lanes);
    if (link->negotiated_text)
        inventory_add(v, node, "negotiated", link->negotiated_text, "", link->source, FACT_OK);
    else
        add_text(v, node, "negotiated", link, link->negotiated);
    add_rate(v, node, "limit", now.payload, now.source);
    if (!isnan(capable)) {
        struct link_rate best = link->limit(capable, link->lanes);
        add_rate(v, node, "limit_capable", best.payload, best.source);
    }
    add_rate(v, node, "link_rate", now.line, now.source);
    /* A link that runs at the maximum of either end is not degraded, even if the other end is not
       known. */
    bool degraded = link->negotiated < capable;
    bool full = link->negotiated >= link->port || link->negotiated >= link->device;
    if (degraded || full)
        inventory_add(v, node, "degraded", degraded ? "yes" : "no", "", link->source, FACT_OK);
    if (degraded && link->reason_slower)
        inventory_add(v, node, "degraded_reason", link->reason_slower, "", link->source, FACT_OK);
    char port[RATE_TEXT], device[RATE_TEXT];
    if (link->port < link->device)
        inventory_addf(v, node, "limited_by", "", link->source, "the port: %s, the %s can %s",
                       format(port, link, link->port), link->device_word,
                       format(device, link, link->device));
}
