/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory modules out of the firmware's table: thirty made-up machines, named as board makers name
 * their slots, with what is wrong with them; and damaged tables.
 *
 * Longer than 500 lines because each machine is a row of what it has and what is found.
 */
#include "inventory_checks.h"

#include "base/machine/smbios.h"
#include "base/text.h"

/* ---- a table of the firmware, DSP0134 ---- */

enum { DEVICE_LENGTH = 0x5c, SLOTS_MAX = 64 };

struct slot {
    char device[64], bank[64];
    unsigned gib, speed_max, speed, width, ranks, type;
};

static void put(unsigned char *fields, size_t offset, unsigned value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fields[offset + i] = (unsigned char)(value >> 8 * i);
}

static void add_structure(struct text *to, unsigned char *fields, size_t length,
                          const char *const strings[])
{
    fields[1] = (unsigned char)length;
    text_add_bytes(to, (const char *)fields, length);
    for (; strings && *strings; strings++)
        text_add_bytes(to, *strings, strlen(*strings) + 1);
    text_add_bytes(to, "\0", strings ? 1 : 2);
}

static void add_slot(struct text *to, const struct slot *s, unsigned handle)
{
    unsigned char f[DEVICE_LENGTH] = {SMBIOS_MEMORY_DEVICE};
    const char *const strings[] = {s->device,  *s->bank ? s->bank : "Not Specified",
                                   "Maker",    "SERIAL-4711",
                                   "TAG-4712", "PART-NUMBER",
                                   NULL};
    const bool wide = s->gib >= 32;
    put(f, 2, handle, 2);
    put(f, 0x08, s->gib ? 72 : 0, 2);
    put(f, 0x0a, s->width, 2);
    put(f, 0x0c, wide ? 0x7fff : s->gib << 10, 2);
    put(f, 0x10, 0x0201, 2);
    put(f, 0x12, s->type, 1);
    put(f, 0x15, s->speed_max, 2);
    put(f, 0x17, 0x06050403, 4);
    put(f, 0x1b, s->ranks, 1);
    put(f, 0x1c, wide ? s->gib << 10 : 0, 4);
    put(f, 0x20, s->speed, 2);
    put(f, 0x28, 3, 1);
    add_structure(to, f, DEVICE_LENGTH, strings);
}

/* ---- machines ---- */

/* how board makers name slots; %s socket from 0, channel from 0, slot in the channel from 0 */
enum naming {
    SUPERMICRO, /* P1-DIMMA1 */
    CPU_DIMM,   /* CPU1_DIMM_A1 */
    AMI,        /* P0 CHANNEL A, DIMM 0 */
    NODES,      /* NODE 0 CHANNEL 0 DIMM 0 */
    HUAWEI,     /* DIMM000 */
    GIGABYTE,   /* DIMM_P0_A0 */
    INSPUR,     /* CPU0_C0D0 */
    ASUS,       /* DIMM_A1 */
    LAPTOP,     /* Controller0-ChannelA-DIMM0 */
    DELL,       /* A1: the slot's number does not say its channel */
    HPE,        /* PROC 1 DIMM 1: the same */
    QEMU        /* DIMM 0 */
};

static void name_slot(enum naming naming, unsigned socket, unsigned channel, unsigned place,
                      unsigned channels, struct slot *s)
{
    const char letter = (char)('A' + channel);
    const unsigned number = place * channels + channel;
    char *d = s->device, *b = s->bank;
    const size_t size = sizeof s->device;
    snprintf(b, size, "BANK %u", number);
    switch (naming) {
    case SUPERMICRO:
        snprintf(d, size, "P%u-DIMM%c%u", socket + 1, letter, place + 1);
        break;
    case CPU_DIMM:
        snprintf(d, size, "CPU%u_DIMM_%c%u", socket + 1, letter, place + 1);
        break;
    case AMI:
        snprintf(d, size, "DIMM %u", place);
        snprintf(b, size, "P%u CHANNEL %c", socket, letter);
        break;
    case NODES:
        snprintf(d, size, "NODE %u CHANNEL %u DIMM %u", socket, channel, place);
        break;
    case HUAWEI:
        snprintf(d, size, "DIMM%u%u%u", socket, channel, place);
        break;
    case GIGABYTE:
        snprintf(d, size, "DIMM_P%u_%c%u", socket, letter, place);
        break;
    case INSPUR:
        snprintf(d, size, "CPU%u_C%uD%u", socket, channel, place);
        break;
    case ASUS:
        snprintf(d, size, "DIMM_%c%u", letter, place + 1);
        break;
    case LAPTOP:
        snprintf(d, size, "Controller%u-Channel%c-DIMM%u", channel / 2, (char)('A' + channel % 2),
                 place);
        break;
    case DELL:
        snprintf(d, size, "%c%u", (char)('A' + socket), number + 1);
        snprintf(b, size, "Not Specified");
        break;
    case HPE:
        snprintf(d, size, "PROC %u DIMM %u", socket + 1, number + 1);
        break;
    case QEMU:
        snprintf(d, size, "DIMM %u", number);
        *b = '\0';
        break;
    }
}

/* what differs from the usual in one slot; gib: 0 is an empty slot */
struct other {
    unsigned at, gib, speed_max, speed, ranks;
};

static const struct row {
    enum naming naming;
    unsigned sockets, channels, places, gib, speed_max, speed, width, ranks, type;
    struct other others[3];
    unsigned other_count;
    bool filled_first; /* only the first slot of each channel has a module */
    /* the facts of "memory"; NULL: there is no such fact */
    const char *modules, *channels_used, *limit, *empty, *unequal, *slower, *mixed;
} rows[] = {
    /* as it should be */
    {SUPERMICRO, 2, 8, 1, 32, 4800, 4800, 64, 2, 0x22, .modules = "16", .channels_used = "16",
     .limit = "614400000000"},
    {SUPERMICRO, 2, 12, 1, 64, 5600, 5600, 64, 2, 0x22, .modules = "24", .channels_used = "24",
     .limit = "1075200000000"},
    {CPU_DIMM, 2, 8, 2, 16, 3200, 3200, 64, 2, 0x1a, .modules = "32", .channels_used = "16",
     .limit = "409600000000"},
    {AMI, 1, 12, 1, 96, 6400, 6400, 64, 2, 0x22, .modules = "12", .channels_used = "12",
     .limit = "614400000000"},
    {NODES, 2, 6, 2, 32, 2933, 2933, 64, 2, 0x1a, .filled_first = true, .modules = "12",
     .channels_used = "12", .limit = "281568000000"},
    {HUAWEI, 2, 8, 2, 32, 2933, 2933, 64, 2, 0x1a, .filled_first = true, .modules = "16",
     .channels_used = "16", .limit = "375424000000"},
    {GIGABYTE, 2, 8, 1, 64, 3200, 3200, 64, 4, 0x1a, .modules = "16", .channels_used = "16",
     .limit = "409600000000"},
    {INSPUR, 2, 6, 2, 16, 2666, 2666, 64, 1, 0x1a, .modules = "24", .channels_used = "12",
     .limit = "255936000000"},
    {ASUS, 1, 2, 2, 16, 6000, 6000, 64, 1, 0x22, .modules = "4", .channels_used = "2",
     .limit = "96000000000"},
    {LAPTOP, 1, 4, 1, 8, 6400, 6400, 32, 1, 0x23, .modules = "4", .channels_used = "4",
     .limit = "102400000000"},
    /* a channel of a socket is missing, or several */
    {SUPERMICRO,
     2,
     8,
     1,
     32,
     4800,
     4800,
     64,
     2,
     0x22,
     {{10, 0, 0, 0, 0}},
     1,
     .modules = "15",
     .channels_used = "15",
     .limit = "576000000000",
     .empty = "socket 2 channel C (15 of 16 have modules)"},
    {GIGABYTE,
     1,
     8,
     2,
     32,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}},
     2,
     .modules = "14",
     .channels_used = "7",
     .limit = "179200000000",
     .empty = "socket 0 channel A (7 of 8 have modules)"},
    {ASUS,
     1,
     2,
     2,
     16,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{2, 0, 0, 0, 0}, {3, 0, 0, 0, 0}},
     2,
     .modules = "2",
     .channels_used = "1",
     .limit = "25600000000",
     .empty = "B (1 of 2 have modules)"},
    {AMI,
     2,
     4,
     1,
     32,
     4800,
     4800,
     64,
     2,
     0x22,
     {{1, 0, 0, 0, 0}, {3, 0, 0, 0, 0}, {7, 0, 0, 0, 0}},
     3,
     .modules = "5",
     .channels_used = "5",
     .limit = "192000000000",
     .empty = "socket 0 channel B, socket 0 channel D, socket 1 channel D (5 of 8 have modules)"},
    /* a socket without a processor has no modules: not a fault */
    {HUAWEI,
     2,
     1,
     1,
     16,
     2933,
     2933,
     64,
     2,
     0x1a,
     {{1, 0, 0, 0, 0}},
     1,
     .modules = "1",
     .channels_used = "1",
     .limit = "23464000000"},
    /* a slot of a channel is empty */
    {CPU_DIMM,
     1,
     4,
     2,
     16,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{3, 0, 0, 0, 0}},
     1,
     .modules = "7",
     .channels_used = "4",
     .limit = "102400000000",
     .unequal = "socket 1 channel B (2 in others)"},
    {NODES,
     1,
     2,
     2,
     16,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{1, 0, 0, 0, 0}},
     1,
     .modules = "3",
     .channels_used = "2",
     .limit = "51200000000",
     .unequal = "socket 0 channel 0 (2 in others)"},
    /* slower than they can */
    {SUPERMICRO, 1, 2, 1, 32, 5600, 4800, 64, 2, 0x22, .modules = "2", .channels_used = "2",
     .limit = "76800000000",
     .slower = "2 of 2, at 4800 MT/s, made for 5600 MT/s: P1-DIMMA1, P1-DIMMB1"},
    {ASUS, 1, 2, 2, 16, 6000, 3600, 64, 2, 0x22, .modules = "4", .channels_used = "2",
     .limit = "57600000000",
     .slower = "4 of 4, at 3600 MT/s, made for 6000 MT/s: DIMM_A1, DIMM_A2, DIMM_B1, DIMM_B2"},
    {CPU_DIMM, 1, 8, 2, 16, 3200, 2933, 64, 2, 0x1a, .modules = "16", .channels_used = "8",
     .limit = "187712000000",
     .slower =
         "16 of 16, at 2933 MT/s, made for 3200 MT/s: CPU1_DIMM_A1, CPU1_DIMM_A2, CPU1_DIMM_B1, "
         "CPU1_DIMM_B2, CPU1_DIMM_C1, CPU1_DIMM_C2, CPU1_DIMM_D1, CPU1_DIMM_D2 and 8 more"},
    {DELL, 1, 2, 1, 32, 5600, 5200, 64, 2, 0x22, .modules = "2",
     .slower = "2 of 2, at 5200 MT/s, made for 5600 MT/s: A1, A2"},
    /* mixed */
    {SUPERMICRO,
     1,
     4,
     1,
     32,
     4800,
     4800,
     64,
     2,
     0x22,
     {{2, 16, 4800, 4800, 2}},
     1,
     .modules = "4",
     .channels_used = "4",
     .limit = "153600000000",
     .mixed = "32 GiB and 16 GiB (P1-DIMMC1)"},
    {SUPERMICRO,
     1,
     4,
     1,
     32,
     4800,
     4800,
     64,
     2,
     0x22,
     {{3, 32, 5600, 4800, 2}},
     1,
     .modules = "4",
     .channels_used = "4",
     .limit = "153600000000",
     .slower = "1 of 4, at 4800 MT/s, made for 5600 MT/s: P1-DIMMD1",
     .mixed = "4800 MT/s and 5600 MT/s (P1-DIMMD1)"},
    {NODES,
     1,
     4,
     1,
     32,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{0, 32, 3200, 3200, 1}},
     1,
     .modules = "4",
     .channels_used = "4",
     .limit = "102400000000",
     .mixed = "2 ranks and 1 ranks (NODE 0 CHANNEL 0 DIMM 0)"},
    {HPE,
     2,
     4,
     1,
     64,
     4800,
     4800,
     64,
     2,
     0x22,
     {{5, 32, 4400, 4400, 1}},
     1,
     .modules = "8",
     .mixed = "64 GiB and 32 GiB (PROC 2 DIMM 2); 4800 MT/s and 4400 MT/s (PROC 2 DIMM 2); 2 ranks "
              "and 1 ranks (PROC 2 DIMM 2)"},
    /* one slow module slows its channel alone down */
    {AMI,
     1,
     2,
     2,
     16,
     3200,
     3200,
     64,
     2,
     0x1a,
     {{1, 16, 3200, 2400, 2}},
     1,
     .modules = "4",
     .channels_used = "2",
     .limit = "44800000000",
     .slower = "1 of 4, at 2400 MT/s, made for 3200 MT/s: P0 CHANNEL A DIMM 1"},
    /* what the firmware does not say is not known: channels, speed, width */
    {DELL, 2, 8, 1, 32, 3200, 3200, 64, 2, 0x1a, {{3, 0, 0, 0, 0}}, 1, .modules = "15"},
    {QEMU, 1, 1, 1, 16, 0, 0, 0, 0, 7, .modules = "1"},
    {SUPERMICRO, 1, 2, 1, 16, 0, 0, 64, 2, 0x1a, .modules = "2", .channels_used = "2"},
    {SUPERMICRO, 1, 2, 1, 16, 3200, 3200, 0xffff, 2, 0x1a, .modules = "2", .channels_used = "2"},
    {ASUS, 1, 2, 1, 0, 0, 0, 0, 0, 2, .modules = "0"},
};

static void write_machine(const struct row *r, struct text *table)
{
    unsigned count = 0;
    unsigned char bios[0x18] = {0}, end[4] = {SMBIOS_END};
    add_structure(table, bios, sizeof bios, (const char *const[]){"Vendor", "Version", NULL});
    for (unsigned socket = 0; socket < r->sockets; socket++)
        for (unsigned channel = 0; channel < r->channels; channel++)
            for (unsigned place = 0; place < r->places; place++, count++) {
                const bool filled = !r->filled_first || place == 0;
                struct slot s = {.gib = filled ? r->gib : 0,
                                 .speed_max = r->speed_max,
                                 .speed = r->speed,
                                 .width = r->width,
                                 .ranks = r->ranks,
                                 .type = r->type};
                name_slot(r->naming, socket, channel, place, r->channels, &s);
                for (unsigned i = 0; i < r->other_count; i++)
                    if (r->others[i].at == count) {
                        s.gib = r->others[i].gib;
                        s.speed_max = r->others[i].speed_max;
                        s.speed = r->others[i].speed;
                        s.ranks = r->others[i].ranks;
                    }
                add_slot(table, &s, 0x1100 + count);
            }
    add_structure(table, end, sizeof end, NULL);
    CHECK(!table->failed && count <= SLOTS_MAX);
}

static void put_table(const struct machine *m, const char *bytes, size_t length)
{
    tree_bytes(&m->tree, SMBIOS_TABLE, bytes, length);
}

static void fact_is(const struct machine *m, size_t row, const char *key, const char *value)
{
    char where[64];
    const struct inventory_fact *fact = fact_of(m, "memory", key);
    const bool known = fact && fact->status == FACT_OK;
    snprintf(where, sizeof where, "row %zu, %s", row, key);
    check_str(known ? fact->value : "no fact", value ? value : "no fact", __FILE__, __LINE__,
              where);
}

static void test_machines(void)
{
    CHECK(sizeof rows / sizeof *rows >= 30);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct machine m;
        struct text table = {0};
        machine_begin(&m);
        write_machine(r, &table);
        put_table(&m, table.data, table.length);
        look_at_memory(&m.probe);
        look_at_dimms(&m.probe);
        fact_is(&m, i, "modules", r->modules);
        fact_is(&m, i, "channels", r->channels_used);
        fact_is(&m, i, "bandwidth_limit", r->limit);
        fact_is(&m, i, "channels_empty", r->empty);
        fact_is(&m, i, "channels_unequal", r->unequal);
        fact_is(&m, i, "modules_slower", r->slower);
        fact_is(&m, i, "modules_mixed", r->mixed);
        fact_is(&m, i, "interleaving", NULL);
        text_free(&table);
        machine_end(&m);
    }
}

/* A module's own facts; what its firmware does not know is said. */
static void test_module(void)
{
    struct machine m;
    struct text table = {0};
    machine_begin(&m);
    const struct slot known = {"CPU2_DIMM_C1", "", 64, 5600, 4800, 64, 2, 0x22},
                      unknown = {"CPU2_DIMM_D1", "", 16, 0, 0, 64, 0, 2},
                      empty = {"CPU2_DIMM_E1", "", 0, 0, 0, 0, 0, 2};
    add_slot(&table, &known, 1);
    add_slot(&table, &unknown, 2);
    add_slot(&table, &empty, 3);
    put_table(&m, table.data, table.length);
    look_at_memory(&m.probe);
    look_at_dimms(&m.probe);
    VALUE_IS(&m, "CPU2_DIMM_C1", "size", "68719476736", "bytes");
    VALUE_IS(&m, "CPU2_DIMM_C1", "type", "DDR5", "");
    VALUE_IS(&m, "CPU2_DIMM_C1", "speed", "4800", "MT/s");
    VALUE_IS(&m, "CPU2_DIMM_C1", "speed_max", "5600", "MT/s");
    VALUE_IS(&m, "CPU2_DIMM_C1", "socket", "2", "");
    VALUE_IS(&m, "CPU2_DIMM_C1", "channel", "C", "");
    VALUE_IS(&m, "CPU2_DIMM_C1", "ranks", "2", "");
    STATUS_IS(&m, "CPU2_DIMM_D1", "speed", FACT_INVALID);
    NO_FACT(&m, "CPU2_DIMM_D1", "type");
    VALUE_IS(&m, "CPU2_DIMM_E1", "size", "0", "bytes");
    PARENT_IS(&m, "CPU2_DIMM_C1", "memory");
    text_free(&table);
    machine_end(&m);
}

/* Type 20 says for each module whether it is interleaved with others. */
static void test_interleaving(void)
{
    for (unsigned position = 0; position < 2; position++) {
        struct machine m;
        struct text table = {0};
        machine_begin(&m);
        for (unsigned i = 0; i < 2; i++) {
            struct slot s = {"", "", 16, 3200, 3200, 64, 2, 0x1a};
            unsigned char f[0x13] = {SMBIOS_MEMORY_DEVICE_ADDRESS};
            name_slot(ASUS, 0, i, 0, 2, &s);
            add_slot(&table, &s, i);
            f[0x11] = (unsigned char)position;
            add_structure(&table, f, sizeof f, NULL);
        }
        put_table(&m, table.data, table.length);
        look_at_memory(&m.probe);
        look_at_dimms(&m.probe);
        fact_is(&m, position, "interleaving", position ? NULL : "off");
        text_free(&table);
        machine_end(&m);
    }
}

/* Cut at any byte, or with any byte changed, the table is read to its end or to the damage. */
static void test_damaged(void)
{
    struct text table = {0};
    write_machine(&rows[25], &table);
    for (size_t i = 0; i < table.length; i += 3) {
        struct machine m;
        machine_begin(&m);
        const char kept = table.data[i];
        table.data[i] = (char)(kept ^ 0x80);
        put_table(&m, table.data, i % 2 ? table.length : i);
        look_at_memory(&m.probe);
        look_at_dimms(&m.probe);
        table.data[i] = kept;
        machine_end(&m);
    }
    struct machine m;
    machine_begin(&m);
    put_table(&m, table.data, table.length - 40);
    look_at_memory(&m.probe);
    look_at_dimms(&m.probe);
    fact_is(&m, 0, "table", "damaged");
    tree_deny(&m.tree, SMBIOS_TABLE);
    machine_forget(&m);
    look_at_memory(&m.probe);
    look_at_dimms(&m.probe);
    STATUS_IS(&m, "memory", "modules", FACT_DENIED);
    machine_end(&m);
    machine_begin(&m);
    look_at_memory(&m.probe);
    look_at_dimms(&m.probe);
    NO_FACT(&m, "memory", "modules");
    machine_end(&m);
    text_free(&table);
}

int main(void)
{
    test_machines();
    test_module();
    test_interleaving();
    test_damaged();
    return check_result();
}
