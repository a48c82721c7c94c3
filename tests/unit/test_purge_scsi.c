/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Purging SCSI drives, against a drive that is made up: which bytes reach it, what it cannot do,
 * its progress, and that a refusal sends nothing that destroys.
 */
#include "check.h"

#include <errno.h>
#include <math.h>
#include <scsi/sg.h>
#include <string.h>

#include "base/endian.h"
#include "machine/accept/internal.h"

#define SENSE_BYTES 18

static struct {
    uint8_t type, vendor[9], vpd_pages, units;
    char serial[32];       /* "": no such page */
    uint16_t serial_bytes; /* what the page says of its length; 0: as long as it is */
    bool has_capacity, reports_commands;
    uint8_t protection;           /* byte 12 of READ CAPACITY (16) */
    uint8_t has[5];               /* support of FORMAT UNIT, and of SANITIZE by action */
    uint8_t sense[SENSE_BYTES];   /* that REQUEST SENSE gives */
    uint8_t ready[SENSE_BYTES];   /* that TEST UNIT READY fails with; zeros: it is ready */
    unsigned attentions;          /* that come first */
    uint8_t refusal[SENSE_BYTES]; /* of the command that destroys; zeros: none */
    int result;                   /* of a command that cannot be sent */
    /* what was sent */
    unsigned sends, timeout;
    uint8_t command[16], length, data[16];
    unsigned data_length;
    const char *serial_at_send;
} drive;

static void fixed(uint8_t to[SENSE_BYTES], uint8_t key, uint8_t code, uint8_t qualifier,
                  int progress)
{
    memset(to, 0, SENSE_BYTES);
    to[0] = 0x70;
    to[2] = key;
    to[7] = 10;
    to[12] = code;
    to[13] = qualifier;
    if (progress >= 0) {
        to[15] = 0x80;
        store_be16(to + 16, (uint16_t)progress);
    }
}

static int fail_with(struct sg_io_hdr *c, const uint8_t sense[SENSE_BYTES])
{
    c->status = 2;
    memcpy(c->sbp, sense, SENSE_BYTES);
    c->sb_len_wr = SENSE_BYTES;
    c->resid = (int)c->dxfer_len;
    return 0;
}

static int refuse(struct sg_io_hdr *c, uint8_t code)
{
    uint8_t sense[SENSE_BYTES];
    fixed(sense, 5, code, 0, -1);
    return fail_with(c, sense);
}

static int answer(struct sg_io_hdr *c, const void *data, unsigned length)
{
    CHECK_INT(c->dxfer_direction, SG_DXFER_FROM_DEV);
    length = length < c->dxfer_len ? length : c->dxfer_len;
    memcpy(c->dxferp, data, length);
    c->resid = (int)(c->dxfer_len - length);
    return 0;
}

static int inquire(struct sg_io_hdr *c)
{
    uint8_t data[64] = {drive.type, 0, 6, 2, 31};
    if (!(c->cmdp[1] & 1)) {
        memcpy(data + 8, drive.vendor, 8);
        return answer(c, data, 36);
    }
    data[1] = c->cmdp[2];
    if (c->cmdp[2] == 0x00) {
        const uint8_t pages[] = {0x00, 0x80, 0x83, drive.vpd_pages};
        store_be16(data + 2, sizeof pages);
        memcpy(data + 4, pages, sizeof pages);
        return answer(c, data, 8);
    }
    CHECK_INT(c->cmdp[2], 0x80);
    if (!drive.serial[0])
        return refuse(c, 0x24);
    const size_t length = strlen(drive.serial);
    store_be16(data + 2, drive.serial_bytes ? drive.serial_bytes : (uint16_t)length);
    memcpy(data + 4, drive.serial, length);
    return answer(c, data, (unsigned)(4 + length));
}

static int report_command(struct sg_io_hdr *c)
{
    const uint8_t *cdb = c->cmdp;
    CHECK_INT(cdb[1], 0x0c);
    CHECK(cdb[3] == 0x04 ? cdb[2] == 1 && !cdb[5] : cdb[3] == 0x48 && cdb[2] == 2 && cdb[5] <= 3);
    const uint8_t data[4] = {0, drive.has[cdb[3] == 0x04 ? 0 : cdb[5]], 0, 10};
    return drive.reports_commands ? answer(c, data, sizeof data) : refuse(c, 0x20);
}

static int destroy(struct sg_io_hdr *c)
{
    drive.sends++;
    drive.timeout = c->timeout;
    memcpy(drive.command, c->cmdp, c->cmd_len);
    drive.length = c->cmd_len;
    drive.data_length = c->dxfer_len;
    CHECK_INT(c->dxfer_direction, c->dxfer_len ? SG_DXFER_TO_DEV : SG_DXFER_NONE);
    if (c->dxfer_len && c->dxfer_len <= sizeof drive.data)
        memcpy(drive.data, c->dxferp, c->dxfer_len);
    return drive.refusal[0] ? fail_with(c, drive.refusal) : 0;
}

static int submit(const struct purge_device *device, struct sg_io_hdr *c)
{
    (void)device;
    uint8_t data[32] = {0};
    if (drive.result)
        return drive.result;
    if (drive.attentions && c->cmdp[0] != 0x12 && c->cmdp[0] != 0x03) {
        uint8_t sense[SENSE_BYTES];
        drive.attentions--;
        fixed(sense, 6, 0x29, 0, -1);
        return fail_with(c, sense);
    }
    switch (c->cmdp[0]) {
    case 0x00:
        return drive.ready[0] ? fail_with(c, drive.ready) : 0;
    case 0x03:
        return answer(c, drive.sense, SENSE_BYTES);
    case 0x12:
        return inquire(c);
    case 0x9e:
        CHECK_INT(c->cmdp[1], 0x10);
        data[12] = drive.protection;
        return drive.has_capacity ? answer(c, data, sizeof data) : refuse(c, 0x31);
    case 0xa0:
        store_be32(data, 8u * drive.units);
        return answer(c, data, 8 + 8u * drive.units);
    case 0xa3:
        return report_command(c);
    case 0x04:
    case 0x48:
        return destroy(c);
    default:
        CHECK(!"no other command");
        return -EPERM;
    }
}

static const struct purge_device device = {.submit = submit, .fd = -1};

static void new_drive(void)
{
    memset(&drive, 0, sizeof drive);
    memcpy(drive.vendor, "MAKER   ", 8);
    memcpy(drive.serial, "  SN42 ", 7);
    drive.vpd_pages = 0xb1;
    drive.units = 1;
    drive.has_capacity = drive.reports_commands = true;
    memset(drive.has, 3, sizeof drive.has);
}

static int purge(const char *method, struct err *e)
{
    struct purge_plan plan;
    *e = (struct err){0};
    return purge_scsi_check(&device, "SN42", "/dev/x", e) ||
                   purge_scsi_plan(&device, method, NULL, "/dev/x", &plan, e) ||
                   purge_scsi_send(&device, &plan, "SN42", "/dev/x", e)
               ? -1
               : 0;
}

static void sent(uint8_t length, const char *command, unsigned data_length, const char *data)
{
    CHECK_INT(drive.sends, 1);
    CHECK_INT(drive.length, length);
    CHECK(!memcmp(drive.command, command, length));
    CHECK_INT(drive.data_length, data_length);
    CHECK(!memcmp(drive.data, data, data_length));
    CHECK(drive.timeout >= 3600000);
}

static void commands(void)
{
    struct err e;
    new_drive();
    CHECK_INT(purge("format", &e), 0);
    sent(6, "\x04\x10\0\0\0\0", 4, "\0\x02\0\0");
    new_drive();
    CHECK_INT(purge("sanitize", &e), 0);
    sent(10, "\x48\x82\0\0\0\0\0\0\0\0", 0, "");
    new_drive();
    CHECK_INT(purge("crypto", &e), 0);
    sent(10, "\x48\x83\0\0\0\0\0\0\0\0", 0, "");
    new_drive();
    drive.has[2] = 1; /* no block erase: it is overwritten */
    drive.attentions = 3;
    CHECK_INT(purge("sanitize", &e), 0);
    sent(10, "\x48\x81\0\0\0\0\0\0\x08\0", 8, "\x01\0\0\x04\0\0\0\0");
    /* The protection that it has stays: type 1, 2, 3. */
    static const struct {
        uint8_t byte;
        const char *command, *data;
    } rows[] = {{0x01, "\x04\x90\0\0\0\0", "\0\x02\0\0"},
                {0x03, "\x04\xd0\0\0\0\0", "\0\x02\0\0"},
                {0x05, "\x04\xd0\0\0\0\0", "\x01\x02\0\0"},
                {0x04, "\x04\x10\0\0\0\0", "\0\x02\0\0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        new_drive();
        drive.protection = rows[i].byte;
        CHECK_INT(purge("format", &e), 0);
        sent(6, rows[i].command, 4, rows[i].data);
    }
}

static void refused(const char *method, enum err_code code, const char *words)
{
    struct err e;
    CHECK_INT(purge(method, &e), -1);
    CHECK_INT(e.code, code);
    if (!check_that(strstr(e.msg, words) != NULL, __FILE__, __LINE__, words))
        fprintf(stderr, "    the words are \"%s\"\n", e.msg);
    CHECK(strstr(e.msg, "nothing was sent") != NULL || code == ERR_TARGET);
    CHECK_INT(drive.sends, 0);
}

static void refusals(void)
{
    static const char *const methods[] = {"format", "sanitize", "crypto"};
    for (size_t i = 0; i < 3; i++) {
        const char *method = methods[i];
        new_drive();
        memset(drive.has, 1, sizeof drive.has);
        refused(method, ERR_MACHINE, "cannot do");
        new_drive();
        memset(drive.has, 0, sizeof drive.has); /* not known at present */
        refused(method, ERR_MACHINE, "cannot do");
        new_drive();
        drive.reports_commands = false;
        refused(method, ERR_MACHINE, "which commands it has");
        new_drive();
        drive.units = 2;
        refused(method, ERR_UNSAFE, "other logical units");
        new_drive();
        drive.units = 0;
        refused(method, ERR_MACHINE, "its logical units");
        new_drive();
        memcpy(drive.serial, "SN43", 5);
        refused(method, ERR_UNSAFE, "its serial number is");
        new_drive();
        drive.serial[0] = '\0';
        refused(method, ERR_MACHINE, "its serial number");
        new_drive();
        drive.serial_bytes = 0xffff;
        refused(method, ERR_UNSAFE, "cannot be read");
        new_drive();
        drive.vpd_pages = 0x89;
        refused(method, ERR_MACHINE, "--purge secure-erase");
        new_drive();
        memcpy(drive.vendor, "ATA     ", 8);
        refused(method, ERR_MACHINE, "--purge secure-erase");
        new_drive();
        drive.type = 5;
        refused(method, ERR_MACHINE, "no SCSI disk");
        new_drive();
        drive.result = -ENODEV;
        refused(method, ERR_TARGET, "could not be sent");
    }
    new_drive();
    drive.protection = 0x0f;
    refused("format", ERR_MACHINE, "unknown type");
    new_drive();
    drive.has_capacity = false;
    refused("format", ERR_MACHINE, "how it is formatted");
    new_drive();
    drive.has[3] = 1;
    refused("crypto", ERR_MACHINE, "crypto erase");
}

/* A disk that is exchanged between the plan and the command is not purged. */
static void exchanged(void)
{
    struct purge_plan plan;
    struct err e = {0};
    new_drive();
    CHECK_INT(purge_scsi_check(&device, "SN42", "/dev/x", &e), 0);
    CHECK_INT(purge_scsi_plan(&device, "sanitize", NULL, "/dev/x", &plan, &e), 0);
    memcpy(drive.serial, "SN99", 5);
    CHECK_INT(purge_scsi_send(&device, &plan, "SN42", "/dev/x", &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_INT(drive.sends, 0);
    new_drive();
    fixed(drive.refusal, 3, 0x31, 0x03, -1);
    CHECK_INT(purge("sanitize", &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "refused") && strstr(e.msg, "31h/03h"));
}

/* A format that was cut off leaves no capacity: what the journal has of it is used. */
static void resumed(void)
{
    struct purge_plan plan, before = {.which = PURGE_SCSI_FORMAT, .bits = 0xc1};
    struct err e = {0};
    new_drive();
    drive.has_capacity = false;
    CHECK_INT(purge_scsi_plan(&device, "format", &before, "/dev/x", &plan, &e), 0);
    CHECK_INT(purge_scsi_send(&device, &plan, "SN42", "/dev/x", &e), 0);
    sent(6, "\x04\xd0\0\0\0\0", 4, "\x01\x02\0\0");
}

static void check_poll(int result, double share)
{
    double found;
    struct err e = {0};
    CHECK_INT(purge_scsi_poll(&device, "/dev/x", &found, &e), result);
    CHECK(isnan(share) ? isnan(found) : found == share);
    CHECK(result != -1 || e.code == ERR_TARGET);
    CHECK_INT(drive.sends, 0);
}

static void progress(void)
{
    new_drive();
    check_poll(0, NAN);
    fixed(drive.sense, 2, 0x04, 0x1b, 0x8000);
    check_poll(1, 0.5);
    fixed(drive.sense, 0, 0x04, 0x04, 0x4000);
    check_poll(1, 0.25);
    fixed(drive.sense, 2, 0x04, 0x04, -1);
    check_poll(1, NAN);
    /* in descriptors: one of another kind comes first */
    static const uint8_t descriptors[SENSE_BYTES] = {0x72, 2, 4, 0x1b, 0, 0,    0,    10, 0x03,
                                                     0,    2, 6, 0,    0, 0x80, 0xc0, 0,  0};
    memcpy(drive.sense, descriptors, sizeof descriptors);
    check_poll(1, 0.75);
    drive.sense[7] = 9; /* the descriptor is cut off: how far the drive is, is not known */
    check_poll(1, NAN);
    /* REQUEST SENSE shows nothing, TEST UNIT READY does */
    memset(drive.sense, 0, sizeof drive.sense);
    fixed(drive.ready, 2, 0x04, 0x1b, 0xc000);
    check_poll(1, 0.75);
    drive.attentions = 2;
    check_poll(1, 0.75);
    /* failed; not ready for another reason; gone */
    fixed(drive.ready, 3, 0x31, 0x03, -1);
    check_poll(-1, NAN);
    fixed(drive.ready, 2, 0x3a, 0x00, -1);
    check_poll(-1, NAN);
    drive.result = -ENODEV;
    check_poll(-1, NAN);
}

int main(void)
{
    commands();
    refusals();
    exchanged();
    resumed();
    progress();
    return check_result();
}
