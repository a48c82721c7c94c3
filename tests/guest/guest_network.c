/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network from no address to a file on the other side: a real driver, the kernel's real
   sockets, QEMU's DHCP server, and the test's own collector (tests/e2e/qemu/collector.sh). */
#include "appliance/network/http.h"
#include "appliance/network/network_up.h"
#include "guest.h"

enum { RECORDS = 300000 }; /* of 16 bytes: 100000000000000 + n and a line feed */

static char *records(size_t *length)
{
    char *text = malloc((size_t)RECORDS * 16 + 1);
    *length = (size_t)RECORDS * 16;
    for (long n = 0; text && n < RECORDS; n++)
        (void)snprintf(text + n * 16, 17, "%ld\n", 100000000000000 + n);
    return text;
}

static void put(const char *base, const char *name, const void *data, size_t length)
{
    struct http_url url;
    struct err e = {0};
    CHECK_INT(http_url_parse(&url, base, &e), 0);
    if (http_put(&url, name, "text/plain", data, length, 30, &e))
        printf("%s\n", e.msg);
    CHECK_INT(e.code, 0);
}

static void check_refused(const char *base, const char *why)
{
    struct http_url url;
    struct err e = {0};
    CHECK_INT(http_url_parse(&url, base, &e), 0);
    CHECK_INT(http_put(&url, "x", "text/plain", "x", 1, 3, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    printf("%s\n", e.msg);
    CHECK(strstr(e.msg, why) != NULL);
}

static void test_dhcp(void)
{
    struct network n;
    struct err e = {0};
    struct network_request request = {.address = "dhcp", .seconds = 30};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (network_up(&n, &request, &e))
        printf("%s\n", e.msg);
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK_INT(e.code, 0);
    printf("network: %s %s, gateway %s, DHCP server %s, %.1f s\n", n.interface, n.address,
           n.gateway, n.server,
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    CHECK_STR(n.address, "10.0.2.15/24");
    CHECK_STR(n.gateway, "10.0.2.2");
    CHECK_STR(n.server, "10.0.2.2");
    char resolver[200] = "";
    FILE *file = fopen("/etc/resolv.conf", "re");
    CHECK(file != NULL);
    if (!file)
        return;
    CHECK(fread(resolver, 1, sizeof resolver - 1, file) > 0);
    (void)fclose(file);
    CHECK_STR(resolver, "search rack-7.example\nnameserver 10.0.2.3\n");
}

static void test_given_address(void)
{
    struct network n;
    struct err e = {0};
    struct network_request request = {.address = "10.0.2.77/24,10.0.2.2", .seconds = 30};
    struct network_request no_such = {.interface = "eth7", .address = "dhcp", .seconds = 1};
    request.interface = access("/sys/class/net/eth1", F_OK) == 0 ? "eth1" : "eth0";
    if (network_up(&n, &request, &e))
        printf("%s\n", e.msg);
    CHECK_INT(e.code, 0);
    CHECK_STR(n.interface, request.interface);
    put("http://10.0.2.100/given/", "small.txt", "given\n", 6);
    CHECK_INT(network_up(&n, &no_such, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
}

static void test(void)
{
    size_t length;
    char *data = records(&length);
    CHECK(data != NULL);
    test_dhcp();
    put("http://10.0.2.100/reports", "2026-11-20-A B/large.txt", data, length);
    put("http://10.0.2.100:80/reports/", "empty.txt", NULL, 0);
    check_refused("http://10.0.2.100/refused/", "507 No Room");
    check_refused("http://10.0.2.2:9/", "no connection");
    test_given_address();
    free(data);
}

int main(void)
{
    return guest_run(test);
}
