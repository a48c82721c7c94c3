/* SPDX-License-Identifier: GPL-3.0-or-later */
/* URLs of collectors, the names in them, and status lines: the parts of HTTP without sockets. */
#include "appliance/network/http.h"
#include "appliance/network/internal.h"
#include "check.h"

static void test_taken(void)
{
    static const struct {
        const char *text, *host, *port, *path;
    } rows[] = {
        {"http://10.0.2.2/reports/", "10.0.2.2", "80", "/reports/"},
        {"http://10.0.2.2/reports", "10.0.2.2", "80", "/reports/"},
        {"http://collector", "collector", "80", "/"},
        {"  HTTP://collector.rack-7.example:8080/a/b%20c/ \n", "collector.rack-7.example", "8080",
         "/a/b%20c/"},
        {"http://host:/", "host", "80", "/"},
        {"http://[2001:db8::1]/x", "2001:db8::1", "80", "/x/"},
        {"http://[::1]:65535", "::1", "65535", "/"},
        {"http://a/~u/(x);v=1,2:3@4/", "a", "80", "/~u/(x);v=1,2:3@4/"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_url u;
        struct err e = {0};
        CHECK_INT(http_url_parse(&u, rows[i].text, &e), 0);
        CHECK_STR(u.host, rows[i].host);
        CHECK_STR(u.port, rows[i].port);
        CHECK_STR(u.path, rows[i].path);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"https://collector/", "https is not supported"},
        {"HTTPS://collector/", "https is not supported"},
        {"", "http://HOST"},
        {"collector/reports/", "http://HOST"},
        {"ftp://collector/", "http://HOST"},
        {"http:/collector", "http://HOST"},
        {"http://", "host is missing"},
        {"http:///x", "host is missing"},
        {"http://:80/", "host is missing"},
        {"http://user:word@collector/", "user name"},
        {"http://a b/", "a host is"},
        {"http://a\r\nX: y/", "a host is"},
        {"http://2001:db8::1/", "port"},
        {"http://a:0/", "port"},
        {"http://a:65536/", "port"},
        {"http://a:123456/", "port"},
        {"http://a:8o/", "port"},
        {"http://a:1e3/", "port"},
        {"http://a:-1/", "port"},
        {"http://[::1/", "']'"},
        {"http://[::g]/", "no IPv6"},
        {"http://[]/", "no IPv6"},
        {"http://[fe80::1%25eth0]/", "no IPv6"},
        {"http://[::1]x/", "after ']'"},
        {"http://[::1]:x/", "port"},
        {"http://a/?x=", "without '?'"},
        {"http://a?x", "without '?'"},
        {"http://a/#x", "without '?'"},
        {"http://a/b c/", "%XX"},
        {"http://a/b\nc/", "%XX"},
        {"http://a/\xC3\xA9/", "%XX"},
        {"http://a/%4", "%XX"},
        {"http://a/%zz/", "%XX"},
        {"http://a/%", "%XX"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_url u;
        struct err e = {0};
        CHECK_INT(http_url_parse(&u, rows[i].text, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        if (!strstr(e.msg, rows[i].why))
            fprintf(stderr, "    \"%s\" gives \"%s\"\n", rows[i].text, e.msg);
        CHECK(strstr(e.msg, rows[i].why) != NULL);
        CHECK(!strpbrk(e.msg, "\r\n"));
    }
}

/* A host and a path of maximum length, and one character longer. */
static void test_lengths(void)
{
    static const struct {
        const char *before;
        size_t min_refused;
    } rows[] = {{"http://", 256}, {"http://a/", 510}, {"http://[", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t n = 1; n < 700; n++) {
            char text[800];
            struct http_url u;
            size_t begin = strlen(rows[i].before);
            memcpy(text, rows[i].before, begin);
            memset(text + begin, 'a', n);
            text[begin + n] = '\0';
            CHECK_INT(http_url_parse(&u, text, NULL), n < rows[i].min_refused ? 0 : -1);
        }
    }
}

static void test_names(void)
{
    static const struct {
        const char *url, *name, *whole;
    } rows[] = {
        {"http://a/r/", "report.txt", "http://a/r/report.txt"},
        {"http://a:8080", "2026-11-20-S 1/report.json",
         "http://a:8080/2026-11-20-S%201/report.json"},
        {"http://[::1]:81/x%20y/", "a?b#c%d", "http://[::1]:81/x%20y/a%3Fb%23c%25d"},
        {"http://[::1]/", "\xC3\xA9\r\n:", "http://[::1]/%C3%A9%0D%0A%3A"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_url u;
        struct text t = {0};
        CHECK_INT(http_url_parse(&u, rows[i].url, NULL), 0);
        http_url_add(&t, &u, rows[i].name);
        CHECK_STR(t.data, rows[i].whole);
        text_free(&t);
    }
}

static enum http_progress progress_of(const char *got, struct http_answer *a)
{
    *a = (struct http_answer){0};
    return http_answer_read(a, span_of(got));
}

static void test_answers(void)
{
    struct http_answer a;
    CHECK_INT(progress_of("HTTP/1.1 201 Created\r\n", &a), HTTP_ANSWERED);
    CHECK_INT(a.status, 201);
    CHECK_STR(a.line, "HTTP/1.1 201 Created");
    CHECK_INT(progress_of("HTTP/1.0 404\n", &a), HTTP_ANSWERED);
    CHECK_INT(a.status, 404);
    CHECK_INT(progress_of("HTTP/1.1 599 \x1B[31mred\r\n", &a), HTTP_ANSWERED);
    CHECK_STR(a.line, "HTTP/1.1 599 ?[31mred");
    static const char *const garbage[] = {
        "\r\n",
        "\nHTTP/1.1 200 OK\r\n",
        "HTTP/2 200\r\n",
        "HTTP/1.1 99 x\r\n",
        "HTTP/1.1 2000\r\n",
        "HTTP/1.1 600 x\r\n",
        "HTTP/1.1 099 x\r\n",
        "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1 20x\r\n",
        "HTTP/1.1\r\n",
        "SSH-2.0-OpenSSH_9.2",
        "HTTP/1.1 100 Continue\r\n\r\nnonsense",
    };
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        CHECK_INT(progress_of(garbage[i], &a), HTTP_GARBAGE);
}

/* Byte by byte: nothing is decided before the end of the status line; interim answers do not count.
 */
static void test_answers_in_pieces(void)
{
    static const char whole[] =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n"
        "\r\nHTTP/1.1 500 Internal Server Error\r\n";
    struct http_answer a = {0};
    for (size_t n = 0; n < sizeof whole - 1; n++)
        CHECK_INT(http_answer_read(&a, (struct span){whole, n}), HTTP_INCOMPLETE);
    CHECK_INT(a.status, 0);
    CHECK_INT(http_answer_read(&a, (struct span){whole, sizeof whole - 1}), HTTP_ANSWERED);
    CHECK_INT(a.status, 500);
    CHECK_INT(progress_of("HTTP/1.1 100\n\nHTTP/1.1 200\n", &a), HTTP_ANSWERED);
}

int main(void)
{
    test_taken();
    test_refused();
    test_lengths();
    test_names();
    test_answers();
    test_answers_in_pieces();
    return check_result();
}
