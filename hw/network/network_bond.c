/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bonds: which members carry data, their joint rate, and members that do not match the others. */
#include "hw/network/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hw/link/link_limit.h"
#include "hw/sysroot/attribute.h"

#define CLASS       "/sys/class/net"
#define MEMBERS_MAX 64
#define NAME_BYTES  96

/* ---- what the kernel shows ---- */

void network_bond_add(struct probe *p, int node, const char *folder)
{
    char path[PROBE_FOLDER], active_path[PROBE_FOLDER], member[PROBE_FOLDER];
    char mode[64], slaves[1024], chosen[1024], *rest = slaves;
    struct text members = {0}, active = {0};
    uint64_t aggregator, own;
    sysroot_join(path, sizeof path, folder, "bonding/mode");
    enum fact_status status = sysroot_line(p->root, path, mode, sizeof mode);
    mode[strcspn(mode, " ")] = '\0'; /* the file has "802.3ad 4" */
    inventory_add(p->inventory, node, "mode", mode, NULL, path, status);

    /* The members in use, for modes that do not use all of them: a single one, or with LACP the
       ports of one aggregation (ports of 25 and 10 Gbit/s, for example, never belong to the same
       one). */
    sysroot_join(active_path, sizeof active_path, folder, "bonding/active_slave");
    sysroot_line(p->root, active_path, chosen, sizeof chosen);
    bool aggregates =
        !*chosen && attribute_number(p->root, folder, "bonding/ad_aggregator", &aggregator);
    if (*chosen)
        text_add(&active, chosen);
    /* The file lists members as "eth0 eth1". */
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
    double speed, limit; /* bits/s, bytes/s; NaN: not known */
};

struct bond {
    struct probe *probe;
    int node;
    const char *mode, *active; /* "" when the kernel does not say */
    struct member members[MEMBERS_MAX];
    size_t count;
    double fastest; /* bits/s of any member; 0: not known for any */
};

/* ---- the members ---- */

/* Is the name in a list "eno1, eno2"? */
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

/* The bond's own view of the link; without that, the interface's. */
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

/* Adds the sum, if the rate of every member in use is known. */
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

/* Reports members that carry no data or are slow; no fact when there are none. */
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

void network_bond_add_link(struct probe *p, int node)
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
