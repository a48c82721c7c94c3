/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serves one connection: reads requests, and answers them in order. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "io/net/connected_socket.h"
#include "run/serve/internal.h"

/* Number of answers that one system call sends. */
#define ANSWERS_MAX 64
#define PIECES_MAX  (2 * ANSWERS_MAX)
/* A peer that is silent between requests for this long is gone. Before that, it may be judging,
   waiting for others or, for up to a day, for its --start-at; keepalive detects a peer that is gone
   (net_link_prepare). */
#define IDLE_SECONDS (25 * 3600)

/* The state of a connection's requests. */
struct serving {
    struct connection *c;
    size_t begin, have;  /* range of `received` that is not yet processed */
    uint32_t write_left; /* bytes still to come of the write whose header was read last */
    struct net_header write;
    bool ended;        /* the peer requested the summary */
    uint64_t moved_ns; /* when bytes last arrived or were sent */

    unsigned count; /* number of answers */
    unsigned char headers[ANSWERS_MAX][NET_HEADER_BYTES];
    unsigned char summary[NET_SUMMARY_BYTES];
    struct iovec pieces[PIECES_MAX];
    unsigned piece_count;
};

static bool trouble(struct connection *c, const char *words)
{
    if (!c->trouble[0] && !atomic_load(c->over))
        snprintf(c->trouble, sizeof c->trouble, "%s", words);
    return false;
}

bool connection_greet(struct connection *c, bool full)
{
    unsigned char bytes[NET_HELLO_BYTES] = {0};
    struct net_hello answer = {.version = NET_VERSION,
                               .connections = c->request->connections,
                               .length = c->request->length};
    bool came = net_link_receive(c->fd, bytes, sizeof bytes, NET_GREETING_SECONDS);
    if (!came && errno != ETIMEDOUT && !bytes[0])
        return false; /* the peer only checked whether a server listens here */
    if (!came || !net_hello_read(&c->hello, bytes))
        return trouble(c, "it is no cupel run --net");
    answer.answer = c->hello.version != NET_VERSION        ? NET_OTHER_VERSION
                    : full                                 ? NET_FULL
                    : c->hello.length > c->request->length ? NET_TOO_LONG
                                                           : NET_ACCEPTED;
    static const char *const refusals[] = {[NET_ACCEPTED] = "",
                                           [NET_OTHER_VERSION] = "refused: another version",
                                           [NET_FULL] = "refused: too many connections",
                                           [NET_TOO_LONG] = "refused: its requests are too long"};
    answer.token = c->hello.token;
    net_hello_write(bytes, &answer);
    if (!net_link_send(c->fd, bytes, sizeof bytes, NET_GREETING_SECONDS))
        return trouble(c, "it left before it was answered");
    return answer.answer == NET_ACCEPTED || trouble(c, refusals[answer.answer]);
}

/* ---- answers ---- */

/* Returns true if the peer has been silent for too long. In the middle of a message the limit is
   short. */
static bool is_silent(const struct serving *s, bool in_message)
{
    uint64_t silent = clock_raw_ns() - s->moved_ns;
    return silent > (in_message ? NET_SILENT_SECONDS : IDLE_SECONDS) * UINT64_C(1000000000);
}

/* Sends all answers. Returns false if the connection broke. */
static bool send_answers(struct serving *s)
{
    struct msghdr message = {.msg_iov = s->pieces};
    unsigned left = s->piece_count;
    s->moved_ns = clock_raw_ns();
    while (left) {
        message.msg_iovlen = (__typeof__(message.msg_iovlen))left;
        ssize_t n = sendmsg(s->c->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return trouble(s->c, "the connection broke");
        if (n < 0 && (atomic_load(s->c->over) || is_silent(s, true)))
            return trouble(s->c, "it takes no more answers");
        if (n > 0)
            s->moved_ns = clock_raw_ns();
        size_t sent = n > 0 ? (size_t)n : 0;
        for (; left && sent >= message.msg_iov->iov_len; left--)
            sent -= message.msg_iov++->iov_len;
        if (left) {
            message.msg_iov->iov_base = (unsigned char *)message.msg_iov->iov_base + sent;
            message.msg_iov->iov_len -= sent;
        }
    }
    s->count = s->piece_count = 0;
    return true;
}

/* Adds an answer and the bytes that follow it: `body`, or bytes of the pattern. */
static bool answer(struct serving *s, const struct net_header *header, size_t length,
                   const unsigned char *body)
{
    const unsigned pieces = 2 + (unsigned)(length / SERVE_PATTERN_BYTES);
    if ((s->count == ANSWERS_MAX || s->piece_count + pieces > PIECES_MAX) && !send_answers(s))
        return false;
    net_header_write(s->headers[s->count], header);
    s->pieces[s->piece_count++] = (struct iovec){s->headers[s->count++], NET_HEADER_BYTES};
    while (length) {
        size_t piece = length < SERVE_PATTERN_BYTES ? length : SERVE_PATTERN_BYTES;
        const void *from = body ? body : s->c->pattern;
        s->pieces[s->piece_count++] = (struct iovec){(void *)from, piece};
        length -= piece;
    }
    return true;
}

static bool answer_end(struct serving *s, const struct net_header *header)
{
    struct net_link link;
    if (!send_answers(s))
        return false;
    net_link_look(s->c->fd, &link);
    s->c->seen.resent = link.resent;
    s->c->seen.sent = link.sent;
    s->c->seen.rtt_us = link.rtt_us;
    net_summary_write(s->summary, &s->c->seen);
    s->ended = true;
    return answer(s, header, sizeof s->summary, s->summary) && send_answers(s);
}

/* ---- requests ---- */

static bool count_and_answer(struct serving *s, const struct net_header *header)
{
    s->c->seen.requests[header->op]++;
    s->c->seen.bytes[header->op] += header->length;
    return answer(s, header, header->op == NET_READ ? header->length : 0, NULL);
}

static bool take_header(struct serving *s)
{
    struct net_header header;
    if (!net_header_read(&header, s->c->received + s->begin) || header.length > s->c->hello.length)
        return trouble(s->c, "what it sent is no request");
    s->begin += NET_HEADER_BYTES;
    if (header.op == NET_END)
        return answer_end(s, &header);
    if (header.op == NET_READ || !header.length)
        return count_and_answer(s, &header);
    s->write = header;
    s->write_left = header.length;
    return true;
}

/* Executes the received requests. Returns false if the connection broke, or the bytes are not a
   request. */
static bool take_requests(struct serving *s)
{
    while (!s->ended && s->begin < s->have) {
        size_t here = s->have - s->begin;
        if (s->write_left) {
            here = here < s->write_left ? here : s->write_left;
            s->begin += here;
            s->write_left -= (uint32_t)here;
            if (!s->write_left && !count_and_answer(s, &s->write))
                return false;
        } else if (here < NET_HEADER_BYTES) {
            break;
        } else if (!take_header(s)) {
            return false;
        }
    }
    s->have -= s->begin;
    memmove(s->c->received, s->c->received + s->begin, s->have);
    s->begin = 0;
    return !s->count || send_answers(s);
}

/* Waits for bytes and receives them. Returns false if nothing more arrives. */
static bool receive(struct serving *s)
{
    struct connection *c = s->c;
    for (;;) {
        ssize_t n = recv(c->fd, c->received + s->have, SERVE_PATTERN_BYTES - s->have,
                         c->request->spins ? MSG_DONTWAIT : 0);
        bool in_message = s->have || s->write_left;
        if (n > 0) {
            s->have += (size_t)n;
            s->moved_ns = clock_raw_ns();
            return true;
        }
        if (n == 0)
            return trouble(c, "it left without an end");
        if (errno != EAGAIN && errno != EINTR)
            return trouble(c, "the connection broke");
        if (atomic_load(c->over) || is_silent(s, in_message))
            return trouble(c, "it was silent for too long");
    }
}

void connection_serve(struct connection *c)
{
    struct serving s = {.c = c, .moved_ns = clock_raw_ns()};
    while (!s.ended && receive(&s) && take_requests(&s))
        ;
}
