/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handles a target that is the address of a host: it is resolved before the first connection, and
   reported after the last one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/net/address.h"
#include "run/session/running.h"

struct far_end {
    struct net_peer peer;
    char address[NET_ADDRESS_TEXT];
    bool is_own; /* the peer is this machine */
};

static struct far_end *far_end_of(const struct session *s)
{
    return s->own[SESSION_PART_NETWORK];
}

static int find_peer(struct session *s, struct err *e)
{
    struct far_end *own = far_end_of(s);
    const struct net_address *first = &own->peer.addresses.list[0];
    if (!s->ops->connects)
        return 0;
    if (!strcmp(s->contents.plan.target, "."))
        return err_set(e, ERR_USAGE,
                       "--ioengine %s needs the host where cupel serve runs: --net HOST[:PORT]",
                       s->contents.plan.engine);
    session_show(s, "looking for the host");
    if (net_peer_find(&own->peer, s->contents.plan.target, e) || net_peer_settle(&own->peer, e))
        return -1;
    net_address_text(first, own->address);
    own->is_own = net_address_is_own(first);
    s->path_begin.host.address = own->address;
    s->path_begin.host.interface = own->is_own ? "lo" : NULL;
    if (own->is_own)
        contents_note(&s->contents, true,
                      "%.60s is this machine itself: packets go through its memory, and no "
                      "network is measured",
                      s->target.path);
    return 0;
}

static void start(struct session *s)
{
    const struct far_end *own = far_end_of(s);
    if (!s->ops->connects)
        return;
    session_setting(s, "network", "far end", "%s port %u%s", own->address,
                    net_address_port(&own->peer.addresses.list[0]),
                    own->is_own ? ", this machine itself" : "");
    session_setting(s, "network", "a read", "the far end sends so many bytes");
    session_setting(s, "network", "a write",
                    "this end sends so many bytes, the far end acknowledges the last");
    session_setting(s, "network", "latency",
                    "by this machine's clock alone, from the request to its completion here");
}

/* Combines the states of all connections: adds their segments, and keeps the longest round trip,
   the shortest minimum of round trips and the smallest window. */
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

/* Reports segments that were sent again: this is the network's fault, and costs both rate and
   latency. */
#define RESENT_SHARE 1e-4 /* a larger share gives a warning */
static void note_resent(struct session *s, const char *end, uint32_t resent, uint32_t sent)
{
    char text[80], key[40];
    snprintf(text, sizeof text, "%" PRIu32 " of %" PRIu32 " segments", resent, sent);
    snprintf(key, sizeof key, "sent again by %s", end);
    session_setting(s, "network", key, "%s", text);
    if (resent)
        contents_note(&s->contents, resent > RESENT_SHARE * sent,
                      "%s sent %s again (retransmissions): the network lost them or was late", end,
                      text);
}

static void after(struct session *s)
{
    if (!s->ops->connects)
        return;
    const struct io_link all = all_links(&s->group);
    char text[120];
    snprintf(text, sizeof text, "%.3f ms at the end, %.3f ms at the least (TCP_INFO)",
             all.rtt_us * 1e-3, all.rtt_min_us * 1e-3);
    session_setting(s, "network", "round trip", "%s", text);
    snprintf(text, sizeof text, "%.15s, window %" PRIu32 " segments of %" PRIu32 " bytes",
             all.algorithm, all.window, all.segment);
    session_setting(s, "network", "congestion control", "%s", text);
    note_resent(s, "this end", all.resent, all.sent);
    if (!all.answered) {
        session_setting(s, "network", "far end's counts",
                        "not known: it did not answer at the end");
        return;
    }
    note_resent(s, "the far end", all.far_resent, all.far_sent);
    session_setting(s, "network", "far end's counts",
                    all.agrees ? "the same as here" : "other than here");
    if (!all.agrees)
        contents_note(&s->contents, true,
                      "the far end counted other requests or bytes than this end: one of them is "
                      "wrong, and so may the result be");
}

static void set_up(struct session *s, struct group_setup *setup)
{
    setup->peer = s->ops->connects ? &far_end_of(s)->peer : NULL;
}

const struct session_part part_network = {.bytes = sizeof(struct far_end),
                                          .prepare[AT_TARGET] = find_peer,
                                          .set_up = set_up,
                                          .on[ON_START] = start,
                                          .of_workers = true,
                                          .after = after};
