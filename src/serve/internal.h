/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/serve share. */
#ifndef CUPEL_SERVE_INTERNAL_H
#define CUPEL_SERVE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/net/message.h"
#include "serve/serve.h"

/* What is sent to those who read: the same bytes again and again, which do not compress. */
#define SERVE_PATTERN_BYTES (256u << 10)

/* ---- connection.c: one connection, from its hello to its end ---- */

struct connection {
    int fd;
    int cpu; /* its thread's; -1: any */
    const struct serve_request *request;
    const unsigned char *pattern; /* SERVE_PATTERN_BYTES */
    unsigned char *received;      /* SERVE_PATTERN_BYTES, its own */
    const atomic_bool *over;      /* all of it: no further request is waited for */

    struct net_hello hello; /* the peer's */
    struct net_summary seen;
    char trouble[80];
};

/* Reads the hello and answers it: `full`, with a refusal. False: there is no session, and `trouble`
   says why; "" where the peer left before its first byte. */
bool connection_greet(struct connection *c, bool full);

/* Does what requests ask for, until the peer ends it or it breaks. */
void connection_serve(struct connection *c);

#endif
