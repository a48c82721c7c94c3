/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Purging simulated drives: the bytes of the commands, missing capabilities, and that a refusal
 * sends no destructive command.
 */
#include "check.h"

#include <errno.h>
#include <scsi/sg.h>

#include "base/endian.h"
#include "base/nvme/nvme.h"
#include "machine/accept/internal.h"

/* ---- NVMe ---- */

static struct {
    unsigned char controller[4096], name[4096], list[4096], allocated[4096], log[512];
    struct nvme_passthru_cmd sent; /* the last destructive command */
    unsigned sends;
    int status;
} drive;

static int read_submit(const struct nvme_admin *admin, struct nvme_passthru_cmd *c)
{
    (void)admin;
    CHECK(c->opcode == 0x06 || c->opcode == 0x02);
    const void *from = c->opcode == 0x02 ? drive.log
                       : c->cdw10 == 1   ? drive.controller
                       : c->cdw10 == 2   ? drive.list
                       : c->cdw10 == 16  ? drive.allocated
                                         : drive.name;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel's struct has the address as a number
    memcpy((void *)(uintptr_t)c->addr, from, c->data_len);
    return 0;
}

static int purge_submit(const struct nvme_admin *admin, struct nvme_passthru_cmd *c)
{
    (void)admin;
    drive.sent = *c;
    drive.sends++;
    return drive.status;
}

static const struct nvme_admin reader = {.submit = read_submit, .opened = FACT_OK, .fd = -1};
static const struct nvme_admin writer = {.submit = purge_submit, .opened = FACT_OK, .fd = -1};

static void new_drive(void)
{
    memset(&drive, 0, sizeof drive);
    drive.controller[256] = 2; /* Format NVM */
    drive.controller[328] = 3; /* Sanitize by block and crypto erase */
    drive.list[0] = 1;         /* namespace 1 alone */
    drive.name[26] = 0x13;     /* format 3, with metadata at the end of the data */
    drive.name[29] = 0x9;      /* protection type 1, first bytes */
    memset(drive.log + 8, 0xff, 12);
    drive.log[16] = 90;
    memset(drive.log + 17, 0, 3);
}

static int plan_and_send(const char *method, struct purge_plan *plan, struct err *e)
{
    *e = (struct err){0};
    return purge_nvme_plan(&reader, 1, method, "/dev/x", plan, e) ||
                   purge_nvme_send(&writer, plan, "/dev/x", e)
               ? -1
               : 0;
}

static void nvme_commands(void)
{
    struct purge_plan plan;
    struct err e;
    new_drive();
    CHECK_INT(plan_and_send("format", &plan, &e), 0);
    CHECK_INT(drive.sent.opcode, 0x80);
    CHECK_INT(drive.sent.nsid, 1);
    /* User data erase (bits 11:9 = 1) with the present format: nothing else changes. */
    CHECK_INT(drive.sent.cdw10, 0x200 | 0x3 | 0x10 | 1 << 5 | 1 << 8);
    CHECK(drive.sent.timeout_ms >= 3600000 && !drive.sent.data_len);
    CHECK(!plan.runs_by_itself);
    CHECK_INT(plan_and_send("sanitize", &plan, &e), 0);
    CHECK_INT(drive.sent.opcode, 0x84);
    CHECK_INT(drive.sent.nsid, 0);
    CHECK_INT(drive.sent.cdw10, 2);
    CHECK(plan.runs_by_itself && isnan(plan.seconds));
    CHECK_INT(plan_and_send("crypto", &plan, &e), 0);
    CHECK_INT(drive.sent.cdw10, 4);
    CHECK_NEAR(plan.seconds, 90, 1e-9);
    drive.status = 0x4123;
    CHECK_INT(plan_and_send("format", &plan, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "refused"));
    drive.status = -EACCES;
    CHECK_INT(plan_and_send("format", &plan, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
}

static void nvme_refusals(void)
{
    struct purge_plan plan;
    struct err e;
    static const char *const methods[] = {"format", "sanitize", "crypto"};
    for (size_t i = 0; i < 3; i++) {
        new_drive();
        drive.controller[256] = drive.controller[328] = 0;
        CHECK_INT(plan_and_send(methods[i], &plan, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, "nothing was sent"));
        new_drive();
        drive.controller[524] = 2; /* a secure format erases all namespaces */
        drive.list[4] = 2;         /* and there is a second namespace */
        CHECK_INT(plan_and_send(methods[i], &plan, &e), -1);
        CHECK_INT(e.code, ERR_UNSAFE);
        CHECK_INT(drive.sends, 0);
    }
    /* A namespace that is not in the list of its own controller. */
    new_drive();
    drive.list[0] = 7;
    CHECK_INT(plan_and_send("sanitize", &plan, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    /* A namespace attached to no controller of this machine, on a drive that reports that. */
    new_drive();
    drive.allocated[0] = 1;
    drive.allocated[4] = 2;
    drive.controller[524] = 1; /* a format covers all namespaces */
    drive.controller[256] = 2 | 8;
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(plan_and_send(methods[i], &plan, &e), -1);
        CHECK_INT(e.code, ERR_UNSAFE);
        CHECK(strstr(e.msg, "not attached"));
    }
    CHECK_INT(drive.sends, 0);
    drive.allocated[4] = 0;
    CHECK_INT(plan_and_send("sanitize", &plan, &e), 0);
    CHECK_INT(drive.sends, 1);
    drive.sends = 0;
    /* Bits that the caller may not set, and wrong namespaces. */
    CHECK_INT(nvme_purge_send(&writer, NVME_PURGE_FORMAT, 1, 0x400), -EINVAL);
    CHECK_INT(nvme_purge_send(&writer, NVME_PURGE_FORMAT, 0, 0), -EINVAL);
    CHECK_INT(nvme_purge_send(&writer, NVME_PURGE_FORMAT, UINT32_MAX, 0), -EINVAL);
    CHECK_INT(nvme_purge_send(&writer, NVME_PURGE_BLOCKS, 1, 0), -EINVAL);
    CHECK_INT(drive.sends, 0);
}

/* A descriptor for reading cannot send destructive commands, and one for purging cannot send
   others. */
static void no_other_command(void)
{
    struct nvme_admin admin;
    struct nvme_passthru_cmd format = {.opcode = 0x80, .nsid = 1, .cdw10 = 0x200};
    struct nvme_passthru_cmd download = {.opcode = 0x11};
    nvme_admin_attach(&admin, -1);
    CHECK_INT(admin.submit(&admin, &format), -EPERM);
    nvme_purge_attach(&admin, -1);
    CHECK_INT(admin.submit(&admin, &download), -EPERM);
    CHECK_INT(admin.submit(&admin, &format), -EBADF); /* it would have been sent */
    format.cdw10 = 0x400;                             /* another kind of erase than the table's */
    CHECK_INT(admin.submit(&admin, &format), -EPERM);
}

static void sanitize_log(void)
{
    double share;
    struct err e;
    static const struct {
        unsigned char state;
        int result;
    } rows[] = {{0, -1}, {1, 0}, {2, 1}, {3, -1}, {4, 0}, {0x12, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        new_drive();
        drive.log[1] = 0x80; /* half of it */
        drive.log[2] = rows[i].state;
        CHECK_INT(purge_nvme_poll(&reader, "/dev/x", &share, &e), rows[i].result);
        CHECK(rows[i].result != 1 || share == 0.5);
        CHECK(rows[i].result != -1 || e.code == ERR_TARGET);
    }
}

/* ---- ATA ---- */

static struct {
    uint16_t words[256];
    unsigned char commands[8], last[512], erased[512];
    size_t count;
    unsigned timeout;
    unsigned char refuses; /* a command */
} disk;

static int ata_submit(const struct purge_device *device, struct sg_io_hdr *c)
{
    (void)device;
    const unsigned char *cdb = c->cmdp;
    CHECK_INT(cdb[0], 0x85);
    CHECK_INT(c->cmd_len, 16);
    CHECK_INT(c->dxfer_len, cdb[6] * 512);
    unsigned char which = cdb[14];
    /* Protocol: 4 PIO in, 5 PIO out, 3 without data. */
    CHECK_INT(cdb[1] >> 1, which == 0xec ? 4 : c->dxfer_len ? 5 : 3);
    if (which == 0xec) {
        memcpy(c->dxferp, disk.words, 512);
        return 0;
    }
    if (disk.count < sizeof disk.commands)
        disk.commands[disk.count++] = which;
    if (c->dxferp)
        memcpy(which == 0xf4 ? disk.erased : disk.last, c->dxferp, 512);
    if (which == 0xf4)
        disk.timeout = c->timeout;
    if (which == disk.refuses) {
        c->status = 2; /* check condition */
        c->sbp[0] = 0x72;
        c->sbp[1] = 0x0b;
        c->driver_status = 8;
    }
    return 0;
}

static const struct purge_device ata = {.submit = ata_submit, .fd = -1};

static void new_disk(uint16_t security)
{
    memset(&disk, 0, sizeof disk);
    disk.words[82] = 2;
    disk.words[128] = security;
    disk.words[89] = 30;     /* an hour */
    disk.words[90] = 0x8005; /* ten minutes */
}

static int erase(bool ours, struct purge_plan *plan, struct err *e)
{
    *e = (struct err){0};
    return purge_ata_plan(&ata, ours, "/dev/y", plan, e) || purge_ata_erase(&ata, plan, "/dev/y", e)
               ? -1
               : 0;
}

static void ata_commands(void)
{
    struct purge_plan plan;
    struct err e;
    new_disk(0x01);
    CHECK_INT(erase(false, &plan, &e), 0);
    CHECK(disk.count == 3 && !memcmp(disk.commands, "\xf1\xf3\xf4", 3));
    CHECK(!memcmp(disk.last, "\0\0cupel-purge\0", 14) && !memcmp(disk.erased, disk.last, 512));
    CHECK_NEAR(plan.seconds, 3600, 1e-9);
    CHECK(disk.timeout > 3600000);
    new_disk(0x21); /* enhanced */
    CHECK_INT(erase(false, &plan, &e), 0);
    CHECK(disk.erased[0] == 2 && disk.last[0] == 0);
    CHECK_NEAR(plan.seconds, 600, 1e-9);
    /* Cut off after the password was set: the drive is locked, and is erased with that password. */
    new_disk(0x07);
    CHECK_INT(erase(true, &plan, &e), 0);
    CHECK(disk.count == 2 && !memcmp(disk.commands, "\xf3\xf4", 2));
    CHECK(!memcmp(disk.erased, "\0\0cupel-purge\0", 14));
}

static void ata_refusals(void)
{
    struct purge_plan plan;
    struct err e;
    static const struct {
        uint16_t security;
        const char *words;
    } rows[] = {{0, "cannot do a secure erase"},
                {0x09, "frozen"},
                {0x03, "a password is set"},
                {0x07, "a password is set"},
                {0x11, "too many passwords"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        new_disk(rows[i].security);
        CHECK_INT(erase(false, &plan, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, rows[i].words));
        CHECK_INT((long long)disk.count, 0);
    }
    /* A failed erase removes the password; if that fails, too, the message contains it. */
    new_disk(0x01);
    disk.refuses = 0xf4;
    CHECK_INT(erase(false, &plan, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(disk.count == 4 && disk.commands[3] == 0xf6);
    CHECK(!strstr(e.msg, "password"));
    CHECK(strstr(e.msg, "sense key 11"));
    new_disk(0x01);
    disk.refuses = 0xf1;
    CHECK_INT(erase(false, &plan, &e), -1);
    CHECK_INT((long long)disk.count, 1);
}

int main(void)
{
    nvme_commands();
    nvme_refusals();
    no_other_command();
    sanitize_log();
    ata_commands();
    ata_refusals();
    return check_result();
}
