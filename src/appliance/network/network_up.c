/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Brings the network up: all interfaces are switched on, and the first one with an answer is used.
 *
 * Interfaces are the Ethernet interfaces of this machine (those in its network namespace), by the
 * classic ioctl calls, netdevice(7). Their states are settings of the kernel: nothing here is
 * owned.
 */
#include "appliance/network/network_up.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appliance/network/internal.h"
#include "appliance/process/milliseconds.h"
#include "base/file/file.h"
#include "base/span.h"

/* Addresses as text, and their assignment by rtnetlink(7) with their lifetime and the default
   route: the classic ioctl calls have no lifetime. */

char *network_address_text(char to[16], uint32_t address)
{
    to[0] = '\0';
    if (address)
        snprintf(to, 16, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
                 address & 255);
    return to;
}

/* Reads four decimal numbers. Returns 0 if no host or gateway can have that address. */
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

/* ---- messages to the kernel ---- */

/* One message: its header, a body that depends on its type, and attributes. */
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
static int send_to_kernel(int fd, const struct message *m)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char copy[256]; /* a copy of the message, which is not used */
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
    return send_to_kernel(fd, &m);
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
    return send_to_kernel(fd, &m);
}

/* Assigns the address, and a default route, to the interface with that index. Errors:
   ERR_MACHINE. */
static int network_setting_apply(const struct network_setting *s, unsigned interface_index,
                                 struct err *e)
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

#define NETWORK_INTERFACES_MAX 32

struct network_interface {
    char name[16];
    unsigned index; /* the kernel's index; it grows in the order in which interfaces appear */
    uint8_t hardware[6];
};

/* Time between two checks for new interfaces and carriers, in ms. */
enum { LOOK_MS = 100 };

struct candidate {
    struct network_interface interface;
    bool started, linked;
    struct dhcp dhcp; /* opened as soon as the interface has a link */
};

struct search {
    const char *only;
    struct candidate candidates[NETWORK_INTERFACES_MAX];
    unsigned count;
    struct err fault; /* the last error of an interface */
};

static struct ifreq request_for(const char *name)
{
    struct ifreq r;
    memset(&r, 0, sizeof r);
    memcpy(r.ifr_name, name, strnlen(name, sizeof r.ifr_name - 1));
    return r;
}

/* Returns a socket for questions about interfaces, for which any socket can be used. */
static int any_socket(void)
{
    return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/*
 * Writes at most `max` interfaces to `to`, sorted by index; returns their number. `only`: the name
 * of the only one, "" or NULL for all. Interfaces without an Ethernet address (loopback,
 * InfiniBand, tunnels) are left out.
 */
static unsigned network_interfaces(struct network_interface to[], unsigned max, const char *only)
{
    struct if_nameindex *list = if_nameindex();
    int fd = any_socket();
    unsigned count = 0;
    for (const struct if_nameindex *l = list; l && l->if_index && count < max; l++) {
        struct network_interface i = {.index = l->if_index};
        memcpy(i.name, l->if_name, strnlen(l->if_name, sizeof i.name - 1));
        bool wanted = !only || !*only || strcmp(i.name, only) == 0;
        struct ifreq r = request_for(i.name);
        if (!wanted || ioctl(fd, SIOCGIFHWADDR, &r) || r.ifr_hwaddr.sa_family != ARPHRD_ETHER)
            continue;
        memcpy(i.hardware, r.ifr_hwaddr.sa_data, sizeof i.hardware);
        unsigned place = count++;
        for (; place > 0 && to[place - 1].index > i.index; place--)
            to[place] = to[place - 1];
        to[place] = i;
    }
    if (fd >= 0)
        close(fd);
    if (list)
        if_freenameindex(list);
    return count;
}

/* Switches the interface on, without an address. ERR_MACHINE: the driver refused; the message has
   its reason. */
static int network_interface_start(const struct network_interface *i, struct err *e)
{
    int fd = any_socket();
    /* Removes an address that was left from before, from which DHCP would send. Setting 0.0.0.0
       removes it. */
    struct ifreq r = request_for(i->name);
    r.ifr_addr.sa_family = AF_INET;
    (void)ioctl(fd, SIOCSIFADDR, &r);
    r = request_for(i->name);
    int result = fd < 0 || ioctl(fd, SIOCGIFFLAGS, &r) ? -1 : 0;
    r.ifr_flags = (short)(r.ifr_flags | IFF_UP);
    if (!result)
        result = ioctl(fd, SIOCSIFFLAGS, &r);
    if (result)
        err_set(e, ERR_MACHINE, "%s cannot be switched on: %s", i->name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return result;
}

/*
 * Returns whether the interface has a link. It may take seconds to get one after it was switched
 * on.
 *
 * IFF_RUNNING alone is not enough: the kernel sets it on an interface that was just switched on
 * until it has checked the link; after that the flag also depends on whether the queues are open
 * for sending.
 */
static bool network_interface_has_carrier(const struct network_interface *i)
{
    struct ifreq r = request_for(i->name);
    int fd = any_socket();
    bool carrier = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &r) == 0 && (r.ifr_flags & IFF_RUNNING);
    /* Asks the driver (ethtool). If it does not answer, the link is assumed to be there. */
    struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
    r = request_for(i->name);
    r.ifr_data = (char *)&link;
    carrier = carrier && (ioctl(fd, SIOCETHTOOL, &r) != 0 || link.data != 0);
    if (fd >= 0)
        close(fd);
    return carrier;
}

/* Adds interfaces that are new, since slow drivers provide theirs later. */
static void look_for_interfaces(struct search *s)
{
    struct network_interface found[NETWORK_INTERFACES_MAX];
    unsigned n = network_interfaces(found, NETWORK_INTERFACES_MAX, s->only);
    for (unsigned i = 0; i < n && s->count < NETWORK_INTERFACES_MAX; i++) {
        unsigned known = 0;
        while (known < s->count && s->candidates[known].interface.index != found[i].index)
            known++;
        if (known < s->count)
            continue;
        struct candidate *c = &s->candidates[s->count++];
        *c = (struct candidate){.interface = found[i], .dhcp.fd = -1};
        c->started = network_interface_start(&c->interface, &s->fault) == 0;
    }
}

/* Returns the first candidate that has a new link, or NULL. */
static struct candidate *newly_linked(struct search *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct candidate *c = &s->candidates[i];
        if (c->started && !c->linked && network_interface_has_carrier(&c->interface)) {
            c->linked = true;
            return c;
        }
    }
    return NULL;
}

static int nothing_found(const struct search *s, unsigned seconds, struct err *e)
{
    const char *only = s->only && *s->only ? s->only : "";
    unsigned started = 0, linked = 0, asked = 0;
    for (unsigned i = 0; i < s->count; i++) {
        started += s->candidates[i].started;
        linked += s->candidates[i].linked;
        asked += s->candidates[i].dhcp.fd >= 0;
    }
    if (s->count == 0)
        return err_set(e, ERR_MACHINE, "no network: there is no Ethernet interface%s%s in %u s",
                       *only ? " " : "", only, seconds);
    if (started == 0)
        return err_set(e, ERR_MACHINE, "no network: %s", s->fault.msg);
    if (linked == 0)
        return err_set(e, ERR_MACHINE,
                       "no network: %u Ethernet interface%s, none with a link in %u s; see to "
                       "cables and switch",
                       s->count, s->count == 1 ? "" : "s", seconds);
    if (asked == 0)
        return err_set(e, ERR_MACHINE, "no network: %s", s->fault.msg);
    return err_set(e, ERR_MACHINE,
                   "no network: no DHCP server answered on %u linked interface%s in %u s", asked,
                   asked == 1 ? "" : "s", seconds);
}

static int network_apply(struct network *n, const struct network_interface *interface,
                         const struct network_setting *setting, struct err *e)
{
    char address[16];
    snprintf(n->interface, sizeof n->interface, "%s", interface->name);
    snprintf(n->address, sizeof n->address, "%s/%u",
             network_address_text(address, setting->address), setting->prefix);
    network_address_text(n->gateway, setting->gateway);
    return network_setting_apply(setting, interface->index, e);
}

static struct candidate *first_bound(struct search *s, uint64_t deadline)
{
    for (;;) {
        look_for_interfaces(s);
        for (struct candidate *c; (c = newly_linked(s));)
            (void)dhcp_open(&c->dhcp, c->interface.name, c->interface.hardware, now_ms(),
                            &s->fault);
        struct pollfd answers[NETWORK_INTERFACES_MAX];
        nfds_t n = 0;
        uint64_t now = now_ms(), until = now + LOOK_MS;
        for (unsigned i = 0; i < s->count; i++) {
            struct dhcp *d = &s->candidates[i].dhcp;
            if (d->fd < 0)
                continue;
            if (dhcp_step(d, now) == DHCP_BOUND)
                return &s->candidates[i];
            answers[n++] = (struct pollfd){.fd = d->fd, .events = POLLIN};
            if (d->next_ms < until)
                until = d->next_ms > now ? d->next_ms : now;
        }
        if (now >= deadline)
            return NULL;
        /* Waits for an answer or the next due message, but no longer than LOOK_MS. */
        (void)poll(answers, n, (int)(until - now));
    }
}

static int apply_lease(struct network *n, const struct candidate *c, const char *folder,
                       struct err *e)
{
    const struct dhcp_lease *lease = &c->dhcp.lease;
    struct network_setting granted = {.address = lease->address,
                                      .prefix = (unsigned)__builtin_popcount(lease->netmask),
                                      .gateway = lease->router,
                                      .seconds = lease->seconds};
    network_address_text(n->server, lease->server);
    if (network_apply(n, &c->interface, &granted, e))
        return -1;
    struct text t = {0};
    network_add_resolver(&t, lease->dns, lease->dns_count, lease->domain);
    int result = 0;
    if (mkdir(folder, 0755) && errno != EEXIST)
        result = err_set(e, ERR_MACHINE, "%s cannot be made: %s", folder, strerror(errno));
    else if (t.failed)
        result = err_no_memory(e, "resolv.conf");
    else
        result = write_file_over(folder, "resolv.conf", "", t.data ? t.data : "", t.length, e);
    text_free(&t);
    return result;
}

int network_up(struct network *n, const struct network_request *request, struct err *e)
{
    struct network_setting given;
    struct search s = {.only = request->interface};
    *n = (struct network){0};
    uint64_t deadline = now_ms() + (uint64_t)request->seconds * 1000;
    const struct candidate *c;
    if (strcmp(request->address, "dhcp") == 0) {
        c = first_bound(&s, deadline);
        int result = c ? apply_lease(n, c, request->etc ? request->etc : "/etc", e)
                       : nothing_found(&s, request->seconds, e);
        for (unsigned i = 0; i < s.count; i++)
            dhcp_close(&s.candidates[i].dhcp);
        return result;
    }
    if (network_setting_parse(&given, request->address, e))
        return -1;
    for (;;) {
        look_for_interfaces(&s);
        c = newly_linked(&s);
        if (c)
            break;
        if (now_ms() >= deadline)
            return nothing_found(&s, request->seconds, e);
        poll(NULL, 0, LOOK_MS);
    }
    return network_apply(n, &c->interface, &given, e);
}
