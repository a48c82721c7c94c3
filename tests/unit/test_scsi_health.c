/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI disks that follow a script: failure predicted in three ways, standby, garbage; and disks
   with answers to any command: counters of log pages, the write cache, defects, right and wrong. */
#include "check.h"
#include "facts_check.h"
#include "scsi_script.h"

#include "hw/disk/internal.h"
#include <errno.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

#define READY      {0}, 6, 0
#define SENSE      {0x03, 0, 0, 0, 252, 0}, 6, 252
#define EXCEPTIONS {0x4d, 0, 0x6f, 0, 0, 0, 0, 0, 252, 0}, 10, 252
#define PAGES      {0x4d, 0, 0x40, 0, 0, 0, 0, 0, 252, 0}, 10, 252
#define WARMTH     {0x4d, 0, 0x4d, 0, 0, 0, 0, 0, 252, 0}, 10, 252
#define SCAN       {0x4d, 0, 0x55, 0, 0, 0, 0, 0x40, 0, 0}, 10, 16384
#define ERRORS     {0x4d, 0, 0x43, 0, 0, 0, 0, 0, 252, 0}, 10, 252
#define CACHING    {0x5a, 8, 8, 0, 0, 0, 0, 0, 252, 0}, 10, 252
#define DEFECTS    {0xb7, 12, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0}, 12, 8
#define DEFECTS_10 {0x37, 0, 12, 0, 0, 0, 0, 0, 4, 0}, 10, 4

/* The steps after the log pages, for a disk with neither a cache page nor a defect list. */
#define NO_CACHE_NO_LIST                                                                           \
    {CACHING, REFUSES(illegal)}, {DEFECTS, REFUSES(illegal)},                                      \
    {                                                                                              \
        DEFECTS_10, REFUSES(illegal)                                                               \
    }

#define IS_GOOD        0, 0, 0, NULL, 0, NULL, 0
#define GIVES(bytes)   0, 0, 0, (bytes), sizeof(bytes), NULL, 0
#define REFUSES(sense) 0, 0, 2, NULL, 0, (sense), sizeof(sense)
#define FAILS(errno_)  -(errno_), 0, 0, NULL, 0, NULL, 0
#define TAKES_TOO_LONG 0, 3, 0, NULL, 0, NULL, 0

#define FIXED(key, code, qualifier)                                                                \
    {                                                                                              \
        0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, code, qualifier, 0, 0, 0, 0                      \
    }
#define DESCRIPTORS(key, code, qualifier)                                                          \
    {                                                                                              \
        0x72, key, code, qualifier, 0, 0, 0, 0                                                     \
    }

/* Page 2Fh with one parameter for the exception and one of the manufacturer's. */
#define EXCEPTION(code, qualifier, celsius)                                                        \
    {                                                                                              \
        0x2f, 0, 0, 16, 0, 0, 3, 8, code, qualifier, celsius, 0, 0, 0, 0, 0, 0x80, 0, 3, 0         \
    }

static const uint8_t nothing[] = FIXED(0, 0, 0);
static const uint8_t illegal[] = FIXED(5, 0x24, 0), no_command[] = FIXED(5, 0x20, 0);
static const uint8_t fine[] = EXCEPTION(0, 0, 31);
/* The pages 15h, 2Fh, 03h; and with that of the temperature. */
static const uint8_t three[] = {0, 0, 0, 4, 0x00, 0x03, 0x15, 0x2f},
                     four[] = {0, 0, 0, 5, 0x00, 0x03, 0x0d, 0x15, 0x2f};
static const uint8_t warmth[] = {0x0d, 0, 0, 12, 0, 0, 1, 2, 0, 37, 0, 1, 1, 2, 0, 60};
/* Page 15h: 4567 minutes, and no results of a scan. */
static const uint8_t scan[] = {0x15, 0,    0, 16, 0, 0, 3, 12, 0, 0,
                               0x11, 0xd7, 0, 1,  0, 0, 0, 0,  0, 0};
/* Page 03h: total errors corrected 9, total uncorrected errors 258. */
static const uint8_t errors[] = {0x03, 0, 0, 20, 0, 3, 0, 4, 0, 0, 0, 9,
                                 0,    6, 0, 8,  0, 0, 0, 0, 0, 0, 1, 2};

static struct inventory v;
static int node;
static size_t sent;

static void ask(const struct scsi_step *steps, size_t count, bool temperature)
{
    v = (struct inventory){0};
    node = inventory_add_node(&v, NODE_DISK, "sda", NULL, INVENTORY_NONE);
    struct scsi_script script = scsi_script(steps, count, &sent);
    scsi_ask_health(&script.disk, &v, node, temperature);
    CHECK_INT(sent, count);
}

static void source_has(const char *words)
{
    const struct inventory_fact *fact = inventory_fact(&v, node, "health");
    if (!check_that(fact && strstr(fact->source, words), __FILE__, __LINE__, words))
        fprintf(stderr, "    the source is \"%s\"\n", fact ? fact->source : "(none)");
}

static void healthy(void)
{
    const struct scsi_step steps[] = {
        {READY, IS_GOOD},          {SENSE, GIVES(nothing)}, {PAGES, GIVES(four)},
        {EXCEPTIONS, GIVES(fine)}, {WARMTH, GIVES(warmth)}, {SCAN, GIVES(scan)},
        {ERRORS, GIVES(errors)},   NO_CACHE_NO_LIST,
    };
    ask(steps, COUNT(steps), true);
    FACT_IS(&v, node, "health", "good");
    FACT_IS(&v, node, "temperature", "37");
    FACT_IS(&v, node, "power_on_hours", "76");
    FACT_IS(&v, node, "read_corrected", "9");
    FACT_IS(&v, node, "reported_uncorrectable", "258");
    FACT_IS(&v, node, "background_scan_errors", "0");
    NO_FACT(&v, node, "write_uncorrectable");
    NO_FACT(&v, node, "drive_write_cache");
    NO_FACT(&v, node, "grown_defects");
    inventory_free(&v);
    const struct scsi_step without[] = {
        {READY, IS_GOOD},          {SENSE, GIVES(nothing)}, {PAGES, GIVES(four)},
        {EXCEPTIONS, GIVES(fine)}, {SCAN, GIVES(scan)},     {ERRORS, GIVES(errors)},
        NO_CACHE_NO_LIST,
    };
    ask(without, COUNT(without), false);
    NO_FACT(&v, node, "temperature");
    inventory_free(&v);
}

/* Pages that a disk lists and then refuses are invalid, not absent. */
static void check_exception(const uint8_t *page, uint8_t length, const char *health)
{
    const struct scsi_step steps[] = {
        {READY, IS_GOOD},         {SENSE, GIVES(nothing)},
        {PAGES, GIVES(three)},    {EXCEPTIONS, 0, 0, 0, page, length, NULL, 0},
        {SCAN, REFUSES(illegal)}, {ERRORS, REFUSES(illegal)},
        NO_CACHE_NO_LIST,
    };
    ask(steps, COUNT(steps), true);
    if (health)
        FACT_IS(&v, node, "health", health);
    else
        FACT_STATUS(&v, node, "health", FACT_INVALID);
    FACT_STATUS(&v, node, "power_on_hours", FACT_INVALID);
    FACT_STATUS(&v, node, "reported_uncorrectable", FACT_INVALID);
    NO_FACT(&v, node, "temperature"); /* 0 and 255 mean that there is no temperature */
    inventory_free(&v);
}

static void exceptions(void)
{
    static const uint8_t predicted[] = EXCEPTION(0x5d, 0x10, 0), test[] = EXCEPTION(0x5d, 0xff, 0),
                         hot[] = EXCEPTION(0x0b, 0x01, 0xff), other[] = EXCEPTION(0x0b, 0x05, 0),
                         defect[] = EXCEPTION(0x32, 0x00, 0), none[] = EXCEPTION(0, 0, 255);
    check_exception(predicted, sizeof predicted, "failing: the drive predicts it (SCSI 5Dh/10h)");
    check_exception(test, sizeof test, "good");
    check_exception(hot, sizeof hot, "temperature beyond a threshold");
    check_exception(other, sizeof other, "warning (SCSI 0Bh/05h)");
    check_exception(defect, sizeof defect, "warning (SCSI 32h/00h)");
    check_exception(none, sizeof none, "good");

    /* Another page, an empty one, a cut one, and lengths beyond the data. */
    static const uint8_t beyond[] = {0x2f, 0, 0xff, 0xff, 0, 0, 3, 200, 0x5d, 0};
    static const uint8_t later[] = {0x2f, 0, 0, 6, 0, 1, 3, 2, 0x5d, 0};
    static const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    check_exception(scan, sizeof scan, NULL);
    check_exception(predicted, 0, NULL);
    check_exception(predicted, 3, NULL);
    check_exception(predicted, 10, NULL);
    check_exception(beyond, sizeof beyond, NULL);
    check_exception(later, sizeof later, NULL);
    check_exception(ones, sizeof ones, NULL);
}

/* A failure predicted in the sense data of the command or of a later one, in both formats, also
   without log pages. */
static void predicted_by_sense(void)
{
    static const uint8_t attention[] = FIXED(6, 0x29, 0);
    static const uint8_t predicted[] = FIXED(6, 0x5d, 0);
    static const uint8_t recovered[] = DESCRIPTORS(1, 0x5d, 0x32);
    const struct scsi_step by_attention[] = {
        {READY, REFUSES(attention)},    {READY, REFUSES(predicted)},
        {SENSE, GIVES(nothing)},        {PAGES, GIVES(three)},
        {EXCEPTIONS, REFUSES(illegal)}, {SCAN, GIVES(scan)},
        {ERRORS, GIVES(errors)},        NO_CACHE_NO_LIST,
    };
    ask(by_attention, COUNT(by_attention), true);
    FACT_IS(&v, node, "health", "failing: the drive predicts it (SCSI 5Dh/00h)");
    FACT_IS(&v, node, "power_on_hours", "76");
    source_has("TEST UNIT READY");
    inventory_free(&v);

    const struct scsi_step by_request[] = {
        {READY, IS_GOOD},          {SENSE, GIVES(recovered)}, {PAGES, GIVES(three)},
        {EXCEPTIONS, GIVES(fine)}, {SCAN, GIVES(scan)},       {ERRORS, GIVES(errors)},
        NO_CACHE_NO_LIST,
    };
    ask(by_request, COUNT(by_request), true);
    FACT_IS(&v, node, "health", "failing: the drive predicts it (SCSI 5Dh/32h)");
    FACT_IS(&v, node, "temperature", "31");
    source_has("REQUEST SENSE");
    inventory_free(&v);

    const struct scsi_step by_good[] = {
        {READY, REFUSES(recovered)},
        {SENSE, GIVES(nothing)},
        {PAGES, GIVES(three)},
        {EXCEPTIONS, GIVES(fine)},
        {SCAN, GIVES(scan)},
        {ERRORS, GIVES(errors)},
        NO_CACHE_NO_LIST,
    };
    ask(by_good, COUNT(by_good), false);
    FACT_IS(&v, node, "health", "failing: the drive predicts it (SCSI 5Dh/32h)");
    inventory_free(&v);
}

/* A disk that does not list such a page is not called good. A disk without LOG SENSE is not asked
   for pages and defects. */
static void no_page(void)
{
    static const uint8_t two[] = {0, 0, 0, 2, 0x00, 0x18};
    const struct scsi_step lists_others[] = {
        {READY, IS_GOOD}, {SENSE, GIVES(nothing)}, {PAGES, GIVES(two)}, NO_CACHE_NO_LIST};
    ask(lists_others, COUNT(lists_others), true);
    FACT_STATUS(&v, node, "health", FACT_ABSENT);
    source_has("informational exceptions");
    NO_FACT(&v, node, "power_on_hours");
    NO_FACT(&v, node, "reported_uncorrectable");
    inventory_free(&v);

    static const uint8_t cache[] = {0, 22, 0, 0, 0, 0, 0, 0, 0x88, 18, 0x14, 0, 0, 0,
                                    0, 0,  0, 0, 0, 0, 0, 0, 0,    0,  0,    0, 0, 0};
    const struct scsi_step has_none[] = {{READY, IS_GOOD},
                                         {SENSE, GIVES(nothing)},
                                         {PAGES, REFUSES(no_command)},
                                         {CACHING, GIVES(cache)}};
    ask(has_none, COUNT(has_none), true);
    FACT_STATUS(&v, node, "health", FACT_ABSENT);
    source_has("informational exceptions");
    FACT_IS(&v, node, "drive_write_cache", "on");
    inventory_free(&v);
}

static void standby(void)
{
    static const uint8_t sleeping[][18] = {FIXED(0, 0x5e, 0x00), FIXED(0, 0x5e, 0x02),
                                           FIXED(0, 0x5e, 0x04), FIXED(0, 0x5e, 0x09),
                                           FIXED(0, 0x5e, 0x0a)};
    static const uint8_t idle[] = FIXED(0, 0x5e, 0x01), stopped[] = DESCRIPTORS(2, 0x04, 0x02);
    for (size_t i = 0; i < COUNT(sleeping); i++) {
        const struct scsi_step steps[] = {{READY, IS_GOOD}, {SENSE, GIVES(sleeping[i])}};
        ask(steps, COUNT(steps), true);
        FACT_STATUS(&v, node, "health", FACT_ABSENT);
        source_has("in standby and was not woken");
        inventory_free(&v);
    }
    const struct scsi_step to_stopped[] = {{READY, REFUSES(stopped)}};
    ask(to_stopped, 1, true);
    FACT_STATUS(&v, node, "health", FACT_ABSENT);
    source_has("in standby and was not woken");
    inventory_free(&v);

    const struct scsi_step to_idle[] = {
        {READY, IS_GOOD},          {SENSE, GIVES(idle)}, {PAGES, GIVES(three)},
        {EXCEPTIONS, GIVES(fine)}, {SCAN, GIVES(scan)},  {ERRORS, GIVES(errors)},
        NO_CACHE_NO_LIST,
    };
    ask(to_idle, COUNT(to_idle), true);
    FACT_IS(&v, node, "health", "good");
    inventory_free(&v);
}

static void check_lost(const struct scsi_step *steps, size_t count, enum fact_status status,
                       const char *source)
{
    ask(steps, count, true);
    FACT_STATUS(&v, node, "health", status);
    source_has(source);
    NO_FACT(&v, node, "temperature");
    inventory_free(&v);
}

/* After a command without an answer no other is sent. */
static void lost(void)
{
    static const uint8_t attention[] = FIXED(6, 0x29, 0), becoming[] = FIXED(2, 0x04, 0x01);
    const struct scsi_step denied[] = {{READY, FAILS(EPERM)}};
    const struct scsi_step gone[] = {{READY, FAILS(ENODEV)}};
    const struct scsi_step late[] = {{READY, TAKES_TOO_LONG}};
    const struct scsi_step not_ready[] = {{READY, REFUSES(becoming)}};
    const struct scsi_step attentions[] = {{READY, REFUSES(attention)},
                                           {READY, REFUSES(attention)},
                                           {READY, REFUSES(attention)},
                                           {READY, REFUSES(attention)}};
    const struct scsi_step late_sense[] = {{READY, IS_GOOD}, {SENSE, TAKES_TOO_LONG}};
    const struct scsi_step late_page[] = {{READY, IS_GOOD},
                                          {SENSE, GIVES(nothing)},
                                          {PAGES, GIVES(three)},
                                          {EXCEPTIONS, TAKES_TOO_LONG}};
    const struct scsi_step late_list[] = {
        {READY, IS_GOOD}, {SENSE, GIVES(nothing)}, {PAGES, TAKES_TOO_LONG}};
    check_lost(denied, 1, FACT_DENIED, "TEST UNIT READY");
    check_lost(gone, 1, FACT_ABSENT, "TEST UNIT READY");
    check_lost(late, 1, FACT_ABSENT, "TEST UNIT READY");
    check_lost(not_ready, 1, FACT_ABSENT, "TEST UNIT READY");
    check_lost(attentions, 4, FACT_ABSENT, "TEST UNIT READY");
    check_lost(late_sense, 2, FACT_ABSENT, "exceptions");
    check_lost(late_list, 3, FACT_ABSENT, "exceptions");
    check_lost(late_page, 4, FACT_ABSENT, "exceptions");
}

/* Sense data of every length and first byte: nothing is read beyond its end, and no fact is
   invented. */
static void sense_garbage(void)
{
    uint8_t bytes[64];
    for (unsigned first = 0; first < 256; first++) {
        for (size_t length = 0; length <= sizeof bytes; length++) {
            /* exactly sized, so that the sanitizers detect reads beyond it */
            uint8_t *exact = malloc(length ? length : 1);
            memset(bytes, (int)(first * 31 + length), sizeof bytes);
            bytes[0] = (uint8_t)first;
            memcpy(exact, bytes, length);
            struct scsi_sense sense = scsi_sense_read(exact, length);
            CHECK(sense.known || (!sense.key && !sense.code && !sense.has_registers));
            CHECK(!sense.known || (first & 0x7f) / 4 == 0x70 / 4);
            free(exact);
        }
    }
}

int main(void)
{
    healthy();
    exceptions();
    predicted_by_sense();
    no_page();
    standby();
    lost();
    sense_garbage();
    return check_result();
}
