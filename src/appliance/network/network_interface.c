/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces by the classic ioctl calls, netdevice(7). */
#include "appliance/network/internal.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

unsigned network_interfaces(struct network_interface to[], unsigned max, const char *only)
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

int network_interface_start(const struct network_interface *i, struct err *e)
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

/* IFF_RUNNING alone is not enough: the kernel sets it on an interface that was just switched on
   until it has checked the link; after that the flag also depends on whether the queues are open
   for sending. */
bool network_interface_has_carrier(const struct network_interface *i)
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
