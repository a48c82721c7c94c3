/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a peer sends to cupel serve: requests after an accepted hello, or, first byte odd, a hello.
 */
#include "run/serve/internal.h"
#include "tests/fuzz/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/endian.h"

enum { LENGTH_MAX = 1024 }; /* of a read: all answers fit into a socket's buffer */

static _Alignas(64) unsigned char pattern[SERVE_PATTERN_BYTES], received[SERVE_PATTERN_BYTES];

/* All answers of the server. */
static size_t drain(int fd)
{
    static unsigned char bytes[1 << 16];
    size_t all = 0;
    ssize_t n;
    while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        all += (size_t)n;
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const atomic_bool over;
    static const struct serve_request request = {.connections = 1, .length = LENGTH_MAX};
    int pair[2];
    if (size < 1 || size > 2048 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return 0;
    struct connection c = {.fd = pair[0],
                           .cpu = -1,
                           .request = &request,
                           .pattern = pattern,
                           .received = received,
                           .over = &over,
                           .hello.length = LENGTH_MAX};
    bool greets = data[0] & 1;
    FUZZ_CHECK(send(pair[1], data + 1, size - 1, 0) == (ssize_t)(size - 1), "no room in a socket");
    shutdown(pair[1], SHUT_WR);
    if (greets) {
        bool accepted = connection_greet(&c, false);
        size_t answered = drain(pair[1]);
        bool only_looked = size <= NET_HELLO_BYTES && (size == 1 || !data[1]);
        FUZZ_CHECK(!accepted || !c.trouble[0], "words about what was accepted");
        FUZZ_CHECK(accepted || c.trouble[0] || only_looked, "a refusal without words");
        FUZZ_CHECK(answered == 0 || answered == NET_HELLO_BYTES, "half an answer");
        FUZZ_CHECK(!accepted || (size > NET_HELLO_BYTES && c.hello.length <= LENGTH_MAX),
                   "a session that is too much");
    } else {
        connection_serve(&c);
        const struct net_summary *seen = &c.seen;
        size_t answered = drain(pair[1]);
        size_t expected =
            NET_HEADER_BYTES * (seen->requests[NET_READ] + seen->requests[NET_WRITE]) +
            seen->bytes[NET_READ];
        FUZZ_CHECK(seen->bytes[NET_WRITE] < size, "more was written than came");
        FUZZ_CHECK(seen->requests[NET_READ] + seen->requests[NET_WRITE] <= size / NET_HEADER_BYTES,
                   "more requests than came");
        /* When a session breaks, the answers collected so far are not sent. */
        FUZZ_CHECK(c.trouble[0] ? answered <= expected
                                : answered == expected + NET_HEADER_BYTES + NET_SUMMARY_BYTES,
                   "other answers than requests");
    }
    close(pair[0]);
    close(pair[1]);
    return 0;
}
