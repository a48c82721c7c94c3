/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batteries and mains (power_supply), power limits of processor packages (powercap, RAPL). */
#include "hw/machine/internal.h"
#include "hw/sysroot/attribute.h"

#include <stdio.h>
#include <string.h>

#define SUPPLY_FOLDER   "/sys/class/power_supply"
#define POWERCAP_FOLDER "/sys/class/powercap"

/* ---- battery ---- */

struct supplies {
    /* `known`: at least one battery reports whether it is discharging */
    bool battery, known, discharging;
    /* `mains`: a mains or USB supply reports whether it is online; `troubled`: a supply cannot be
       read */
    bool mains, online, troubled;
    enum fact_status trouble;
};

/* Reads the first line of a file of a supply; "" when there is none. */
static enum fact_status read_supply(const struct sysroot *root, const char *name, const char *file,
                                    char *text, size_t size)
{
    char path[PROBE_FOLDER];
    snprintf(path, sizeof path, SUPPLY_FOLDER "/%s/%s", name, file);
    return sysroot_line(root, path, text, size);
}

static void look_at_battery(const struct sysroot *root, const char *name, struct supplies *s)
{
    char text[32];
    read_supply(root, name, "scope", text, sizeof text);
    if (!strcmp(text, "Device"))
        return; /* the battery of a mouse or a headset, not of the machine */
    s->battery = true;
    enum fact_status status = read_supply(root, name, "status", text, sizeof text);
    if (status == FACT_OK && *text && strcmp(text, "Unknown") != 0) {
        s->known = true;
        s->discharging = s->discharging || !strcmp(text, "Discharging");
    } else if (status != FACT_OK && status != FACT_ABSENT) {
        s->troubled = true;
        s->trouble = status;
    }
}

void power_add_battery(struct probe *p, int node)
{
    struct sysroot_names names;
    struct supplies supplies = {0};
    sysroot_list(p->root, SUPPLY_FOLDER, &names);
    for (size_t i = 0; i < names.count; i++) {
        char type[32];
        read_supply(p->root, names.names[i], "type", type, sizeof type);
        if (!strcmp(type, "Battery"))
            look_at_battery(p->root, names.names[i], &supplies);
        else if (!strcmp(type, "Mains") || !strncmp(type, "USB", 3)) {
            const char *name = names.names[i];
            char text[32];
            enum fact_status status = read_supply(p->root, name, "online", text, sizeof text);
            supplies.mains = supplies.mains || status == FACT_OK;
            if (status == FACT_OK && strcmp(text, "0") != 0)
                supplies.online = true; /* 1: fixed voltage, 2: programmable */
            if (status != FACT_OK && status != FACT_ABSENT) {
                supplies.troubled = true;
                supplies.trouble = status;
            }
        }
    }
    sysroot_names_free(&names);
    const struct supplies *s = &supplies;
    if (!s->battery)
        return;
    bool on_battery = !s->online && (s->discharging || !s->known);
    if (s->online || s->known || (s->mains && !s->troubled))
        inventory_add(p->inventory, node, "on_battery", on_battery ? "yes" : "no", "",
                      SUPPLY_FOLDER, FACT_OK);
    else
        inventory_add(p->inventory, node, "on_battery", "", "", SUPPLY_FOLDER,
                      s->troubled ? s->trouble : FACT_ABSENT);
}

/* ---- power limits ---- */

static const char *const constraints[] = {"long_term", "short_term", "peak_power"};
#define CONSTRAINTS (sizeof constraints / sizeof *constraints)

struct power_limit {
    int node;
    size_t constraint;
    enum fact_status status;
    uint64_t microwatts;
    char source[128];
};

#define LIMITS_MAX 64

struct power_limits {
    size_t count;
    struct power_limit limits[LIMITS_MAX];
};

/* Keeps the lower limit if two interfaces (MSR and MMIO) limit the same package. */
static void keep_lower(struct power_limits *all, const struct power_limit *limit)
{
    size_t i = 0;
    while (i < all->count &&
           (all->limits[i].node != limit->node || all->limits[i].constraint != limit->constraint))
        i++;
    if (i == LIMITS_MAX)
        return;
    bool known = i < all->count && all->limits[i].status == FACT_OK;
    if (!known || (limit->status == FACT_OK && limit->microwatts < all->limits[i].microwatts))
        all->limits[i] = *limit;
    all->count += i == all->count;
}

static void read_zone(const struct sysroot *root, const char *zone, int node,
                      struct power_limits *all)
{
    for (unsigned i = 0; i < CONSTRAINTS; i++) {
        struct power_limit limit = {.node = node};
        char path[128], name[32];
        snprintf(path, sizeof path, POWERCAP_FOLDER "/%.40s/constraint_%u_name", zone, i);
        if (sysroot_line(root, path, name, sizeof name) != FACT_OK)
            return;
        while (limit.constraint < CONSTRAINTS && strcmp(name, constraints[limit.constraint]) != 0)
            limit.constraint++;
        if (limit.constraint == CONSTRAINTS)
            continue;
        snprintf(limit.source, sizeof limit.source,
                 POWERCAP_FOLDER "/%.40s/constraint_%u_power_limit_uw", zone, i);
        limit.status = counter_read(root, limit.source, &limit.microwatts);
        keep_lower(all, &limit);
    }
}

/* Returns the node "package1" for the zones "package-1" and "package-1-die-0". */
static int package_of_zone(struct probe *p, const char *zone)
{
    static const char prefix[] = "package-";
    char path[128], name[40], node[48];
    snprintf(path, sizeof path, POWERCAP_FOLDER "/%.40s/name", zone);
    if (sysroot_line(p->root, path, name, sizeof name) != FACT_OK ||
        strncmp(name, prefix, sizeof prefix - 1) != 0)
        return INVENTORY_NONE;
    const char *number = name + sizeof prefix - 1;
    snprintf(node, sizeof node, "package%.*s", (int)strspn(number, "0123456789"), number);
    return inventory_find(p->inventory, node);
}

void power_add_limits(struct probe *p)
{
    struct sysroot_names zones;
    struct power_limits all = {0};
    sysroot_list(p->root, POWERCAP_FOLDER, &zones);
    for (size_t i = 0; i < zones.count; i++) {
        const char *colon = strchr(zones.names[i], ':');
        if (!colon || strchr(colon + 1, ':'))
            continue; /* not a zone, or a zone within a package */
        int node = package_of_zone(p, zones.names[i]);
        if (node != INVENTORY_NONE)
            read_zone(p->root, zones.names[i], node, &all);
    }
    sysroot_names_free(&zones);
    for (size_t i = 0; i < all.count; i++) {
        const struct power_limit *limit = &all.limits[i];
        char key[40];
        snprintf(key, sizeof key, "power_limit_%s", constraints[limit->constraint]);
        if (limit->status == FACT_OK)
            inventory_addf(p->inventory, limit->node, key, "W", limit->source, "%.10g",
                           (double)limit->microwatts / 1e6);
        else
            inventory_add(p->inventory, limit->node, key, "", "W", limit->source, limit->status);
    }
}
