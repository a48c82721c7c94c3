/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A SCSI disk that follows a script: the commands that must be sent, byte by byte and in order, and
 * its answers. A command that differs from the script's next one fails the test, and so does one
 * that is never sent (compare `sent`).
 */
#ifndef TESTS_UNIT_SCSI_SCRIPT_H
#define TESTS_UNIT_SCSI_SCRIPT_H

#include <string.h>

#include "check.h"
#include "hw/disk/internal.h"

struct scsi_step {
    uint8_t command[16];
    uint8_t command_length;
    unsigned length;  /* bytes of data that may be written */
    int result;       /* result of submit: 0 or -errno */
    unsigned host;    /* host status; 3: the command took too long */
    uint8_t status;   /* SCSI status: 0 good, 2 check condition */
    const void *data; /* data to write; NULL: none */
    unsigned received;
    const uint8_t *sense;
    uint8_t sense_length;
};

struct scsi_script {
    struct scsi_disk disk; /* must be first: commands come with its address */
    const struct scsi_step *steps;
    size_t count;
    size_t *sent;
};

static int scsi_script_submit(const struct scsi_disk *disk, struct sg_io_hdr *command)
{
    const struct scsi_script *script = (const struct scsi_script *)disk;
    CHECK(*script->sent < script->count);
    if (*script->sent >= script->count)
        return -5;
    const struct scsi_step *step = &script->steps[(*script->sent)++];
    CHECK_INT(command->interface_id, 'S');
    CHECK_INT(command->cmd_len, step->command_length);
    for (size_t i = 0; i < step->command_length && i < command->cmd_len; i++)
        if (!check_that(command->cmdp[i] == step->command[i], __FILE__, __LINE__, "command byte"))
            fprintf(stderr, "    step %zu, byte %zu: %02x, expected %02x\n", *script->sent, i,
                    command->cmdp[i], step->command[i]);
    CHECK_INT(command->dxfer_len, step->length);
    CHECK_INT(command->dxfer_direction, step->length ? SG_DXFER_FROM_DEV : SG_DXFER_NONE);
    CHECK_INT(command->dxferp != NULL, step->length != 0);
    CHECK_INT(command->iovec_count, 0);
    CHECK_INT(command->flags, 0);
    CHECK(command->sbp != NULL && command->mx_sb_len >= 22);
    CHECK(command->timeout >= 1000 && command->timeout <= 60000);
    if (step->data && step->received <= step->length)
        memcpy(command->dxferp, step->data, step->received);
    if (step->sense && step->sense_length <= command->mx_sb_len)
        memcpy(command->sbp, step->sense, step->sense_length);
    command->sb_len_wr = step->sense ? step->sense_length : 0;
    command->resid = (int)(step->length - step->received);
    command->host_status = (unsigned short)step->host;
    command->status = step->status;
    return step->result;
}

static inline struct scsi_script scsi_script(const struct scsi_step *steps, size_t count,
                                             size_t *sent)
{
    *sent = 0;
    return (struct scsi_script){
        .disk = {.submit = scsi_script_submit, .state = FACT_OK, .fd = -1},
        .steps = steps,
        .count = count,
        .sent = sent,
    };
}

#endif
