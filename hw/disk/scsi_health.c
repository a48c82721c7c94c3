/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the health of SCSI and SAS disks: sense data, log pages, the mode page of the cache, and
   the grown list of defects. */
#include <string.h>

#include "base/endian.h"
#include "hw/disk/internal.h"
#include "tables/scsi_log_values.h"

#define ATTENTIONS_MAX      3 /* number of unit attentions that may come before the answer */
#define MINUTES_PER_HOUR    60
#define QUALIFIER_OF_A_TEST 0xff

enum log_page {
    PAGES_PAGE = 0x00,
    TEMPERATURE_PAGE = 0x0d,
    SCAN_PAGE = 0x15,
    EXCEPTIONS_PAGE = 0x2f
};

static const char scsi_standby[] = "SCSI REQUEST SENSE: it is in standby and was not woken";

/* ---- log pages ---- */

struct parameter {
    const uint8_t *bytes; /* NULL: the page has no such parameter */
    size_t length;
};

/* Returns the end of a log page in an answer, as far as it was received; 0 when the answer holds
   another page or no page. */
static size_t page_end(const struct scsi_answer *answer, uint8_t page)
{
    const uint8_t *data = answer->data;
    if (answer->received < 4 || (data[0] & 0x3f) != page)
        return 0;
    size_t stated = 4 + (size_t)load_be16(data + 2);
    return stated < answer->received ? stated : answer->received;
}

/* Returns a parameter of the log page. A parameter that is cut off at the end of the data is left
   out. */
static struct parameter find_parameter(const struct scsi_answer *answer, uint8_t page,
                                       unsigned code)
{
    const uint8_t *data = answer->data;
    const size_t end = page_end(answer, page);
    for (size_t at = 4; at + 4 <= end; at += 4u + data[at + 3])
        if (load_be16(data + at) == code && at + 4 + data[at + 3] <= end)
            return (struct parameter){data + at + 4, data[at + 3]};
    return (struct parameter){0};
}

/* A disk that is being asked for its health, and what it has answered so far. */
struct asking {
    struct scsi_disk *disk;
    struct inventory *v;
    int node;
    bool has_no_log; /* the disk has no LOG SENSE */
    bool listed;     /* the disk has listed its log pages; if not, it is asked for every page */
    uint64_t pages;  /* the pages in that list: one bit for each page number */
    struct scsi_answer answer;
};

static void list_pages(struct asking *a)
{
    const enum fact_status status = scsi_send(a->disk, SCSI_PAGES_LOG, &a->answer);
    const struct scsi_sense *sense = &a->answer.sense;
    a->has_no_log = status != FACT_OK && sense->known && sense->key == SENSE_ILLEGAL_REQUEST &&
                    sense->code == SENSE_NO_SUCH_COMMAND;
    const size_t end = status == FACT_OK ? page_end(&a->answer, PAGES_PAGE) : 0;
    for (size_t at = 4; at < end; at++)
        a->pages |= UINT64_C(1) << (a->answer.data[at] & 0x3f);
    /* bit 0 does not count: page 0 is the list, and an answer of zeros sets it too */
    a->listed = a->pages > 1;
}

/* Asks for a log page. FACT_INVALID: the disk answers with something else, or refuses a page that
   it has listed. */
static enum fact_status ask_page(struct asking *a, enum scsi_command which, uint8_t page)
{
    a->answer = (struct scsi_answer){0};
    if (a->has_no_log || (a->listed && !(a->pages >> page & 1)))
        return FACT_ABSENT;
    const enum fact_status status = scsi_send(a->disk, which, &a->answer);
    const bool is_page = status == FACT_OK && page_end(&a->answer, page);
    const bool refused = status == FACT_ABSENT && a->listed && a->disk->state == FACT_OK;
    return refused || (status == FACT_OK && !is_page) ? FACT_INVALID : status;
}

static void add_number(struct asking *a, const char *key, uint64_t value, const char *unit,
                       enum scsi_command which)
{
    inventory_add_number(a->v, a->node, key, value, unit, scsi_command_name(which));
}

static void add_invalid(struct asking *a, const char *key, const char *unit,
                        enum scsi_command which)
{
    inventory_add(a->v, a->node, key, "", unit, scsi_command_name(which), FACT_INVALID);
}

/* ---- the prediction ---- */

static bool is_predicted(uint8_t code, uint8_t qualifier)
{
    return code == SENSE_FAILURE_PREDICTED && qualifier != QUALIFIER_OF_A_TEST;
}

static void add_health(struct inventory *v, int node, uint8_t code, uint8_t qualifier,
                       const char *source)
{
    if (is_predicted(code, qualifier))
        inventory_addf(v, node, "health", "", source,
                       "failing: the drive predicts it (SCSI %02Xh/%02Xh)", code, qualifier);
    else if (code == SENSE_WARNING && qualifier == 0x01)
        inventory_add(v, node, "health", "temperature beyond a threshold", "", source, FACT_OK);
    else if (code != 0 && code != SENSE_FAILURE_PREDICTED)
        inventory_addf(v, node, "health", "", source, "warning (SCSI %02Xh/%02Xh)", code,
                       qualifier);
    else
        inventory_add(v, node, "health", "good", "", source, FACT_OK);
}

/* Returns true if the sense data predict a failure, and then adds the fact `health`. */
static bool predicts_failure(struct inventory *v, int node, const struct scsi_sense *sense,
                             enum scsi_command which)
{
    bool predicted = sense->known && is_predicted(sense->code, sense->qualifier);
    if (predicted)
        add_health(v, node, sense->code, sense->qualifier, scsi_command_name(which));
    return predicted;
}

/* Returns true if the sense data show that the disk is stopped or in standby, so that reading from
   it would spin it up. */
static bool scsi_sense_is_asleep(const struct scsi_sense *sense)
{
    if (!sense->known)
        return false;
    /* NOT READY, INITIALIZING COMMAND REQUIRED: the disk was stopped. */
    if (sense->key == SENSE_NOT_READY && sense->code == 0x04 && sense->qualifier == 0x02)
        return true;
    if (sense->code != SENSE_LOW_POWER)
        return false;
    switch (sense->qualifier) {
    case 0x00: /* low power of an unknown kind */
    /* standby_z, by timer; the next cases: standby_z by command, standby_y by timer and by
       command */
    case 0x02:
    case 0x04:
    case 0x09:
    case 0x0a:
        return true;
    default: /* idle: the disk spins */
        return false;
    }
}

/* Adds the health, unless sense data have predicted a failure, and returns the temperature of the
   page; 0: none. */
static unsigned ask_exceptions(struct asking *a, bool predicted)
{
    struct parameter p = {0};
    const char *source = scsi_command_name(SCSI_EXCEPTIONS_LOG);
    const enum fact_status status = ask_page(a, SCSI_EXCEPTIONS_LOG, EXCEPTIONS_PAGE);
    if (status == FACT_OK)
        p = find_parameter(&a->answer, EXCEPTIONS_PAGE, 0);
    if (!predicted && p.length >= 2)
        add_health(a->v, a->node, p.bytes[0], p.bytes[1], source);
    else if (!predicted)
        disk_health_missing(a->v, a->node, status == FACT_OK ? FACT_INVALID : status, source);
    return p.length >= 3 ? p.bytes[2] : 0;
}

/* ---- values of log pages ---- */

static const struct value_row {
    enum scsi_command command;
    uint8_t page;
    uint16_t parameter;
    uint8_t at, bytes;
    const char *key, *unit;
} value_rows[] = {
#define VALUE_ROW(...) {__VA_ARGS__},
    SCSI_LOG_VALUE_ROWS(VALUE_ROW)
#undef VALUE_ROW
};

static void add_value(struct asking *a, const struct value_row *row)
{
    const struct parameter p = find_parameter(&a->answer, row->page, row->parameter);
    const size_t bytes = row->bytes ? row->bytes : p.length;
    if (!p.bytes)
        return;
    if (!bytes || bytes > 8 || p.length < row->at + bytes)
        add_invalid(a, row->key, row->unit, row->command);
    else if (row->bytes != 4 || load_be32(p.bytes + row->at) != UINT32_MAX) /* not available */
        add_number(a, row->key, load_be(p.bytes + row->at, bytes), row->unit, row->command);
}

static void add_values(struct asking *a)
{
    enum fact_status status = FACT_ABSENT;
    for (size_t i = 0; i < sizeof value_rows / sizeof *value_rows; i++) {
        const struct value_row *row = &value_rows[i];
        if (!i || row[-1].command != row->command)
            status = ask_page(a, row->command, row->page);
        if (status == FACT_OK)
            add_value(a, row);
        else if (status == FACT_INVALID)
            add_invalid(a, row->key, row->unit, row->command);
    }
}

static void add_temperature(struct asking *a, unsigned of_exceptions)
{
    struct parameter p = {0};
    if (ask_page(a, SCSI_TEMPERATURE_LOG, TEMPERATURE_PAGE) == FACT_OK)
        p = find_parameter(&a->answer, TEMPERATURE_PAGE, 0);
    if (p.length >= 2 && p.bytes[1] != 0 && p.bytes[1] != 0xff)
        add_number(a, "temperature", p.bytes[1], "C", SCSI_TEMPERATURE_LOG);
    else if (of_exceptions != 0 && of_exceptions != 0xff)
        add_number(a, "temperature", of_exceptions, "C", SCSI_EXCEPTIONS_LOG);
}

/* ---- the background scan ---- */

#define SCAN_RESULTS      0x0800 /* parameters 1 to this are results of the scan */
#define SCAN_RESULT_BYTES 20

/* Returns the number of blocks that the scan reports, each as one parameter of the page. If the
   answer is cut off before the page ends, the parameters in the missing part are not read: their
   number is computed from its length. */
static uint64_t count_scan_results(const struct scsi_answer *answer)
{
    const uint8_t *data = answer->data;
    const size_t end = page_end(answer, SCAN_PAGE), stated = 4 + (size_t)load_be16(data + 2);
    size_t at = 4;
    uint64_t count = 0;
    for (; at + 4 <= end && at + 4 + data[at + 3] <= end; at += 4u + data[at + 3]) {
        const unsigned code = load_be16(data + at), length = data[at + 3];
        /* An unused parameter has no reassignment status, no sense key and no sense code. */
        count += code >= 1 && code <= SCAN_RESULTS && length >= SCAN_RESULT_BYTES &&
                 (data[at + 8] || data[at + 9]);
    }
    return end < stated ? count + (stated - at) / (4 + SCAN_RESULT_BYTES) : count;
}

static void add_scan(struct asking *a)
{
    const enum fact_status status = ask_page(a, SCSI_BACKGROUND_SCAN_LOG, SCAN_PAGE);
    if (status == FACT_INVALID)
        add_invalid(a, "power_on_hours", "h", SCSI_BACKGROUND_SCAN_LOG);
    if (status != FACT_OK)
        return;
    const struct parameter p = find_parameter(&a->answer, SCAN_PAGE, 0);
    if (p.length >= 4)
        add_number(a, "power_on_hours", load_be32(p.bytes) / MINUTES_PER_HOUR, "h",
                   SCSI_BACKGROUND_SCAN_LOG);
    add_number(a, "background_scan_errors", count_scan_results(&a->answer), "",
               SCSI_BACKGROUND_SCAN_LOG);
}

/* ---- the write cache ---- */

#define CACHING_PAGE  0x08
#define CACHING_WRITE 0x04 /* bit WCE (write cache enabled) in byte 2 of the page */
#define MODE_HEADER   8

static void add_write_cache(struct asking *a)
{
    const uint8_t *data = a->answer.data;
    if (scsi_send(a->disk, SCSI_CACHING_PAGE, &a->answer) != FACT_OK)
        return;
    /* the page comes after the block descriptors */
    const size_t at = MODE_HEADER + (size_t)load_be16(data + 6);
    size_t end = 2 + (size_t)load_be16(data);
    end = end < a->answer.received ? end : a->answer.received;
    if (at + 3 > end || (data[at] & 0x7f) != CACHING_PAGE || !data[at + 1])
        add_invalid(a, "drive_write_cache", "", SCSI_CACHING_PAGE);
    else
        inventory_add(a->v, a->node, "drive_write_cache",
                      data[at + 2] & CACHING_WRITE ? "on" : "off", "",
                      scsi_command_name(SCSI_CACHING_PAGE), FACT_OK);
}

/* ---- the grown list of defects ---- */

#define LIST_VALID   0x18 /* bits PLISTV and GLISTV in byte 1 */
#define GROWN_VALID  0x08
#define LIST_FORMAT  0x07
#define LIST_LONGEST 0xfff8 /* bytes, the maximum that READ DEFECT DATA (10) can report */

/* bytes of a defect in each format of the list; 0: a format of the maker, or an unknown one */
static const unsigned defect_bytes[] = {4, 8, 8, 8, 8, 8, 0, 0};

/* Adds the number of defects. Only the header of the list was read, which states the list's
   length. */
static void add_defects(struct asking *a, uint64_t length, uint64_t longest,
                        enum scsi_command which)
{
    const uint8_t lists = a->answer.data[1];
    const unsigned bytes = defect_bytes[lists & LIST_FORMAT];
    if ((lists & LIST_VALID) == GROWN_VALID && bytes && length % bytes == 0 && length < longest)
        add_number(a, "grown_defects", length / bytes, "", which);
    else
        add_invalid(a, "grown_defects", "", which);
}

static void ask_defects(struct asking *a)
{
    if (scsi_send(a->disk, SCSI_DEFECTS_12, &a->answer) == FACT_OK && a->answer.received == 8)
        add_defects(a, load_be32(a->answer.data + 4), UINT32_MAX, SCSI_DEFECTS_12);
    else if (scsi_send(a->disk, SCSI_DEFECTS_10, &a->answer) == FACT_OK && a->answer.received == 4)
        add_defects(a, load_be16(a->answer.data + 2), LIST_LONGEST, SCSI_DEFECTS_10);
}

/* ---- all of it ---- */

void scsi_ask_health(struct scsi_disk *disk, struct inventory *v, int node, bool temperature)
{
    struct asking a = {.disk = disk, .v = v, .node = node};
    struct scsi_answer *answer = &a.answer;
    enum fact_status status = FACT_ABSENT;
    /* Pending unit attentions come first, one at a time, as the sense data of this command. */
    for (unsigned i = 0; i <= ATTENTIONS_MAX; i++) {
        status = scsi_send(disk, SCSI_TEST_UNIT_READY, answer);
        const struct scsi_sense *sense = &answer->sense;
        if (!sense->known || sense->key != SENSE_UNIT_ATTENTION ||
            is_predicted(sense->code, sense->qualifier))
            break;
    }
    bool asleep = scsi_sense_is_asleep(&answer->sense);
    bool predicted = predicts_failure(v, node, &answer->sense, SCSI_TEST_UNIT_READY);
    if (status != FACT_OK && !predicted) {
        disk_health_missing(v, node, status,
                            asleep ? scsi_standby : scsi_command_name(SCSI_TEST_UNIT_READY));
        return;
    }
    if (scsi_send(disk, SCSI_REQUEST_SENSE, answer) == FACT_OK) {
        struct scsi_sense sense = scsi_sense_read(answer->data, answer->received);
        asleep = asleep || scsi_sense_is_asleep(&sense);
        predicted = predicted || predicts_failure(v, node, &sense, SCSI_REQUEST_SENSE);
    }
    if (asleep) {
        if (!predicted)
            disk_health_missing(v, node, FACT_ABSENT, scsi_standby);
        return;
    }
    list_pages(&a);
    const unsigned celsius = ask_exceptions(&a, predicted);
    if (temperature)
        add_temperature(&a, celsius);
    add_scan(&a);
    add_values(&a);
    add_write_cache(&a);
    /* Virtual disks and RAID volumes, which have no log pages, are not asked for defects. */
    if (!a.has_no_log)
        ask_defects(&a);
}
