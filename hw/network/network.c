/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds network interfaces: cards with their links; bonds, bridges and VLANs with their members. For
 * a bond it finds which members carry data, their joint rate, and members that are slower than
 * others.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/text.h"
#include "hw/link/link_limit.h"
#include "hw/network/internal.h"
#include "hw/probers.h"
#include "hw/sysroot/attribute.h"

#define CLASS       "/sys/class/net"
#define MEMBERS_MAX 64
#define NAME_BYTES  96

#define ARPHRD_ETHERNET 1
/* size of a path's buffer; names have 15 bytes at most, files of a captured tree 255 */
#define INTERFACE_PATH 300
#define MEGABITS_MAX   1e7 /* maximum Mbit/s; "unknown" is -1, or 4294967295 in old kernels */

/* ---- what the kernel shows ---- */

/*
 * Adds to the node of a bond, whose files are in `folder`: its mode, its members, and the members
 * in use as far as the kernel knows them ("active").
 */
static void network_bond_add(struct probe *p, int node, const char *folder)
{
    char path[PROBE_FOLDER], active_path[PROBE_FOLDER], member[PROBE_FOLDER];
    char mode[64], slaves[1024], chosen[1024], *rest = slaves;
    struct text members = {0}, active = {0};
    uint64_t aggregator, own;
    sysroot_join(path, sizeof path, folder, "bonding/mode");
    enum fact_status status = sysroot_line(p->root, path, mode, sizeof mode);
    mode[strcspn(mode, " ")] = '\0'; /* cuts "802.3ad 4" after the name */
    inventory_add(p->inventory, node, "mode", mode, NULL, path, status);

    /* Finds the members in use, for modes that do not use all members: a single one, or with LACP
       the ports of one aggregation (ports of 25 and 10 Gbit/s, for example, never belong to the
       same one). */
    sysroot_join(active_path, sizeof active_path, folder, "bonding/active_slave");
    sysroot_line(p->root, active_path, chosen, sizeof chosen);
    bool aggregates =
        !*chosen && attribute_number(p->root, folder, "bonding/ad_aggregator", &aggregator);
    if (*chosen)
        text_add(&active, chosen);
    /* The file has the members as "eth0 eth1". */
    sysroot_join(path, sizeof path, folder, "bonding/slaves");
    status = sysroot_line(p->root, path, slaves, sizeof slaves);
    for (char *name; (name = strsep(&rest, " "));) {
        if (!*name)
            continue;
        text_addf(&members, "%s%s", members.length ? ", " : "", name);
        snprintf(member, sizeof member, CLASS "/%.*s/bonding_slave", NAME_BYTES, name);
        if (aggregates && attribute_number(p->root, member, "ad_aggregator_id", &own) &&
            own == aggregator)
            text_addf(&active, "%s%s", active.length ? ", " : "", name);
    }
    if (status == FACT_OK && !members.length)
        status = FACT_ABSENT;
    inventory_add(p->inventory, node, "members", members.data, NULL, path, status);
    if (active.length)
        inventory_add(p->inventory, node, "active", active.data, NULL, *chosen ? active_path : path,
                      FACT_OK);
    text_free(&members);
    text_free(&active);
}

/* ---- the joint link ---- */

enum use { IN_USE, STANDBY, IDLE, NO_LINK };

static const char *const use_words[] = {"in use", "standby", "idle", "no link"};

struct member {
    char name[NAME_BYTES];
    enum use use;
    double speed, limit; /* `speed`: bits/s; `limit`: bytes/s; NaN: not known */
};

struct bond {
    struct probe *probe;
    int node;
    /* values of the facts `mode` and `active`; "" when the kernel does not show them */
    const char *mode, *active;
    struct member members[MEMBERS_MAX];
    size_t count;
    double fastest; /* rate of the fastest member, bits/s; 0: not known for any */
};

/* ---- the members ---- */

/* Returns true if the name is in a list such as "eno1, eno2". */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; *list; list += strspn(list, ", ")) {
        size_t word = strcspn(list, ", ");
        if (word == length && !strncmp(list, name, length))
            return true;
        list += word;
    }
    return false;
}

/* Returns whether the member has a link, as the bond sees it. If the bond does not show that, asks
   the interface. */
static bool has_link(const struct bond *b, const char *name, int node)
{
    char path[NAME_BYTES + 64], status[32];
    const char *state = inventory_value(b->probe->inventory, node, "state");
    snprintf(path, sizeof path, CLASS "/%s/bonding_slave/mii_status", name);
    if (sysroot_line(b->probe->root, path, status, sizeof status) == FACT_OK)
        return !strcmp(status, "up");
    return !state || strcmp(state, "down") != 0;
}

static void find_members(struct bond *b, const char *list)
{
    const struct inventory *v = b->probe->inventory;
    bool by_aggregation = !strcmp(b->mode, "802.3ad"), by_turns = !strcmp(b->mode, "active-backup");
    for (list += strspn(list, ", "); *list; list += strspn(list, ", ")) {
        struct member m = {.use = IN_USE};
        size_t length = strcspn(list, ", ");
        snprintf(m.name, sizeof m.name, "%.*s", length < NAME_BYTES ? (int)length : 0, list);
        list += length;
        int node = m.name[0] ? inventory_find(v, m.name) : INVENTORY_NONE;
        bool known = false;
        for (size_t i = 0; i < b->count; i++)
            known |= !strcmp(b->members[i].name, m.name);
        if (node == INVENTORY_NONE || node == b->node || b->count == MEMBERS_MAX || known)
            continue;
        if (!has_link(b, m.name, node))
            m.use = NO_LINK;
        else if (*b->active && !is_listed(b->active, m.name) && (by_aggregation || by_turns))
            m.use = by_turns ? STANDBY : IDLE;
        m.speed = inventory_number(v, node, "speed");
        m.limit = inventory_number(v, node, "limit");
        b->fastest = fmax(b->fastest, m.speed); /* fmax ignores NaN */
        b->members[b->count++] = m;
    }
}

/* ---- facts ---- */

static const char *speed_words(const struct member *m, char to[32])
{
    if (!(m->speed > 0))
        return "no known speed";
    return limit_format_bits(to, 32, m->speed);
}

/* Adds the rate of the bond: the sum of its members in use. In the mode broadcast, which sends
   everything through each member, it is the rate of the slowest one. Adds nothing if a rate is not
   known. */
static void add_sum(const struct bond *b, const char *source)
{
    bool copies = !strcmp(b->mode, "broadcast");
    double speed = copies ? INFINITY : 0, limit = speed;
    size_t used = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct member *m = &b->members[i];
        if (m->use != IN_USE)
            continue;
        if (!(m->speed > 0 && m->limit > 0))
            return;
        speed = copies ? fmin(speed, m->speed) : speed + m->speed;
        limit = copies ? fmin(limit, m->limit) : limit + m->limit;
        used++;
    }
    char text[32];
    if (!used)
        return;
    inventory_add(b->probe->inventory, b->node, "negotiated",
                  limit_format_bits(text, sizeof text, speed), "", source, FACT_OK);
    inventory_addf(b->probe->inventory, b->node, "limit", "bytes/s", source, "%.0f", limit);
}

/* Adds a fact about members that carry no data or are slow; none when there are no such members. */
static void add_faults(const struct bond *b, const char *source)
{
    struct text words = {0};
    for (size_t i = 0; i < b->count; i++) {
        const struct member *m = &b->members[i];
        char speed[32], fastest[32];
        if (m->use == NO_LINK)
            text_addf(&words, "; %s has no link", m->name);
        else if (m->use == IDLE)
            text_addf(&words, "; %s (%s) carries nothing, it is not in the active aggregation",
                      m->name, speed_words(m, speed));
        else if (m->speed < b->fastest)
            text_addf(&words, "; %s (%s) is slower than the fastest (%s)", m->name,
                      speed_words(m, speed),
                      limit_format_bits(fastest, sizeof fastest, b->fastest));
    }
    if (words.length)
        inventory_addf(b->probe->inventory, b->node, "limited_by", "", source, "the members: %s",
                       words.data + 2);
    if (words.failed)
        b->probe->inventory->failed = true;
    text_free(&words);
}

/*
 * Adds to the bond's node: member_NAME ("in use, 25 Gbit/s", "idle, 10 Gbit/s", "standby, ...", "no
 * link"); negotiated and limit, the sum over the members in use (in mode broadcast, where all carry
 * the same data, the slowest); limited_by ("the members: ...") when a member carries no data
 * although it should, or is slower than another. Call it when all interfaces have their nodes.
 */
static void network_bond_add_link(struct probe *p, int node)
{
    const struct inventory *v = p->inventory;
    const char *mode = inventory_value(v, node, "mode");
    const char *active = inventory_value(v, node, "active");
    const char *members = inventory_value(v, node, "members");
    struct bond b = {
        .probe = p, .node = node, .mode = mode ? mode : "", .active = active ? active : ""};
    char source[NAME_BYTES + 32];
    if (!members)
        return;
    snprintf(source, sizeof source, CLASS "/%.80s/bonding", v->nodes[node].name);
    find_members(&b, members);
    for (size_t i = 0; i < b.count; i++) {
        const struct member *m = &b.members[i];
        char key[NAME_BYTES + 8], speed[32];
        snprintf(key, sizeof key, "member_%s", m->name);
        inventory_addf(p->inventory, node, key, "", source, "%s%s%s", use_words[m->use],
                       m->use == NO_LINK ? "" : ", ",
                       m->use == NO_LINK ? "" : speed_words(m, speed));
    }
    add_sum(&b, source);
    add_faults(&b, source);
}

static const char class_folder[] = "/sys/class/net";

static const struct attribute interface_rows[] = {
    {"mtu", ATTRIBUTE_NUMBER, {"mtu"}, 1, "bytes", false},
    {"state", ATTRIBUTE_TEXT, {"operstate"}, 0, NULL, false},
};

static const struct attribute device_rows[] = {
    {"numa_node", ATTRIBUTE_SIGNED, {"device/numa_node"}, 1, NULL, true},
};

/* Drivers of guests, which report a rate that the hypervisor has made up. It limits nothing: data
   between guests are transferred faster. */
static const char *const guest_drivers[] = {"virtio_net", "vmxnet3", "hv_netvsc",
                                            "vif",        "ena",     "gve"};

struct interface {
    struct probe *probe;
    const char *name;
    char path[INTERFACE_PATH]; /* the interface's folder below /sys/class/net */
    int node;
    bool is_device; /* has a driver and hardware, or virtual hardware in a guest */
};

static const char *path_of(const struct interface *i, const char *file, char to[PROBE_FOLDER])
{
    snprintf(to, PROBE_FOLDER, "%s/%s", i->path, file);
    return to;
}

/* ---- kind of interface ---- */

static bool scan_type(void *context, char *line)
{
    static const char key[] = "DEVTYPE=";
    if (strncmp(line, key, sizeof key - 1) != 0)
        return true;
    snprintf(context, 32, "%s", line + sizeof key - 1);
    return false;
}

/* ---- its link ---- */

static void add_duplex(const struct interface *i)
{
    char path[PROBE_FOLDER], duplex[32];
    sysroot_line(i->probe->root, path_of(i, "duplex", path), duplex, sizeof duplex);
    if (!strcmp(duplex, "full") || !strcmp(duplex, "half"))
        inventory_add(i->probe->inventory, i->node, "duplex", duplex, NULL, path, FACT_OK);
}

/* Adds the speed. Returns it in Mbit/s; 0 when it is not known: no link, or the driver does not
   report it. */
static unsigned add_speed(const struct interface *i)
{
    struct inventory *v = i->probe->inventory;
    const char *state = inventory_value(v, i->node, "state");
    char path[PROBE_FOLDER], text[32];
    double megabits = 0;
    enum fact_status status =
        sysroot_line(i->probe->root, path_of(i, "speed", path), text, sizeof text);
    bool is_number = number_parse(text, strlen(text), &megabits) == NUMBER_OK;
    bool known = is_number && megabits >= 1 && megabits <= MEGABITS_MAX;
    if (known)
        inventory_addf(v, i->node, "speed", "bits/s", path, "%.0f", 1e6 * megabits);
    else if (status == FACT_OK)
        status = is_number ? FACT_ABSENT : FACT_INVALID;
    else if (status == FACT_INVALID && (!state || strcmp(state, "up") != 0))
        status = FACT_ABSENT; /* without a link the kernel refuses to read the file (EINVAL) */
    if (!known && (i->is_device || status != FACT_ABSENT))
        inventory_add(v, i->node, "speed", "", "bits/s", path, status);
    return known ? (unsigned)megabits : 0;
}

static void add_rate(const struct interface *i, const char *key, double rate, const char *source)
{
    if (isfinite(rate))
        inventory_addf(i->probe->inventory, i->node, key, "bytes/s", source, "%.0f", rate);
}

static void add_capable(const struct interface *i, const struct network_modes *modes,
                        unsigned megabits, unsigned mtu)
{
    static const char source[] = "ethtool link modes";
    struct inventory *v = i->probe->inventory;
    char text[32];
    unsigned capable = modes->both ? modes->both : modes->supported;
    if (!capable)
        return;
    limit_format_bits(text, sizeof text, 1e6 * capable);
    inventory_add(v, i->node, "capable", text, NULL, source, FACT_OK);
    struct link_rate rate = limit_ethernet(capable, mtu);
    add_rate(i, "limit_capable", rate.payload, rate.source);
    if (!megabits || (!modes->both && megabits < capable))
        return; /* no link, or the other end does not advertise its rates */
    bool degraded = megabits < capable;
    inventory_add(v, i->node, "degraded", degraded ? "yes" : "no", NULL, source, FACT_OK);
    if (degraded)
        inventory_addf(v, i->node, "degraded_reason", NULL, source,
                       "both ends advertise %s: look at the cable and its modules", text);
}

static void network_add_link(const struct interface *i, unsigned megabits)
{
    struct inventory *v = i->probe->inventory;
    double mtu = inventory_number(v, i->node, "mtu");
    unsigned mtu_bytes = mtu > 0 && mtu < 1e6 ? (unsigned)mtu : 0;
    const char *driver = inventory_value(v, i->node, "driver");
    uint64_t type;
    for (size_t d = 0; driver && d < ATTRIBUTE_COUNT(guest_drivers); d++)
        if (!strcmp(driver, guest_drivers[d]))
            return;
    if (!attribute_number(i->probe->root, i->path, "type", &type) || type != ARPHRD_ETHERNET)
        return;
    if (megabits) {
        char text[32], path[PROBE_FOLDER];
        struct link_rate rate = limit_ethernet(megabits, mtu_bytes);
        limit_format_bits(text, sizeof text, 1e6 * megabits);
        inventory_add(v, i->node, "negotiated", text, NULL, path_of(i, "speed", path), FACT_OK);
        add_rate(i, "limit", rate.payload, rate.source);
        add_rate(i, "link_rate", rate.line, rate.source);
    }
    struct network_modes modes;
    if (!i->probe->root->prefix[0] && network_modes_read(i->name, &modes))
        add_capable(i, &modes, megabits, mtu_bytes);
}

/* ---- the members of an interface ---- */

/* Adds the members: "lower_eth0" is the kernel's link to an interface below this one. */
static void network_add_members(const struct interface *i)
{
    static const char lower[] = "lower_";
    struct sysroot_names names;
    struct text members = {0};
    sysroot_list(i->probe->root, i->path, &names);
    for (size_t n = 0; n < names.count; n++)
        if (!strncmp(names.names[n], lower, sizeof lower - 1))
            text_addf(&members, "%s%s", members.length ? ", " : "",
                      names.names[n] + sizeof lower - 1);
    if (members.length)
        inventory_add(i->probe->inventory, i->node, "members", members.data, NULL, i->path,
                      FACT_OK);
    text_free(&members);
    sysroot_names_free(&names);
}

/* ---- all interfaces ---- */

static void network_add_facts(const struct interface *i, bool is_bond)
{
    static const struct attribute address = {"address", ATTRIBUTE_TEXT, {"address"},
                                             0,         NULL,           false};
    struct probe *p = i->probe;
    /* The kernel names the type, "bridge", "vlan", "bond", "wlan", unless it is a plain card. */
    char path[PROBE_FOLDER], type[32] = "", driver[64];
    sysroot_each_line(p->root, path_of(i, "uevent", path), scan_type, type);
    if (*type)
        inventory_add(p->inventory, i->node, "type", type, NULL, path, FACT_OK);
    attributes_add(p->root, p->inventory, i->node, i->path, interface_rows,
                   ATTRIBUTE_COUNT(interface_rows));
    if (p->serials)
        attributes_add(p->root, p->inventory, i->node, i->path, &address, 1);
    if (is_bond)
        network_bond_add(p, i->node, i->path);
    else if (!i->is_device)
        network_add_members(i);
    if (!i->is_device) {
        /* The rate of a veth, tap or dummy interface means nothing, since there is no wire. */
        if (is_bond || inventory_value(p->inventory, i->node, "members")) {
            add_speed(i);
            add_duplex(i);
        }
        return;
    }
    enum fact_status status =
        sysroot_link(p->root, path_of(i, "device/driver", path), driver, sizeof driver);
    inventory_add(p->inventory, i->node, "driver", driver, NULL, path, status);
    attributes_add(p->root, p->inventory, i->node, i->path, device_rows,
                   ATTRIBUTE_COUNT(device_rows));
    unsigned megabits = add_speed(i);
    if (megabits)
        add_duplex(i);
    network_add_link(i, megabits);
}

void look_at_network(struct probe *p)
{
    struct sysroot_names names;
    sysroot_list(p->root, class_folder, &names);
    int first = p->inventory->node_count;
    for (size_t n = 0; n < names.count; n++) {
        struct interface i = {.probe = p, .name = names.names[n]};
        char path[PROBE_FOLDER], folder[PROBE_FOLDER];
        int length = snprintf(i.path, sizeof i.path, "%s/%s", class_folder, i.name);
        /* bonding_masters is a file among the folders of interfaces */
        if (!strcmp(i.name, "lo") || !strcmp(i.name, "bonding_masters") || length < 0 ||
            (size_t)length >= sizeof i.path)
            continue;
        i.is_device = sysroot_exists(p->root, path_of(&i, "device", path));
        bool is_bond = !i.is_device && sysroot_exists(p->root, path_of(&i, "bonding", path));
        i.node = probe_add_device(p, is_bond ? NODE_BOND : NODE_NETWORK, i.name, i.path, folder);
        if (i.node != INVENTORY_NONE)
            network_add_facts(&i, is_bond);
    }
    sysroot_names_free(&names);
    for (int node = first; node < p->inventory->node_count; node++)
        if (p->inventory->nodes[node].kind == NODE_BOND)
            network_bond_add_link(p, node);
}
