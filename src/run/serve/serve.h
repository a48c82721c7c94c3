/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The serving end of `cupel run --net`: accepts connections, and executes their requests in its own
 * memory. It opens no file, runs no command and stores nothing.
 *
 * The calling thread accepts; each connection has a thread, pinned to a processor. No message of a
 * peer allocates memory: a connection's memory is allocated when it is accepted, and the number of
 * connections is limited.
 */
#ifndef CUPEL_RUN_SERVE_SERVE_H
#define CUPEL_RUN_SERVE_SERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/net/message.h"
#include "run/plan/plan.h"

/* Statistics of one session: all its connections, from the first to the last. */
struct serve_session {
    char peer[64]; /* its address */
    unsigned connections;
    double seconds;
    struct net_summary seen;
    char trouble[80]; /* why it ended, if the peer did not end it; or "" */
};

struct serve_request {
    const char *address;     /* [ADDRESS][:PORT], in the form of net_addresses_find */
    double seconds;          /* how long to serve; 0: until stop */
    uint32_t connections;    /* maximum at the same time, up to SERVE_CONNECTIONS_MAX */
    uint32_t length;         /* bytes of the longest request */
    bool spins;              /* waits for requests by polling */
    const struct plan *plan; /* its options choose the processors (placement.h) */
    const volatile sig_atomic_t *stop;
    void (*listening)(void *context, const char *address, unsigned port); /* called when the server
                                                                             listens */
    void (*ended)(void *context, const struct serve_session *session);    /* called for one session
                                                                             at a time */
    void *context;
};

#define SERVE_CONNECTIONS_MAX 1024

/* Serves until the time is over or `stop` is set. ERR_USAGE: there is no such address. ERR_MACHINE:
   the server cannot listen at it. */
int serve_run(const struct serve_request *request, struct err *e);

#endif
