/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Purges SCSI and SAS drives by SANITIZE (SBC-4 5.30) or FORMAT UNIT (SBC-4 5.4). The drive does
 * the work by itself after the command, and REQUEST SENSE gives its progress.
 *
 * Two functions send commands: ask() those that read, purge_scsi_send() the one that destroys.
 */
#include <errno.h>
#include <math.h>
#include <scsi/sg.h>
#include <string.h>

#include "base/endian.h"
#include "base/scsi/scsi.h"
#include "base/span.h"
#include "machine/accept/internal.h"

#define DATA_BYTES    252
#define ASK_MS        30000
#define SEND_MS       86400000 /* for a drive that answers only when the work is over */
#define ATTENTIONS    8        /* number of unit attentions that may come before the answer */
#define FORMAT_OPCODE 0x04
#define SANITIZE      0x48
#define IMMEDIATE     0x80 /* of byte 1 of SANITIZE: return at once */

/* The commands that only read: INQUIRY, its pages with the serial number and with the list of
   pages, TEST UNIT READY, REQUEST SENSE, READ CAPACITY (16), REPORT LUNS, REPORT SUPPORTED
   OPERATION CODES. */
enum question { INQUIRY, PAGE_LIST, SERIAL_PAGE, READY, SENSE, CAPACITY, UNITS, SUPPORTS };

static const struct question_row {
    uint8_t length;
    bool has_data;
    uint8_t command[16];
} questions[] = {
    [INQUIRY] = {6, true, {0x12, 0, 0, 0, DATA_BYTES, 0}},
    [PAGE_LIST] = {6, true, {0x12, 1, 0x00, 0, DATA_BYTES, 0}},
    [SERIAL_PAGE] = {6, true, {0x12, 1, 0x80, 0, DATA_BYTES, 0}},
    [READY] = {6, false, {0x00}},
    [SENSE] = {6, true, {0x03, 0, 0, 0, DATA_BYTES, 0}},
    [CAPACITY] = {16, true, {0x9e, 0x10, [13] = DATA_BYTES}},
    [UNITS] = {12, true, {0xa0, [9] = DATA_BYTES}},
    [SUPPORTS] = {12, true, {0xa3, 0x0c, [9] = DATA_BYTES}},
};

struct reply {
    uint8_t data[DATA_BYTES];
    size_t received;
    uint32_t failure; /* 0: none */
    struct scsi_sense sense;
};

/* Sends a command to the drive and waits for its end. Its data are written from reply->data, or
   read into it. -1: the command could not be sent. */
static int submit(const struct purge_device *device, uint8_t command[16], uint8_t length,
                  int direction, unsigned bytes, struct reply *reply, const char *path,
                  struct err *e)
{
    unsigned char sense[64] = {0};
    struct sg_io_hdr header = {
        .interface_id = 'S',
        .dxfer_direction = direction,
        .cmd_len = length,
        .cmdp = command,
        .dxfer_len = bytes,
        .dxferp = bytes ? reply->data : NULL,
        .mx_sb_len = sizeof sense,
        .sbp = sense,
        .timeout = direction == SG_DXFER_FROM_DEV || command[0] == 0 ? ASK_MS : SEND_MS};
    const int status = device->submit(device, &header);
    if (status)
        return err_set(e, status == -EPERM || status == -EACCES ? ERR_MACHINE : ERR_TARGET,
                       "%.200s: SCSI command %02Xh could not be sent: %s", path, command[0],
                       strerror(-status));
    reply->failure = scsi_failure_of(&header);
    reply->sense =
        scsi_sense_read(sense, header.sb_len_wr < sizeof sense ? header.sb_len_wr : sizeof sense);
    reply->received = bytes;
    if (header.resid > 0)
        reply->received = (unsigned)header.resid < bytes ? bytes - (unsigned)header.resid : 0;
    return 0;
}

/* Sends a command that only reads. A unit attention is reported in place of the answer, so the
   command is then sent again. -1: it could not be sent. */
static int ask_with(const struct purge_device *device, const uint8_t *command, uint8_t length,
                    bool has_data, struct reply *reply, const char *path, struct err *e)
{
    uint8_t bytes[16];
    memcpy(bytes, command, length);
    for (unsigned i = 0; i <= ATTENTIONS; i++) {
        *reply = (struct reply){0};
        if (submit(device, bytes, length, has_data ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
                   has_data ? DATA_BYTES : 0, reply, path, e))
            return -1;
        if (!reply->failure || !reply->sense.known || reply->sense.key != SENSE_UNIT_ATTENTION)
            break;
    }
    return 0;
}

static int ask(const struct purge_device *device, enum question which, struct reply *reply,
               const char *path, struct err *e)
{
    const struct question_row *row = &questions[which];
    return ask_with(device, row->command, row->length, row->has_data, reply, path, e);
}

/* Asks a question. If the drive refuses it, or its answer has fewer than `least` bytes, that is an
   error (ERR_MACHINE). */
static int ask_needed(const struct purge_device *device, enum question which, size_t least,
                      const char *what, struct reply *reply, const char *path, struct err *e)
{
    char words[120];
    if (ask(device, which, reply, path, e))
        return -1;
    if (reply->failure)
        return err_set(e, ERR_MACHINE, "%.200s: the drive does not report %s: %s; nothing was sent",
                       path, what, scsi_failure_words(reply->failure, words, sizeof words));
    if (reply->received < least)
        return err_set(
            e, ERR_MACHINE,
            "%.200s: the drive does not report %s: its answer is short; nothing was sent", path,
            what);
    return 0;
}

/* ---- is it the drive, and that drive alone? ---- */

int purge_scsi_check_serial(const struct purge_device *device, const char *serial, const char *path,
                            struct err *e)
{
    struct reply reply;
    char found[DATA_BYTES + 1];
    if (!*serial)
        return 0; /* the drive has no serial number: only --destroy permitted the purge */
    if (ask_needed(device, SERIAL_PAGE, 4, "its serial number", &reply, path, e))
        return -1;
    const size_t length = load_be16(reply.data + 2);
    if (reply.data[1] != 0x80 || length > reply.received - 4)
        return err_set(e, ERR_UNSAFE,
                       "%.200s: its serial number cannot be read, so it cannot be shown that it is "
                       "the disk %.60s; nothing was sent",
                       path, serial);
    span_printable(found, sizeof found,
                   span_trimmed((struct span){(const char *)reply.data + 4, length}));
    if (strcmp(found, serial) != 0)
        return err_set(e, ERR_UNSAFE,
                       "%.200s: its serial number is %.60s, not %.60s; nothing was sent", path,
                       found, serial);
    return 0;
}

/* Refuses drives that are no SCSI disks, and ATA drives behind a translation to SCSI, which are
   recognised by the list of their pages or by their vendor. */
static int check_kind(const struct purge_device *device, const char *path, struct err *e)
{
    struct reply reply;
    if (ask_needed(device, INQUIRY, 36, "what it is", &reply, path, e))
        return -1;
    const unsigned type = reply.data[0] & 0x1f;
    bool is_ata = !memcmp(reply.data + 8, "ATA     ", 8);
    if (type != 0x00 && type != 0x14) /* disks, and disks with zones */
        return err_set(e, ERR_MACHINE, "%.200s: it is no SCSI disk; nothing was sent", path);
    if (ask(device, PAGE_LIST, &reply, path, e))
        return -1;
    const size_t end = reply.failure || reply.received < 4 ? 0 : 4 + load_be16(reply.data + 2);
    for (size_t i = 4; i < end && i < reply.received; i++)
        is_ata = is_ata || reply.data[i] == 0x89;
    return is_ata
               ? err_set(e, ERR_MACHINE,
                         "%.200s: it is an ATA drive: --purge secure-erase is for these; nothing "
                         "was sent",
                         path)
               : 0;
}

/* Other logical units of the drive may lie on the same medium, and lose their data too. */
static int check_alone(const struct purge_device *device, const char *path, struct err *e)
{
    struct reply reply;
    if (ask_needed(device, UNITS, 16, "its logical units", &reply, path, e))
        return -1;
    return load_be32(reply.data) == 8
               ? 0
               : err_set(e, ERR_UNSAFE,
                         "%.200s: its target has other logical units, and the command may destroy "
                         "them too; nothing was sent",
                         path);
}

int purge_scsi_check(const struct purge_device *device, const char *serial, const char *path,
                     struct err *e)
{
    return check_kind(device, path, e) || check_alone(device, path, e) ||
                   purge_scsi_check_serial(device, serial, path, e)
               ? -1
               : 0;
}

/* ---- what can it do? ---- */

/* Finds out whether the drive supports an operation code, with a service action unless that is 0.
 */
static int supports(const struct purge_device *device, uint8_t opcode, uint8_t action, bool *has,
                    const char *path, struct err *e)
{
    struct reply reply;
    uint8_t command[12];
    char words[120];
    memcpy(command, questions[SUPPORTS].command, sizeof command);
    command[2] = action ? 2 : 1; /* one command, with or without a service action */
    command[3] = opcode;
    command[5] = action;
    if (ask_with(device, command, sizeof command, true, &reply, path, e))
        return -1;
    if (reply.failure || reply.received < 4)
        return err_set(e, ERR_MACHINE,
                       "%.200s: the drive does not report which commands it has%s%s; nothing was "
                       "sent",
                       path, reply.failure ? ": " : "",
                       reply.failure ? scsi_failure_words(reply.failure, words, sizeof words) : "");
    const unsigned support = reply.data[1] & 7;
    *has = support == 3 || support == 5; /* by the standard, or in the maker's way */
    return 0;
}

/* Plans a FORMAT UNIT that keeps the protection information with which the drive is formatted:
   FMTPINFO, bits 7:6 of the command's byte 1, and the usage of the protection field, in bits 2:0 of
   the parameters. */
static int plan_format(const struct purge_device *device, const struct purge_plan *before,
                       const char *path, struct purge_plan *plan, struct err *e)
{
    static const uint8_t kept[] = {0x80, 0xc0, 0xc1}; /* types 1, 2 and 3 */
    struct reply reply;
    bool has = false;
    if (supports(device, FORMAT_OPCODE, 0, &has, path, e))
        return -1;
    if (!has)
        return err_set(e, ERR_MACHINE, "%.200s: the drive cannot do FORMAT UNIT; nothing was sent",
                       path);
    plan->which = PURGE_SCSI_FORMAT;
    if (ask(device, CAPACITY, &reply, path, e))
        return -1;
    /* After an interrupted format the drive reports no capacity and no protection; the earlier
       plan, which the journal kept, has the protection. */
    if (reply.failure && before && before->which == PURGE_SCSI_FORMAT) {
        plan->bits = before->bits;
        return 0;
    }
    if (reply.failure || reply.received < 13)
        return err_set(e, ERR_MACHINE,
                       "%.200s: the drive does not report how it is formatted; nothing was sent",
                       path);
    const unsigned type = reply.data[12] >> 1 & 7;
    const bool is_protected = reply.data[12] & 1;
    if (is_protected && type >= sizeof kept)
        return err_set(e, ERR_MACHINE,
                       "%.200s: it is formatted with protection of an unknown type; nothing was "
                       "sent",
                       path);
    plan->bits = is_protected ? kept[type] : 0;
    return 0;
}

static int plan_sanitize(const struct purge_device *device, bool by_key, const char *path,
                         struct purge_plan *plan, struct err *e)
{
    const enum purge_scsi ways[] = {by_key ? PURGE_SCSI_KEY : PURGE_SCSI_BLOCKS,
                                    PURGE_SCSI_OVERWRITE};
    for (unsigned i = 0; i < (by_key ? 1 : 2); i++) {
        bool has = false;
        if (supports(device, SANITIZE, (uint8_t)ways[i], &has, path, e))
            return -1;
        plan->which = ways[i];
        if (has)
            return 0;
    }
    return err_set(e, ERR_MACHINE,
                   "%.200s: the drive cannot do SANITIZE by %s; --purge format is FORMAT UNIT; "
                   "nothing was sent",
                   path, by_key ? "crypto erase" : "block erase or by overwriting");
}

int purge_scsi_plan(const struct purge_device *device, const char *method,
                    const struct purge_plan *before, const char *path, struct purge_plan *plan,
                    struct err *e)
{
    *plan = (struct purge_plan){.seconds = NAN, .runs_by_itself = true};
    return !strcmp(method, "format")
               ? plan_format(device, before, path, plan, e)
               : plan_sanitize(device, !strcmp(method, "crypto"), path, plan, e);
}

/* ---- the command ---- */

int purge_scsi_send(const struct purge_device *device, const struct purge_plan *plan,
                    const char *serial, const char *path, struct err *e)
{
    uint8_t command[16] = {SANITIZE, (uint8_t)(IMMEDIATE | plan->which)};
    /* FORMAT UNIT: a header without defects, IMMED in byte 1. Overwriting: once, by four zeros. */
    struct reply reply = {0};
    uint8_t *parameters = reply.data, length = 10, bytes = 0;
    char words[120];
    if (plan->which == PURGE_SCSI_FORMAT) {
        memset(command, 0, sizeof command);
        command[0] = FORMAT_OPCODE;
        command[1] = (uint8_t)((plan->bits & 0xc0) | 0x10); /* FMTPINFO, FMTDATA */
        parameters[0] = plan->bits & 7;
        parameters[1] = 0x02;
        length = 6;
        bytes = 4;
    } else if (plan->which == PURGE_SCSI_OVERWRITE) {
        parameters[0] = 1;
        parameters[3] = 4;
        command[8] = bytes = 8;
    }
    if (purge_scsi_check_serial(device, serial, path, e) ||
        submit(device, command, length, bytes ? SG_DXFER_TO_DEV : SG_DXFER_NONE, bytes, &reply,
               path, e))
        return -1;
    if (!reply.failure)
        return 0;
    return err_set(e, ERR_TARGET, "%.200s: the drive refused it: %s", path,
                   scsi_failure_words(reply.failure, words, sizeof words));
}

/* ---- its progress ---- */

enum { BECOMING_READY = 0x04, FORMATTING = 0x04, SANITIZING = 0x1b, FORMAT_FAILED = 0x31 };

/* Returns 1 if the sense data report that the drive still formats or sanitizes; *share is then the
   part that is done, or NaN. */
static int is_at_work(const struct scsi_sense *sense, double *share)
{
    if (!sense->known || sense->code != BECOMING_READY ||
        (sense->qualifier != FORMATTING && sense->qualifier != SANITIZING))
        return 0;
    *share = sense->has_progress ? sense->progress / 65536.0 : (double)NAN;
    return 1;
}

int purge_scsi_poll(const struct purge_device *device, const char *path, double *share,
                    struct err *e)
{
    struct reply reply;
    char words[120];
    *share = NAN;
    if (ask(device, SENSE, &reply, path, e))
        return -1;
    if (!reply.failure) {
        const struct scsi_sense sense = scsi_sense_read(reply.data, reply.received);
        if (is_at_work(&sense, share))
            return 1;
    }
    /* Not every drive reports its progress in the answer to REQUEST SENSE, but every drive reports
       whether it is ready. */
    if (ask(device, READY, &reply, path, e))
        return -1;
    if (is_at_work(&reply.sense, share))
        return 1;
    if (!reply.failure)
        return 0;
    return err_set(e, ERR_TARGET, "%.200s: the drive %s: %s", path,
                   reply.sense.known && reply.sense.code == FORMAT_FAILED
                       ? "reports that the purge has failed"
                       : "is not ready after the purge",
                   scsi_failure_words(reply.failure, words, sizeof words));
}
