/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target that is the address of a host: resolved before the first connection, reported after the
   last one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run/session/internal.h"

int session_find_peer(struct session *s, struct err *e)
{
    const struct net_address *first = &s->peer.addresses.list[0];
    if (!strcmp(s->contents.plan.target, "."))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s needs the host where cupel serve runs: --net HOST[:PORT]",
                       s->contents.plan.engine);
    session_show(s, "looking for the host");
    if (net_peer_find(&s->peer, s->contents.plan.target, e) || net_peer_settle(&s->peer, e))
        return -1;
    net_address_text(first, s->peer_number);
    s->peer_is_own = net_address_is_own(first);
    if (s->peer_is_own)
        contents_note(&s->contents, true,
                      "%.60s is this machine itself: packets go through its memory, and no "
                      "network is measured",
                      s->target.path);
    return 0;
}

struct hardware_target session_hardware_target(const struct session *s)
{
    return (struct hardware_target){
        .device = s->target.device,
        .file = s->target.fd >= 0 ? s->target.path : NULL,
        .host = {.address = s->peer.addresses.count ? s->peer_number : NULL,
                 .interface = s->peer_is_own ? "lo" : NULL}};
}

static void fact(struct session *s, const char *key, const char *value)
{
    facts_add(&s->contents.settings, "network", key, value, "", "", FACT_OK);
}

void session_settings_of_peer(struct session *s)
{
    char text[NET_ADDRESS_TEXT + 40];
    const struct net_address *first = &s->peer.addresses.list[0];
    snprintf(text, sizeof text, "%s port %u%s", s->peer_number, net_address_port(first),
             s->peer_is_own ? ", this machine itself" : "");
    fact(s, "far end", text);
    fact(s, "a read", "the far end sends so many bytes");
    fact(s, "a write", "this end sends so many bytes, the far end acknowledges the last");
    fact(s, "latency", "by this machine's clock alone, from the request to its completion here");
}

/* Adds up all connections; of the round trips it keeps the longest one, and the shortest ever. */
static struct io_link all_links(const struct group *g)
{
    struct io_link all = g->workers[0].backend.link;
    for (unsigned i = 1; i < g->count; i++) {
        const struct io_link *one = &g->workers[i].backend.link;
        all.sent += one->sent;
        all.resent += one->resent;
        all.far_sent += one->far_sent;
        all.far_resent += one->far_resent;
        if (one->rtt_us > all.rtt_us)
            all.rtt_us = one->rtt_us;
        if (one->rtt_min_us < all.rtt_min_us)
            all.rtt_min_us = one->rtt_min_us;
        if (one->window < all.window)
            all.window = one->window;
        all.answered &= one->answered;
        all.agrees &= one->agrees;
    }
    return all;
}

/* Segments that were sent again are the network's fault, and cost both rate and latency. */
#define RESENT_SHARE 1e-4 /* a larger share is a warning */
static void note_resent(struct session *s, const char *end, uint32_t resent, uint32_t sent)
{
    char text[80], key[40];
    snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " segments", resent, sent);
    snprintf(key, sizeof key, "sent again by %s", end);
    fact(s, key, text);
    if (resent)
        contents_note(&s->contents, resent > RESENT_SHARE * sent,
                      "%s sent %s again (retransmissions): the network lost them or was late", end,
                      text);
}

void session_note_links(struct session *s)
{
    const struct io_link all = all_links(&s->group);
    char text[120];
    if (s->stuck) /* the workers still have their connections */
        return;
    snprintf(text, sizeof text, "%.3f ms at the end, %.3f ms at the least (TCP_INFO)",
             all.rtt_us * 1e-3, all.rtt_min_us * 1e-3);
    fact(s, "round trip", text);
    snprintf(text, sizeof text, "%.15s, window %" PRIu32 " segments of %" PRIu32 " bytes",
             all.algorithm, all.window, all.segment);
    fact(s, "congestion control", text);
    note_resent(s, "this end", all.resent, all.sent);
    if (!all.answered) {
        fact(s, "far end's counts", "not known: it did not answer at the end");
        return;
    }
    note_resent(s, "the far end", all.far_resent, all.far_sent);
    fact(s, "far end's counts", all.agrees ? "the same as here" : "other than here");
    if (!all.agrees)
        contents_note(&s->contents, true,
                      "the far end counted other requests or bytes than this end: one of them is "
                      "wrong, and so may the result be");
}
