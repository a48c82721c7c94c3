/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HOST[:PORT] as numbers; names are looked up only in the hosts file. */
#include "check.h"

#include "io/net/address.h"

static void check_found(const char *text, bool to_listen, const char *number, unsigned port)
{
    struct net_addresses found;
    struct err e = {0};
    char got[NET_ADDRESS_TEXT];
    CHECK_INT(net_addresses_find(&found, text, to_listen, &e), 0);
    if (e.code) {
        CHECK_STR(e.msg, text);
        return;
    }
    CHECK_STR(net_address_text(&found.list[0], got), number);
    CHECK_INT(net_address_port(&found.list[0]), port);
}

static void check_refused(const char *text, bool to_listen)
{
    struct net_addresses found;
    struct err e = {0};
    CHECK_INT(net_addresses_find(&found, text, to_listen, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(e.msg[0] != '\0');
}

static void check_own(const char *text, bool own)
{
    struct net_addresses found;
    struct err e = {0};
    CHECK_INT(net_addresses_find(&found, text, false, &e), 0);
    if (net_address_is_own(&found.list[0]) != own)
        CHECK_STR(text, own ? "this machine's own" : "another's");
}

int main(void)
{
    check_found("192.0.2.7", false, "192.0.2.7", 7231);
    check_found("192.0.2.7:80", false, "192.0.2.7", 80);
    check_found("2001:db8::7", false, "2001:db8::7", 7231);
    check_found("[2001:db8::7]", false, "2001:db8::7", 7231);
    check_found("[2001:db8::7]:65535", false, "2001:db8::7", 65535);
    check_found("[::ffff:192.0.2.7]:1", false, "192.0.2.7", 1);
    check_found("fe80::1%lo", false, "fe80::1%lo", 7231);
    check_found(":80", true, "::", 80);
    check_found("0.0.0.0:0", true, "0.0.0.0", 0);

    static const char *const refused[] = {"",
                                          ":80",
                                          "host:",
                                          "host:http",
                                          "host:-1",
                                          "host:65536",
                                          "host:0",
                                          "[2001:db8::7",
                                          "[::1]80",
                                          "[]:80",
                                          "host:000080",
                                          "host: 80",
                                          "2001:db8:::7"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i], false);
    check_refused(":port", true);

    static char longest[600];
    memset(longest, 'a', sizeof longest - 1);
    check_refused(longest, false);

    struct net_peer a, b;
    struct err e;
    CHECK_INT(net_peer_find(&a, "127.0.0.1", &e), 0);
    CHECK_INT(net_peer_find(&b, "127.0.0.1", &e), 0);
    CHECK(a.token != b.token); /* the far end can tell two sessions apart */

    static const char *const own[] = {"127.0.0.1", "127.0.0.2", "127.255.255.254",
                                      "0.0.0.0",   "::",        "::ffff:127.0.0.9"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        check_own(own[i], true);
    check_own("192.0.2.7", false);
    check_own("128.0.0.1", false);
    check_own("2001:db8::7", false);
    return check_result();
}
