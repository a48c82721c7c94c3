/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the facts of PCI Express links: the maximum of both ends, what was negotiated, whether that
   is lower, and why. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/link/link_limit.h"
#include "hw/pci/pci.h"

#define DISPLAY 0x03 /* base class of display controllers (tables/pci_class.h) */

struct link {
    struct probe *probe;
    int node;
    const struct pci_function *card, *port; /* `port`: NULL when it cannot be seen */
    /* maximum of the link; an end that is not known is assumed to equal the other end */
    struct pci_end can;
    struct pci_end runs;
    char now[96], best[96]; /* source of the facts about `runs`; source of the facts about `can` */
    struct pci_end said;    /* speed and width that `words` shows */
    char words[48];
};

static bool is_known(const struct pci_end *end)
{
    return end->gigatransfers > 0 && end->lanes;
}

static bool is_slower(const struct pci_end *a, const struct pci_end *b)
{
    return a->gigatransfers < b->gigatransfers - 0.01;
}

/* ---- facts ---- */

static void add_end(struct link *l, const char *key, const struct pci_end *end, const char *source)
{
    if (!is_known(end))
        return;
    /* Usually both ends have the same maximum and the link runs at it, so the text of the last
       speed and width is used again. */
    if (end->gigatransfers != l->said.gigatransfers || end->lanes != l->said.lanes)
        limit_format_pcie(l->words, sizeof l->words, end->gigatransfers, end->lanes);
    l->said = *end;
    inventory_add(l->probe->inventory, l->node, key, l->words, NULL, source, FACT_OK);
}

static void add_rate(const struct link *l, const char *key, double rate, const char *source)
{
    if (isfinite(rate))
        inventory_add_number(l->probe->inventory, l->node, key, (uint64_t)llrint(rate), "bytes/s",
                             source);
}

static void add_limits(const struct link *l)
{
    unsigned card = l->card->registers.payload, port = l->port ? l->port->registers.payload : 0;
    unsigned payload = card && (!port || card < port) ? card : port;
    if (is_known(&l->runs)) {
        struct link_rate now = limit_pcie(l->runs.gigatransfers, l->runs.lanes, payload);
        add_rate(l, "limit", now.payload, now.source);
        add_rate(l, "link_rate", now.line, now.source);
    }
    if (is_known(&l->can)) {
        struct link_rate best = limit_pcie(l->can.gigatransfers, l->can.lanes, payload);
        add_rate(l, "limit_capable", best.payload, best.source);
    }
}

/* ---- one end holds the other back ---- */

static void add_limited_by(const struct link *l)
{
    if (!l->port || !is_known(&l->card->can) || !is_known(&l->port->can))
        return;
    const struct pci_end *card = &l->card->can, *port = &l->port->can;
    bool by_port = is_slower(port, card) || port->lanes < card->lanes;
    bool by_card = is_slower(card, port) || card->lanes < port->lanes;
    if (!by_port && !by_card)
        return;
    const struct pci_end *less = by_port ? port : card, *more = by_port ? card : port;
    char low[48], high[48];
    inventory_addf(l->probe->inventory, l->node, "limited_by", NULL, l->best,
                   "the %s: %s, the %s can %s", by_port ? "port" : "card",
                   limit_format_pcie(low, sizeof low, less->gigatransfers, less->lanes),
                   by_port ? "card" : "port",
                   limit_format_pcie(high, sizeof high, more->gigatransfers, more->lanes));
}

/* ---- trained lower ---- */

struct reason {
    char text[400];
    size_t length;
};

__attribute__((format(printf, 3, 4))) static void say(struct reason *r, const char *between,
                                                      const char *format, ...)
{
    size_t room = sizeof r->text - r->length;
    va_list args;
    int length = snprintf(r->text + r->length, room, "%s", r->length ? between : "");
    r->length += length > 0 && (size_t)length < room ? (size_t)length : 0;
    room = sizeof r->text - r->length;
    va_start(args, format);
    length = vsnprintf(r->text + r->length, room, format, args);
    va_end(args);
    r->length += length > 0 && (size_t)length < room ? (size_t)length : 0;
}

static void add_degraded(const struct link *l)
{
    bool slower = is_slower(&l->runs, &l->can), narrower = l->runs.lanes < l->can.lanes;
    struct inventory *v = l->probe->inventory;
    if ((slower || narrower) && !(l->port && is_known(&l->port->can) && is_known(&l->card->can))) {
        /* The end that cannot be seen may be the reason why the link is slower. Only a dump gets
           this fact: elsewhere that end was hidden on purpose. */
        if (l->probe->pci_dump)
            inventory_add(v, l->node, "degraded", "unknown", NULL, l->now, FACT_OK);
        return;
    }
    inventory_add(v, l->node, "degraded", slower || narrower ? "yes" : "no", NULL, l->now, FACT_OK);
    if (!slower && !narrower)
        return;
    struct reason r = {.length = 0};
    if (narrower)
        say(&r, ", ", "%u of %u lanes", l->runs.lanes, l->can.lanes);
    if (slower)
        say(&r, ", ", "%.1f of %.1f GT/s", l->runs.gigatransfers, l->can.gigatransfers);
    double target = l->port->registers.target;
    if (slower && target > 0 && target < l->can.gigatransfers - 0.01)
        say(&r, "; ", "the port is set to %.1f GT/s at most", target);
    /* A sleeping device may run its link at a low speed. */
    char path[PROBE_FOLDER], status[32] = "";
    const char *state = l->card->power_state;
    if (!l->probe->pci_dump) {
        snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/power/runtime_status", l->card->name);
        sysroot_line(l->probe->root, path, status, sizeof status);
    }
    if (!strcmp(status, "suspended") || !strncmp(state, "D3", 2))
        say(&r, "; ", "the card sleeps to save power (%s)", *state ? state : status);
    else if (l->card->class >> 16 == DISPLAY && is_slower(&l->runs, &l->can))
        say(&r, "; ", "display controllers slow down while idle");
    if (l->port->registers.autonomous)
        say(&r, "; ", "the card changed it by itself, not for errors");
    const struct pci_function *ends[] = {l->card, l->port};
    static const char *const names[] = {"card", "port"};
    for (int i = 0; i < 2; i++)
        if (ends[i] && ends[i]->error_status[PCI_ERRORS_CORRECTABLE] == FACT_OK &&
            ends[i]->errors[PCI_ERRORS_CORRECTABLE])
            say(&r, "; ", "the %s counted %llu correctable errors", names[i],
                (unsigned long long)ends[i]->errors[PCI_ERRORS_CORRECTABLE]);
    inventory_add(v, l->node, "degraded_reason", r.text, NULL, l->now, FACT_OK);
}

/* ---- the whole link ---- */

static void name_source(const struct pci_function *card, const char *file, char *to, size_t size)
{
    char folder[64];
    if (card->has_link_files)
        sysroot_join(to, size, sysroot_join(folder, sizeof folder, PCI_FOLDER, card->name), file);
    else
        snprintf(to, size, "%s", card->from_text ? PCI_TEXT_SOURCE : PCI_CONFIG_SOURCE);
}

void pci_link_add(struct probe *p, int node, const struct pci_function *card,
                  const struct pci_function *port, bool shared)
{
    static const struct pci_end nothing = {0, 0};
    const struct pci_end *above = port ? &port->can : &nothing;
    struct link l = {
        .probe = p, .node = node, .card = card, .port = port, .can = card->can, .runs = card->runs};
    if (l.can.gigatransfers <= 0 ||
        (above->gigatransfers > 0 && above->gigatransfers < l.can.gigatransfers))
        l.can.gigatransfers = above->gigatransfers;
    if (!l.can.lanes || (above->lanes && above->lanes < l.can.lanes))
        l.can.lanes = above->lanes;
    name_source(card, "current_link_speed", l.now, sizeof l.now);
    name_source(card, "max_link_speed", l.best, sizeof l.best);
    if (!is_known(&l.runs) && port)
        l.runs = port->runs;
    if (is_known(&l.runs))
        add_end(&l, "negotiated", &l.runs, l.now);
    else
        inventory_add(p->inventory, node, "negotiated", "", NULL, l.now, FACT_ABSENT);
    add_end(&l, "capable", &l.can, l.best);
    add_end(&l, "card_capable", &card->can, l.best);
    add_end(&l, "port_capable", above, l.best);
    add_limits(&l);
    if (shared)
        return;
    if (is_known(&l.runs) && is_known(&l.can))
        add_degraded(&l);
    add_limited_by(&l);
}
