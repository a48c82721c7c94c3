/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An address with its lifetime, and the default route, told to the kernel (rtnetlink(7)): the
   classic ioctl calls know no lifetime. */
#include "init/network/internal.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* One message: its header, the body of its kind, attributes. */
struct message {
    struct nlmsghdr header;
    union {
        struct ifaddrmsg address;
        struct rtmsg route;
    } body;
    unsigned char attributes[128];
};

static void begin(struct message *m, uint16_t type, size_t body)
{
    memset(m, 0, sizeof *m);
    m->header.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
    m->header.nlmsg_type = type;
    m->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
}

static void add(struct message *m, uint16_t type, const void *value, size_t length)
{
    unsigned char *to = (unsigned char *)m + NLMSG_ALIGN(m->header.nlmsg_len);
    struct rtattr attribute = {.rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(length)};
    memcpy(to, &attribute, sizeof attribute);
    memcpy(to + RTA_LENGTH(0), value, length);
    m->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->header.nlmsg_len) + RTA_LENGTH(length));
}

static void add_32(struct message *m, uint16_t type, uint32_t value)
{
    add(m, type, &value, sizeof value);
}

/* 0, or the kernel's errno. It answers before the call that sent the message is over. */
static int tell(int fd, const struct message *m)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char copy[256]; /* of the message, and more that nobody reads */
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

static int tell_address(int fd, const struct network_setting *s, unsigned index)
{
    struct message m;
    uint32_t hosts = s->prefix < 32 ? UINT32_MAX >> s->prefix : 0;
    begin(&m, RTM_NEWADDR, sizeof m.body.address);
    m.body.address = (struct ifaddrmsg){.ifa_family = AF_INET,
                                        .ifa_prefixlen = (uint8_t)s->prefix,
                                        .ifa_scope = RT_SCOPE_UNIVERSE,
                                        .ifa_index = index};
    add_32(&m, IFA_LOCAL, htonl(s->address));
    add_32(&m, IFA_ADDRESS, htonl(s->address));
    if (s->prefix < 31) /* RFC 3021: two hosts on a line have no broadcast */
        add_32(&m, IFA_BROADCAST, htonl(s->address | hosts));
    struct ifa_cacheinfo life = {.ifa_prefered = s->seconds, .ifa_valid = s->seconds};
    add(&m, IFA_CACHEINFO, &life, sizeof life);
    return tell(fd, &m);
}

/* "On link": a gateway outside the netmask is taken as well, as some networks have it. */
static int tell_default_route(int fd, const struct network_setting *s, unsigned index)
{
    struct message m;
    begin(&m, RTM_NEWROUTE, sizeof m.body.route);
    m.body.route = (struct rtmsg){.rtm_family = AF_INET,
                                  .rtm_table = RT_TABLE_MAIN,
                                  .rtm_protocol = RTPROT_BOOT,
                                  .rtm_scope = RT_SCOPE_UNIVERSE,
                                  .rtm_type = RTN_UNICAST,
                                  .rtm_flags = RTNH_F_ONLINK};
    add_32(&m, RTA_GATEWAY, htonl(s->gateway));
    add_32(&m, RTA_OIF, index);
    return tell(fd, &m);
}

int network_setting_apply(const struct network_setting *s, unsigned interface_index, struct err *e)
{
    char text[16];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "no socket to set addresses with: %s", strerror(errno));
    int error = tell_address(fd, s, interface_index);
    if (error)
        err_set(e, ERR_MACHINE, "the address %s/%u cannot be set: %s",
                network_address_text(text, s->address), s->prefix, strerror(error));
    if (!error && s->gateway) {
        error = tell_default_route(fd, s, interface_index);
        if (error)
            err_set(e, ERR_MACHINE, "the default route over %s cannot be set: %s",
                    network_address_text(text, s->gateway), strerror(error));
    }
    close(fd);
    return error ? -1 : 0;
}
