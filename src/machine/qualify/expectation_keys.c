/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the keys of expectations, with the functions that find their values. The help text is made
   from this table. */
#include "machine/qualify/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number_parse.h"
#include "hw/disk/block.h"
#include "machine/qualify/disk_selection.h"

const char *const expectation_tests[] = {"read", "randread", "write", "randwrite", NULL};

/* the texts of a device that find_text can return */
enum device_text { DEVICE_MODEL, DEVICE_FIRMWARE, DEVICE_LINK, DEVICE_SLOT };

/* ---- facts of the inventory ---- */

static void take_fact(enum quantity quantity, const struct inventory_fact *fact,
                      struct found *found)
{
    if (!fact || fact->status != FACT_OK) {
        found->missing = !fact || fact->status == FACT_ABSENT ? "it is not reported"
                         : fact->status == FACT_DENIED        ? "not permitted"
                                                              : "its value makes no sense";
        return;
    }
    if (quantity == QUANTITY_TEXT || quantity == QUANTITY_LINK)
        found->text = fact->value;
    else if (number_parse(fact->value, strlen(fact->value), &found->value) != NUMBER_OK)
        found->missing = "its value is no number";
}

static void find_machine_fact(const struct expectation_key *key, const struct qualification *q,
                              int device, const struct qualification_test *test,
                              struct found *found)
{
    const struct inventory_fact *fact = NULL;
    (void)device;
    (void)test;
    for (int node = 0; node < q->hardware->node_count && !fact; node++)
        if (q->hardware->nodes[node].kind == key->of)
            fact = inventory_fact(q->hardware, node, key->fact);
    take_fact(key->quantity, fact, found);
}

static void find_disk_fact(const struct expectation_key *key, const struct qualification *q,
                           int device, const struct qualification_test *test, struct found *found)
{
    int node = inventory_find(q->hardware, q->devices[device].name);
    (void)test;
    take_fact(key->quantity,
              node == INVENTORY_NONE ? NULL : disk_fact(q->hardware, node, key->fact), found);
}

static void find_disks(const struct expectation_key *key, const struct qualification *q, int device,
                       const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)device;
    (void)test;
    found->value = q->chosen ? (double)NAN : (double)q->device_count;
    found->missing = "only disks that were named were looked at";
    found->not_asked = q->chosen;
}

static void find_degraded(const struct expectation_key *key, const struct qualification *q,
                          int device, const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)device;
    (void)test;
    found->value = 0;
    for (int node = 0; node < q->hardware->node_count; node++) {
        const char *degraded = inventory_value(q->hardware, node, "degraded");
        found->value += degraded && !strcmp(degraded, "yes");
    }
}

/* ---- values of a device, from the inventory or measured ---- */

static void find_text(const struct expectation_key *key, const struct qualification *q, int device,
                      const struct qualification_test *test, struct found *found)
{
    const struct qualification_device *d = &q->devices[device];
    const char *const texts[] = {[DEVICE_MODEL] = d->model,
                                 [DEVICE_FIRMWARE] = d->firmware,
                                 [DEVICE_LINK] = d->link,
                                 [DEVICE_SLOT] = d->slot};
    const char *text = texts[key->member];
    (void)test;
    found->text = *text ? text : NULL;
    found->missing = "it is not reported";
}

static void find_size(const struct expectation_key *key, const struct qualification *q, int device,
                      const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)test;
    found->value = (double)q->devices[device].size;
}

static void find_temperature(const struct expectation_key *key, const struct qualification *q,
                             int device, const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)test;
    const struct qualification_device *d = &q->devices[device];
    found->value = d->temperature_max;
    found->missing = "no sensor reports it";
    if (!isnan(found->value) && qualification_unmeasured(d)) {
        found->value = NAN;
        found->missing = "it was not measured under load";
        found->not_asked = q->sharing != NULL;
    }
}

/* Finds the smallest share of its speed that the disk keeps, over all loads, while all disks are
   read together. */
static void find_together(const struct expectation_key *key, const struct qualification *q,
                          int device, const struct qualification_test *test, struct found *found)
{
    const struct sharing_drive *drive = sharing_of(q->sharing, device);
    struct sharing_measured m;
    (void)key;
    (void)test;
    found->measured = true;
    found->not_asked = !q->sharing || q->device_count < 2;
    found->missing = !q->sharing                  ? "--together was not asked for"
                     : q->device_count < 2        ? "there is no other disk"
                     : drive && drive->failure[0] ? drive->failure
                                                  : "it was not measured";
    if (!q->sharing || !drive || sharing_least(drive, &m) == SHARING_NOT_MEASURED)
        return;
    found->value = m.ratio;
    found->low = m.low;
    found->high = m.high;
    found->confidence = q->sharing->confidence;
}

static bool was_measured(const struct qualification_test *test, struct found *found)
{
    found->measured = true;
    if (!test) {
        found->missing = "this test was not asked for";
        found->not_asked = true;
        return false;
    }
    snprintf(found->words, sizeof found->words, "not measured%s%.180s", *test->failure ? ": " : "",
             test->failure);
    found->missing = found->words;
    found->undecided = qualification_undecided(test);
    found->disturbed = test->disturbed[0] ? test->disturbed : NULL;
    return test->measured;
}

static void find_row(const struct expectation_key *key, const struct qualification *q, int device,
                     const struct qualification_test *test, struct found *found)
{
    (void)q;
    (void)device;
    if (!was_measured(test, found))
        return;
    const struct result_row *row = qualification_row(test, (size_t)key->member);
    found->value = row->value;
    found->low = row->low;
    found->high = row->high;
    found->confidence = row->confidence;
    found->missing = row->note[0] ? row->note : "it has no value";
}

/* Finds the bandwidth in percent of the path's limit, with the interval of the bandwidth. */
static void find_efficiency(const struct expectation_key *key, const struct qualification *q,
                            int device, const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)q;
    (void)device;
    if (!was_measured(test, found))
        return;
    double percent = 100 * test->efficiency;
    found->value = percent;
    found->low = percent * test->bandwidth.low / test->bandwidth.value;
    found->high = percent * test->bandwidth.high / test->bandwidth.value;
    found->confidence = test->bandwidth.confidence;
    found->missing = "no limit of the data path is known";
}

/* Finds what was measured of the memory. */
enum memory_number { MEMORY_BANDWIDTH, MEMORY_EFFICIENCY, MEMORY_LATENCY };

static void find_memory(const struct expectation_key *key, const struct qualification *q,
                        int device, const struct qualification_test *test, struct found *found)
{
    const struct qualification_memory *m = &q->memory;
    const struct qualification_number *n =
        key->member == MEMORY_LATENCY ? &m->latency : &m->bandwidth;
    const double factor = key->member == MEMORY_EFFICIENCY ? 100 / m->limit : 1;
    (void)device;
    (void)test;
    found->measured = true;
    found->not_asked = !m->measured;
    found->missing =
        m->measured ? "the limit of its modules is not known" : "it was not measured (--memory)";
    found->disturbed = m->disturbed[0] ? m->disturbed : NULL;
    found->value = m->measured ? n->value * factor : NAN;
    found->low = n->low * factor;
    found->high = n->high * factor;
    found->confidence = n->confidence;
}

/* Finds what was measured of the processors. */
enum processor_number { PROCESSOR_CLOCK, PROCESSOR_SLOWEST };

static void find_processors(const struct expectation_key *key, const struct qualification *q,
                            int device, const struct qualification_test *test, struct found *found)
{
    const struct qualification_processors *p = &q->processors;
    const struct qualification_number *n =
        key->member == PROCESSOR_SLOWEST ? &p->slowest : &p->clock;
    (void)device;
    (void)test;
    found->measured = true;
    found->not_asked = !p->measured;
    found->missing = p->measured ? "there is one processor" : "it was not measured (--processors)";
    found->disturbed = p->disturbed[0] ? p->disturbed : NULL;
    found->value = p->measured ? n->value : NAN;
    found->low = n->low;
    found->high = n->high;
    found->confidence = n->confidence;
}

/* ---- the table ---- */

/* Firmware and kernel keep some memory for themselves: 1.6 % on large servers. If one of 32 modules
   is missing, twice as much is missing. */
#define MEMORY_ROOM 0.03
#define MEMORY_NOTE "firmware and kernel take up to 3 % of it"

#define KEY(in, called, kind, by, means, ...)                                                      \
    {                                                                                              \
        .scope = KEY_OF_##in, .name = called, .quantity = QUANTITY_##kind, .find = by,             \
        .meaning = means, __VA_ARGS__                                                              \
    }
#define MACHINE(called, kind, node, key, means)                                                    \
    KEY(MACHINE, called, kind, find_machine_fact, means, .of = (node), .fact = (key))
#define DISK(called, kind, key, means) KEY(DISK, called, kind, find_disk_fact, means, .fact = (key))
#define ROW(called, kind, row, means, ...)                                                         \
    KEY(TEST, called, kind, find_row, means, .member = QUALIFICATION_##row, __VA_ARGS__)

const struct expectation_key expectation_keys[] = {
    KEY(MACHINE, "disks", COUNT, find_disks, "of this machine, without the stick"),
    KEY(MACHINE, "memory", SIZE, find_machine_fact, "what is built in", .of = NODE_MEMORY,
        .fact = "size", .room = MEMORY_ROOM, .note = MEMORY_NOTE),
    KEY(MACHINE, "memory bandwidth", RATE, find_memory, "measured with --memory",
        .member = MEMORY_BANDWIDTH, .write_factor = 0.95),
    KEY(MACHINE, "memory efficiency", PERCENT, find_memory,
        "the same, of what its modules let through", .member = MEMORY_EFFICIENCY),
    KEY(MACHINE, "memory latency", TIME, find_memory, "of one load, measured with --memory",
        .member = MEMORY_LATENCY, .write_factor = 1.1),
    KEY(MACHINE, "processor clock", FREQUENCY, find_processors,
        "of all at work, measured with --processors", .member = PROCESSOR_CLOCK,
        .write_factor = 0.95),
    KEY(MACHINE, "slowest processor", FREQUENCY, find_processors, "the clock of the slowest one",
        .member = PROCESSOR_SLOWEST, .write_factor = 0.95),
    MACHINE("power limit", COUNT, NODE_CPU_PACKAGE, "power_limit_long_term",
            "W of a processor package, over time"),
    MACHINE("modules", COUNT, NODE_MEMORY, "modules", "memory modules that are built in"),
    MACHINE("memory channels", COUNT, NODE_MEMORY, "channels", "channels with a module"),
    MACHINE("processors", COUNT, NODE_CPU, "online", "logical processors that are on"),
    MACHINE("sockets", COUNT, NODE_CPU, "sockets", "processor packages"),
    MACHINE("cores", COUNT, NODE_CPU, "cores", "cores of all packages"),
    MACHINE("processor model", TEXT, NODE_CPU, "model", "the processors' name"),
    MACHINE("microcode", TEXT, NODE_CPU, "microcode", "its revision, as 0xa101144"),
    MACHINE("product", TEXT, NODE_MACHINE, "product", "the machine's name"),
    MACHINE("bios version", TEXT, NODE_BOARD, "bios_version", "of the firmware"),
    KEY(MACHINE, "degraded links", COUNT, find_degraded,
        "links anywhere that could be faster or wider"),

    /* judged once for a section: it has no function that finds a value */
    KEY(DISK, "count", COUNT, NULL, "disks that the section is about"),
    KEY(DISK, "model", TEXT, find_text, "as the disk reports it", .member = DEVICE_MODEL),
    KEY(DISK, "firmware", TEXT, find_text, "the revision of the disk's firmware",
        .member = DEVICE_FIRMWARE),
    KEY(DISK, "link", LINK, find_text, "of the disk: neither slower nor narrower",
        .member = DEVICE_LINK),
    KEY(DISK, "slot", TEXT, find_text, "where it is, as in the report", .member = DEVICE_SLOT),
    KEY(DISK, "size", SIZE, find_size, "what it holds; its last digit may be rounded"),
    KEY(DISK, "temperature", TEMPERATURE, find_temperature, "the most while it was measured"),
    KEY(DISK, "together", SHARE, find_together, "read together over alone (--together)"),
    DISK("logical block", SIZE, "logical_block_size", "512 B or 4096 B"),
    DISK("write cache", TEXT, "write_cache", "write back or write through"),
    DISK("percentage used", PERCENT, "percentage_used", "of the wear that its maker allows"),
    DISK("available spare", PERCENT, "available_spare", "spare blocks that are left"),
    DISK("media errors", COUNT, "media_errors", "without this line any fails the disk"),
    DISK("grown defects", COUNT, "grown_defects", "blocks that a SCSI disk has replaced"),
    DISK("power on hours", HOURS, "power_on_hours", "since it was made"),
    DISK("unsafe shutdowns", COUNT, "unsafe_shutdowns", "times that it lost power unprepared"),

    ROW("bandwidth", RATE, BANDWIDTH, "bytes per second", .write_factor = 0.9),
    ROW("iops", COUNT_RATE, IOPS, "operations per second", .write_factor = 0.9,
        .write_random = true),
    ROW("response time", TIME, RESPONSE_TIME, "the mean of the latency"),
    ROW("p99", TIME, P99, "the latency that 99 % of them keep below"),
    KEY(TEST, "efficiency", PERCENT, find_efficiency, "share of what the path lets through"),
    {.name = NULL},
};

bool expectation_is_name(const char *name, struct span s)
{
    return strlen(name) == s.length && !strncasecmp(name, s.text, s.length);
}

bool expectation_is_kind(struct span name)
{
    for (const struct disk_kind *kind = disk_kinds; kind->name; kind++)
        if (expectation_is_name(kind->name, name))
            return true;
    return false;
}

const struct expectation_key *expectation_key_find(enum key_scope scope, struct span name)
{
    for (const struct expectation_key *key = expectation_keys; key->name; key++)
        if (key->scope == scope && expectation_is_name(key->name, name))
            return key;
    return NULL;
}

char *expectation_key_list(enum key_scope scope, char *to, size_t size)
{
    size_t used = 0;
    to[0] = '\0';
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        if (key->scope != scope || used >= size)
            continue;
        used += (size_t)snprintf(to + used, size - used, "%s%s", used ? ", " : "", key->name);
    }
    return to;
}

/* ---- help text, in which every line is a comment ---- */

static void help_add_lines(struct text *out, const char *const lines[])
{
    for (; *lines; lines++)
        text_addf(out, "#%s%s\n", **lines ? " " : "", *lines);
}

static void help_add_keys(struct text *out, enum key_scope scope)
{
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        if (key->scope != scope)
            continue;
        text_addf(out, "#   %-16s %-13s %s\n", key->name, quantity_example(key->quantity),
                  key->meaning);
        if (key->note)
            text_addf(out, "#   %-30s (%s)\n", "", key->note);
    }
}

void expectation_help(struct text *out)
{
    static const char *const before[] = {
        "expect.txt: what a site expects of its machines. It lies on the boot stick:",
        "each machine that is started from the stick is held against it, and fails",
        "where it misses a line. Any file like it is for cupel qualify --expect, and",
        "`cupel qualify --write-expect FILE` makes one from a machine that is known to",
        "be good.",
        "",
        "A line is KEY >= VALUE, <= or =. After >= and <= may stand, for what is just",
        "good enough, \"warn >= VALUE\" (or <=):",
        "    read bandwidth >= 6.5 GB/s warn >= 6.8 GB/s",
        "A text is compared with =, what is measured with >= or <=, others with any.",
        "What follows # is a comment. MB, GB, TB are powers of 1000; MiB, GiB, TiB of",
        "1024. A text may be a shell pattern: SAMSUNG MZ*.",
        "",
        "[machine]",
        NULL};
    static const char *const disks[] = {
        "", "[disk], [disk KIND] or [disk MODEL], in \"...\" where it has a #", NULL};
    static const char *const tests[] = {
        "", "After read, randread, write or randwrite, as in \"randread p99 <= 500us\". It",
        "passes when the whole interval is on the right side. Writing is measured on",
        "disks alone that --destroy-serial names: else it is not judged.", NULL};
    help_add_lines(out, before);
    help_add_keys(out, KEY_OF_MACHINE);
    help_add_lines(out, disks);
    static const char kinds[] = "#   KIND is one of";
    size_t column = strlen(kinds);
    text_add(out, kinds);
    for (const struct disk_kind *kind = disk_kinds; kind->name; kind++) {
        if (column + strlen(kind->name) + 2 > 79) {
            text_add(out, "\n#  ");
            column = 4;
        }
        text_addf(out, " %s%s", kind->name, kind[1].name ? "," : "");
        column += strlen(kind->name) + 2;
    }
    text_add(out, "\n");
    help_add_keys(out, KEY_OF_DISK);
    help_add_lines(out, tests);
    help_add_keys(out, KEY_OF_TEST);
    static const char *const clauses[] = {
        "",
        "[test NAME], [test NAME KIND] or [test NAME MODEL]: clauses about one test or",
        "about all, in the language of --sla. NAME is read, randread, write, randwrite",
        "or all. The test goes on until each has passed or failed, at one confidence",
        "for all clauses of a test:",
        "    [test randread]",
        "    p99 < 500us, iops > 200k",
        "    errors = 0",
        "Times, bandwidths and their units as in 500us and 1GB/s. Also mean, bps, p99.9",
        "and any other percentile, errors < 0.1%.",
        NULL};
    help_add_lines(out, clauses);
}
