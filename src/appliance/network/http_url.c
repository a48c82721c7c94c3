/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address of a collector (RFC 3986), and the names of the files that are sent to it. */
#include "appliance/network/http.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "appliance/network/internal.h"
#include "base/span.h"

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

void http_url_add_host(struct text *to, const struct http_url *url)
{
    text_addf(to, strchr(url->host, ':') ? "[%s]" : "%s", url->host);
    if (strcmp(url->port, "80") != 0)
        text_addf(to, ":%s", url->port);
}

void http_url_add_path(struct text *to, const struct http_url *url, const char *name)
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
