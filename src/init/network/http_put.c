/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PUT itself: connect, send and receive on a socket that never blocks, under one deadline. */
#include "init/network/http.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "init/network/internal.h"

enum { AGAIN_MS = 500 }; /* between two attempts to connect */

struct exchange {
    int fd;
    uint64_t deadline_ns;
    struct span head, data;
    size_t sent; /* of both */
    char got[8192];
    size_t received;
};

/* poll until the deadline: what is ready, 0 when the time is over. */
static short wait_for(int fd, short events, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now = clock_raw_ns();
        if (now >= deadline_ns)
            return 0;
        uint64_t ms = (deadline_ns - now) / 1000000 + 1;
        struct pollfd p = {.fd = fd, .events = events};
        int n = poll(&p, 1, ms < 60000 ? (int)ms : 60000);
        if (n > 0)
            return p.revents;
        if (n < 0 && errno != EINTR)
            return POLLERR;
    }
}

/* A connected socket, or -1 with errno. */
static int connect_to(const struct addrinfo *to, uint64_t deadline_ns)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int error = connect(fd, to->ai_addr, to->ai_addrlen) ? errno : 0;
    if (error == EINPROGRESS) {
        socklen_t size = sizeof error;
        if (!wait_for(fd, POLLOUT, deadline_ns))
            error = ETIMEDOUT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
            error = errno;
    }
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

/* To the first of the addresses that takes the connection; each gets its share of the time that is
   left. -1 with errno. */
static int connect_to_any(const struct addrinfo *list, uint64_t deadline_ns)
{
    unsigned left = 0;
    for (const struct addrinfo *a = list; a; a = a->ai_next)
        left++;
    int fd = -1;
    errno = ETIMEDOUT;
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next, left--) {
        uint64_t now = clock_raw_ns();
        if (now < deadline_ns)
            fd = connect_to(a, now + (deadline_ns - now) / left);
    }
    return fd;
}

/* No way there may be a way that is not there yet: the switch still thinks about a new link
   (spanning tree), or no router has announced its prefix. */
static int connect_in_time(const struct addrinfo *list, uint64_t deadline_ns)
{
    for (;;) {
        int fd = connect_to_any(list, deadline_ns);
        if (fd >= 0 || (errno != EHOSTUNREACH && errno != ENETUNREACH) ||
            clock_raw_ns() + AGAIN_MS * UINT64_C(1000000) >= deadline_ns)
            return fd;
        (void)poll(NULL, 0, AGAIN_MS);
    }
}

static int connect_to_host(const struct http_url *url, uint64_t deadline_ns, struct err *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    int error = getaddrinfo(url->host, url->port, &hints, &list);
    if (error)
        return err_set(e, ERR_TARGET, "the address of %s is not found: %s", url->host,
                       error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    int fd = connect_in_time(list, deadline_ns);
    error = errno;
    freeaddrinfo(list);
    if (fd < 0)
        err_set(e, ERR_TARGET, "no connection: %s; is the collector running there?",
                strerror(error));
    return fd;
}

static bool all_sent(const struct exchange *x)
{
    return x->sent == x->head.length + x->data.length;
}

/* False: the connection takes no more. What the server said before that is still to be read. */
static bool send_some(struct exchange *x)
{
    struct span rest = x->sent < x->head.length ? x->head : x->data;
    size_t done = x->sent < x->head.length ? x->sent : x->sent - x->head.length;
    ssize_t n = send(x->fd, rest.text + done, rest.length - done, MSG_NOSIGNAL);
    if (n > 0)
        x->sent += (size_t)n;
    return n >= 0 || errno == EAGAIN || errno == EINTR;
}

static int receive_some(struct exchange *x, struct err *e)
{
    ssize_t n = recv(x->fd, x->got + x->received, sizeof x->got - x->received, 0);
    if (n > 0)
        x->received += (size_t)n;
    else if (n == 0)
        return err_set(e, ERR_TARGET, "the collector closed the connection without an answer");
    else if (errno != EAGAIN && errno != EINTR)
        return err_set(e, ERR_TARGET, "the connection broke: %s", strerror(errno));
    return 0;
}

/* Sends while it listens: a server may refuse at once and read no more. */
static int exchange(struct exchange *x, struct http_answer *answer, struct err *e)
{
    bool takes_more = true;
    for (;;) {
        enum http_progress p = http_answer_read(answer, (struct span){x->got, x->received});
        if (p == HTTP_ANSWERED)
            return 0;
        if (p == HTTP_GARBAGE || x->received == sizeof x->got)
            return err_set(e, ERR_TARGET, "what answers there does not speak HTTP/1.1");
        bool sending = takes_more && !all_sent(x);
        short ready = wait_for(x->fd, sending ? POLLIN | POLLOUT : POLLIN, x->deadline_ns);
        if (ready == 0)
            return err_set(e, ERR_TARGET, "too slow: %zu of %zu bytes taken and no answer in time",
                           x->sent, x->head.length + x->data.length);
        if (ready & (POLLIN | POLLHUP | POLLERR)) {
            if (receive_some(x, e))
                return -1;
        } else if (sending) {
            takes_more = send_some(x);
        }
    }
}

static int judge(const struct exchange *x, const struct http_answer *answer, struct err *e)
{
    if (answer->status >= 300)
        return err_set(e, ERR_TARGET, "the collector refused it: %s", answer->line);
    if (!all_sent(x))
        return err_set(e, ERR_TARGET, "the collector answered before it had the whole file: %s",
                       answer->line);
    return 0;
}

static void add_head(struct text *head, const struct http_url *url, const char *name,
                     const char *content_type, size_t length)
{
    text_add(head, "PUT ");
    http_url_add_path(head, url, name);
    text_add(head, " HTTP/1.1\r\nHost: ");
    http_url_add_host(head, url);
    text_addf(head,
              "\r\nUser-Agent: cupel/%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Connection: close\r\n\r\n",
              cupel_version, content_type, length);
}

static int put(const struct http_url *url, struct span head, struct span data, unsigned seconds,
               struct err *e)
{
    struct exchange x = {.head = head, .data = data};
    struct http_answer answer = {0};
    x.deadline_ns = clock_raw_ns() + (uint64_t)seconds * 1000000000u;
    x.fd = connect_to_host(url, x.deadline_ns, e);
    if (x.fd < 0)
        return -1;
    int result = exchange(&x, &answer, e);
    close(x.fd);
    return result ? result : judge(&x, &answer, e);
}

int http_put(const struct http_url *url, const char *name, const char *content_type,
             const void *data, size_t length, unsigned seconds, struct err *e)
{
    struct text head = {0}, target = {0};
    int result = -1;
    add_head(&head, url, name, content_type, length);
    http_url_add(&target, url, name);
    if (head.failed || target.failed) {
        err_set(e, ERR_MACHINE, "no memory to post %s", name);
    } else {
        result = put(url, (struct span){head.data, head.length}, (struct span){data, length},
                     seconds, e);
        if (result)
            err_context(e, "%.240s", target.data);
    }
    text_free(&head);
    text_free(&target);
    return result;
}
