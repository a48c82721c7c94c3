/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads memory modules and their slots from the firmware's table (SMBIOS types 16, 17 and 20),
 * computes their joint limit, and finds faults in how they are placed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/machine/smbios.h"
#include "base/text.h"
#include "base/units.h"
#include "hw/machine/internal.h"
#include "hw/probers.h"

/* maximum number of modules or channels that a finding names; further ones are counted */
enum { NAMES_MAX = 8 };

struct dimm {
    char name[64];
    struct dimm_place place;
    uint64_t bytes; /* size; 0: the slot is empty, or the size is not known */
    bool present;
    uint32_t speed, speed_max; /* MT/s, as configured and at most; 0: not known */
    uint32_t width;            /* width in bits of data; 0: not known */
    uint32_t ranks;            /* 0: not known */
    const char *type;          /* such as "DDR5" */
    uint16_t handle;
};

struct dimms {
    struct dimm *list;
    size_t count, capacity;
    bool cut; /* the table is damaged after the last module */
    /* number of structures of type 20, and of those without interleaving */
    size_t addresses, not_interleaved;
};

/* ---- the table ---- */

/* Returns the name of a type of memory (SMBIOS 3.7, 7.18.2) that serves as a processor's RAM; ""
   for other types. */
static const char *type_name(uint32_t type)
{
    static const char *const names[] = {
        [0x12] = "DDR",    [0x13] = "DDR2",   [0x18] = "DDR3",   [0x1a] = "DDR4", [0x1b] = "LPDDR",
        [0x1c] = "LPDDR2", [0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x20] = "HBM",  [0x21] = "HBM2",
        [0x22] = "DDR5",   [0x23] = "LPDDR5", [0x24] = "HBM3"};
    return type < sizeof names / sizeof *names && names[type] ? names[type] : "";
}

/* Returns a speed in MT/s. A speed that does not fit into 16 bits is in the wider field. */
static uint32_t speed_at(const struct smbios_structure *s, size_t offset, size_t wide)
{
    const uint32_t speed = smbios_field(s, offset, 2);
    return speed == 0xffff ? smbios_field(s, wide, 4) & 0x7fffffff : speed;
}

static uint64_t size_of(const struct smbios_structure *s)
{
    const uint32_t size = smbios_field(s, 0x0c, 2);
    if (size == 0xffff)
        return 0;
    if (size == 0x7fff)
        return (uint64_t)(smbios_field(s, 0x1c, 4) & 0x7fffffff) << 20;
    return (uint64_t)(size & 0x7fff) << (size & 0x8000 ? 10 : 20);
}

/* Returns true for memory of the processors: not flash, cache, or a persistent module. */
static bool is_ram(const struct smbios_structure *s)
{
    static const uint8_t logical_non_volatile = 0x1f, flash = 9, rom = 8;
    const uint32_t type = smbios_field(s, 0x12, 1), technology = smbios_field(s, 0x28, 1);
    return type != logical_non_volatile && type != flash && type != rom &&
           (technology < 4 || technology > 7);
}

static bool add_dimm(struct dimms *to, const struct smbios_structure *s)
{
    if (!array_grow(&to->list, sizeof *to->list, to->count, &to->capacity))
        return false;
    const struct span device = span_trimmed(smbios_string(s, 0x10)),
                      bank = span_trimmed(smbios_string(s, 0x11));
    struct dimm *d = &to->list[to->count++];
    *d = (struct dimm){.place = dimm_place_of(device, bank),
                       .bytes = size_of(s),
                       .present = smbios_field(s, 0x0c, 2) != 0,
                       .speed = speed_at(s, 0x20, 0x58),
                       .speed_max = speed_at(s, 0x15, 0x54),
                       .width = smbios_field(s, 0x0a, 2),
                       .ranks = smbios_field(s, 0x1b, 1) & 0xf,
                       .type = type_name(smbios_field(s, 0x12, 1)),
                       .handle = s->handle};
    d->width = d->width == 0xffff ? 0 : d->width;
    char slot[64], whole[64];
    span_printable(slot, sizeof slot, device);
    span_printable(whole, sizeof whole, bank);
    /* The slot's name alone is ambiguous when every channel has a "DIMM 0": the bank's name is put
       before it. */
    const bool by_bank = *d->place.channel && !*dimm_place_of(device, (struct span){0}).channel;
    if (*slot)
        snprintf(d->name, sizeof d->name, "%.30s%s%.30s", by_bank ? whole : "", by_bank ? " " : "",
                 slot);
    else
        snprintf(d->name, sizeof d->name, "slot %zu", to->count);
    return true;
}

static bool read_table(struct span table, struct dimms *to)
{
    struct smbios_structure s;
    bool ended = false;
    while (!ended && smbios_next(&table, &s)) {
        ended = s.type == SMBIOS_END;
        if (s.type == SMBIOS_MEMORY_DEVICE && is_ram(&s) && !add_dimm(to, &s))
            return false;
        if (s.type == SMBIOS_MEMORY_DEVICE_ADDRESS) {
            to->addresses++;
            to->not_interleaved += smbios_field(&s, 0x11, 1) == 0;
        }
    }
    to->cut = !ended && table.length > 0;
    return true;
}

/* ---- facts ---- */

static void add_text(struct probe *p, int node, const char *key, struct text *words)
{
    if (words->length)
        inventory_add(p->inventory, node, key, words->data, "", SMBIOS_TABLE, FACT_OK);
    text_free(words);
}

/* Adds a number. 0 means that the firmware does not know it. */
static void add_number(struct probe *p, int node, const char *key, uint64_t number,
                       const char *unit)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    inventory_add(p->inventory, node, key, digits, unit, SMBIOS_TABLE,
                  number ? FACT_OK : FACT_INVALID);
}

static void add_nodes(struct probe *p, int memory, const struct dimms *dimms)
{
    for (size_t i = 0; i < dimms->count; i++) {
        const struct dimm *d = &dimms->list[i];
        const int node = inventory_add_node(p->inventory, NODE_DIMM, d->name, NULL, memory);
        if (*d->place.socket)
            inventory_add(p->inventory, node, "socket", d->place.socket, "", SMBIOS_TABLE, FACT_OK);
        if (*d->place.channel)
            inventory_add(p->inventory, node, "channel", d->place.channel, "", SMBIOS_TABLE,
                          FACT_OK);
        if (!d->present) {
            inventory_add(p->inventory, node, "size", "0", "bytes", SMBIOS_TABLE, FACT_OK);
            continue;
        }
        add_number(p, node, "size", d->bytes, "bytes");
        if (*d->type)
            inventory_add(p->inventory, node, "type", d->type, "", SMBIOS_TABLE, FACT_OK);
        add_number(p, node, "speed", d->speed, "MT/s");
        add_number(p, node, "speed_max", d->speed_max, "MT/s");
        add_number(p, node, "width", d->width, "bits");
        if (d->ranks)
            add_number(p, node, "ranks", d->ranks, "");
    }
}

/* ---- faults ---- */

static bool same_channel(const struct dimm *a, const struct dimm *b)
{
    return !strcmp(a->place.socket, b->place.socket) && !strcmp(a->place.channel, b->place.channel);
}

/* Returns true if no earlier module (`present`), or slot, in the list is in the same channel. */
static bool is_first(const struct dimms *dimms, size_t i, bool present)
{
    for (size_t k = 0; k < i; k++)
        if ((dimms->list[k].present || !present) && same_channel(&dimms->list[k], &dimms->list[i]))
            return false;
    return true;
}

static bool channel_has_module(const struct dimms *dimms, const struct dimm *of)
{
    for (size_t i = 0; i < dimms->count; i++)
        if (dimms->list[i].present && same_channel(&dimms->list[i], of))
            return true;
    return false;
}

/* Returns true if the socket has a module. A socket without modules has no processor. */
static bool socket_has_module(const struct dimms *dimms, const struct dimm *of)
{
    for (size_t i = 0; i < dimms->count; i++)
        if (dimms->list[i].present && !strcmp(dimms->list[i].place.socket, of->place.socket))
            return true;
    return false;
}

/* Adds a name to a list, unless it has NAMES_MAX names already. */
static void name_one(struct text *to, size_t number, const char *name)
{
    if (number < NAMES_MAX)
        text_addf(to, "%s%s", number ? ", " : "", name);
}

static void name_rest(struct text *to, size_t count)
{
    if (count > NAMES_MAX)
        text_addf(to, " and %zu more", count - NAMES_MAX);
}

static char *channel_name(const struct dimm *d, char *to, size_t size)
{
    snprintf(to, size, "%s%s%s", *d->place.socket ? "socket " : "", d->place.socket,
             *d->place.socket ? " channel " : "");
    const size_t used = strlen(to);
    snprintf(to + used, size - used, "%s", d->place.channel);
    return to;
}

/* Adds channels without modules: "socket 2 channel C (15 of 16 have modules)". */
static void find_empty_channels(const struct dimms *dimms, struct text *to)
{
    size_t empty = 0, all = 0;
    char name[64];
    for (size_t i = 0; i < dimms->count; i++) {
        const struct dimm *d = &dimms->list[i];
        if (!is_first(dimms, i, false) || !socket_has_module(dimms, d))
            continue;
        all++;
        if (!channel_has_module(dimms, d))
            name_one(to, empty++, channel_name(d, name, sizeof name));
    }
    name_rest(to, empty);
    if (empty)
        text_addf(to, " (%zu of %zu have modules)", all - empty, all);
}

static size_t modules_in_channel(const struct dimms *dimms, const struct dimm *of)
{
    size_t count = 0;
    for (size_t i = 0; i < dimms->count; i++)
        count += dimms->list[i].present && same_channel(&dimms->list[i], of);
    return count;
}

/* Adds channels with fewer modules than others: "socket 1 channel B, socket 2 channel B (2 in
   others)". */
static void find_unequal_channels(const struct dimms *dimms, struct text *to)
{
    size_t most = 0, named = 0;
    char name[64];
    for (size_t i = 0; i < dimms->count; i++) {
        const size_t count = modules_in_channel(dimms, &dimms->list[i]);
        most = count > most ? count : most;
    }
    for (size_t i = 0; i < dimms->count; i++) {
        const size_t count = modules_in_channel(dimms, &dimms->list[i]);
        if (dimms->list[i].present && is_first(dimms, i, true) && count < most)
            name_one(to, named++, channel_name(&dimms->list[i], name, sizeof name));
    }
    name_rest(to, named);
    if (named)
        text_addf(to, " (%zu in others)", most);
}

/* Adds modules that run below their speed: "16 of 16 run at 4800 MT/s, and could at 5600 MT/s: A1,
   A2". */
static void find_slower(const struct dimms *dimms, struct text *to)
{
    const struct dimm *first = NULL;
    size_t slower = 0, all = 0;
    for (size_t i = 0; i < dimms->count; i++) {
        const struct dimm *d = &dimms->list[i];
        all += d->present;
        slower += d->speed && d->speed < d->speed_max;
        first = !first && d->speed && d->speed < d->speed_max ? d : first;
    }
    if (!slower)
        return;
    text_addf(to, "%zu of %zu, at %" PRIu32 " MT/s, made for %" PRIu32 " MT/s: ", slower, all,
              first->speed, first->speed_max);
    slower = 0;
    for (size_t i = 0; i < dimms->count; i++)
        if (dimms->list[i].speed && dimms->list[i].speed < dimms->list[i].speed_max)
            name_one(to, slower++, dimms->list[i].name);
    name_rest(to, slower);
}

/* ---- different modules ---- */

typedef uint64_t dimm_number(const struct dimm *d);

static uint64_t bytes_of(const struct dimm *d)
{
    return d->bytes;
}

static uint64_t made_for(const struct dimm *d)
{
    return d->speed_max;
}

static uint64_t ranks_of(const struct dimm *d)
{
    return d->ranks;
}

static void name_number(struct text *to, const char *unit, uint64_t number)
{
    char size[UNITS_BUFFER];
    if (*unit)
        text_addf(to, "%" PRIu64 "%s", number, unit);
    else
        text_add(to, format_size(size, sizeof size, (double)number));
}

/* Adds "16 GiB and 32 GiB (B1)" if a number differs between modules: the most frequent number,
   another one, and the modules that differ. */
static void find_different(const struct dimms *dimms, dimm_number *number, const char *unit,
                           struct text *to)
{
    uint64_t usual = 0;
    size_t most = 0, odd = 0;
    struct text names = {0};
    for (size_t i = 0; i < dimms->count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < dimms->count && dimms->list[i].present; k++)
            same += dimms->list[k].present && number(&dimms->list[k]) == number(&dimms->list[i]);
        if (same > most && number(&dimms->list[i])) {
            most = same;
            usual = number(&dimms->list[i]);
        }
    }
    uint64_t other = 0;
    for (size_t i = 0; i < dimms->count && most; i++) {
        const struct dimm *d = &dimms->list[i];
        if (!d->present || !number(d) || number(d) == usual)
            continue;
        other = other ? other : number(d);
        name_one(&names, odd++, d->name);
    }
    if (odd) {
        name_rest(&names, odd);
        text_add(to, to->length ? "; " : "");
        name_number(to, unit, usual);
        text_add(to, " and ");
        name_number(to, unit, other);
        text_addf(to, " (%s)", names.data ? names.data : "");
    }
    text_free(&names);
}

/* ---- the limit ---- */

/* Returns the limit: the sum of width times configured speed over the channels with modules, with
   the slowest module of each channel. Returns 0, and sets *why, if it is not known. */
static uint64_t find_limit(const struct dimms *dimms, size_t *channels, const char **why)
{
    uint64_t sum = 0;
    *channels = 0;
    for (size_t i = 0; i < dimms->count; i++) {
        const struct dimm *d = &dimms->list[i];
        if (!d->present || !is_first(dimms, i, true))
            continue;
        uint32_t slowest = d->speed;
        for (size_t k = i; k < dimms->count; k++)
            if (dimms->list[k].present && same_channel(&dimms->list[k], d) &&
                dimms->list[k].speed < slowest)
                slowest = dimms->list[k].speed;
        if (!*d->place.channel)
            *why = "the names of the slots do not say which channel they are of";
        else if (!slowest)
            *why = "the firmware does not report the speed of the modules";
        else if (!d->width)
            *why = "the firmware does not report the width of the modules";
        sum += (uint64_t)d->width / 8 * slowest * 1000000;
        ++*channels;
    }
    if (!*channels)
        *why = "the firmware reports no memory module";
    return *why ? 0 : sum;
}

static void add_summary(struct probe *p, int memory, const struct dimms *dimms)
{
    size_t present = 0, channels;
    const char *why = NULL;
    bool channels_known = true;
    struct text words = {0};
    for (size_t i = 0; i < dimms->count; i++) {
        present += dimms->list[i].present;
        channels_known &= *dimms->list[i].place.channel != '\0';
    }
    const uint64_t limit = find_limit(dimms, &channels, &why);
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", dimms->count);
    inventory_add(p->inventory, memory, "slots", digits, "", SMBIOS_TABLE, FACT_OK);
    snprintf(digits, sizeof digits, "%zu", present);
    inventory_add(p->inventory, memory, "modules", digits, "", SMBIOS_TABLE, FACT_OK);
    if (channels_known && present)
        add_number(p, memory, "channels", channels, "");
    snprintf(digits, sizeof digits, "%" PRIu64, limit);
    inventory_add(p->inventory, memory, "bandwidth_limit", digits, "B/s", why ? why : SMBIOS_TABLE,
                  limit ? FACT_OK : FACT_ABSENT);
    if (channels_known) {
        find_empty_channels(dimms, &words);
        add_text(p, memory, "channels_empty", &words);
        find_unequal_channels(dimms, &words);
        add_text(p, memory, "channels_unequal", &words);
    }
    find_slower(dimms, &words);
    add_text(p, memory, "modules_slower", &words);
    find_different(dimms, bytes_of, "", &words);
    find_different(dimms, made_for, " MT/s", &words);
    find_different(dimms, ranks_of, " ranks", &words);
    add_text(p, memory, "modules_mixed", &words);
    if (present > 1 && dimms->addresses >= present && dimms->not_interleaved == dimms->addresses)
        inventory_add(p->inventory, memory, "interleaving", "off", "", SMBIOS_TABLE, FACT_OK);
    if (dimms->cut)
        inventory_add(p->inventory, memory, "table", "damaged", "", SMBIOS_TABLE, FACT_OK);
}

void look_at_dimms(struct probe *p)
{
    const int memory = inventory_find(p->inventory, "memory");
    char *table = malloc(SMBIOS_TABLE_MAX);
    size_t length = 0;
    struct dimms dimms = {0};
    if (!table) {
        p->inventory->failed = true;
        return;
    }
    enum fact_status status =
        sysroot_bytes(p->root, SMBIOS_TABLE, table, SMBIOS_TABLE_MAX, &length);
    if (status == FACT_OK && !read_table((struct span){table, length}, &dimms))
        p->inventory->failed = true;
    if (status == FACT_OK && !dimms.count && dimms.cut)
        status = FACT_INVALID;
    if (status == FACT_OK) {
        add_nodes(p, memory, &dimms);
        add_summary(p, memory, &dimms);
    } else if (status != FACT_ABSENT) {
        inventory_add(p->inventory, memory, "modules", "", "", SMBIOS_TABLE, status);
    }
    free(dimms.list);
    free(table);
}
