/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An NVMe controller that follows a script: the commands that must be sent, field by field and in
 * order, and its answers. A command that differs from the script's next one fails the test, and so
 * does one that is never sent.
 */
#ifndef TESTS_UNIT_NVME_SCRIPT_H
#define TESTS_UNIT_NVME_SCRIPT_H

#include <string.h>

#include "base/nvme/nvme.h"
#include "check.h"

struct nvme_step {
    uint8_t opcode;
    uint32_t nsid, cdw10, length;
    int status;       /* result of submit */
    const void *data; /* `length` bytes; NULL: the buffer keeps zeros */
    uint32_t result;
};

struct nvme_script {
    struct nvme_admin admin; /* must be first: commands come with its address */
    const struct nvme_step *steps;
    size_t count;
    size_t *sent;
};

static int nvme_script_submit(const struct nvme_admin *admin, struct nvme_passthru_cmd *command)
{
    const struct nvme_script *script = (const struct nvme_script *)admin;
    CHECK(*script->sent < script->count);
    if (*script->sent >= script->count)
        return -5;
    const struct nvme_step *step = &script->steps[(*script->sent)++];
    struct nvme_passthru_cmd rest = *command;
    CHECK_INT(command->opcode, step->opcode);
    CHECK_INT(command->nsid, step->nsid);
    CHECK_INT(command->cdw10, step->cdw10);
    CHECK_INT(command->data_len, step->length);
    CHECK_INT(command->addr != 0, step->length != 0);
    /* All other fields are 0. */
    static const struct nvme_passthru_cmd nothing;
    rest.opcode = 0;
    rest.nsid = rest.cdw10 = rest.data_len = 0;
    rest.addr = 0;
    CHECK(!memcmp(&rest, &nothing, sizeof rest));
    if (step->data && step->status == 0)
        memcpy((void *)(uintptr_t)command->addr, step->data, step->length);
    command->result = step->result;
    return step->status;
}

static inline struct nvme_script nvme_script(const struct nvme_step *steps, size_t count,
                                             size_t *sent)
{
    *sent = 0;
    return (struct nvme_script){
        .admin = {.submit = nvme_script_submit, .opened = FACT_OK, .fd = -1},
        .steps = steps,
        .count = count,
        .sent = sent,
    };
}

#endif
