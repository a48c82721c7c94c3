/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Brings the network up: all interfaces are switched on, and the first one with an answer is used.
 *
 * Interfaces are the Ethernet interfaces of this machine (those in its network namespace), by the
 * classic ioctl calls, netdevice(7). Their states are settings of the kernel: nothing here is
 * owned.
 */
#include "appliance/network/network.h"

#include <errno.h>
#include <linux/ethtool.h>
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

#define NETWORK_INTERFACES_MAX 32

struct network_interface {
    char name[16];
    unsigned index; /* the kernel's index, in the order in which the interfaces appeared */
    uint8_t hardware[6];
};

/* Time between two checks for new interfaces and carriers, in ms. */
enum { LOOK_MS = 100 };

struct candidate {
    struct network_interface interface;
    bool started, linked;
    struct dhcp dhcp; /* set up as soon as the interface has a link */
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

/* Any socket can be used to ask about interfaces. */
static int any_socket(void)
{
    return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/*
 * Writes at most `max` of them to `to`, sorted by index; returns their number. `only`: the one with
 * that name, "" or NULL for all. Interfaces without an Ethernet address (loopback, InfiniBand,
 * tunnels) are left out.
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

/* Switches the interface on, without an address. ERR_MACHINE with the driver's reason. */
static int network_interface_start(const struct network_interface *i, struct err *e)
{
    int fd = any_socket();
    /* DHCP would send from an address that was left from before, so it is removed: the kernel
       removes it when 0.0.0.0 is set. */
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
 * Returns whether it has a link. It may take seconds to get one after it was switched on.
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
    /* The driver's answer (ethtool); without one the link is assumed to be there. */
    struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
    r = request_for(i->name);
    r.ifr_data = (char *)&link;
    carrier = carrier && (ioctl(fd, SIOCETHTOOL, &r) != 0 || link.data != 0);
    if (fd >= 0)
        close(fd);
    return carrier;
}

/* Adds new interfaces: slow drivers provide theirs later. */
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
