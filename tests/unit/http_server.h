/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collector for tests: a thread that accepts one connection on the loopback interface, reads the
 * request or ignores it, and sends a given answer.
 */
#ifndef TESTS_UNIT_HTTP_SERVER_H
#define TESTS_UNIT_HTTP_SERVER_H

#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct http_server {
    /* What it does. */
    const char *answer;
    bool reads;        /* read the whole request before the answer */
    bool byte_by_byte; /* answers so */
    unsigned stays_ms; /* before it closes */
    /* What came. */
    char *got;
    size_t got_length, head_length;
    /* Its own. */
    int fd;
    uint16_t port;
    pthread_t thread;
};

static inline void server_sleep(unsigned ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

static inline size_t server_content_length(const char *head)
{
    const char *line = strstr(head, "\r\nContent-Length: ");
    return line ? strtoul(line + 18, NULL, 10) : 0;
}

/* Reads up to the length that the request's head states, or to its end. */
static inline void server_read(struct http_server *s, int fd)
{
    size_t room = (size_t)32 << 20;
    s->got = malloc(room + 1);
    if (!s->got)
        return;
    for (;;) {
        ssize_t n = recv(fd, s->got + s->got_length, room - s->got_length, 0);
        if (n <= 0)
            return;
        s->got_length += (size_t)n;
        s->got[s->got_length] = '\0';
        if (s->head_length == 0) {
            const char *end = strstr(s->got, "\r\n\r\n");
            s->head_length = end ? (size_t)(end - s->got) + 4 : 0;
        }
        if (s->head_length && s->got_length >= s->head_length + server_content_length(s->got))
            return;
    }
}

static inline void *server_run(void *context)
{
    struct http_server *s = context;
    int fd = accept(s->fd, NULL, NULL);
    if (fd < 0)
        return NULL;
    if (s->reads)
        server_read(s, fd);
    size_t length = strlen(s->answer), step = s->byte_by_byte ? 1 : length;
    for (size_t at = 0; at < length; at += step) {
        if (send(fd, s->answer + at, step, MSG_NOSIGNAL) < 0)
            break;
        if (s->byte_by_byte)
            server_sleep(1);
    }
    server_sleep(s->stays_ms);
    close(fd);
    return NULL;
}

/* Returns false if this machine has no loopback address of that family. */
static inline bool server_begin(struct http_server *s, int family)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const struct sockaddr *here =
        family == AF_INET ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6;
    socklen_t size = family == AF_INET ? sizeof v4 : sizeof v6;
    struct sockaddr_storage bound;
    socklen_t bound_size = sizeof bound;
    s->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0)
        return false;
    if (bind(s->fd, here, size) || listen(s->fd, 1) ||
        getsockname(s->fd, (struct sockaddr *)&bound, &bound_size)) {
        close(s->fd);
        return false;
    }
    /* the port is at the same place in both families */
    memcpy(&s->port, (const char *)&bound + 2, 2);
    s->port = ntohs(s->port);
    if (pthread_create(&s->thread, NULL, server_run, s)) {
        close(s->fd);
        return false;
    }
    return true;
}

static inline void server_end_of(struct http_server *s)
{
    shutdown(s->fd, SHUT_RDWR); /* ends a thread that still waits for a connection */
    pthread_join(s->thread, NULL);
    close(s->fd);
}

#endif
