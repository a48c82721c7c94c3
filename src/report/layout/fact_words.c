/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes values with their units, and the words that explain a key. */
#include "report/layout/fact_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/units.h"
#include "report/layout/layout.h"
#include "report/layout/number.h"

enum { ATTACHED_MAX = 3, NAME_BYTES = 64, SHOWN_MAX = 120, VALUE_MAX = 240 };
enum { EXACT_BELOW = 10240 };

void fact_add_value(struct text *out, const char *value, const char *unit)
{
    char written[UNITS_BUFFER], cut[4 * VALUE_MAX + 1];
    double number;
    bool is_number = number_parse(value, strlen(value), &number) == NUMBER_OK;
    if (is_number && !strcmp(unit, "bytes")) {
        /* a few KiB that are no whole number of KiB are shown in bytes: 1403, not "1.37 KiB" */
        bool exact = number >= 0 && number < EXACT_BELOW && number == floor(number) &&
                     (number < 1024 || fmod(number, 1024) != 0);
        if (exact)
            text_addf(out, "%.0f byte%s", number, number == 1 ? "" : "s");
        else
            text_add(out, format_size(written, sizeof written, number));
    } else if (is_number && !strcmp(unit, "bytes/s")) {
        text_add(out, format_rate(written, sizeof written, number));
    } else if (is_number && (!strcmp(unit, "Hz") || !strcmp(unit, "bits/s"))) {
        /* after the digits come a blank, the prefix and the unit: "2.50 GHz" */
        format_count(written, sizeof written, number);
        size_t digits = strspn(written, "-0123456789.");
        text_addf(out, "%.*s %s%s", (int)digits, written, written + digits,
                  strcmp(unit, "Hz") ? "bit/s" : "Hz");
    } else {
        text_addf(out, "%s%s%s", layout_shorten(cut, sizeof cut, value, VALUE_MAX),
                  unit[0] ? " " : "", unit);
    }
}

/* The words that are added before and after the value of a key that needs an explanation. */
struct key_words {
    const char *key, *before, *after;
};

static const struct key_words key_words[] = {
    {"active", "active ", ""},
    {"backing_file", "on ", ""},
    {"bios_date", "of ", ""},
    {"bios_version", "BIOS ", ""},
    {"clocksource", "clocksource ", ""},
    {"cores", "", " cores"},
    {"cpus", "processors ", ""},
    {"driver", "driver ", ""},
    {"duplex", "", " duplex"},
    {"firmware", "firmware ", ""},
    {"frequency_driver", "frequency driver ", ""},
    {"frequency_max", "up to ", ""},
    {"governor", "governor ", ""},
    {"health", "health ", ""},
    {"hypervisor", "hypervisor: ", ""},
    {"idle_driver", "idle driver ", ""},
    {"kernel", "Linux ", ""},
    {"limited_by", "limited: ", ""},
    {"members", "of ", ""},
    {"memory", "memory ", ""},
    {"mode", "mode ", ""},
    {"mount_point", "on ", ""},
    {"online", "", " online processors"},
    {"scheduler", "scheduler ", ""},
    {"sockets", "", " sockets"},
    {"state", "state ", ""},
    {"threads", "", " threads"},
    {"turbo", "turbo ", ""},
    {"write_cache", "write cache ", ""},
    {"zone_size", "zones of ", ""},
};

static bool is_yes(const char *value)
{
    return value && !strcmp(value, "yes");
}

static void add_degraded(struct text *out, const struct inventory *v, int node)
{
    const char *capable = inventory_value(v, node, "capable");
    if (is_yes(inventory_value(v, node, "degraded")))
        text_addf(out, ", DEGRADED, can %s", capable ? capable : "more");
}

void fact_add_number(struct text *out, double value, const char *unit)
{
    char number[NUMBER_BUFFER];
    if (!isfinite(value)) {
        text_add(out, "-");
    } else if (!strcmp(unit, "share")) {
        text_add(out, number_percent(number, sizeof number, value));
    } else if (!strcmp(unit, "Hz") || !strcmp(unit, "bytes") || !strcmp(unit, "bytes/s")) {
        snprintf(number, sizeof number, "%.0f", value);
        fact_add_value(out, number, unit);
    } else {
        snprintf(number, sizeof number, "%.3g", value);
        fact_add_value(out, number, strcmp(unit, "1") ? unit : "");
    }
}

void fact_add_words(struct text *out, const struct inventory *v, int node,
                    const struct inventory_fact *fact)
{
    static const struct key_words none = {"", "", ""};
    const struct key_words *words = &none;
    char value[4 * SHOWN_MAX + 1];
    for (size_t i = 0; i < sizeof key_words / sizeof *key_words; i++)
        if (!strcmp(key_words[i].key, fact->key))
            words = &key_words[i];
    if (!strcmp(fact->key, "negotiated")) {
        /* writes "8.0 GT/s x4 (3.55 GB/s), DEGRADED, can 16.0 GT/s x4" */
        const struct inventory_fact *limit = inventory_fact(v, node, "limit");
        text_add(out, fact->value);
        if (limit && limit->status == FACT_OK) {
            text_add(out, " (");
            fact_add_value(out, limit->value, limit->unit);
            text_add(out, ")");
        }
        add_degraded(out, v, node);
        return;
    }
    text_add(out, words->before);
    fact_add_value(out, layout_shorten(value, sizeof value, fact->value, SHOWN_MAX), fact->unit);
    size_t length = strlen(words->after);
    bool singular = length > 0 && words->after[length - 1] == 's' && !strcmp(fact->value, "1");
    text_add_bytes(out, words->after, length - singular);
}

void fact_add_shown(struct text *out, const struct inventory *v, int node)
{
    const struct inventory_node *n = &v->nodes[node];
    const char *keys = node_kind_shown(n->kind);
    bool any = false;
    for (keys += strspn(keys, " "); *keys; keys += strspn(keys, " ")) {
        char key[40];
        size_t length = strcspn(keys, " ");
        memcpy(key, keys, length < sizeof key ? length : sizeof key - 1);
        key[length < sizeof key ? length : sizeof key - 1] = '\0';
        keys += length;
        const struct inventory_fact *fact = inventory_fact(v, node, key);
        if (!fact || fact->status != FACT_OK)
            continue;
        /* A disk's model is left out if its controller already shows it. */
        const char *above = strcmp(key, "model") ? NULL : inventory_value(v, n->parent, fact->key);
        if (above && !strcmp(above, fact->value))
            continue;
        /* Leaves out a value that the node's name already shows. The name of a filesystem is its
           mount point; the name of remote storage contains protocol and address. */
        if (n->kind == NODE_REMOTE ? strstr(n->name, fact->value) != NULL
                                   : !strcmp(key, "mount_point") && !strcmp(fact->value, n->name))
            continue;
        text_add(out, any ? ", " : "");
        fact_add_words(out, v, node, fact);
        any = true;
    }
}

void fact_add_all(struct text *out, const struct inventory *v, int node)
{
    bool any = false;
    for (int i = v->nodes[node].first_fact; i != INVENTORY_NONE; i = v->facts[i].next) {
        const struct inventory_fact *fact = &v->facts[i];
        if (fact->status != FACT_OK)
            continue;
        text_addf(out, "%s%s ", any ? "; " : "", fact->key);
        fact_add_value(out, fact->value, fact->unit);
        any = true;
    }
}

/* Returns the node after `node` in the subtree of `top`, in depth-first order, or INVENTORY_NONE at
   its end. */
static int next_below(const struct inventory *v, int top, int node)
{
    if (v->nodes[node].first_child != INVENTORY_NONE)
        return v->nodes[node].first_child;
    while (node != top && v->nodes[node].next_sibling == INVENTORY_NONE)
        node = v->nodes[node].parent;
    return node == top ? INVENTORY_NONE : v->nodes[node].next_sibling;
}

/* Adds the names of the first disks and network interfaces below `node`. Adds the number of all of
   them to *count. */
static void add_below(struct text *out, const struct inventory *v, int node, size_t *count)
{
    for (int i = next_below(v, node, node); i != INVENTORY_NONE; i = next_below(v, node, i)) {
        if (v->nodes[i].kind != NODE_DISK && v->nodes[i].kind != NODE_NETWORK)
            continue;
        if (++*count <= ATTACHED_MAX)
            text_addf(out, "%s%s", *count == 1 ? " (" : ", ", v->nodes[i].name);
    }
}

bool fact_share_link(const struct inventory *v, int a, int b)
{
    const struct inventory_node *x = &v->nodes[a], *y = &v->nodes[b];
    return a != b && x->kind == NODE_PCI_DEVICE && y->kind == NODE_PCI_DEVICE &&
           x->parent == y->parent && x->parent != INVENTORY_NONE &&
           v->nodes[x->parent].kind == NODE_PCI_BRIDGE && inventory_value(v, a, "capable") &&
           inventory_value(v, b, "capable");
}

void fact_add_node(struct text *out, const struct inventory *v, int node, bool whole_card)
{
    char cut[4 * SHOWN_MAX + 1];
    static const char *const titles[] = {"device_name", "model", "product"};
    const char *title = NULL, *slot = inventory_value(v, node, "slot");
    for (size_t i = 0; i < sizeof titles / sizeof *titles && !title; i++)
        title = inventory_value(v, node, titles[i]);
    int parent = v->nodes[node].parent;
    text_add(out, layout_shorten(cut, sizeof cut, v->nodes[node].name, NAME_BYTES));
    if (title)
        text_addf(out, " %s", layout_shorten(cut, sizeof cut, title, SHOWN_MAX));
    if (v->nodes[node].kind == NODE_SENSOR && parent != INVENTORY_NONE &&
        v->nodes[parent].kind != NODE_MACHINE)
        text_addf(out, " of %s",
                  layout_shorten(cut, sizeof cut, v->nodes[parent].name, NAME_BYTES));
    if (v->nodes[node].kind != NODE_MACHINE) {
        size_t count = 0;
        add_below(out, v, node, &count);
        int other =
            whole_card && parent != INVENTORY_NONE ? v->nodes[parent].first_child : INVENTORY_NONE;
        for (; other != INVENTORY_NONE; other = v->nodes[other].next_sibling)
            if (fact_share_link(v, node, other))
                add_below(out, v, other, &count);
        if (count > ATTACHED_MAX)
            text_addf(out, " and %zu more", count - ATTACHED_MAX);
        text_add(out, count > 0 ? ")" : "");
    }
    if (slot)
        text_addf(out, " in slot %s", layout_shorten(cut, sizeof cut, slot, NAME_BYTES));
}

void fact_add_part(struct text *out, const struct inventory *v, int node)
{
    const char *negotiated = inventory_value(v, node, "negotiated");
    const char *name = inventory_value(v, node, "device_name");
    const char *slot = inventory_value(v, node, "slot");
    char cut[4 * SHOWN_MAX + 1];
    if (!negotiated && !is_yes(inventory_value(v, node, "degraded")))
        return;
    if (name)
        text_addf(out, "%s, ", layout_shorten(cut, sizeof cut, name, SHOWN_MAX));
    if (slot)
        text_addf(out, "slot %s, ", layout_shorten(cut, sizeof cut, slot, NAME_BYTES));
    text_add(out, negotiated ? negotiated : "no link");
    add_degraded(out, v, node);
}
