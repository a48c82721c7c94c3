/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The serving end of `cupel run --net`: takes connections, and does what their requests ask for
 * with memory of its own. It opens no file, runs no command and keeps nothing.
 *
 * The calling thread accepts; each connection has a thread, pinned to a processor. What a peer says
 * allocates nothing: a connection's memory is taken when it comes, and there are no more of them
 * than asked for.
 */
#ifndef CUPEL_SERVE_SERVE_H
#define CUPEL_SERVE_SERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/net/message.h"
#include "run/plan/plan.h"

/* What was seen of one session: all its connections, from the first to the last. */
struct serve_session {
    char peer[64]; /* its address */
    unsigned connections;
    double seconds;
    struct net_summary seen;
    char trouble[80]; /* how it ended, if not by its own end; or "" */
};

struct serve_request {
    const char *address;     /* [ADDRESS][:PORT], net_addresses_find */
    double seconds;          /* to serve; 0: until stop */
    uint32_t connections;    /* at the same time, at most SERVE_CONNECTIONS_MAX */
    uint32_t length;         /* bytes of the longest request */
    bool spins;              /* wait for requests by polling */
    const struct plan *plan; /* its processors: placement.h */
    const volatile sig_atomic_t *stop;
    void (*listening)(void *context, const char *address, unsigned port); /* it does, from now on */
    void (*ended)(void *context, const struct serve_session *session);    /* one call at a time */
    void *context;
};

#define SERVE_CONNECTIONS_MAX 1024

/* Serves, until the time or `stop` has come. ERR_USAGE: no such address; ERR_MACHINE: it cannot
   listen there. */
int serve_run(const struct serve_request *request, struct err *e);

#endif
