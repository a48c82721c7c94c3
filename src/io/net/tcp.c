/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tcp backend: sends requests to `cupel serve` on another host, over one connection per
 * worker.
 *
 * For a read the far end sends the bytes; for a write this end sends them, and the far end
 * acknowledges when all have come. Answers come in the order of the requests, so the requests in
 * flight form a queue. Both timestamps are taken on this machine: t_sub right before the first
 * byte of the request goes to the kernel, t_cpl right after the last byte of its answer came. If
 * the socket accepts no more bytes, a request waits in the queue, and its latency begins only
 * when it is sent.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"
#include "io/net/address.h"
#include "io/net/connected_socket.h"
#include "io/net/internal.h"

/* Maximum number of requests that one system call sends. */
#define SEND_MAX 64
/* Answers to small requests are received many at a time into one buffer, and copied from there.
   Long answers are received directly into the request's buffer; only the next header may come with
   them. */
#define RECEIVE_BYTES (64 << 10)
#define LONG_BYTES    (16 << 10)
/* Time limit of close in seconds, for the requests in flight and for the far end's summary. */
#define CLOSE_SECONDS 2.0

struct flight {
    uint64_t t_sub;
    struct io_req request;
    unsigned char header[NET_HEADER_BYTES];
};

struct tcp_state {
    const struct clock *clock;
    int fd;
    bool spins;
    bool failed; /* the connection cannot be used any more */
    char far[NET_ADDRESS_TEXT + 8];
    unsigned char *buffers;
    size_t buffer_stride;

    /* Numbers of requests, which only grow; request n is flights[n % depth]. */
    /* numbers of three requests: the oldest one in flight; the first one that is not completely
       sent; the next new one */
    uint64_t first, unsent, end;
    unsigned depth;
    size_t sent_bytes; /* number of bytes already sent of request `unsent` */
    struct flight *flights;

    /* bytes that are still to come of the answer to request `first`, whose header was read */
    size_t body_left;
    bool in_body;
    unsigned char *received; /* received bytes that are not parsed yet: [begin, have) */
    size_t begin, have, room;
    /* instant of the last received bytes; instant of the last received or sent bytes */
    uint64_t received_ticks, moved_ticks;
    uint64_t silent_ticks;
    struct net_summary own;
};

static struct flight *flight_of(const struct tcp_state *s, uint64_t number)
{
    return &s->flights[number % s->depth];
}

/* ---- the beginning ---- */

static void tcp_release(struct tcp_state *s)
{
    if (s) {
        free(s->received);
        free(s->flights);
    }
    free(s);
}

static struct tcp_state *new_state(const struct io_setup *setup)
{
    struct tcp_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->clock = setup->clock;
    s->spins = setup->iopoll == IO_ON;
    s->buffers = setup->buffers;
    s->buffer_stride = setup->buffer_stride;
    s->depth = setup->iodepth;
    s->room = setup->buffer_stride > LONG_BYTES ? NET_HEADER_BYTES : RECEIVE_BYTES;
    s->silent_ticks = clock_ticks_of_ns(s->clock, NET_SILENT_SECONDS * 1000000000ull);
    s->flights = calloc(setup->iodepth, sizeof *s->flights);
    s->received = malloc(s->room);
    if (s->flights && s->received)
        return s;
    tcp_release(s);
    return NULL;
}

static int tcp_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    const struct net_address *far;
    if (!setup->peer)
        return err_set(e, ERR_USAGE, "--ioengine tcp needs --net HOST[:PORT]");
    struct tcp_state *s = new_state(setup);
    if (!s)
        return err_no_memory(e, "%u requests", setup->iodepth);
    s->fd = net_connect(setup, &far, e);
    if (s->fd < 0) {
        tcp_release(s);
        return -1;
    }
    char text[NET_ADDRESS_TEXT];
    snprintf(s->far, sizeof s->far, "%s:%u", net_address_text(far, text), net_address_port(far));
    b->ops = &io_tcp;
    b->state = s;
    b->polls = s->spins;
    snprintf(b->description, sizeof b->description,
             "a connection for each worker, TCP_NODELAY, receiving by %s",
             s->spins ? "polling" : "sleeping");
    return 0;
}

/* ---- requests ---- */

static int lost(struct tcp_state *s, const char *why, struct err *e)
{
    s->failed = true;
    return err_set(e, ERR_TARGET, "%s: %s", s->far, why);
}

static int lost_by(struct tcp_state *s, int error, struct err *e)
{
    char why[120];
    snprintf(why, sizeof why, "the connection broke: %s", strerror(error));
    return lost(s, why, e);
}

static size_t bytes_of(const struct flight *f)
{
    return NET_HEADER_BYTES + (request_sends_data(f->request.command) ? f->request.length : 0);
}

/* Describes the bytes of a request from byte `skip` on as pieces in `to`. Returns the number of
   pieces. */
static unsigned add_pieces(const struct tcp_state *s, const struct flight *f, size_t skip,
                           struct iovec *to)
{
    unsigned count = 0;
    if (skip < NET_HEADER_BYTES) {
        to[count++] = (struct iovec){(unsigned char *)f->header + skip, NET_HEADER_BYTES - skip};
        skip = NET_HEADER_BYTES;
    }
    size_t left = bytes_of(f) - skip;
    if (left)
        to[count++] = (struct iovec){
            s->buffers + f->request.slot * s->buffer_stride + (skip - NET_HEADER_BYTES), left};
    return count;
}

/* Counts the bytes that the kernel took; they belong to the first unsent requests. */
static void count_sent(struct tcp_state *s, size_t bytes)
{
    while (bytes) {
        size_t left = bytes_of(flight_of(s, s->unsent)) - s->sent_bytes;
        if (bytes < left) {
            s->sent_bytes += bytes;
            return;
        }
        bytes -= left;
        s->sent_bytes = 0;
        s->unsent++;
    }
}

/* Sends as much as the socket accepts now. */
static int send_some(struct io_backend *b, struct tcp_state *s, struct err *e)
{
    while (s->unsent != s->end) {
        struct iovec pieces[2 * SEND_MAX];
        struct msghdr message = {.msg_iov = pieces};
        unsigned count = 0;
        uint64_t now = clock_ticks(s->clock);
        for (uint64_t i = s->unsent; i != s->end && i - s->unsent < SEND_MAX; i++) {
            struct flight *f = flight_of(s, i);
            size_t skip = i == s->unsent ? s->sent_bytes : 0;
            if (!skip) /* set again later if the socket does not accept the first byte now */
                f->t_sub = now;
            count += add_pieces(s, f, skip, pieces + count);
        }
        message.msg_iovlen = (__typeof__(message.msg_iovlen))count;
        b->handed_over = now;
        ssize_t n = sendmsg(s->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n < 0)
            return lost_by(s, errno, e);
        s->moved_ticks = now;
        count_sent(s, (size_t)n);
    }
    return 0;
}

static int tcp_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                      struct err *e)
{
    struct tcp_state *s = b->state;
    unsigned room = s->depth - (unsigned)(s->end - s->first);
    if (n > room)
        n = room;
    if (s->first == s->end)
        s->moved_ticks = clock_ticks(s->clock);
    for (unsigned i = 0; i < n; i++) {
        struct flight *f = flight_of(s, s->end);
        f->request = requests[i];
        const struct net_header header = {.length = requests[i].length,
                                          .sequence = (uint32_t)s->end,
                                          .id = requests[i].slot,
                                          .op = request_sends_data(requests[i].command) ? NET_WRITE
                                                                                        : NET_READ};
        net_header_write(f->header, &header);
        s->end++;
    }
    return send_some(b, s, e) ? -1 : (int)n;
}

/* ---- answers ---- */

/* Parses the header of the next answer. It must belong to the oldest request, which must have been
   sent completely. */
static int take_header(struct tcp_state *s, struct err *e)
{
    struct net_header header;
    const struct flight *f = flight_of(s, s->first);
    if (s->first == s->unsent || memcmp(s->received + s->begin, f->header, NET_HEADER_BYTES) != 0 ||
        !net_header_read(&header, s->received + s->begin))
        return lost(s, "its answer is not that of the request: this is no cupel serve", e);
    s->begin += NET_HEADER_BYTES;
    s->body_left = header.op == NET_READ ? header.length : 0;
    s->in_body = true;
    return 0;
}

static unsigned char *body_end(const struct tcp_state *s)
{
    const struct io_req *r = &flight_of(s, s->first)->request;
    return s->buffers + r->slot * s->buffer_stride + (r->length - s->body_left);
}

/* Turns received bytes into completions, at most `max`. Returns -1 when the bytes do not answer the
   requests. */
static int take_answers(struct tcp_state *s, struct io_done done[], unsigned max, struct err *e)
{
    unsigned n = 0;
    while (n < max) {
        if (!s->in_body && s->have - s->begin < NET_HEADER_BYTES)
            break;
        if (!s->in_body && take_header(s, e))
            return -1;
        size_t here = s->have - s->begin < s->body_left ? s->have - s->begin : s->body_left;
        if (here)
            memcpy(body_end(s), s->received + s->begin, here);
        s->begin += here;
        s->body_left -= here;
        if (s->body_left)
            break;
        const struct flight *f = flight_of(s, s->first++);
        const bool sends = request_sends_data(f->request.command);
        s->in_body = false;
        s->own.requests[sends]++;
        s->own.bytes[sends] += f->request.length;
        io_done_set(&done[n++], &f->request, f->t_sub, s->received_ticks, f->request.length, 0);
    }
    if (s->begin) {
        s->have -= s->begin;
        memmove(s->received, s->received + s->begin, s->have);
        s->begin = 0;
    }
    return (int)n;
}

/* Receives the bytes that have arrived; with `waits`, waits up to half a second for the first byte.
   Returns 1; 0 if nothing came; -1 with an error. */
static int receive(struct tcp_state *s, bool waits, struct err *e)
{
    struct iovec pieces[2] = {{s->received + s->have, s->room - s->have}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 1};
    if (s->body_left) {
        pieces[1] = pieces[0];
        pieces[0] = (struct iovec){body_end(s), s->body_left};
        message.msg_iovlen = 2;
    }
    ssize_t n = recvmsg(s->fd, &message, waits ? 0 : MSG_DONTWAIT);
    uint64_t now = clock_ticks(s->clock);
    if (n > 0) {
        size_t body = (size_t)n < s->body_left ? (size_t)n : s->body_left;
        s->body_left -= body;
        s->have += (size_t)n - body;
        s->received_ticks = s->moved_ticks = now;
        return 1;
    }
    if (n == 0)
        return lost(s, "the far end closed the connection", e);
    if (errno != EAGAIN && errno != EINTR)
        return lost_by(s, errno, e);
    if (now > s->moved_ticks && now - s->moved_ticks > s->silent_ticks)
        return lost(s, "the far end is silent: it or the network has gone", e);
    return 0;
}

/* Sleeps until bytes come or can be sent, or `ns` have passed. Returns false when a signal came. */
static bool wait_for_link(const struct tcp_state *s, uint64_t ns)
{
    struct pollfd p = {.fd = s->fd,
                       .events = (short)(POLLIN | (s->unsent != s->end ? POLLOUT : 0))};
    const uint64_t longest = NET_LOOK_MS * UINT64_C(1000000);
    const struct timespec wait = {.tv_nsec = (long)(ns < longest ? ns : longest)};
    return ppoll(&p, 1, &wait, NULL) >= 0;
}

/* `until` is the instant at which to stop waiting; 0: wait for `min` completions without a limit.
 */
static int reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                uint64_t until, struct err *e)
{
    struct tcp_state *s = b->state;
    unsigned n = 0;
    for (bool looked = false;; looked = true) {
        if (send_some(b, s, e))
            return -1;
        int taken = take_answers(s, done + n, max - n, e);
        if (taken < 0)
            return -1;
        n += (unsigned)taken;
        if (n >= max || (n >= min && looked) || s->first == s->end)
            return (int)n;
        uint64_t now = until ? clock_ticks(s->clock) : 0;
        bool waits = n < min && !s->spins && now <= until;
        if (waits && (until || s->unsent != s->end)) {
            if (!wait_for_link(s, until ? clock_ns(s->clock, until - now) : UINT64_MAX))
                return (int)n;
            waits = false;
        }
        int got = receive(s, waits, e);
        if (got < 0)
            return -1;
        if (!got && ((waits && errno == EINTR) || (until && clock_ticks(s->clock) >= until)))
            return (int)n;
    }
}

static int tcp_reap(struct io_backend *b, struct io_done done[], unsigned min, unsigned max,
                    struct err *e)
{
    return reap(b, done, min, max, 0, e);
}

static int tcp_reap_until(struct io_backend *b, struct io_done done[], unsigned max, uint64_t until,
                          struct err *e)
{
    const struct tcp_state *s = b->state;
    if (s->first == s->end) {
        clock_sleep_until(s->clock, until);
        return 0;
    }
    return reap(b, done, clock_ticks(s->clock) >= until ? 0 : 1, max, until, e);
}

/* ---- the end ---- */

/* Asks the far end for its summary, which shows whether both ends counted the same requests. */
static void ask_for_summary(struct tcp_state *s, struct io_link *link)
{
    unsigned char bytes[NET_SUMMARY_BYTES], header[NET_HEADER_BYTES], answer[NET_HEADER_BYTES];
    struct net_summary far;
    const struct net_header end = {.sequence = (uint32_t)s->end, .op = NET_END};
    net_header_write(header, &end);
    if (s->failed || s->first != s->end || s->have ||
        !net_link_send(s->fd, header, sizeof header, CLOSE_SECONDS) ||
        !net_link_receive(s->fd, answer, sizeof answer, CLOSE_SECONDS) ||
        memcmp(header, answer, sizeof header) != 0 ||
        !net_link_receive(s->fd, bytes, sizeof bytes, CLOSE_SECONDS))
        return;
    net_summary_read(&far, bytes);
    link->answered = true;
    link->far_resent = far.resent;
    link->far_sent = far.sent;
    for (unsigned op = 0; op < 2; op++)
        link->agrees = (op == 0 || link->agrees) && far.requests[op] == s->own.requests[op] &&
                       far.bytes[op] == s->own.bytes[op];
}

static void tcp_close(struct io_backend *b)
{
    struct tcp_state *s = b->state;
    struct io_done done[32];
    struct err e;
    struct net_link own;
    uint64_t until =
        clock_ticks(s->clock) + clock_ticks_of_ns(s->clock, (uint64_t)(CLOSE_SECONDS * 1e9));
    while (!s->failed && s->first != s->end && clock_ticks(s->clock) < until)
        if (tcp_reap_until(b, done, sizeof done / sizeof *done, until, &e) < 0)
            break;
    net_link_look(s->fd, &own);
    b->link = (struct io_link){.resent = own.resent,
                               .sent = own.sent,
                               .rtt_us = own.rtt_us,
                               .rtt_min_us = own.rtt_min_us,
                               .window = own.window,
                               .segment = own.segment};
    memcpy(b->link.algorithm, own.algorithm, sizeof b->link.algorithm);
    ask_for_summary(s, &b->link);
    close(s->fd);
    tcp_release(s);
    b->state = NULL;
}

const struct io_ops io_tcp = {
    .name = "tcp",
    .help = "requests to cupel serve on another host (--net)",
    .connects = true,
    .length_max = NET_LENGTH_MAX,
    .can_poll = true,
    .open = tcp_open,
    .submit = tcp_submit,
    .reap = tcp_reap,
    .reap_until = tcp_reap_until,
    .exchange = io_submit_and_reap,
    .close = tcp_close,
};
