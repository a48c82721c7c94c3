/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/run/serve share. */
#ifndef CUPEL_RUN_SERVE_INTERNAL_H
#define CUPEL_RUN_SERVE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/net/message.h"
#include "run/serve/serve.h"

/* The data for reads: the same bytes again and again, which do not compress. */
#define SERVE_PATTERN_BYTES (256u << 10)

/* ---- connection.c: one connection, from its hello to its end ---- */

struct connection {
    int fd;
    int cpu; /* processor of its thread; -1: any */
    const struct serve_request *request;
    const unsigned char *pattern; /* [SERVE_PATTERN_BYTES] */
    unsigned char *received;      /* [SERVE_PATTERN_BYTES], owned by the connection */
    const atomic_bool *over;      /* the server is ending: no further request is awaited */

    struct net_hello hello; /* from the peer */
    struct net_summary seen;
    char trouble[80];
};

/* Reads the hello and answers it; with `full` the answer is a refusal. Returns false if there is no
   session; `trouble` then has the reason, or is "" if the peer left before its first byte. */
bool connection_greet(struct connection *c, bool full);

/* Executes requests until the peer ends the connection or it breaks. */
void connection_serve(struct connection *c);

#endif
