/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends the NVMe admin commands that destroy everything on a drive. */
#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/nvme/nvme.h"

/* A format of a large drive may take hours; the kernel resets the controller when the timeout
   expires. */
#define PURGE_TIMEOUT_MS (24u * 3600 * 1000)

static const struct purge_row {
    uint8_t opcode;
    uint32_t cdw10, free;
    enum nvme_scope scope;
} rows[NVME_PURGES] = {
#define PURGE_ROW(identifier, opcode, cdw10, free, scope, source) {opcode, cdw10, free, scope},
    NVME_PURGE_ROWS(PURGE_ROW)
#undef PURGE_ROW
};

static int submit_to_device(const struct nvme_admin *admin, struct nvme_passthru_cmd *command)
{
    size_t i = 0;
    while (i < NVME_PURGES &&
           (rows[i].opcode != command->opcode || rows[i].cdw10 != (command->cdw10 & ~rows[i].free)))
        i++;
    if (i == NVME_PURGES)
        return -EPERM; /* commands without a row are never sent */
    long status = syscall(SYS_ioctl, admin->fd, NVME_IOCTL_ADMIN_CMD, command);
    return status < 0 ? -errno : (int)status;
}

void nvme_purge_attach(struct nvme_admin *admin, int fd)
{
    *admin = (struct nvme_admin){.submit = submit_to_device, .opened = FACT_OK, .fd = fd};
}

int nvme_purge_send(const struct nvme_admin *admin, enum nvme_purge which, uint32_t nsid,
                    uint32_t bits)
{
    const struct purge_row *row = &rows[which];
    bool one = row->scope == NVME_SCOPE_ONE;
    if ((bits & ~row->free) || (one ? nsid == 0 || nsid == UINT32_MAX : nsid != 0))
        return -EINVAL;
    struct nvme_passthru_cmd command = {.opcode = row->opcode,
                                        .nsid = nsid,
                                        .cdw10 = row->cdw10 | bits,
                                        .timeout_ms = PURGE_TIMEOUT_MS};
    return admin->submit(admin, &command);
}
