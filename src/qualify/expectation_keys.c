/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of expectations, and where their values are found. */
#include "qualify/expectation_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number_parse.h"
#include "qualify/disks.h"

const char *const expectation_tests[] = {"read", "randread", "write", "randwrite", NULL};

/* ---- facts of the inventory ---- */

static void take_fact(enum quantity quantity, const struct inventory_fact *fact,
                      struct found *found)
{
    if (!fact || fact->status != FACT_OK) {
        found->missing = !fact || fact->status == FACT_ABSENT ? "it is not told"
                         : fact->status == FACT_DENIED        ? "not permitted; try as root"
                                                              : "what is told of it makes no sense";
        return;
    }
    if (quantity == QUANTITY_TEXT || quantity == QUANTITY_LINK)
        found->text = fact->value;
    else if (number_parse(fact->value, strlen(fact->value), &found->value) != NUMBER_OK)
        found->missing = "what is told of it is no number";
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
    (void)device;
    (void)test;
    found->value = 0;
    for (int node = 0; node < q->hardware->node_count; node++) {
        const char *degraded = inventory_value(q->hardware, node, key->fact);
        found->value += degraded && !strcmp(degraded, "yes");
    }
}

/* ---- what was looked at or measured of a device ---- */

static const void *member(const void *of, size_t offset)
{
    return (const char *)of + offset;
}

static void find_text(const struct expectation_key *key, const struct qualification *q, int device,
                      const struct qualification_test *test, struct found *found)
{
    const char *text = member(&q->devices[device], key->offset);
    (void)test;
    found->text = *text ? text : NULL;
    found->missing = "it is not told";
}

static void find_size(const struct expectation_key *key, const struct qualification *q, int device,
                      const struct qualification_test *test, struct found *found)
{
    (void)key;
    (void)test;
    found->value = (double)q->devices[device].size;
}

static void find_number(const struct expectation_key *key, const struct qualification *q,
                        int device, const struct qualification_test *test, struct found *found)
{
    (void)test;
    memcpy(&found->value, member(&q->devices[device], key->offset), sizeof found->value);
    found->missing = "no sensor tells it";
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
    return test->measured;
}

static void find_row(const struct expectation_key *key, const struct qualification *q, int device,
                     const struct qualification_test *test, struct found *found)
{
    (void)q;
    (void)device;
    if (!was_measured(test, found))
        return;
    const struct result_row *row = member(test, key->offset);
    found->value = row->value;
    found->low = row->low;
    found->high = row->high;
    found->confidence = row->confidence;
    found->missing = row->note[0] ? row->note : "it has no value";
}

/* A share of the path's limit, in percent, with the interval of the bandwidth that it is of. */
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

/* ---- the table ---- */

/* What the firmware and the kernel take for themselves before they tell how much there is: 1.6 % on
   large servers. One module of 32 is twice as much. */
#define MEMORY_ROOM 0.03
#define MEMORY_NOTE "firmware and kernel take up to 3 % for themselves"

#define MACHINE(name, quantity, of, fact)                                                          \
    {                                                                                              \
        KEY_OF_MACHINE, name, quantity, find_machine_fact, fact, of, 0, 0, NULL                    \
    }
#define FACT(name, quantity, fact)                                                                 \
    {                                                                                              \
        KEY_OF_DISK, name, quantity, find_disk_fact, fact, NODE_OTHER, 0, 0, NULL                  \
    }
#define MEMBER(name, quantity, find, of)                                                           \
    {                                                                                              \
        KEY_OF_DISK, name, quantity, find, NULL, NODE_OTHER,                                       \
            offsetof(struct qualification_device, of), 0, NULL                                     \
    }
#define ROW(name, quantity, find, of)                                                              \
    {                                                                                              \
        KEY_OF_TEST, name, quantity, find, NULL, NODE_OTHER,                                       \
            offsetof(struct qualification_test, of), 0, NULL                                       \
    }

const struct expectation_key expectation_keys[] = {
    {KEY_OF_MACHINE, "disks", QUANTITY_COUNT, find_disks, NULL, NODE_OTHER, 0, 0, NULL},
    {KEY_OF_MACHINE, "memory", QUANTITY_SIZE, find_machine_fact, "size", NODE_MEMORY, 0,
     MEMORY_ROOM, MEMORY_NOTE},
    MACHINE("processors", QUANTITY_COUNT, NODE_CPU, "online"),
    MACHINE("sockets", QUANTITY_COUNT, NODE_CPU, "sockets"),
    MACHINE("cores", QUANTITY_COUNT, NODE_CPU, "cores"),
    MACHINE("processor model", QUANTITY_TEXT, NODE_CPU, "model"),
    MACHINE("microcode", QUANTITY_TEXT, NODE_CPU, "microcode"),
    MACHINE("product", QUANTITY_TEXT, NODE_MACHINE, "product"),
    MACHINE("bios version", QUANTITY_TEXT, NODE_BOARD, "bios_version"),
    {KEY_OF_MACHINE, "degraded links", QUANTITY_COUNT, find_degraded, "degraded", NODE_OTHER, 0, 0,
     NULL},

    /* judged once for a section: find_disks is not asked */
    {KEY_OF_DISK, "count", QUANTITY_COUNT, NULL, NULL, NODE_OTHER, 0, 0, NULL},
    MEMBER("model", QUANTITY_TEXT, find_text, model),
    MEMBER("firmware", QUANTITY_TEXT, find_text, firmware),
    MEMBER("link", QUANTITY_LINK, find_text, link),
    MEMBER("slot", QUANTITY_TEXT, find_text, slot),
    MEMBER("size", QUANTITY_SIZE, find_size, size),
    MEMBER("temperature", QUANTITY_TEMPERATURE, find_number, temperature_most),
    FACT("logical block", QUANTITY_SIZE, "logical_block_size"),
    FACT("write cache", QUANTITY_TEXT, "write_cache"),
    FACT("percentage used", QUANTITY_PERCENT, "percentage_used"),
    FACT("available spare", QUANTITY_PERCENT, "available_spare"),
    FACT("media errors", QUANTITY_COUNT, "media_errors"),
    FACT("power on hours", QUANTITY_HOURS, "power_on_hours"),
    FACT("unsafe shutdowns", QUANTITY_COUNT, "unsafe_shutdowns"),

    ROW("bandwidth", QUANTITY_RATE, find_row, bandwidth),
    ROW("iops", QUANTITY_COUNT_RATE, find_row, iops),
    ROW("response time", QUANTITY_TIME, find_row, response_time),
    ROW("p99", QUANTITY_TIME, find_row, p99),
    ROW("efficiency", QUANTITY_PERCENT, find_efficiency, efficiency),
    {KEY_OF_DISK, NULL, QUANTITY_COUNT, NULL, NULL, NODE_OTHER, 0, 0, NULL},
};

static bool is_name(const char *name, struct span s)
{
    return strlen(name) == s.length && !strncasecmp(name, s.text, s.length);
}

const struct expectation_key *expectation_key_find(enum key_scope scope, struct span name)
{
    for (const struct expectation_key *key = expectation_keys; key->name; key++)
        if (key->scope == scope && is_name(key->name, name))
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
