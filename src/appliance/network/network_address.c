/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses as text, and assigned by rtnetlink(7) with their lifetime and the default route: the
   classic ioctl calls have no lifetime. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "appliance/network/internal.h"
#include "base/span.h"

char *network_address_text(char to[16], uint32_t address)
{
    to[0] = '\0';
    if (address)
        snprintf(to, 16, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
                 address & 255);
    return to;
}

/* Reads four decimal numbers; returns 0 if a host or a gateway cannot have that address. */
static uint32_t address_of(struct span s)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr a;
    if (s.length >= sizeof text)
        return 0;
    span_copy(text, s);
    if (inet_pton(AF_INET, text, &a) != 1)
        return 0;
    uint32_t address = ntohl(a.s_addr);
    uint32_t first = address >> 24;
    return first != 0 && first != 127 && first < 224 ? address : 0;
}

unsigned network_number(struct span s, size_t digits, unsigned max)
{
    unsigned number = 0;
    if (s.length > digits)
        return 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.text[i] < '0' || s.text[i] > '9')
            return 0;
        number = number * 10 + (unsigned)(s.text[i] - '0');
    }
    return number <= max ? number : 0;
}

int network_setting_parse(struct network_setting *s, const char *text, struct err *e)
{
    static const char form[] =
        "give dhcp, or an address as 192.0.2.7/24, or with its gateway as 192.0.2.7/24,192.0.2.1";
    char shown[64];
    struct span whole = span_trimmed(span_of(text));
    const char *end = whole.text + whole.length;
    const char *comma = memchr(whole.text, ',', whole.length);
    const char *slash = memchr(whole.text, '/', whole.length);
    const char *prefix_end = comma ? comma : end;
    *s = (struct network_setting){.seconds = NETWORK_FOR_EVER};
    if (slash && slash < prefix_end) {
        s->address = address_of((struct span){whole.text, (size_t)(slash - whole.text)});
        struct span prefix =
            span_trimmed((struct span){slash + 1, (size_t)(prefix_end - slash) - 1});
        s->prefix = network_number(prefix, 2, 32);
    }
    if (comma)
        s->gateway = address_of(span_trimmed((struct span){comma + 1, (size_t)(end - comma) - 1}));
    if (s->address == 0 || s->prefix == 0 || (comma && s->gateway == 0))
        return err_set(e, ERR_USAGE, "network %s: %s", span_printable(shown, sizeof shown, whole),
                       form);
    return 0;
}

void network_add_resolver(struct text *to, const uint32_t dns[], unsigned count, const char *domain)
{
    char address[16];
    if (*domain)
        text_addf(to, "search %s\n", domain);
    for (unsigned i = 0; i < count; i++)
        text_addf(to, "nameserver %s\n", network_address_text(address, dns[i]));
}

/* ---- given to the kernel ---- */

/* One message: its header, the body of its kind, attributes. */
struct message {
    struct nlmsghdr header;
    union {
        struct ifaddrmsg address;
        struct rtmsg route;
    } body;
    unsigned char attributes[128];
};

static void begin_message(struct message *m, uint16_t type, size_t body)
{
    memset(m, 0, sizeof *m);
    m->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
    m->header.nlmsg_type = type;
    m->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
}

static void add_attribute(struct message *m, uint16_t type, const void *value, size_t length)
{
    unsigned char *to = (unsigned char *)m + NLMSG_ALIGN(m->header.nlmsg_len);
    struct rtattr attribute = {.rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(length)};
    memcpy(to, &attribute, sizeof attribute);
    memcpy(to + RTA_LENGTH(0), value, length);
    m->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->header.nlmsg_len) + RTA_LENGTH(length));
}

static void add_32(struct message *m, uint16_t type, uint32_t value)
{
    add_attribute(m, type, &value, sizeof value);
}

/* Sends a message. Returns 0 or the kernel's errno; the answer is there when sendto returns. */
static int send_message(int fd, const struct message *m)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char copy[256]; /* the kernel's copy of the message, which is not read */
    } answer;
    if (send(fd, m, m->header.nlmsg_len, 0) < 0)
        return errno;
    ssize_t n = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
    if (n < 0)
        return errno;
    if ((size_t)n < sizeof answer.header + sizeof answer.error.error ||
        answer.header.nlmsg_type != NLMSG_ERROR)
        return EPROTO;
    return -answer.error.error;
}

static int set_address(int fd, const struct network_setting *s, unsigned index)
{
    struct message m;
    uint32_t hosts = s->prefix < 32 ? UINT32_MAX >> s->prefix : 0;
    begin_message(&m, RTM_NEWADDR, sizeof m.body.address);
    m.body.address = (struct ifaddrmsg){.ifa_family = AF_INET,
                                        .ifa_prefixlen = (uint8_t)s->prefix,
                                        .ifa_scope = RT_SCOPE_UNIVERSE,
                                        .ifa_index = index};
    add_32(&m, IFA_LOCAL, htonl(s->address));
    add_32(&m, IFA_ADDRESS, htonl(s->address));
    if (s->prefix < 31) /* RFC 3021: a link of two hosts has no broadcast address */
        add_32(&m, IFA_BROADCAST, htonl(s->address | hosts));
    struct ifa_cacheinfo life = {.ifa_prefered = s->seconds, .ifa_valid = s->seconds};
    add_attribute(&m, IFA_CACHEINFO, &life, sizeof life);
    return send_message(fd, &m);
}

/* Sets the default route "on link": a gateway outside the netmask is accepted as well, because some
   networks have one. */
static int set_default_route(int fd, const struct network_setting *s, unsigned index)
{
    struct message m;
    begin_message(&m, RTM_NEWROUTE, sizeof m.body.route);
    m.body.route = (struct rtmsg){.rtm_family = AF_INET,
                                  .rtm_table = RT_TABLE_MAIN,
                                  .rtm_protocol = RTPROT_BOOT,
                                  .rtm_scope = RT_SCOPE_UNIVERSE,
                                  .rtm_type = RTN_UNICAST,
                                  .rtm_flags = RTNH_F_ONLINK};
    add_32(&m, RTA_GATEWAY, htonl(s->gateway));
    add_32(&m, RTA_OIF, index);
    return send_message(fd, &m);
}

int network_setting_apply(const struct network_setting *s, unsigned interface_index, struct err *e)
{
    char text[16];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "no socket to set addresses with: %s", strerror(errno));
    int error = set_address(fd, s, interface_index);
    if (error)
        err_set(e, ERR_MACHINE, "the address %s/%u cannot be set: %s",
                network_address_text(text, s->address), s->prefix, strerror(error));
    if (!error && s->gateway) {
        error = set_default_route(fd, s, interface_index);
        if (error)
            err_set(e, ERR_MACHINE, "the default route over %s cannot be set: %s",
                    network_address_text(text, s->gateway), strerror(error));
    }
    close(fd);
    return error ? -1 : 0;
}
