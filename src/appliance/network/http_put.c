/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the PUT: connects, sends and receives on a socket that never blocks, with one deadline; and
   reads the status line of the answer, whose bytes cannot be trusted. */
#include "appliance/network/http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "appliance/network/internal.h"
#include "base/clock.h"
#include "base/span.h"
#include "base/version.h"

/* ---- URLs ---- */

/* Returns whether all characters are letters, digits or one of `also`. */
static bool consists_of(struct span s, const char *also)
{
    for (size_t i = 0; i < s.length; i++) {
        char c = s.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && (c == '\0' || !strchr(also, c)))
            return false;
    }
    return true;
}

/* Makes the error, which always shows the address as the user wrote it. */
static int refused(struct span url, const char *why, struct err *e)
{
    char shown[160];
    return err_set(e, ERR_USAGE, "%s: %s", span_printable(shown, sizeof shown, url), why);
}

/* Reads a port. An empty port means the default, as in "http://host:/". */
static const char *read_port(struct http_url *url, struct span port)
{
    if (port.length == 0)
        return NULL;
    if (network_number(port, 5, 65535) == 0)
        return "the port must be a number from 1 to 65535";
    span_copy(url->port, port);
    return NULL;
}

/* Reads "[ADDRESS]" or "[ADDRESS]:PORT". */
static const char *read_ipv6_authority(struct http_url *url, struct span authority)
{
    const char *close = memchr(authority.text, ']', authority.length);
    if (!close)
        return "the ']' after the IPv6 address is missing";
    struct span host = {authority.text + 1, (size_t)(close - authority.text) - 1};
    struct span rest = {close + 1, authority.length - host.length - 2};
    struct in6_addr address;
    if (host.length >= sizeof url->host)
        return "the host is too long";
    span_copy(url->host, host);
    if (inet_pton(AF_INET6, url->host, &address) != 1)
        return "what stands between '[' and ']' is no IPv6 address";
    if (rest.length == 0)
        return NULL;
    if (rest.text[0] != ':')
        return "only :PORT may stand after ']'";
    return read_port(url, (struct span){rest.text + 1, rest.length - 1});
}

static const char *read_authority(struct http_url *url, struct span authority)
{
    if (memchr(authority.text, '@', authority.length))
        return "a user name or password in the address is not supported";
    if (authority.length > 0 && authority.text[0] == '[')
        return read_ipv6_authority(url, authority);
    const char *colon = memchr(authority.text, ':', authority.length);
    struct span host = {authority.text,
                        colon ? (size_t)(colon - authority.text) : authority.length};
    if (host.length == 0)
        return "the host is missing";
    if (host.length >= sizeof url->host)
        return "the host is too long";
    if (!consists_of(host, "-._"))
        return "a host is a name, an IPv4 address, or an IPv6 address in brackets";
    span_copy(url->host, host);
    if (!colon)
        return NULL;
    return read_port(url, (struct span){colon + 1, authority.length - host.length - 1});
}

/* Returns whether every percent sign is followed by two hexadecimal digits. */
static bool percents_are_whole(struct span s)
{
    for (size_t i = 0; i < s.length; i++)
        if (s.text[i] == '%' && (s.length - i < 3 || !isxdigit((unsigned char)s.text[i + 1]) ||
                                 !isxdigit((unsigned char)s.text[i + 2])))
            return false;
    return true;
}

static const char *read_path(struct http_url *url, struct span path)
{
    if (memchr(path.text, '?', path.length) || memchr(path.text, '#', path.length))
        return "it must end with a path, without '?' and '#': the name of each report follows";
    if (!consists_of(path, "-._~!$&'()*+,;=:@%/") || !percents_are_whole(path))
        return "the path has a character that must be written as %XX";
    bool slash = path.length > 0 && path.text[path.length - 1] == '/';
    if (path.length + !slash >= sizeof url->path)
        return "the path is too long";
    char *end = span_copy(url->path, path);
    if (!slash)
        span_copy(end, span_of("/"));
    return NULL;
}

int http_url_parse(struct http_url *url, const char *text, struct err *e)
{
    static const char scheme[] = "http://", secure[] = "https://";
    struct span whole = span_trimmed(span_of(text));
    *url = (struct http_url){.port = "80"};
    if (whole.length >= sizeof secure - 1 &&
        strncasecmp(whole.text, secure, sizeof secure - 1) == 0)
        return refused(whole,
                       "https is not supported, as a live system has no certificates to check a "
                       "collector by; give it as http:// in a network that may see the reports",
                       e);
    if (whole.length < sizeof scheme - 1 || strncasecmp(whole.text, scheme, sizeof scheme - 1) != 0)
        return refused(whole, "a collector is given as http://HOST[:PORT]/PATH/", e);

    struct span rest = {whole.text + sizeof scheme - 1, whole.length - (sizeof scheme - 1)};
    size_t length = 0;
    while (length < rest.length && !strchr("/?#", rest.text[length]))
        length++;
    const char *why = read_authority(url, (struct span){rest.text, length});
    if (!why)
        why = read_path(url, (struct span){rest.text + length, rest.length - length});
    return why ? refused(whole, why, e) : 0;
}

/* Appends "host:port" of the URL, without the port if it is 80. */
static void http_url_add_host(struct text *to, const struct http_url *url)
{
    text_addf(to, strchr(url->host, ':') ? "[%s]" : "%s", url->host);
    if (strcmp(url->port, "80") != 0)
        text_addf(to, ":%s", url->port);
}

static void http_url_add_path(struct text *to, const struct http_url *url, const char *name)
{
    text_add(to, url->path);
    for (const char *c = name; *c; c++) {
        if (consists_of((struct span){c, 1}, "-._~/"))
            text_add_bytes(to, c, 1);
        else
            text_addf(to, "%%%02X", (unsigned)(unsigned char)*c);
    }
}

void http_url_add(struct text *to, const struct http_url *url, const char *name)
{
    text_add(to, "http://");
    http_url_add_host(to, url);
    http_url_add_path(to, url, name);
}

/* ---- PUT ---- */

enum { AGAIN_MS = 500 }; /* time between two attempts to connect */

struct exchange {
    int fd;
    uint64_t deadline_ns;
    struct span head, data;
    size_t sent; /* bytes sent so far, over both parts */
    char got[8192];
    size_t received;
};

/* Polls until the deadline; returns the ready events, 0 when the time is over. */
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

/* Connects to one address before the deadline. Returns the socket, or -1 with errno. */
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

/* Connects to the first of the addresses that accepts; returns -1 with errno. A host without a
   route may get one later: the switch still examines a new link (spanning tree), or no router has
   announced its prefix yet. */
static int connect_in_time(const struct addrinfo *list, uint64_t deadline_ns)
{
    for (;;) {
        unsigned left = 0; /* number of addresses; each gets its share of the remaining time */
        for (const struct addrinfo *a = list; a; a = a->ai_next)
            left++;
        int fd = -1;
        errno = ETIMEDOUT;
        for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next, left--) {
            uint64_t now = clock_raw_ns();
            if (now < deadline_ns)
                fd = connect_to(a, now + (deadline_ns - now) / left);
        }
        if (fd >= 0 || (errno != EHOSTUNREACH && errno != ENETUNREACH) ||
            clock_raw_ns() + AGAIN_MS * UINT64_C(1000000) >= deadline_ns)
            return fd;
        (void)poll(NULL, 0, AGAIN_MS);
    }
}

static bool all_sent(const struct exchange *x)
{
    return x->sent == x->head.length + x->data.length;
}

/* Sends and receives at the same time: a server may refuse at once and read no more. */
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
            ssize_t n = recv(x->fd, x->got + x->received, sizeof x->got - x->received, 0);
            if (n > 0)
                x->received += (size_t)n;
            else if (n == 0)
                return err_set(e, ERR_TARGET,
                               "the collector closed the connection without an answer");
            else if (errno != EAGAIN && errno != EINTR)
                return err_set(e, ERR_TARGET, "the connection broke: %s", strerror(errno));
        } else if (sending) {
            struct span rest = x->sent < x->head.length ? x->head : x->data;
            size_t done = x->sent < x->head.length ? x->sent : x->sent - x->head.length;
            ssize_t n = send(x->fd, rest.text + done, rest.length - done, MSG_NOSIGNAL);
            if (n > 0)
                x->sent += (size_t)n;
            /* When the server takes no more, its answer must still be read. */
            takes_more = n >= 0 || errno == EAGAIN || errno == EINTR;
        }
    }
}

static int put_request(const struct http_url *url, struct span head, struct span data,
                       unsigned seconds, struct err *e)
{
    struct exchange x = {.head = head, .data = data};
    struct http_answer answer = {0};
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    x.deadline_ns = clock_raw_ns() + (uint64_t)seconds * 1000000000u;
    int error = getaddrinfo(url->host, url->port, &hints, &list);
    if (error)
        return err_set(e, ERR_TARGET, "the address of %s is not found: %s", url->host,
                       error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    x.fd = connect_in_time(list, x.deadline_ns);
    error = errno;
    freeaddrinfo(list);
    if (x.fd < 0)
        return err_set(e, ERR_TARGET, "no connection: %s; is the collector running there?",
                       strerror(error));
    int result = exchange(&x, &answer, e);
    close(x.fd);
    if (result)
        return result;
    if (answer.status >= 300)
        return err_set(e, ERR_TARGET, "the collector refused it: %s", answer.line);
    if (!all_sent(&x))
        return err_set(e, ERR_TARGET, "the collector answered before it had the whole file: %s",
                       answer.line);
    return 0;
}

int http_put(const struct http_url *url, const char *name, const char *content_type,
             const void *data, size_t length, unsigned seconds, struct err *e)
{
    struct text head = {0}, target = {0};
    int result = -1;
    text_add(&head, "PUT ");
    http_url_add_path(&head, url, name);
    text_add(&head, " HTTP/1.1\r\nHost: ");
    http_url_add_host(&head, url);
    text_addf(&head,
              "\r\nUser-Agent: cupel/%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Connection: close\r\n\r\n",
              cupel_version, content_type, length);
    http_url_add(&target, url, name);
    if (head.failed || target.failed) {
        err_no_memory(e, "posting %s", name);
    } else {
        result = put_request(url, (struct span){head.data, head.length},
                             (struct span){data, length}, seconds, e);
        if (result)
            err_context(e, "%.240s", target.data);
    }
    text_free(&head);
    text_free(&target);
    return result;
}

/* ---- the answer ---- */

/* Reads "HTTP/1.x nnn" with an optional reason. Returns the status, or 0. */
static int status_of(struct span line)
{
    static const char form[] = "HTTP/1.# ###";
    size_t length = sizeof form - 1;
    if (line.length < length || (line.length > length && line.text[length] != ' '))
        return 0;
    for (size_t i = 0; i < length; i++) {
        bool digit = line.text[i] >= '0' && line.text[i] <= '9';
        if (form[i] == '#' ? !digit : line.text[i] != form[i])
            return 0;
    }
    const char *digits = line.text + length - 3;
    int status = (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
    return status >= 100 && status <= 599 ? status : 0;
}

/* Returns the length of the header section with its empty line; 0 if it is not complete. */
static size_t header_length(struct span s)
{
    for (size_t i = 0; i + 1 < s.length; i++) {
        if (s.text[i] != '\n')
            continue;
        if (s.text[i + 1] == '\n')
            return i + 2;
        if (i + 2 < s.length && s.text[i + 1] == '\r' && s.text[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

enum http_progress http_answer_read(struct http_answer *a, struct span got)
{
    for (;;) {
        if (got.length == 0)
            return HTTP_INCOMPLETE;
        /* A server of another protocol is recognised by its first bytes, even if it keeps the
           connection open. */
        static const char begin[] = "HTTP/1.";
        size_t n = got.length < sizeof begin - 1 ? got.length : sizeof begin - 1;
        if (memcmp(got.text, begin, n) != 0)
            return HTTP_GARBAGE;
        const char *end = memchr(got.text, '\n', got.length);
        if (!end)
            return HTTP_INCOMPLETE;
        struct span line = span_trimmed((struct span){got.text, (size_t)(end - got.text)});
        int status = status_of(line);
        if (status == 0)
            return HTTP_GARBAGE;
        if (status >= 200) {
            a->status = status;
            span_printable(a->line, sizeof a->line, line);
            return HTTP_ANSWERED;
        }
        size_t passed = header_length(got);
        if (passed == 0)
            return HTTP_INCOMPLETE;
        got = (struct span){got.text + passed, got.length - passed};
    }
}
