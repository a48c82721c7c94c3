/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An Ethernet cable for tests: a TAP interface in a network namespace of the test's own, and a
 * thread at its other end that plays the DHCP server, frame by frame. Nothing of it is seen outside
 * the process, and all of it goes with it.
 */
#ifndef TESTS_UNIT_WIRE_H
#define TESTS_UNIT_WIRE_H

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dhcp_server.h"

struct wire {
    /* What the server does; before wire_open. */
    const char *name;
    uint32_t address, netmask, router, server, dns, seconds;
    unsigned ignored; /* messages that are lost before it hears one */
    unsigned refused; /* requests that it answers with DHCPNAK */
    bool is_deaf;
    /* What was on the wire. */
    _Atomic unsigned discovers, requests;
    _Atomic bool came_from_nowhere; /* 0.0.0.0:68 to 255.255.255.255:67, all of them */
    /* Its own. */
    int fd;
    _Atomic bool over;
    pthread_t thread;
};

/* False: this machine or user cannot have one. Before the first thread. */
static inline bool wire_namespace(void)
{
    return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

static inline void wire_put_16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static inline unsigned wire_get_16(const uint8_t *from)
{
    return (unsigned)from[0] << 8 | from[1];
}

/* RFC 1071 */
static inline unsigned wire_checksum(const uint8_t *bytes, size_t length)
{
    unsigned sum = 0;
    for (size_t i = 0; i + 1 < length; i += 2)
        sum += wire_get_16(bytes + i);
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return ~sum & 0xFFFF;
}

enum { WIRE_IP = 14, WIRE_UDP = 34, WIRE_DHCP = 42 };

/* As a broadcast from the server. A UDP checksum of 0 is none (RFC 768). */
static inline void wire_send(struct wire *w, const struct server_answer *a)
{
    uint8_t f[WIRE_DHCP + sizeof a->bytes] = {0};
    size_t length = WIRE_DHCP + a->length;
    memset(f, 0xFF, 6);
    memcpy(f + 6, "\x02\x00\x00\x00\x00\x01\x08\x00\x45", 9);
    wire_put_16(f + WIRE_IP + 2, (unsigned)length - WIRE_IP);
    f[WIRE_IP + 8] = 64;
    f[WIRE_IP + 9] = 17;
    server_put_32(f + WIRE_IP + 12, w->server);
    memset(f + WIRE_IP + 16, 0xFF, 4);
    wire_put_16(f + WIRE_IP + 10, wire_checksum(f + WIRE_IP, 20));
    wire_put_16(f + WIRE_UDP, 67);
    wire_put_16(f + WIRE_UDP + 2, 68);
    wire_put_16(f + WIRE_UDP + 4, (unsigned)length - WIRE_UDP);
    memcpy(f + WIRE_DHCP, a->bytes, a->length);
    (void)!write(w->fd, f, length);
}

static inline void wire_answer(struct wire *w, uint8_t type, const uint8_t *question)
{
    struct server_answer a;
    server_answer_begin(&a, type, server_get_32(question + 4), question + 28,
                        type == 6 ? 0 : w->address);
    server_add_32(&a, 54, w->server);
    if (w->netmask)
        server_add_32(&a, 1, w->netmask);
    if (w->router)
        server_add_32(&a, 3, w->router);
    if (w->dns)
        server_add_32(&a, 6, w->dns);
    server_add_32(&a, 51, w->seconds);
    server_end(&a);
    wire_send(w, &a);
}

static inline void wire_hear(struct wire *w, const uint8_t *f, size_t length)
{
    const uint8_t *question = f + WIRE_DHCP;
    if (length < WIRE_DHCP + 244 || memcmp(f + 12, "\x08\x00\x45", 3) != 0 ||
        f[WIRE_IP + 9] != 17 || wire_get_16(f + WIRE_UDP + 2) != 67)
        return;
    static const uint8_t nowhere[8] = {0, 0, 0, 0, 255, 255, 255, 255};
    if (memcmp(f + WIRE_IP + 12, nowhere, 8) != 0 || wire_get_16(f + WIRE_UDP) != 68)
        w->came_from_nowhere = false;
    uint8_t type = question[242]; /* the first option, as we write it */
    if (type == 1)
        w->discovers++;
    else
        w->requests++;
    if (w->is_deaf || w->discovers + w->requests <= w->ignored)
        return;
    if (type == 1) {
        wire_answer(w, 2, question);
    } else if (server_option_32(question, length - WIRE_DHCP, 50) != w->address ||
               server_option_32(question, length - WIRE_DHCP, 54) != w->server ||
               w->requests <= w->refused) {
        wire_answer(w, 6, question);
    } else {
        wire_answer(w, 5, question);
    }
}

static inline void *wire_run(void *context)
{
    struct wire *w = context;
    uint8_t frame[2048];
    while (!w->over) {
        struct pollfd p = {.fd = w->fd, .events = POLLIN};
        if (poll(&p, 1, 20) <= 0)
            continue;
        ssize_t n = read(w->fd, frame, sizeof frame);
        if (n > 0)
            wire_hear(w, frame, (size_t)n);
    }
    return NULL;
}

/* `plugged`: the interface will have a carrier. */
static inline bool wire_open(struct wire *w, bool plugged)
{
    struct ifreq r;
    unsigned carrier = plugged;
    memset(&r, 0, sizeof r);
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", w->name);
    r.ifr_flags = IFF_TAP | IFF_NO_PI;
    w->came_from_nowhere = true;
    w->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (w->fd < 0)
        return false;
    if (ioctl(w->fd, TUNSETIFF, &r) || ioctl(w->fd, TUNSETCARRIER, &carrier) ||
        pthread_create(&w->thread, NULL, wire_run, w)) {
        close(w->fd);
        return false;
    }
    return true;
}

static inline void wire_plug(struct wire *w)
{
    unsigned carrier = 1;
    (void)ioctl(w->fd, TUNSETCARRIER, &carrier);
}

static inline void wire_close(struct wire *w)
{
    w->over = true;
    pthread_join(w->thread, NULL);
    close(w->fd);
}

#endif
