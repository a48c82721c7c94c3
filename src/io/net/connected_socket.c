/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the options of a connected socket, sends and receives whole messages, and reads
   statistics. */
#include "io/net/connected_socket.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"

/* Options that this kernel lacks are skipped. */
static const struct {
    short level, option;
    int value;
} options[] = {
    {IPPROTO_TCP, TCP_NODELAY, 1},
    {SOL_SOCKET, SO_KEEPALIVE, 1},
    {IPPROTO_TCP, TCP_KEEPIDLE, NET_SILENT_SECONDS},
    {IPPROTO_TCP, TCP_KEEPINTVL, NET_SILENT_SECONDS / 2},
    {IPPROTO_TCP, TCP_KEEPCNT, 2},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, NET_SILENT_SECONDS * 1000},
};

void net_link_prepare(int fd)
{
    const struct timeval wait = {.tv_usec = NET_LOOK_MS * 1000};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(fd, options[i].level, options[i].option, &options[i].value,
                   sizeof options[i].value);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

/* Waits until `fd` is ready for `events`, or until until_ns. Returns false with errno if `fd` is
   not ready. */
static bool wait_for(int fd, short events, uint64_t until_ns)
{
    struct pollfd p = {.fd = fd, .events = events};
    for (;;) {
        uint64_t now = clock_raw_ns();
        int ready = now >= until_ns ? 0 : poll(&p, 1, (int)((until_ns - now) / 1000000) + 1);
        if (ready > 0)
            return true;
        if (ready == 0)
            errno = ETIMEDOUT;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

/* Sends or receives a message. The time limit is for the whole message, not for each byte. */
static bool move(int fd, unsigned char *message, size_t size, double seconds, bool sends)
{
    uint64_t until = clock_raw_ns() + (uint64_t)(1e9 * seconds);
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    for (size_t done = 0; done < size;) {
        if (!wait_for(fd, sends ? POLLOUT : POLLIN, until))
            return false;
        ssize_t n = sends ? send(fd, message + done, size - done, flags)
                          : recv(fd, message + done, size - done, flags);
        if (n == 0)
            errno = ECONNRESET;
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return false;
    }
    return true;
}

bool net_link_send(int fd, const unsigned char *message, size_t size, double seconds)
{
    return move(fd, (unsigned char *)message, size, seconds, true);
}

bool net_link_receive(int fd, unsigned char *message, size_t size, double seconds)
{
    return move(fd, message, size, seconds, false);
}

void net_link_look(int fd, struct net_link *link)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info, name = sizeof link->algorithm - 1;
    *link = (struct net_link){0};
    getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, link->algorithm, &name);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
        return;
    link->resent = info.tcpi_total_retrans;
    link->sent = info.tcpi_data_segs_out;
    link->rtt_us = info.tcpi_rtt;
    link->rtt_min_us = info.tcpi_min_rtt;
    link->window = info.tcpi_snd_cwnd;
    link->segment = info.tcpi_snd_mss;
}
