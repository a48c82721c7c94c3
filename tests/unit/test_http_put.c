/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http_put with a server in a thread that accepts, refuses, is slow, or fails. */
#include "appliance/network/http.h"
#include "base/clock.h"
#include "base/version.h"
#include "check.h"
#include "http_server.h"

static const char accepted[] = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";

static struct http_url url_of(const struct http_server *s, const char *host)
{
    struct http_url u;
    char text[64];
    snprintf(text, sizeof text, "http://%s:%u/reports/", host, s->port);
    CHECK_INT(http_url_parse(&u, text, NULL), 0);
    return u;
}

/* A small file, and one larger than the sockets' buffers, with every byte value. */
static char *contents_of(size_t length)
{
    char *data = malloc(length + 1);
    for (size_t i = 0; data && i < length; i++)
        data[i] = (char)(i * 31 + i / 251);
    return data;
}

static void check_arrives(const char *answer, size_t length, bool byte_by_byte)
{
    struct http_server s = {.answer = answer, .reads = true, .byte_by_byte = byte_by_byte};
    char head[512], *data = contents_of(length);
    struct err e = {0};
    CHECK(data != NULL);
    CHECK(server_begin(&s, AF_INET));
    struct http_url u = url_of(&s, "127.0.0.1");
    if (http_put(&u, "a b/r.bin", "application/octet-stream", data, length, 10, &e))
        fprintf(stderr, "    %s\n", e.msg);
    CHECK_INT(e.code, 0);
    server_end_of(&s);
    int head_length = snprintf(head, sizeof head,
                               "PUT /reports/a%%20b/r.bin HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                               "User-Agent: cupel/%s\r\nContent-Type: application/octet-stream\r\n"
                               "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                               s.port, cupel_version, length);
    CHECK_INT(s.head_length, head_length);
    CHECK(s.got && strncmp(s.got, head, s.head_length) == 0);
    CHECK_INT(s.got_length - s.head_length, length);
    CHECK(s.got && data && memcmp(s.got + s.head_length, data, length) == 0);
    free(s.got);
    free(data);
}

static void test_arrives(void)
{
    check_arrives(accepted, 100, false);
    check_arrives("HTTP/1.1 200 OK\r\n\r\nthanks", 0, false);
    check_arrives("HTTP/1.0 204\r\n\r\n", 1, false);
    check_arrives("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 5000, true);
    check_arrives(accepted, 20 << 20, false);
}

/* Checks that the message contains `why`; returns the milliseconds that it took. */
static uint64_t check_fails(struct http_server *s, size_t length, unsigned seconds, const char *why)
{
    struct err e = {0};
    char *data = contents_of(length);
    CHECK(data != NULL);
    CHECK(server_begin(s, AF_INET));
    struct http_url u = url_of(s, "127.0.0.1");
    uint64_t begin = clock_raw_ns();
    CHECK_INT(http_put(&u, "report.txt", "text/plain", data, length, seconds, &e), -1);
    uint64_t ms = (clock_raw_ns() - begin) / 1000000;
    CHECK_INT(e.code, ERR_TARGET);
    if (!strstr(e.msg, why))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", why, e.msg);
    CHECK(strstr(e.msg, why) != NULL);
    CHECK(strstr(e.msg, "/reports/report.txt: ") != NULL);
    server_end_of(s);
    free(s->got);
    free(data);
    return ms;
}

static void test_refusals(void)
{
    static const char *const rows[][2] = {
        {"HTTP/1.1 404 Not Found\r\n\r\n", "refused it: HTTP/1.1 404 Not Found"},
        {"HTTP/1.1 500 Internal Server Error\r\n\r\n", "HTTP/1.1 500 Internal Server Error"},
        {"HTTP/1.1 301 Moved Permanently\r\nLocation: http://b/\r\n\r\n", "HTTP/1.1 301 Moved"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 507 Full\r\n\r\n", "HTTP/1.1 507 Full"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_server s = {.answer = rows[i][0], .reads = true};
        check_fails(&s, 100, 10, rows[i][1]);
    }
}

/* An answer before the whole file was taken: a refusal is reported at once, and a success is not
   believed. */
static void test_early_answers(void)
{
    struct http_server full = {.answer = "HTTP/1.1 413 Too Large\r\n\r\n", .stays_ms = 300};
    CHECK(check_fails(&full, 20 << 20, 10, "HTTP/1.1 413 Too Large") < 5000);
    struct http_server hasty = {.answer = accepted, .stays_ms = 300};
    check_fails(&hasty, 20 << 20, 10, "answered before it had the whole file");
}

static void test_broken_servers(void)
{
    struct http_server silent = {.answer = "", .reads = true};
    check_fails(&silent, 100, 10, "closed the connection without an answer");
    struct http_server half = {.answer = "HTTP/1.1 200 O", .reads = true};
    check_fails(&half, 100, 10, "closed the connection without an answer");
    struct http_server other = {.answer = "SSH-2.0-x\r\n", .reads = false, .stays_ms = 200};
    check_fails(&other, 100, 10, "does not speak HTTP/1.1");
    struct http_server gone = {.answer = "", .reads = false};
    CHECK(check_fails(&gone, 20 << 20, 10, "the co") <
          5000); /* "the connection broke", or "the collector closed" */

    char *long_head = malloc(20001);
    CHECK(long_head != NULL);
    if (!long_head)
        return;
    memset(long_head, 'x', 20000);
    memcpy(long_head, "HTTP/1.1 100 ", 13);
    long_head[20000] = '\0';
    struct http_server endless = {.answer = long_head, .reads = true, .stays_ms = 100};
    check_fails(&endless, 100, 10, "does not speak HTTP/1.1");
    free(long_head);
}

static void test_slow_servers(void)
{
    struct http_server mute = {.answer = "", .reads = true, .stays_ms = 1600};
    uint64_t ms = check_fails(&mute, 100, 1, "too slow");
    CHECK(ms >= 1000 && ms < 1500);
    struct http_server greedless = {.answer = "", .stays_ms = 1600};
    ms = check_fails(&greedless, 20 << 20, 1, "of 20971");
    CHECK(ms >= 1000 && ms < 1500);
}

/* Nobody listens on a port that was just closed. */
static void test_nobody_there(void)
{
    struct http_server s = {.answer = ""};
    CHECK(server_begin(&s, AF_INET));
    server_end_of(&s);
    struct http_url u = url_of(&s, "127.0.0.1");
    struct err e = {0};
    CHECK_INT(http_put(&u, "r", "text/plain", "x", 1, 5, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "Connection refused") != NULL);
}

static void test_ipv6(void)
{
    struct http_server s = {.answer = accepted, .reads = true};
    if (!server_begin(&s, AF_INET6)) {
        check_part_skipped("this machine has no IPv6 loopback address");
        return;
    }
    struct http_url u = url_of(&s, "[::1]");
    struct err e = {0};
    char line[64];
    CHECK_INT(http_put(&u, "r", "text/plain", "x", 1, 5, &e), 0);
    server_end_of(&s);
    snprintf(line, sizeof line, "\r\nHost: [::1]:%u\r\n", s.port);
    CHECK(s.got && strstr(s.got, line) != NULL);
    free(s.got);
}

int main(void)
{
    test_arrives();
    test_refusals();
    test_early_answers();
    test_broken_servers();
    test_slow_servers();
    test_nobody_there();
    test_ipv6();
    return check_result();
}
