/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DHCP without a network: messages as bytes, hundreds of thousands of damaged ones, and the
   client's states in simulated time. */
#include "appliance/network/internal.h"
#include "base/random.h"
#include "check.h"
#include "dhcp_server.h"

static const uint8_t hardware[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x56};

/* ---- what we say */

static void test_discover(void)
{
    struct dhcp_request r = {.type = DHCPDISCOVER, .transaction = 0x01020304, .seconds = 7};
    memcpy(r.hardware, hardware, 6);
    uint8_t b[DHCP_REQUEST];
    CHECK_INT(dhcp_message_write(b, &r), 300);
    static const uint8_t begin[] = {1, 1, 6, 0, 1, 2, 3, 4, 0, 7, 0x80, 0};
    CHECK(memcmp(b, begin, sizeof begin) == 0);
    CHECK(memcmp(b + 28, hardware, 6) == 0);
    static const uint8_t options[] = {0x63, 0x82, 0x53, 0x63, 53,   1,    1,    61, 7,
                                      1,    0x52, 0x54, 0,    0x12, 0x34, 0x56, 57, 2};
    CHECK(memcmp(b + 236, options, sizeof options) == 0);
    CHECK_INT(server_option_32(b, 300, 50), 0);
    CHECK_INT(server_option_32(b, 300, 54), 0);
    size_t i = 299;
    while (i > 240 && b[i] == 0)
        i--;
    CHECK_INT(b[i], 255);
}

static void test_request(void)
{
    struct dhcp_request r = {
        .type = DHCPREQUEST, .transaction = 9, .address = 0x0A00020F, .server = 0x0A000202};
    uint8_t b[DHCP_REQUEST];
    size_t n = dhcp_message_write(b, &r);
    CHECK_INT(b[242], DHCPREQUEST);
    CHECK_INT(server_option_32(b, n, 50), 0x0A00020F);
    CHECK_INT(server_option_32(b, n, 54), 0x0A000202);
    static const uint8_t nowhere[4];
    CHECK(memcmp(b + 12, nowhere, 4) == 0); /* ciaddr is 0: the client has no address yet */
}

/* ---- answers ---- */

static struct server_answer usual(uint8_t type)
{
    struct server_answer a;
    server_answer_begin(&a, type, 77, hardware, 0x0A00020F);
    server_add_32(&a, 54, 0x0A000202);
    server_add_32(&a, 1, 0xFFFFFF00);
    server_add_32(&a, 3, 0x0A000202);
    server_add_32(&a, 51, 86400);
    server_add(&a, 6,
               "\x0A\x00\x02\x03\x08\x08\x08\x08\x00\x00\x00\x00\x01\x01\x01\x01\x09\x09"
               "\x09\x09",
               20);
    server_add(&a, 15, "rack-7.example", 14);
    return a;
}

static enum dhcp_type read_answer(struct dhcp_lease *l, const struct server_answer *a)
{
    return dhcp_message_read(l, a->bytes, a->length, 77, hardware);
}

static void test_offer(void)
{
    struct dhcp_lease l;
    struct server_answer a = usual(DHCPOFFER);
    server_end(&a);
    CHECK_INT(read_answer(&l, &a), DHCPOFFER);
    CHECK_INT(l.address, 0x0A00020F);
    CHECK_INT(l.netmask, 0xFFFFFF00);
    CHECK_INT(l.router, 0x0A000202);
    CHECK_INT(l.server, 0x0A000202);
    CHECK_INT(l.seconds, 86400);
    CHECK_INT(l.dns_count, 3); /* 0.0.0.0 is ignored, and there is room for three */
    CHECK_INT(l.dns[0], 0x0A000203);
    CHECK_INT(l.dns[1], 0x08080808);
    CHECK_INT(l.dns[2], 0x01010101);
    CHECK_STR(l.domain, "rack-7.example");
    a = usual(DHCPACK);
    CHECK_INT(read_answer(&l, &a), DHCPACK); /* only the end option is missing */
}

static void test_not_for_us(void)
{
    struct dhcp_lease l;
    struct server_answer a = usual(DHCPOFFER), b;
    server_end(&a);
    CHECK_INT(dhcp_message_read(&l, a.bytes, a.length, 78, hardware), 0);
    static const uint8_t other[6] = {0x52, 0x54, 0, 0x12, 0x34, 0x57};
    CHECK_INT(dhcp_message_read(&l, a.bytes, a.length, 77, other), 0);
    static const struct {
        size_t at;
        uint8_t value;
    } damage[] = {{0, 1}, {1, 6}, {2, 16}, {236, 0}, {239, 0}, {242, 9}, {242, DHCPDISCOVER}};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        b = a;
        b.bytes[damage[i].at] = damage[i].value;
        CHECK_INT(read_answer(&l, &b), 0);
    }
    static const uint32_t addresses[] = {0, 0x7F000001, 0xE0000001, 0xFFFFFFFF, 0xA9FE5F78};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        b = a;
        server_put_32(b.bytes + 16, addresses[i]);
        CHECK_INT(read_answer(&l, &b), 0);
    }
    server_answer_begin(&b, DHCPOFFER, 77, hardware, 0x0A00020F);
    CHECK_INT(read_answer(&l, &b), 0); /* which server? */
    CHECK_INT(dhcp_message_read(&l, a.bytes, 0, 77, hardware), 0);
}

static void test_defaults(void)
{
    static const struct {
        uint32_t address, told, netmask;
    } rows[] = {{0x0A000001, 0, 0xFF000000},          {0xAC100001, 0, 0xFFFF0000},
                {0xC0A80001, 0, 0xFFFFFF00},          {0xC0A80001, 0xFF00FF00, 0xFFFFFF00},
                {0xC0A80001, 0xFFFFFFFF, 0xFFFFFFFF}, {0xC0A80001, 0xFE000000, 0xFE000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dhcp_lease l;
        struct server_answer a;
        server_answer_begin(&a, DHCPACK, 77, hardware, rows[i].address);
        server_add_32(&a, 54, 0x0A000202);
        if (rows[i].told)
            server_add_32(&a, 1, rows[i].told);
        server_end(&a);
        CHECK_INT(read_answer(&l, &a), DHCPACK);
        CHECK_INT(l.netmask, rows[i].netmask);
        CHECK_INT(l.seconds, DHCP_FOR_EVER);
        CHECK_INT(l.router, 0);
        CHECK_INT(l.dns_count, 0);
        CHECK_STR(l.domain, "");
    }
}

/* With overload, options continue in `file` and `sname`; without it those fields have no options.
 */
static void test_overload(void)
{
    for (uint8_t overload = 0; overload < 4; overload++) {
        struct dhcp_lease l;
        struct server_answer a;
        server_answer_begin(&a, DHCPACK, 77, hardware, 0x0A00020F);
        server_add_32(&a, 54, 0x0A000202);
        if (overload)
            server_add(&a, 52, &overload, 1);
        server_end(&a);
        static const uint8_t router[] = {3, 4, 10, 0, 2, 1, 255}, mask[] = {1, 4, 255, 255, 0, 0};
        memcpy(a.bytes + 108, router, sizeof router);
        memcpy(a.bytes + 44, mask, sizeof mask);
        CHECK_INT(read_answer(&l, &a), DHCPACK);
        CHECK_INT(l.router, overload & 1 ? 0x0A000201 : 0);
        CHECK_INT(l.netmask, overload & 2 ? 0xFFFF0000 : 0xFF000000);
    }
}

static void test_domains(void)
{
    static const struct {
        const char *told;
        uint8_t length;
        const char *kept;
    } rows[] = {{"a.example", 9, "a.example"},
                {"a.example", 10, "a.example"}, /* the end counted */
                {"", 1, ""},
                {"a b", 3, ""},
                {"x\nnameserver 6.6.6.6", 20, ""},
                {"a\0b", 3, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dhcp_lease l;
        struct server_answer a;
        server_answer_begin(&a, DHCPACK, 77, hardware, 0x0A00020F);
        server_add_32(&a, 54, 0x0A000202);
        server_add(&a, 15, rows[i].told, rows[i].length);
        server_end(&a);
        CHECK_INT(read_answer(&l, &a), DHCPACK);
        CHECK_STR(l.domain, rows[i].kept);
    }
}

/* Cut off at any byte, a message is read as far as it is complete, or not at all. Each cut is in
   memory of exactly its size, so that the sanitizer detects reads beyond it. */
static void test_cut_off(void)
{
    struct server_answer a = usual(DHCPACK);
    server_end(&a);
    for (size_t n = 0; n <= a.length; n++) {
        struct dhcp_lease l;
        uint8_t *bytes = malloc(n ? n : 1);
        CHECK(bytes != NULL);
        if (!bytes)
            return;
        memcpy(bytes, a.bytes, n);
        enum dhcp_type type = dhcp_message_read(&l, bytes, n, 77, hardware);
        CHECK(type == (n < 249 ? 0 : DHCPACK)); /* 240, type 3, server 6 */
        free(bytes);
    }
    a.bytes[240 + 3 + 6 + 1] = 250; /* the netmask's length exceeds the message */
    struct dhcp_lease l;
    CHECK_INT(read_answer(&l, &a), DHCPACK);
    CHECK_INT(l.netmask, 0xFF000000);
    CHECK_INT(l.router, 0);
}

static void check_lease(const struct dhcp_lease *l)
{
    CHECK(l->address >> 24 != 0 && l->address >> 24 < 224);
    CHECK(l->server != 0);
    CHECK(l->netmask != 0 && (~l->netmask & (~l->netmask + 1)) == 0);
    CHECK(l->dns_count <= DHCP_DNS_MAX);
    CHECK(strspn(l->domain, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
          strlen(l->domain));
}

static void test_damaged(void)
{
    struct random r;
    random_seed(&r, 4, 0);
    long taken = 0;
    for (int round = 0; round < 100000; round++) {
        struct server_answer a = usual(round & 1 ? DHCPOFFER : DHCPACK);
        server_end(&a);
        a.bytes[44] = 1, a.bytes[45] = 60, a.bytes[108] = 15, a.bytes[109] = 255;
        unsigned hits = 1 + (unsigned)(random_u64(&r) % 6);
        for (unsigned i = 0; i < hits; i++) {
            size_t at = 240 + random_u64(&r) % (a.length - 240);
            a.bytes[at] = random_u64(&r) & 1 ? 52 : (uint8_t)random_u64(&r);
        }
        size_t length = a.length - random_u64(&r) % 40;
        uint8_t *bytes = malloc(length);
        CHECK(bytes != NULL);
        if (!bytes)
            return;
        memcpy(bytes, a.bytes, length);
        struct dhcp_lease l;
        enum dhcp_type type = dhcp_message_read(&l, bytes, length, 77, hardware);
        free(bytes);
        if (type == DHCPOFFER || type == DHCPACK) {
            taken++;
            check_lease(&l);
        } else {
            CHECK(type == 0 || type == DHCPNAK);
        }
    }
    CHECK(taken > 10000 && taken < 99000);
}

/* ---- the states */

static void answer(struct dhcp *d, uint8_t type, uint32_t address, uint32_t server, uint64_t now)
{
    struct server_answer a;
    server_answer_begin(&a, type, d->transaction, hardware, address);
    server_add_32(&a, 54, server);
    server_end(&a);
    dhcp_answered(d, a.bytes, a.length, now);
}

static struct dhcp client_at(uint64_t now)
{
    struct dhcp d = {.fd = -1, .state = DHCP_SELECTING, .transaction = 1, .begin_ms = now};
    d.next_ms = now;
    d.wait_ms = 1000;
    memcpy(d.hardware, hardware, 6);
    return d;
}

static void test_states(void)
{
    struct dhcp_request r;
    struct dhcp d = client_at(5000);
    CHECK(dhcp_due(&d, 5000, &r));
    CHECK_INT(r.type, DHCPDISCOVER);
    CHECK_INT(r.seconds, 0);
    CHECK(!dhcp_due(&d, 5999, &r));
    answer(&d, DHCPACK, 0x0A00020F, 0x0A000202, 6000); /* an acknowledgement without a request */
    CHECK_INT(d.state, DHCP_SELECTING);
    CHECK(dhcp_due(&d, 6300, &r));
    CHECK_INT(r.seconds, 1);
    answer(&d, DHCPOFFER, 0x0A00020F, 0x0A000202, 6400);
    CHECK_INT(d.state, DHCP_REQUESTING);
    CHECK(dhcp_due(&d, 9400, &r));
    CHECK_INT(r.type, DHCPREQUEST);
    CHECK_INT(r.address, 0x0A00020F);
    CHECK_INT(r.server, 0x0A000202);
    CHECK_INT(r.seconds, 1);                             /* the same value as in its DHCPDISCOVER */
    answer(&d, DHCPOFFER, 0x0A000210, 0x0A000203, 9401); /* too late */
    answer(&d, DHCPACK, 0x0A000210, 0x0A000203, 9402);   /* another server's */
    CHECK_INT(d.state, DHCP_REQUESTING);
    answer(&d, DHCPACK, 0x0A00020F, 0x0A000202, 9403);
    CHECK_INT(d.state, DHCP_BOUND);
    CHECK_INT(d.lease.address, 0x0A00020F);
    CHECK(!dhcp_due(&d, 90000, &r));
}

static void test_refused(void)
{
    struct dhcp_request r;
    struct dhcp d = client_at(0);
    CHECK(dhcp_due(&d, 0, &r));
    answer(&d, DHCPOFFER, 0x0A00020F, 0x0A000202, 1);
    CHECK(dhcp_due(&d, 1, &r));
    uint32_t before = d.transaction;
    answer(&d, DHCPNAK, 0, 0x0A000202, 2);
    CHECK_INT(d.state, DHCP_SELECTING);
    CHECK(d.transaction != before);
    CHECK(dhcp_due(&d, 2, &r));
    CHECK_INT(r.type, DHCPDISCOVER);
}

/* Silence: ever longer, up to 8 s and a quarter; and a server that offered and then is gone. */
static void test_silence(void)
{
    struct dhcp_request r;
    struct dhcp d = client_at(0);
    unsigned sent = 0;
    uint64_t last = 0, longest = 0;
    for (uint64_t now = 0; now < 60000; now++) {
        if (!dhcp_due(&d, now, &r))
            continue;
        CHECK(sent == 0 || now - last >= 1000);
        if (now - last > longest)
            longest = now - last;
        last = now;
        sent++;
    }
    CHECK(longest >= 8000 && longest < 10000);
    CHECK(sent >= 8 && sent <= 11);

    answer(&d, DHCPOFFER, 0x0A00020F, 0x0A000202, 60000);
    unsigned requests = 0;
    for (uint64_t now = 60000; now < 120000 && d.state == DHCP_REQUESTING; now++)
        if (dhcp_due(&d, now, &r) && r.type == DHCPREQUEST)
            requests++;
    CHECK_INT(requests, 4);
    CHECK_INT(d.state, DHCP_SELECTING);
    CHECK_INT(r.type, DHCPDISCOVER);
}

int main(void)
{
    test_discover();
    test_request();
    test_offer();
    test_not_for_us();
    test_defaults();
    test_overload();
    test_domains();
    test_cut_off();
    test_damaged();
    test_states();
    test_refused();
    test_silence();
    return check_result();
}
