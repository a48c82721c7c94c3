/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI disks with made-up answers, valid and invalid: counters of log pages, results of the
   background scan, the write cache, the grown defect list. */
#include "check.h"
#include "facts_check.h"

#include <string.h>

#include "hw/disk/internal.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static struct inventory v;
static int node;

static const uint8_t illegal[] = {0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x24, 0, 0, 0, 0, 0};
static const uint8_t fine[] = {0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 31, 0};
static const uint8_t warmth[] = {0x0d, 0, 0, 12, 0, 0, 1, 2, 0, 37, 0, 1, 1, 2, 0, 60};
/* Page 03h: total errors corrected 9, total uncorrected errors 258. */
static const uint8_t errors[] = {0x03, 0, 0, 20, 0, 3, 0, 4, 0, 0, 0, 9,
                                 0,    6, 0, 8,  0, 0, 0, 0, 0, 0, 1, 2};

/* The answer to an operation code and, for LOG SENSE, a page. Commands without one are refused. */
struct reply {
    uint8_t opcode, page;
    const uint8_t *data;
    size_t length;
};

#define REPLY(opcode, page, bytes)                                                                 \
    {                                                                                              \
        opcode, page, bytes, sizeof(bytes)                                                         \
    }

static struct {
    const struct reply *replies;
    size_t count;
    uint8_t asked[64]; /* codes of the requested log pages */
    size_t asked_count;
} answering;

static int submit_reply(const struct scsi_disk *disk, struct sg_io_hdr *command)
{
    (void)disk;
    const uint8_t opcode = command->cmdp[0], page = opcode == 0x4d ? command->cmdp[2] & 0x3f : 0;
    if (opcode == 0x4d && answering.asked_count < sizeof answering.asked)
        answering.asked[answering.asked_count++] = page;
    command->resid = (int)command->dxfer_len;
    if (opcode == 0x00 || opcode == 0x03)
        return 0;
    for (size_t i = 0; i < answering.count; i++) {
        const struct reply *r = &answering.replies[i];
        if (r->opcode != opcode || r->page != page)
            continue;
        size_t length = r->length < command->dxfer_len ? r->length : command->dxfer_len;
        memcpy(command->dxferp, r->data, length);
        command->resid = (int)(command->dxfer_len - length);
        return 0;
    }
    command->status = 2;
    command->sb_len_wr = sizeof illegal;
    memcpy(command->sbp, illegal, sizeof illegal);
    return 0;
}

static void ask_replies(const struct reply *replies, size_t count)
{
    struct scsi_disk disk = {.submit = submit_reply, .state = FACT_OK, .fd = -1};
    answering.replies = replies;
    answering.count = count;
    answering.asked_count = 0;
    v = (struct inventory){0};
    node = inventory_add_node(&v, NODE_DISK, "sda", NULL, INVENTORY_NONE);
    scsi_ask_health(&disk, &v, node, true);
}

static const uint8_t all_pages[] = {0,    0,    0,    10,   0x00, 0x02, 0x03,
                                    0x05, 0x06, 0x0d, 0x0e, 0x11, 0x15, 0x2f};
static const uint8_t writes[] = {0x02, 0, 0, 20, 0, 3, 2, 4, 0, 0, 1, 0,
                                 0,    6, 2, 8,  0, 0, 0, 0, 0, 0, 0, 3};
static const uint8_t verifies[] = {0x05, 0, 0, 12, 0, 3, 2, 2, 0, 7, 0, 6, 2, 2, 0, 4};
static const uint8_t non_medium[] = {0x06, 0, 0, 8, 0, 0, 2, 4, 0, 0, 0x12, 0x34};
static const uint8_t cycles[] = {0x0e, 0, 0, 26, 0, 1, 1, 6, '2', '0', '2', '6', '0', '7', 0,
                                 4,    3, 4, 0,  0, 0, 5, 0, 6,   3,   4,   0,   0,   2,   0};
static const uint8_t wear[] = {0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 13};
/* Three results: a reassigned block, an unused entry, and an unreadable block. */
#define SCAN_RESULT(number, status, key)                                                           \
    0, number, 3, 20, 0, 0, 0, 9, status << 4 | key, key ? 0x11 : 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 0x10, number
static const uint8_t scanned[] = {0x15,
                                  0,
                                  0,
                                  88,
                                  0,
                                  0,
                                  3,
                                  12,
                                  0,
                                  0,
                                  0,
                                  120,
                                  0,
                                  8,
                                  0,
                                  1,
                                  0,
                                  0,
                                  0,
                                  1,
                                  SCAN_RESULT(1, 5, 3),
                                  SCAN_RESULT(2, 0, 0),
                                  SCAN_RESULT(3, 1, 3)};
static const uint8_t cache_off[] = {0,    30, 0,    0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0,
                                    0x08, 14, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t five_defects[] = {0, 0x0c, 0, 1, 0, 0, 0, 40};

static void every_page(void)
{
    const struct reply replies[] = {
        REPLY(0x4d, 0x00, all_pages), REPLY(0x4d, 0x02, writes),     REPLY(0x4d, 0x03, errors),
        REPLY(0x4d, 0x05, verifies),  REPLY(0x4d, 0x06, non_medium), REPLY(0x4d, 0x0d, warmth),
        REPLY(0x4d, 0x0e, cycles),    REPLY(0x4d, 0x11, wear),       REPLY(0x4d, 0x15, scanned),
        REPLY(0x4d, 0x2f, fine),      REPLY(0x5a, 0, cache_off),     REPLY(0xb7, 0, five_defects),
    };
    static const struct {
        const char *key, *value;
    } expected[] = {{"health", "good"},
                    {"write_corrected", "256"},
                    {"write_uncorrectable", "3"},
                    {"read_corrected", "9"},
                    {"verify_corrected", "7"},
                    {"verify_uncorrectable", "4"},
                    {"non_medium_errors", "4660"},
                    {"start_stop_cycles", "5"},
                    {"load_cycles", "512"},
                    {"percentage_used", "13"},
                    {"power_on_hours", "2"},
                    {"background_scan_errors", "2"},
                    {"temperature", "37"},
                    {"drive_write_cache", "off"},
                    {"grown_defects", "5"}};
    ask_replies(replies, COUNT(replies));
    for (size_t i = 0; i < COUNT(expected); i++)
        FACT_IS(&v, node, expected[i].key, expected[i].value);
    CHECK_INT(answering.asked_count, 10);
    inventory_free(&v);

    /* Pages that the disk does not list are not requested, even if it would answer. */
    static const uint8_t wear_only[] = {0, 0, 0, 2, 0x00, 0x11};
    const struct reply few[] = {REPLY(0x4d, 0x00, wear_only), REPLY(0x4d, 0x11, wear),
                                REPLY(0x4d, 0x02, writes)};
    ask_replies(few, COUNT(few));
    CHECK_INT(answering.asked_count, 2);
    FACT_IS(&v, node, "percentage_used", "13");
    NO_FACT(&v, node, "write_uncorrectable");
    inventory_free(&v);

    /* Without a list, or with an invalid one, every page is requested. */
    static const uint8_t zeros[64];
    const struct reply unlisted[] = {REPLY(0x4d, 0x00, zeros), REPLY(0x4d, 0x02, writes)};
    ask_replies(unlisted, COUNT(unlisted));
    CHECK_INT(answering.asked_count, 10);
    FACT_IS(&v, node, "write_uncorrectable", "3");
    NO_FACT(&v, node, "reported_uncorrectable");
    inventory_free(&v);
}

/* A wrong page, or an impossible value, is invalid and never a number. */
static void wrong_pages(void)
{
    static const uint8_t zeros[252];
    static const uint8_t long_value[] = {0x02, 0, 0, 20, 0, 6, 2, 16, 1, 1, 1, 1,
                                         1,    1, 1, 1,  1, 1, 1, 1,  1, 1, 1, 1};
    static const uint8_t empty_value[] = {0x02, 0, 0, 4, 0, 6, 2, 0};
    static const uint8_t short_value[] = {0x11, 0, 0, 6, 0, 1, 3, 2, 0, 13};
    static const uint8_t cut_value[] = {0x06, 0, 0, 8, 0, 0, 2, 4, 0, 0};
    static const uint8_t unknown[] = {0x0e, 0, 0, 8, 0, 4, 3, 4, 0xff, 0xff, 0xff, 0xff};
    static const struct {
        uint8_t page;
        const uint8_t *bytes;
        size_t length;
        const char *key;
        bool is_invalid;
    } rows[] = {
        {0x02, zeros, sizeof zeros, "write_uncorrectable", true},
        {0x02, verifies, sizeof verifies, "write_uncorrectable", true},
        {0x02, writes, 3, "write_uncorrectable", true},
        {0x02, writes, 0, "write_corrected", true},
        {0x02, writes, 20, "write_uncorrectable", false}, /* its parameter is cut off */
        {0x02, long_value, sizeof long_value, "write_uncorrectable", true},
        {0x02, empty_value, sizeof empty_value, "write_uncorrectable", true},
        {0x11, short_value, sizeof short_value, "percentage_used", true},
        {0x06, cut_value, sizeof cut_value, "non_medium_errors", false},
        {0x0e, unknown, sizeof unknown, "start_stop_cycles", false},
        {0x15, zeros, sizeof zeros, "power_on_hours", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct reply replies[] = {
            REPLY(0x4d, 0x00, all_pages),
            {0x4d, rows[i].page, rows[i].bytes, rows[i].length},
        };
        ask_replies(replies, COUNT(replies));
        if (rows[i].is_invalid)
            FACT_STATUS(&v, node, rows[i].key, FACT_INVALID);
        else
            NO_FACT(&v, node, rows[i].key);
        inventory_free(&v);
    }
}

/* A page of results longer than requested: the number of the others follows from its length. */
static void long_scan(void)
{
    static uint8_t page[4 + 16 + 24 * 2048];
    memset(page, 0, sizeof page);
    page[0] = 0x15;
    page[2] = (sizeof page - 4) >> 8 & 0xff;
    page[3] = (sizeof page - 4) & 0xff;
    page[7] = 12;
    for (unsigned i = 0; i < 2048; i++) {
        uint8_t *result = page + 20 + 24 * (size_t)i;
        result[0] = (uint8_t)((i + 1) >> 8);
        result[1] = (uint8_t)(i + 1);
        result[3] = 20;
        result[8] = 3;
    }
    const struct reply replies[] = {REPLY(0x4d, 0x15, page)};
    ask_replies(replies, COUNT(replies));
    FACT_IS(&v, node, "background_scan_errors", "2048");
    inventory_free(&v);
}

static void caches(void)
{
    static const uint8_t on[] = {0, 9, 0, 0, 0, 0, 0, 0, 0x88, 18, 0x04};
    static const uint8_t other_page[] = {0, 9, 0, 0, 0, 0, 0, 0, 0x0a, 18, 0x04};
    static const uint8_t subpage[] = {0, 9, 0, 0, 0, 0, 0, 0, 0xc8, 18, 0x04};
    static const uint8_t descriptors[] = {0, 9, 0, 0, 0, 0, 0xff, 0xff, 0x88, 18, 0x04};
    static const uint8_t empty[] = {0, 9, 0, 0, 0, 0, 0, 0, 0x88, 0, 0x04};
    static const uint8_t zeros[252];
    static const struct {
        const uint8_t *bytes;
        size_t length;
        const char *value;
    } rows[] = {{on, sizeof on, "on"},
                {cache_off, sizeof cache_off, "off"},
                {on, 10, NULL},
                {on, 0, NULL},
                {other_page, 11, NULL},
                {subpage, 11, NULL},
                {descriptors, 11, NULL},
                {empty, 11, NULL},
                {zeros, sizeof zeros, NULL}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct reply replies[] = {{0x5a, 0, rows[i].bytes, rows[i].length}};
        ask_replies(replies, 1);
        if (rows[i].value)
            FACT_IS(&v, node, "drive_write_cache", rows[i].value);
        else
            FACT_STATUS(&v, node, "drive_write_cache", FACT_INVALID);
        inventory_free(&v);
    }
}

static void defects(void)
{
    static const struct {
        uint8_t head[8];
        uint8_t opcode;
        size_t length;
        const char *value; /* NULL: invalid; "": no such fact */
    } rows[] = {
        {{0, 0x0c, 0, 1, 0, 0, 0, 0}, 0xb7, 8, "0"},
        {{0, 0x08, 0, 1, 0, 0, 0, 12}, 0xb7, 8, "3"},   /* in short addresses */
        {{0, 0x0d, 0, 1, 0, 1, 0, 0}, 0xb7, 8, "8192"}, /* in physical ones */
        {{0, 0x0e, 0, 1, 0, 0, 0, 8}, 0xb7, 8, NULL},   /* in the maker's */
        {{0, 0x04, 0, 1, 0, 0, 0, 8}, 0xb7, 8, NULL},   /* no grown list */
        {{0, 0x1c, 0, 1, 0, 0, 0, 8}, 0xb7, 8, NULL},   /* both lists in one */
        {{0, 0x0c, 0, 1, 0, 0, 0, 9}, 0xb7, 8, NULL},   /* not a multiple of a defect's size */
        {{0, 0x0c, 0, 1, 0xff, 0xff, 0xff, 0xff}, 0xb7, 8, NULL},
        {{0, 0, 0, 0, 0, 0, 0, 0}, 0xb7, 8, NULL},
        {{0, 0x0c, 0, 1, 0, 0, 0, 8}, 0xb7, 6, ""},
        {{0, 0x0c, 0, 16}, 0x37, 4, "2"},       /* the shorter command */
        {{0, 0x0c, 0xff, 0xf8}, 0x37, 4, NULL}, /* the largest length that it can state */
        {{0, 0x0c, 0, 16}, 0x37, 3, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct reply replies[] = {{rows[i].opcode, 0, rows[i].head, rows[i].length}};
        ask_replies(replies, 1);
        if (!rows[i].value)
            FACT_STATUS(&v, node, "grown_defects", FACT_INVALID);
        else if (rows[i].value[0])
            FACT_IS(&v, node, "grown_defects", rows[i].value);
        else
            NO_FACT(&v, node, "grown_defects");
        inventory_free(&v);
    }
}

int main(void)
{
    every_page();
    wrong_pages();
    long_scan();
    caches();
    defects();
    return check_result();
}
