/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes an expectation from the values of a machine that is known to be good, with limits that
   allow somewhat worse values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/units.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/internal.h"

/* disks of one model; disks without a model are grouped by their kind */
struct group {
    const struct qualification *q;
    const struct qualification_device *first;
    size_t count;
};

static bool is_of_group(const struct group *g, const struct qualification_device *d)
{
    return !strcmp(d->model, g->first->model) &&
           (g->first->model[0] || !strcmp(d->kind, g->first->kind));
}

/* Adds `s` as a shell pattern that matches it: special characters get a backslash, and a quotation
   mark, which has a meaning in the file, becomes "?". A model with the name of a kind is quoted. */
static void add_pattern(struct text *out, const char *s)
{
    bool quoted = strchr(s, '#') != NULL || expectation_is_kind(span_of(s));
    text_add(out, quoted ? "\"" : "");
    for (; *s; s++) {
        if (strchr("*?[\\", *s))
            text_add(out, "\\");
        text_add_bytes(out, *s == '"' ? "?" : s, 1);
    }
    text_add(out, quoted ? "\"" : "");
}

static void add_text_rule(struct text *out, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    text_addf(out, "%s = ", key);
    add_pattern(out, value);
    text_add(out, "\n");
}

/* Rounds down, so that the same machine passes. */
static void add_size_rule(struct text *out, const char *key, double bytes, double unit,
                          const char *name)
{
    text_addf(out, "%s >= %.15g %s\n", key, floor(bytes / unit), name);
}

/* Adds limits for what was measured of memory and processors, which allow somewhat worse values
   than the worse end of the interval. */
static void add_machine_measured(const struct qualification *q, struct text *out)
{
    char number[UNITS_BUFFER];
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        struct found found = {.value = NAN, .low = NAN, .high = NAN};
        if (key->scope != KEY_OF_MACHINE || !(key->write_factor > 0))
            continue;
        key->find(key, q, -1, NULL, &found);
        const bool is_max = key->quantity == QUANTITY_TIME;
        const double worst = is_max ? found.high : found.low;
        if (isnan(found.value) || !(worst > 0))
            continue;
        if (found.disturbed)
            text_addf(out, "# %s: other programs were at work while it was measured\n", key->name);
        else
            text_addf(out, "%s %s %s\n", key->name, is_max ? "<=" : ">=",
                      quantity_format(key->quantity, worst * key->write_factor, NULL, number,
                                      sizeof number));
    }
}

static void add_machine(const struct qualification *q, struct text *out)
{
    const struct inventory *v = q->hardware;
    size_t degraded = 0;
    text_add(out, "[machine]\n");
    if (q->chosen)
        text_add(out, "# disks: not all of them were looked at\n");
    else
        text_addf(out, "disks = %zu\n", q->device_count);
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        if (key->scope != KEY_OF_MACHINE || !key->fact)
            continue;
        int node = 0;
        while (node < v->node_count && v->nodes[node].kind != key->of)
            node++;
        const struct inventory_fact *fact =
            node < v->node_count ? inventory_fact(v, node, key->fact) : NULL;
        double number = NAN;
        if (!fact || fact->status != FACT_OK)
            continue;
        if (key->quantity == QUANTITY_TEXT)
            add_text_rule(out, key->name, fact->value);
        else if (number_parse(fact->value, strlen(fact->value), &number) != NUMBER_OK)
            continue;
        else if (key->quantity == QUANTITY_SIZE && number >= 0x1p30)
            add_size_rule(out, key->name, number, 0x1p30, "GiB");
        else if (key->quantity == QUANTITY_SIZE)
            add_size_rule(out, key->name, number, 0x1p20, "MiB");
        else
            text_addf(out, "%s = %.0f\n", key->name, number);
    }
    for (int node = 0; node < v->node_count; node++) {
        const char *value = inventory_value(v, node, "degraded");
        degraded += value && !strcmp(value, "yes");
    }
    if (degraded)
        text_addf(out, "# This machine has %zu. Should a good one have any?\n", degraded);
    text_addf(out, "degraded links <= %zu\n", degraded);
    add_machine_measured(q, out);
}

/* ---- disks ---- */

/* Adds the slowest link of the group, or nothing if the link of any disk is not known. */
static void add_link(const struct group *g, struct text *out)
{
    const char *slowest = NULL;
    struct amount lowest, link;
    for (size_t i = 0; i < g->q->device_count; i++) {
        const struct qualification_device *d = &g->q->devices[i];
        if (!is_of_group(g, d))
            continue;
        if (!quantity_read_link(d->link, &link))
            return;
        if (!slowest || !quantity_link_reaches(&link, &lowest)) {
            slowest = d->link;
            lowest = link;
        }
    }
    /* "12 Gbit/s x3 and 1 slower" is no single link, and is left out */
    if (slowest && !strchr(slowest, 'a'))
        text_addf(out, "link >= %s\n", slowest);
}

/* Returns the largest value in the drives' health logs; NaN if a drive lacks it. */
static double worst_fact(const struct group *g, const char *key)
{
    double worst = 0;
    for (size_t i = 0; i < g->q->device_count; i++) {
        int node = inventory_find(g->q->hardware, g->q->devices[i].name);
        if (!is_of_group(g, &g->q->devices[i]))
            continue;
        const struct inventory_fact *fact =
            node == INVENTORY_NONE ? NULL : disk_fact(g->q->hardware, node, key);
        double number;
        if (!fact || fact->status != FACT_OK ||
            number_parse(fact->value, strlen(fact->value), &number) != NUMBER_OK)
            return NAN;
        worst = fmax(worst, number);
    }
    return worst;
}

/* Returns the worst end of the intervals of all disks, and of what a repetition should give, so
   that a machine meets the expectation again which its own good session gave. If a disk has no
   interval, the function returns NaN and writes the reason as a comment. */
static double worst_measured(const struct group *g, const char *name, const char *what,
                             enum qualification_row which, bool is_min, struct text *out)
{
    double worst = NAN;
    size_t had = 0;
    for (size_t i = 0; i < g->q->device_count; i++) {
        const struct qualification_device *d = &g->q->devices[i];
        const struct qualification_test *test = qualification_test_of(d, name);
        if (!is_of_group(g, d) || !test || !test->measured)
            continue;
        const struct result_row *row = qualification_row(test, which);
        if (!isfinite(row->low) || !isfinite(row->high))
            continue;
        worst = is_min ? fmin(worst, fmin(row->low, row->next_low)) /* NaN: not predicted */
                       : fmax(worst, fmax(row->high, row->next_high));
        had++;
    }
    if (had == g->count && worst > 0)
        return worst;
    if (had < g->count && had)
        text_addf(out, "# %s %s: only %zu of %zu disks have a value\n", name, what, had, g->count);
    else if (had)
        text_addf(out, "# %s %s: an interval says nothing, it goes down to 0\n", name, what);
    return NAN;
}

/* Adds a minimum that is lower than the worst value, by the factor of the key. */
static void add_measured(const struct group *g, const char *name, const struct expectation_key *key,
                         struct text *out)
{
    char number[UNITS_BUFFER];
    double worst =
        worst_measured(g, name, key->name, (enum qualification_row)key->member, true, out);
    if (!isnan(worst))
        text_addf(
            out, "%s %s >= %s\n", name, key->name,
            quantity_format(key->quantity, worst * key->write_factor, NULL, number, sizeof number));
}

/* Adds the model of the group, or its kind if it has no model. */
static void add_selector(const struct group *g, struct text *out)
{
    if (g->first->model[0])
        add_pattern(out, g->first->model);
    else
        text_add(out, expectation_is_kind(span_of(g->first->kind)) ? g->first->kind : "");
}

/* Adds a time with three digits, rounded up, in a unit that clauses know. */
static void add_time(struct text *out, double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t unit = 0;
    while (unit < 3 && ns < units[unit].ns)
        unit++;
    double digit = fmax(pow(10, floor(log10(ns)) - 2), 1);
    text_addf(out, "%.6g%s", ceil(ns / digit) * digit / units[unit].ns, units[unit].name);
}

/* Adds clauses about the latencies of random tests and about the errors of all tests. */
static void add_clauses(const struct group *g, struct text *out)
{
    static const struct {
        const char *percentile;
        enum qualification_row row;
        double room;
    } clauses[] = {{"p50", QUALIFICATION_P50, 1.25}, {"p99", QUALIFICATION_P99, 1.5}};
    text_add(out, "\n[test all ");
    add_selector(g, out);
    text_add(out, "]\nerrors = 0\n");
    for (const char *const *test = expectation_tests; *test; test++) {
        bool begun = false;
        for (size_t i = 0; i < sizeof clauses / sizeof *clauses && !strncmp(*test, "rand", 4);
             i++) {
            double worst =
                worst_measured(g, *test, clauses[i].percentile, clauses[i].row, false, out);
            if (isnan(worst))
                continue;
            if (!begun) {
                text_addf(out, "\n[test %s ", *test);
                add_selector(g, out);
                text_add(out, "]\n");
            }
            begun = true;
            text_addf(out, "%s < ", clauses[i].percentile);
            add_time(out, worst * clauses[i].room);
            text_add(out, "\n");
        }
    }
}

static void add_group(const struct group *g, struct text *out)
{
    const double new_drive = 5;
    double used = worst_fact(g, "percentage_used"), errors = worst_fact(g, "media_errors");
    uint64_t smallest = UINT64_MAX;
    double hottest = NAN;
    bool one_firmware = true;
    for (size_t i = 0; i < g->q->device_count; i++) {
        const struct qualification_device *d = &g->q->devices[i];
        if (!is_of_group(g, d))
            continue;
        smallest = d->size < smallest ? d->size : smallest;
        hottest = fmax(hottest, d->temperature_max);
        one_firmware = one_firmware && !strcmp(d->firmware, g->first->firmware);
    }
    text_add(out, "\n[disk ");
    add_selector(g, out);
    text_addf(out, "]\n%scount = %zu\n", g->q->chosen ? "# " : "", g->count);
    if (one_firmware)
        add_text_rule(out, "firmware", g->first->firmware);
    else
        text_add(out, "# firmware: they do not have the same\n");
    add_link(g, out);
    if (smallest >= 1000000000)
        add_size_rule(out, "size", (double)smallest, 1e9, "GB");
    else
        add_size_rule(out, "size", (double)smallest, 1e6, "MB");
    if (!isnan(hottest))
        text_addf(out, "temperature <= %.0f\n", ceil(hottest) + 10);
    if (!isnan(used))
        text_addf(out, "percentage used <= %.0f\n", fmax(used, new_drive));
    if (!isnan(errors))
        text_addf(out, "media errors <= %.0f\n", errors);
    for (const char *const *test = expectation_tests; *test; test++)
        for (const struct expectation_key *key = expectation_keys; key->name; key++)
            if (key->scope == KEY_OF_TEST && key->write_factor > 0 &&
                key->write_random == !strncmp(*test, "rand", 4))
                add_measured(g, *test, key, out);
    add_clauses(g, out);
}

void expectation_write(const struct qualification *q, struct text *out)
{
    text_addf(out, "# %s, measured on %s.\n", q->machine, q->date);
    text_add(out,
             "#\n"
             "# Made by cupel from what it found, with room: bandwidth and IOPS 10 % below\n"
             "# the interval, memory and processors 5 %, p50 a quarter and p99 half as much\n"
             "# again above it. Look at\n"
             "# every line: it is what other machines are held against.\n"
             "#\n"
             "# A line is KEY >= VALUE, <= or =, and may go on with \"warn >= VALUE\" for\n"
             "# what is just good enough. After \"disk\" stands a model, a shell pattern\n"
             "# of one (SAMSUNG MZ*) or a kind: nvme, sata, sas, usb, virtio. Sections\n"
             "# [test] have clauses as --sla has them; a test goes on until they are decided.\n\n");
    add_machine(q, out);
    for (size_t i = 0; i < q->device_count; i++) {
        struct group g = {.q = q, .first = &q->devices[i]};
        bool done = false;
        for (size_t k = 0; k < q->device_count; k++) {
            bool same = is_of_group(&g, &q->devices[k]);
            done |= same && k < i;
            g.count += same;
        }
        if (!done)
            add_group(&g, out);
    }
}
