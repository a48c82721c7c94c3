/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Purges ATA drives by SECURITY ERASE UNIT, which needs a password that is set for it. */
#include <errno.h>
#include <math.h>
#include <scsi/sg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/endian.h"
#include "machine/accept/internal.h"

#define DATA_BYTES     512
#define SHORT_MS       15000
#define PASS_THROUGH   0x85 /* ATA PASS-THROUGH (16), SAT-4 12.2 */
#define ERASE_ENHANCED 2    /* bit of word 0 of the data of SECURITY ERASE UNIT */

enum {
    ATA_IDENTIFY = 0xec,
    ATA_SET_PASSWORD = 0xf1,
    ATA_ERASE_PREPARE = 0xf3,
    ATA_ERASE_UNIT = 0xf4,
    ATA_DISABLE_PASSWORD = 0xf6,
};
enum { PROTOCOL_NONE = 3, PROTOCOL_IN = 4, PROTOCOL_OUT = 5 };
/* bits of word 128 of IDENTIFY DEVICE */
enum { SUPPORTED = 1, ENABLED = 2, LOCKED = 4, FROZEN = 8, EXPIRED = 16, HAS_ENHANCED = 32 };

static int submit_to_device(const struct ata_device *device, struct sg_io_hdr *command)
{
    return syscall(SYS_ioctl, device->fd, SG_IO, command) ? -errno : 0;
}

void ata_device_attach(struct ata_device *device, int fd)
{
    *device = (struct ata_device){.submit = submit_to_device, .fd = fd};
}

static int send(const struct ata_device *device, uint8_t which, void *data, unsigned milliseconds,
                const char *path, struct err *e)
{
    bool in = which == ATA_IDENTIFY;
    unsigned char sense[64] = {0};
    unsigned char cdb[16] = {PASS_THROUGH,
                             (unsigned char)((!data ? PROTOCOL_NONE
                                              : in  ? PROTOCOL_IN
                                                    : PROTOCOL_OUT)
                                             << 1),
                             /* The length is in blocks, in the count field; the direction is a
                                bit. */
                             data ? (unsigned char)((in ? 8 : 0) | 4 | 2) : 0};
    cdb[6] = data ? 1 : 0;
    cdb[14] = which;
    struct sg_io_hdr command = {.interface_id = 'S',
                                .dxfer_direction = !data ? SG_DXFER_NONE
                                                   : in  ? SG_DXFER_FROM_DEV
                                                         : SG_DXFER_TO_DEV,
                                .cmd_len = sizeof cdb,
                                .cmdp = cdb,
                                .dxfer_len = data ? DATA_BYTES : 0,
                                .dxferp = data,
                                .mx_sb_len = sizeof sense,
                                .sbp = sense,
                                .timeout = milliseconds};
    int status = device->submit(device, &command);
    if (status == -ENOTTY || status == -EINVAL)
        return err_set(e, ERR_MACHINE, "%.200s: it takes no ATA commands; nothing was sent", path);
    if (status)
        return err_set(e, status == -EPERM || status == -EACCES ? ERR_MACHINE : ERR_TARGET,
                       "%.200s: ATA command %02Xh could not be sent: %s", path, which,
                       strerror(-status));
    if (command.status || command.host_status || (command.driver_status & 0xf & ~8))
        return err_set(e, ERR_TARGET, "%.200s: the drive refused ATA command %02Xh (sense key %u)",
                       path, which, sense[0] & 2 ? sense[1] & 0xfu : sense[2] & 0xfu);
    return 0;
}

/* Decodes words 89 and 90: twice the number in bits 7:0, or with bit 15 in bits 14:0, in
   minutes. */
static double minutes(uint16_t word)
{
    unsigned count = word & 0x8000 ? word & 0x7fffu : word & 0xffu;
    return count ? 2.0 * count : (double)NAN;
}

int purge_ata_plan(const struct ata_device *device, bool ours, const char *path,
                   struct purge_plan *plan, struct err *e)
{
    unsigned char data[DATA_BYTES] = {0};
    *plan = (struct purge_plan){.seconds = NAN};
    if (send(device, ATA_IDENTIFY, data, SHORT_MS, path, e))
        return -1;
    uint16_t security = load_le16(data + (size_t)2 * 128);
    if (!(load_le16(data + (size_t)2 * 82) & 2) || !(security & SUPPORTED))
        return err_set(e, ERR_MACHINE,
                       "%.200s: the drive cannot do a secure erase; nothing was sent", path);
    if (security & FROZEN)
        return err_set(e, ERR_MACHINE,
                       "%.200s: its security is frozen, as firmware does at power-on: suspend the "
                       "machine and wake it, or plug the drive in again; nothing was sent",
                       path);
    if ((security & ENABLED) && !ours)
        return err_set(e, ERR_MACHINE,
                       "%.200s: a password is set that is not known here; nothing was sent", path);
    if (security & EXPIRED)
        return err_set(e, ERR_MACHINE,
                       "%.200s: too many passwords were tried: switch it off and on; nothing was "
                       "sent",
                       path);
    plan->has_password = security & ENABLED;
    plan->which = (security & HAS_ENHANCED) != 0;
    plan->seconds = 60 * minutes(load_le16(data + (size_t)2 * (plan->which ? 90 : 89)));
    return 0;
}

int purge_ata_erase(const struct ata_device *device, const struct purge_plan *plan,
                    const char *path, struct err *e)
{
    unsigned char data[DATA_BYTES] = {0};
    struct err none;
    /* Waits three times the stated time and half an hour, or a day if none is stated. */
    double seconds = isnan(plan->seconds) ? 86400 : 3 * plan->seconds + 1800;
    memcpy(data + 2, PURGE_PASSWORD, strlen(PURGE_PASSWORD)); /* words 1 to 16; word 0: user */
    if (!plan->has_password && send(device, ATA_SET_PASSWORD, data, SHORT_MS, path, e))
        return -1;
    data[0] = plan->which ? ERASE_ENHANCED : 0;
    if (!send(device, ATA_ERASE_PREPARE, NULL, SHORT_MS, path, e) &&
        !send(device, ATA_ERASE_UNIT, data, (unsigned)(fmin(seconds, 2e6) * 1000), path, e))
        return 0;
    /* No password may remain; if the drive refuses to remove it, the message states the
       password. */
    data[0] = 0;
    if (send(device, ATA_DISABLE_PASSWORD, data, SHORT_MS, path, &none))
        err_context(e, "its password is \"" PURGE_PASSWORD "\" still");
    return -1;
}
