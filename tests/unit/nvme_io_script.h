/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A namespace that follows a script: the I/O commands that must be sent, field by field and in
 * order, and its answers. A command that differs from the script's next one fails the test, and so
 * does one that is never sent (nvme_io_script_end).
 */
#ifndef TESTS_UNIT_NVME_IO_SCRIPT_H
#define TESTS_UNIT_NVME_IO_SCRIPT_H

#include <errno.h>

#include "check.h"
#include "io/nvme/nvme_io.h"

struct nvme_io_step {
    uint8_t opcode;
    uint64_t lba;
    uint32_t length;          /* bytes of data */
    size_t data_at;           /* place of the data, in bytes from the script's `buffers` */
    uint32_t metadata_length; /* bytes */
    /* place of the metadata, in bytes from the first metadata that was sent, ... */
    size_t metadata_at;
    bool metadata_apart; /* ... unless it is in a buffer of its own */
    uint32_t control;    /* dword 12 without the number of LBAs, which is checked separately */
    uint32_t reference;  /* dword 14 */
    int status;          /* what is returned */
};

struct nvme_io_script {
    const struct nvme_io_step *steps;
    size_t count, sent;
    const unsigned char *buffers;
    uint32_t nsid, block_size;
    uint64_t metadata; /* address of the first metadata that was sent */
};

static inline void nvme_io_check_rest(struct nvme_passthru_cmd64 command)
{
    static const struct nvme_passthru_cmd64 nothing;
    command.opcode = 0;
    command.nsid = command.data_len = command.metadata_len = 0;
    command.addr = command.metadata = 0;
    command.cdw10 = command.cdw11 = command.cdw12 = command.cdw14 = 0;
    /* flags, timeout, dwords 2, 3, 13 and 15, result */
    CHECK(!memcmp(&command, &nothing, sizeof command));
}

/* Gives reads metadata that is not zero, and checks that writes send zeros and not that metadata.
 */
static inline void nvme_io_move_metadata(const struct nvme_passthru_cmd64 *command)
{
    unsigned char *metadata = (unsigned char *)(uintptr_t)command->metadata;
    for (uint32_t i = 0; i < command->metadata_len; i++) {
        if (command->opcode == 2)
            metadata[i] = 0xa5;
        else if (metadata[i])
            CHECK_INT(metadata[i], 0);
    }
}

/* The namespace's nvme_send_function. */
static inline int nvme_io_script_send(void *context, struct nvme_passthru_cmd64 *command)
{
    struct nvme_io_script *script = context;
    CHECK(script->sent < script->count);
    if (script->sent >= script->count)
        return -EIO;
    const struct nvme_io_step *step = &script->steps[script->sent++];
    uint32_t lbas = step->length / script->block_size;
    CHECK_INT(command->opcode, step->opcode);
    CHECK_INT(command->nsid, script->nsid);
    CHECK_INT(command->cdw10, step->lba & 0xffffffff);
    CHECK_INT(command->cdw11, step->lba >> 32);
    CHECK_INT(command->cdw12, step->control | (lbas ? lbas - 1 : 0));
    CHECK_INT(command->cdw14, step->reference);
    CHECK_INT(command->data_len, step->length);
    CHECK_INT(command->addr, step->length ? (uintptr_t)script->buffers + step->data_at : 0);
    CHECK_INT(command->metadata_len, step->metadata_length);
    CHECK_INT(command->metadata != 0, step->metadata_length != 0);
    if (step->metadata_length && !script->metadata)
        script->metadata = command->metadata;
    if (step->metadata_length && !step->metadata_apart)
        CHECK_INT(command->metadata - script->metadata, step->metadata_at);
    if (step->metadata_length)
        nvme_io_move_metadata(command);
    nvme_io_check_rest(*command);
    return step->status;
}

static inline void nvme_io_script_end(const struct nvme_io_script *script)
{
    CHECK_INT(script->sent, script->count);
}

/* Returns a writable namespace of 1 GiB with 512 B per LBA and 128 KiB per command. */
static inline struct nvme_namespace nvme_io_namespace(void)
{
    struct nvme_namespace n = NVME_NAMESPACE_NONE;
    n.is_nvme = n.usable = n.writable = true;
    n.nsid = 3;
    n.blocks = 1 << 21;
    n.block_size = 512;
    n.transfer_max = 128 << 10;
    snprintf(n.description, sizeof n.description, "namespace 3");
    return n;
}

#endif
