/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends the NVMe admin commands that only read, through the kernel's passthrough. */
#include "base/nvme/nvme.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVERY_NAMESPACE 0xffffffffu

struct command_row {
    uint8_t opcode;
    uint32_t cdw10, length;
    enum nvme_scope scope;
    const char *keys;
};

#define COMMAND_ROW(identifier, opcode, cdw10, length, scope, source, keys)                        \
    {opcode, cdw10, length, scope, keys},
static const struct command_row rows[NVME_COMMANDS] = {NVME_COMMAND_ROWS(COMMAND_ROW)};
#undef COMMAND_ROW

static int submit_to_device(const struct nvme_admin *admin, struct nvme_passthru_cmd *command)
{
    size_t i = 0;
    while (i < NVME_COMMANDS &&
           (rows[i].opcode != command->opcode || rows[i].cdw10 != command->cdw10 ||
            rows[i].length != command->data_len))
        i++;
    if (i == NVME_COMMANDS)
        return -EPERM; /* commands without a row are never sent */
    /* C libraries declare the request's number of ioctl with different types, so the system call is
       made directly. */
    long status = syscall(SYS_ioctl, admin->fd, NVME_IOCTL_ADMIN_CMD, command);
    return status < 0 ? -errno : (int)status;
}

static enum fact_status status_of(int result)
{
    if (result == 0)
        return FACT_OK;
    return result == -EACCES || result == -EPERM ? FACT_DENIED : FACT_ABSENT;
}

void nvme_admin_open(struct nvme_admin *admin, const char *controller)
{
    char path[64];
    struct stat s;
    *admin = (struct nvme_admin){.submit = submit_to_device, .fd = -1};
    snprintf(path, sizeof path, "/dev/%s", controller);
    admin->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    admin->opened = admin->fd < 0 ? status_of(-errno) : FACT_OK;
    if (admin->opened == FACT_OK && (fstat(admin->fd, &s) || !S_ISCHR(s.st_mode)))
        admin->opened = FACT_ABSENT;
}

void nvme_admin_close(struct nvme_admin *admin)
{
    if (admin->fd >= 0)
        close(admin->fd);
    admin->fd = -1;
}

void nvme_admin_attach(struct nvme_admin *admin, int fd)
{
    *admin = (struct nvme_admin){.submit = submit_to_device, .opened = FACT_OK, .fd = fd};
}

enum fact_status nvme_admin_send(const struct nvme_admin *admin, enum nvme_command which,
                                 uint32_t nsid, void *data, size_t length, uint32_t *result)
{
    const struct command_row *row = &rows[which];
    bool one = nsid > 0 && nsid < EVERY_NAMESPACE;
    if (length != row->length || one != (row->scope == NVME_SCOPE_ONE) || (!one && nsid))
        return FACT_INVALID;
    if (admin->opened != FACT_OK)
        return admin->opened;
    /* timeout_ms stays 0, the kernel's default: the kernel resets a controller that exceeds a
       timeout. */
    struct nvme_passthru_cmd command = {
        .opcode = row->opcode,
        .nsid = row->scope == NVME_SCOPE_ALL ? EVERY_NAMESPACE : nsid,
        .addr = (uint64_t)(uintptr_t)(length ? data : NULL),
        .data_len = row->length,
        .cdw10 = row->cdw10,
    };
    if (length)
        memset(data, 0, length);
    enum fact_status status = status_of(admin->submit(admin, &command));
    if (result)
        *result = status == FACT_OK ? command.result : 0;
    return status;
}

void nvme_admin_add_missing(struct inventory *v, int node, enum nvme_command which,
                            enum fact_status status)
{
    const char *word = rows[which].keys;
    for (size_t length; *word; word += length + strspn(word + length, " ")) {
        char key[40];
        length = strcspn(word, " ");
        snprintf(key, sizeof key, "%.*s", (int)length, word);
        inventory_add(v, node, key, "", "", "NVMe admin command", status);
    }
}
