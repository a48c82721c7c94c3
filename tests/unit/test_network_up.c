/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network_up on real interfaces of the kernel, with the test at the other end of the cable. */
#include <arpa/inet.h>
#include <net/route.h>
#include <time.h>

#include "appliance/network/http.h"
#include "appliance/network/network_up.h"
#include "base/clock.h"
#include "base/file/file.h"
#include "check.h"
#include "wire.h"

/* Waits of a second or two are over by then, even on a busy machine. */
enum { WAITED_MAX_MS = 20000 };

static char etc[256];

static struct wire usual(const char *name)
{
    return (struct wire){.name = name,
                         .address = 0xC0000232,
                         .netmask = 0xFFFFFF00,
                         .router = 0xC0000201,
                         .server = 0xC0000202,
                         .dns = 0xC0000203,
                         .seconds = 3600};
}

/* Returns the interface's address or netmask from the kernel, or 0. */
static uint32_t asked(const char *name, bool netmask)
{
    struct ifreq r;
    struct sockaddr_in a = {0};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    memset(&r, 0, sizeof r);
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    int result = netmask ? ioctl(fd, SIOCGIFNETMASK, &r) : ioctl(fd, SIOCGIFADDR, &r);
    close(fd);
    memcpy(&a, &r.ifr_addr, sizeof a);
    return result ? 0 : ntohl(a.sin_addr.s_addr);
}

/* Returns the gateway of the interface's default route, or 0. */
static uint32_t default_gateway(const char *name)
{
    FILE *routes = fopen("/proc/net/route", "re");
    char line[256], interface[32];
    unsigned destination, gateway;
    uint32_t found = 0;
    while (routes && fgets(line, sizeof line, routes))
        if (sscanf(line, "%31s %x %x", interface, &destination, &gateway) == 3 &&
            strcmp(interface, name) == 0 && destination == 0)
            found = ntohl(gateway);
    if (routes)
        fclose(routes);
    return found;
}

static int up(struct network *n, const char *interface, const char *address, unsigned seconds,
              struct err *e)
{
    *e = (struct err){0};
    struct network_request r = {interface, address, seconds, etc};
    int result = network_up(n, &r, e);
    if (result && e->code == ERR_NONE)
        fprintf(stderr, "    an error without a code\n");
    return result;
}

static uint64_t now_ms(void)
{
    return clock_raw_ns() / 1000000;
}

enum { ASKED_AGAIN_MS = 1000 };

/* Checks how many messages the server heard; more are permitted only if it was slow to answer. */
static void check_said(const struct wire *w, unsigned discovers, unsigned requests,
                       uint64_t took_ms)
{
    unsigned again = w->discovers + w->requests - discovers - requests;
    CHECK(w->discovers >= discovers && w->requests >= requests);
    CHECK(again <= took_ms / ASKED_AGAIN_MS);
}

static void test_lease(void)
{
    struct network n;
    struct err e;
    struct wire w = usual("rack0");
    CHECK(wire_open(&w, true));
    uint64_t begin = now_ms();
    if (up(&n, "", "dhcp", 10, &e))
        fprintf(stderr, "    %s\n", e.msg);
    CHECK_INT(e.code, 0);
    uint64_t took = now_ms() - begin;
    CHECK_STR(n.interface, "rack0");
    CHECK_STR(n.address, "192.0.2.50/24");
    CHECK_STR(n.gateway, "192.0.2.1");
    CHECK_STR(n.server, "192.0.2.2");
    CHECK_INT(asked("rack0", false), 0xC0000232);
    CHECK_INT(asked("rack0", true), 0xFFFFFF00);
    CHECK_INT(default_gateway("rack0"), 0xC0000201);
    char *text = NULL, path[300];
    snprintf(path, sizeof path, "%s/resolv.conf", etc);
    CHECK_INT(file_read_all(path, 4096, &text, NULL, &e), 0);
    CHECK_STR(text, "nameserver 192.0.2.3\n");
    free(text);
    check_said(&w, 1, 1, took);

    /* Again as if for the first time: nothing is sent from the earlier address. */
    w.address = 0xC0000233;
    CHECK_INT(up(&n, "rack0", "dhcp", 10, &e), 0);
    CHECK_STR(n.address, "192.0.2.51/24");
    CHECK_INT(asked("rack0", false), 0xC0000233);
    CHECK_INT(default_gateway("rack0"), 0xC0000201);
    CHECK(w.came_from_nowhere);
    wire_close(&w);
}

/* Lost messages, then a refused request. */
static void test_bad_wire(void)
{
    struct network n;
    struct err e;
    struct wire w = usual("rack0");
    w.ignored = 1;
    w.refused = 1;
    CHECK(wire_open(&w, true));
    uint64_t begin = now_ms();
    CHECK_INT(up(&n, "rack0", "dhcp", 10, &e), 0);
    CHECK_STR(n.address, "192.0.2.50/24");
    check_said(&w, 3, 2, now_ms() - begin);
    wire_close(&w);
}

/* Several interfaces at once: one without a carrier, one without an answer, one that offers the
   address of a management controller's own cable, and the right one, which is plugged in late. */
static void test_several(void)
{
    struct network n;
    struct err e;
    struct wire loose = usual("rack0"), deaf = usual("rack1"), inner = usual("rack2"),
                right = usual("rack3");
    deaf.is_deaf = true;
    inner.address = 0xA9FE5F78;
    right.address = 0x0A00020F;
    right.router = 0;
    right.ignored = 1; /* so that the other servers hear a request before there is a lease */
    CHECK(wire_open(&loose, false));
    CHECK(wire_open(&deaf, true));
    CHECK(wire_open(&inner, true));
    CHECK(wire_open(&right, true));
    CHECK_INT(up(&n, NULL, "dhcp", 10, &e), 0);
    CHECK_STR(n.interface, "rack3");
    CHECK_STR(n.address, "10.0.2.15/24");
    CHECK_STR(n.gateway, "");
    CHECK_INT(default_gateway("rack3"), 0);
    CHECK(inner.discovers >= 1);
    CHECK_INT(inner.requests, 0);
    CHECK_INT(loose.discovers, 0);
    CHECK_INT(asked("rack1", false), 0);
    CHECK_INT(asked("rack2", false), 0);
    wire_close(&loose);
    wire_close(&deaf);
    wire_close(&inner);
    wire_close(&right);
}

static void *plug_late(void *context)
{
    struct timespec t = {.tv_nsec = 700000000};
    nanosleep(&t, NULL);
    wire_plug(context);
    return NULL;
}

static void test_late_link(void)
{
    struct network n;
    struct err e;
    pthread_t thread;
    struct wire w = usual("rack0");
    CHECK(wire_open(&w, false));
    uint64_t begin = now_ms();
    CHECK_INT(pthread_create(&thread, NULL, plug_late, &w), 0);
    CHECK_INT(up(&n, "", "dhcp", 10, &e), 0);
    CHECK(now_ms() - begin >= 700);
    pthread_join(thread, NULL);
    wire_close(&w);
}

/* An expired lease is removed from the interface. */
static void test_short_lease(void)
{
    struct network n;
    struct err e;
    struct wire w = usual("rack0");
    w.seconds = 2;
    CHECK(wire_open(&w, true));
    uint64_t begin = now_ms();
    CHECK_INT(up(&n, "", "dhcp", 10, &e), 0);
    CHECK_STR(n.address, "192.0.2.50/24");
    while (asked("rack0", false) != 0 && now_ms() - begin < 30000)
        poll(NULL, 0, 50);
    CHECK_INT(asked("rack0", false), 0);
    CHECK(now_ms() - begin >= 1500); /* the kernel checks now and then, up to half a second early */
    wire_close(&w);
}

static void test_given_address(void)
{
    struct network n;
    struct err e;
    struct wire loose = usual("rack0"), w = usual("rack1");
    CHECK(wire_open(&loose, false));
    CHECK(wire_open(&w, true));
    CHECK_INT(up(&n, "", "198.51.100.7/25,198.51.100.1", 10, &e), 0);
    CHECK_STR(n.interface, "rack1");
    CHECK_STR(n.address, "198.51.100.7/25");
    CHECK_STR(n.gateway, "198.51.100.1");
    CHECK_STR(n.server, "");
    CHECK_INT(asked("rack1", false), 0xC6336407);
    CHECK_INT(asked("rack1", true), 0xFFFFFF80);
    CHECK_INT(default_gateway("rack1"), 0xC6336401);
    CHECK_INT(up(&n, "rack1", "198.51.100.9/32,192.0.2.1", 10, &e), 0); /* a gateway outside */
    CHECK_INT(asked("rack1", false), 0xC6336409);
    CHECK_INT(default_gateway("rack1"), 0xC0000201);
    CHECK_INT(up(&n, "rack1", "198.51.100.9/31", 10, &e), 0);
    CHECK_INT(default_gateway("rack1"), 0);
    CHECK_INT(w.discovers, 0);
    wire_close(&loose);
    wire_close(&w);
}

static void check_fails(const char *interface, const char *address, const char *why,
                        enum err_code code)
{
    struct network n;
    struct err e;
    uint64_t begin = now_ms();
    CHECK_INT(up(&n, interface, address, 1, &e), -1);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, why))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", why, e.msg);
    CHECK(strstr(e.msg, why) != NULL);
    CHECK(now_ms() - begin < WAITED_MAX_MS);
}

static void test_failures(void)
{
    check_fails("", "dhcp", "there is no Ethernet interface in 1 s", ERR_MACHINE);
    check_fails("lo", "dhcp", "no Ethernet interface lo", ERR_MACHINE);
    check_fails("", "192.0.2.1", "192.0.2.7/24", ERR_USAGE);
    struct wire w = usual("rack0");
    CHECK(wire_open(&w, false));
    check_fails("", "dhcp", "1 Ethernet interface, none with a link", ERR_MACHINE);
    check_fails("rack0", "192.0.2.1/24", "none with a link", ERR_MACHINE);
    wire_close(&w);
    struct wire deaf = usual("rack0");
    deaf.is_deaf = true;
    CHECK(wire_open(&deaf, true));
    check_fails("", "dhcp", "no DHCP server answered on 1 linked interface in 1 s", ERR_MACHINE);
    check_fails("rack1", "dhcp", "no Ethernet interface rack1", ERR_MACHINE);
    wire_close(&deaf);
}

/* No route yet: it tries again until the time is over. */
static void test_no_way(void)
{
    struct http_url u;
    struct err e = {0};
    uint64_t begin = now_ms();
    CHECK_INT(http_url_parse(&u, "http://192.0.2.9/", &e), 0);
    CHECK_INT(http_put(&u, "r", "text/plain", "x", 1, 2, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "http://192.0.2.9/r: no connection: Network") != NULL);
    CHECK(now_ms() - begin >= 1400 && now_ms() - begin < WAITED_MAX_MS);
}

int main(void)
{
    struct wire w = usual("rack0");
    if (!wire_namespace() || !wire_open(&w, true)) {
        printf("no network namespace with a TAP interface here\n");
        return CHECK_SKIPPED;
    }
    wire_close(&w);
    const char *tmp = getenv("TMPDIR");
    snprintf(etc, sizeof etc, "%s/cupel-etc-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(etc)) {
        printf("no scratch folder %s\n", etc);
        return CHECK_SKIPPED;
    }
    test_lease();
    test_bad_wire();
    test_several();
    test_late_link();
    test_short_lease();
    test_given_address();
    test_failures();
    test_no_way();
    char path[300];
    snprintf(path, sizeof path, "%s/resolv.conf", etc);
    unlink(path);
    rmdir(etc);
    return check_result();
}
