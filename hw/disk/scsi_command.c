/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends SCSI commands that only read, through the kernel's SG_IO on the block device. */
#include "hw/disk/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file/device_number.h"

#define STATUS_GOOD            0x00
#define STATUS_CHECK_CONDITION 0x02

struct command_row {
    unsigned length, seconds;
    uint8_t command_length;
    const char *name;
    uint8_t command[16];
};

#define COMMAND_ROW(identifier, length, seconds, command_length, source, ...)                      \
    {length, seconds, command_length, source, {__VA_ARGS__}},
static const struct command_row rows[SCSI_COMMANDS] = {SCSI_COMMAND_ROWS(COMMAND_ROW)};
#undef COMMAND_ROW

static int direction_of(const struct command_row *row)
{
    return row->length ? SG_DXFER_FROM_DEV : SG_DXFER_NONE;
}

static int submit_to_device(const struct scsi_disk *disk, struct sg_io_hdr *command)
{
    for (size_t i = 0; i < SCSI_COMMANDS; i++)
        if (command->cmd_len == rows[i].command_length && command->dxfer_len == rows[i].length &&
            command->dxfer_direction == direction_of(&rows[i]) && !command->iovec_count &&
            !memcmp(command->cmdp, rows[i].command, rows[i].command_length))
            return ioctl(disk->fd, SG_IO, command) < 0 ? -errno : 0;
    return -EPERM; /* not in the table */
}

static enum fact_status status_of(int result)
{
    return result == -EACCES || result == -EPERM ? FACT_DENIED : FACT_ABSENT;
}

void scsi_disk_open(struct scsi_disk *disk, const char *name, dev_t device)
{
    *disk = (struct scsi_disk){.submit = submit_to_device, .state = FACT_OK, .fd = -1};
    disk->fd = device_number_open(name, false, device, O_RDONLY | O_NONBLOCK);
    if (disk->fd < 0)
        disk->state = status_of(-errno);
}

void scsi_disk_close(struct scsi_disk *disk)
{
    if (disk->fd >= 0)
        close(disk->fd);
    disk->fd = -1;
}

enum fact_status scsi_send(struct scsi_disk *disk, enum scsi_command which,
                           struct scsi_answer *answer)
{
    const struct command_row *row = &rows[which];
    uint8_t command[sizeof row->command], sense[SCSI_SENSE_MAX] = {0};
    *answer = (struct scsi_answer){0};
    if (disk->state != FACT_OK)
        return disk->state;
    memcpy(command, row->command, sizeof command);
    struct sg_io_hdr header = {
        .interface_id = 'S',
        .dxfer_direction = direction_of(row),
        .cmd_len = row->command_length,
        .mx_sb_len = sizeof sense,
        .dxfer_len = row->length,
        .dxferp = row->length ? answer->data : NULL,
        .cmdp = command,
        .sbp = sense,
        .timeout = 1000 * row->seconds,
    };
    int result = disk->submit(disk, &header);
    if (result && status_of(result) == FACT_DENIED)
        return FACT_DENIED;
    if (result || header.host_status != 0) {
        disk->state = FACT_ABSENT;
        return FACT_ABSENT;
    }
    /* The kernel accepted the command, so the header holds its result. */
    size_t length = header.sb_len_wr < SCSI_SENSE_MAX ? header.sb_len_wr : SCSI_SENSE_MAX;
    answer->sense = scsi_sense_read(sense, length);
    if (header.resid >= 0 && (unsigned)header.resid <= header.dxfer_len)
        answer->received = header.dxfer_len - (unsigned)header.resid;
    bool good = header.status == STATUS_GOOD;
    bool good_with_sense = header.status == STATUS_CHECK_CONDITION && answer->sense.known &&
                           answer->sense.key <= SENSE_RECOVERED;
    return good || good_with_sense ? FACT_OK : FACT_ABSENT;
}

const char *scsi_command_name(enum scsi_command which)
{
    return rows[which].name;
}
