/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as an operator types them, and resolv.conf. */
#include "appliance/network/internal.h"
#include "check.h"

static void test_taken(void)
{
    static const struct {
        const char *text;
        uint32_t address, gateway;
        unsigned prefix;
    } rows[] = {{"192.0.2.7/24", 0xC0000207, 0, 24},
                {"192.0.2.7/24,192.0.2.1", 0xC0000207, 0xC0000201, 24},
                {" 10.1.2.3/8 , 10.0.0.1 ", 0x0A010203, 0x0A000001, 8},
                {"223.255.255.254/32,1.0.0.1", 0xDFFFFFFE, 0x01000001, 32},
                {"1.0.0.0/1", 0x01000000, 0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct network_setting s;
        struct err e = {0};
        if (network_setting_parse(&s, rows[i].text, &e))
            fprintf(stderr, "    %s\n", e.msg);
        CHECK_INT(e.code, 0);
        CHECK_INT(s.address, rows[i].address);
        CHECK_INT(s.gateway, rows[i].gateway);
        CHECK_INT(s.prefix, rows[i].prefix);
        CHECK_INT(s.seconds, NETWORK_FOR_EVER);
    }
}

static void test_refused(void)
{
    static const char *const rows[] = {"",
                                       "DHCP6",
                                       "192.0.2.7",
                                       "192.0.2.7/",
                                       "/24",
                                       "192.0.2.7/0",
                                       "192.0.2.7/33",
                                       "192.0.2.7/+4",
                                       "192.0.2.7/2.",
                                       "192.0.2.7/024",
                                       "192.0.2/24",
                                       "192.0.2.256/24",
                                       "0.0.0.0/24",
                                       "127.0.0.1/8",
                                       "224.0.0.1/4",
                                       "192.0.2.7/24,",
                                       "192.0.2.7/24,x",
                                       "192.0.2.7/24,192.0.2.1/24",
                                       "192.0.2.7/24,1.1.1.1,2.2.2.2",
                                       "192.0.2.7,192.0.2.1/24",
                                       "2001:db8::1/64",
                                       "192.0.2.7000000000000000000000000000000000000000/24"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct network_setting s;
        struct err e = {0};
        if (!network_setting_parse(&s, rows[i], &e))
            fprintf(stderr, "    \"%s\" was taken\n", rows[i]);
        CHECK_INT(e.code, ERR_USAGE);
        CHECK(strstr(e.msg, "192.0.2.7/24,192.0.2.1") != NULL);
    }
}

static void test_text(void)
{
    char to[16];
    CHECK_STR(network_address_text(to, 0), "");
    CHECK_STR(network_address_text(to, 0xFFFFFFFF), "255.255.255.255");
    CHECK_STR(network_address_text(to, 0x0A000203), "10.0.2.3");
}

static void test_resolver(void)
{
    static const uint32_t dns[] = {0x0A000203, 0x08080808};
    struct text t = {0};
    network_add_resolver(&t, dns, 2, "rack-7.example");
    CHECK_STR(t.data, "search rack-7.example\nnameserver 10.0.2.3\nnameserver 8.8.8.8\n");
    text_free(&t);
    network_add_resolver(&t, dns, 1, "");
    CHECK_STR(t.data, "nameserver 10.0.2.3\n");
    text_free(&t);
    network_add_resolver(&t, dns, 0, "");
    CHECK_INT(t.length, 0);
    text_free(&t);
}

int main(void)
{
    test_taken();
    test_refused();
    test_text();
    test_resolver();
    return check_result();
}
