/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a connection: finds the first address that answers, and finds out whether `cupel serve`
   runs there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/net/connected_socket.h"
#include "io/net/internal.h"

static int refuse_connection(const struct net_address *address, const char *what, int error,
                             struct err *e)
{
    char text[NET_ADDRESS_TEXT];
    return err_set(e, ERR_TARGET, "%s port %u: %s%s%s", net_address_text(address, text),
                   net_address_port(address), what, error ? ": " : "",
                   error ? strerror(error) : "");
}

/* Returns a connected socket, or -1. The addresses are tried in order; the error is that of the
   last address. */
static int connect_to(const struct net_addresses *addresses, const struct net_address **used,
                      struct err *e)
{
    for (unsigned i = 0; i < addresses->count; i++) {
        const struct net_address *a = *used = &addresses->list[i];
        int fd = socket(a->number.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) {
            refuse_connection(a, "no socket", errno, e);
            continue;
        }
        int error = connect(fd, (const struct sockaddr *)&a->number, a->size) ? errno : 0;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        socklen_t size = sizeof error;
        if (error == EINPROGRESS && poll(&p, 1, NET_GREETING_SECONDS * 1000) <= 0)
            error = ETIMEDOUT;
        else if (error == EINPROGRESS)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (!error && fcntl(fd, F_SETFL, 0) >= 0) {
            net_link_prepare(fd);
            return fd;
        }
        close(fd);
        refuse_connection(a,
                          error == ECONNREFUSED
                              ? "nothing listens there: start cupel serve on that host"
                              : "no connection",
                          error, e);
    }
    return -1;
}

/* Ends a connection that was only a test. It returns when both ends have closed the connection, so
   that the connection does not count against the session if the far end limits their number. */
static void leave(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    shutdown(fd, SHUT_WR);
    poll(&p, 1, NET_LOOK_MS);
    close(fd);
}

int net_peer_settle(struct net_peer *peer, struct err *e)
{
    const struct net_address *used;
    if (peer->addresses.count == 1)
        return 0;
    int fd = connect_to(&peer->addresses, &used, e);
    if (fd < 0)
        return -1;
    leave(fd);
    const struct net_address settled = *used;
    peer->addresses.list[0] = settled;
    peer->addresses.count = 1;
    return 0;
}

static int greet(int fd, const struct net_address *far, const struct io_setup *setup, struct err *e)
{
    unsigned char bytes[NET_HELLO_BYTES];
    char why[120];
    struct net_hello hello = {.version = NET_VERSION,
                              .connections = setup->workers,
                              .length = (uint32_t)setup->buffer_stride,
                              .token = setup->peer->token};
    net_hello_write(bytes, &hello);
    if (!net_link_send(fd, bytes, sizeof bytes, NET_GREETING_SECONDS) ||
        !net_link_receive(fd, bytes, sizeof bytes, NET_GREETING_SECONDS))
        return refuse_connection(far, "no cupel serve answers there, something else listens", errno,
                                 e);
    if (!net_hello_read(&hello, bytes))
        return refuse_connection(far, "something else than cupel serve listens there", 0, e);
    if (hello.version != NET_VERSION)
        snprintf(why, sizeof why,
                 "the cupel there speaks version %u of the protocol and this one %u: use the same "
                 "cupel on both hosts",
                 hello.version, NET_VERSION);
    else if (hello.answer == NET_FULL)
        snprintf(why, sizeof why, "it has no room for a further connection: it takes %u in all",
                 hello.connections);
    else if (hello.answer == NET_TOO_LONG)
        snprintf(why, sizeof why, "it takes no requests above %u bytes: see --bs", hello.length);
    else if (hello.answer != NET_ACCEPTED)
        snprintf(why, sizeof why, "it refused the session (%u)", hello.answer);
    else
        return 0;
    return refuse_connection(far, why, 0, e);
}

int net_connect(const struct io_setup *setup, const struct net_address **far, struct err *e)
{
    int fd = connect_to(&setup->peer->addresses, far, e);
    if (fd >= 0 && greet(fd, *far, setup, e)) {
        close(fd);
        return -1;
    }
    return fd;
}
