/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening an NVMe namespace for passthrough: which one a descriptor is, and its other device. */
#include "io/nvme/nvme_namespace.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/device_number.h"
#include "io/device/block_device.h"

/* The namespace's number, or 0. */
static uint32_t ask_nsid(int fd)
{
    long nsid = syscall(SYS_ioctl, fd, NVME_IOCTL_ID);
    return nsid > 0 ? (uint32_t)nsid : 0;
}

/* /dev/NAME, if it is the device that sysfs means and leads to the same namespace. */
static int open_generic(const struct nvme_namespace *n, const struct nvme_place *place, int flags)
{
    int fd = *place->generic
                 ? device_number_open(place->generic, true, place->generic_device, flags)
                 : -1;
    if (fd < 0 || ask_nsid(fd) == n->nsid)
        return fd;
    close(fd);
    return -1;
}

static void open_devices(struct nvme_namespace *n, int fd, bool character,
                         const struct nvme_place *place)
{
    n->block_device = place->block_device;
    if (*place->generic)
        snprintf(n->generic_path, sizeof n->generic_path, "/dev/%.58s", place->generic);
    if (character) {
        n->generic_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return;
    }
    n->block_fd = fd;
    /* Not allowed to write more than the descriptor that the target's rules gave. */
    n->generic_fd = open_generic(n, place, fcntl(fd, F_GETFL) & O_ACCMODE);
}

static const char *not_a_namespace(enum nvme_place_kind kind)
{
    switch (kind) {
    case NVME_PLACE_PARTITION:
        return "it is a partition: passthrough does not know where it begins, and would reach the "
               "whole namespace";
    case NVME_PLACE_UNSEEN:
        return "sysfs does not show it, so what it is cannot be told (is /sys mounted?)";
    default:
        return "it is no NVMe namespace";
    }
}

void nvme_namespace_open(struct nvme_namespace *n, int fd)
{
    struct stat st;
    struct nvme_place place;
    *n = NVME_NAMESPACE_NONE;
    bool known = !fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
    enum nvme_place_kind kind =
        known ? nvme_place_of("", S_ISCHR(st.st_mode), st.st_rdev, &place) : NVME_PLACE_OTHER;
    if (kind != NVME_PLACE_NAMESPACE || !(n->nsid = ask_nsid(fd))) {
        snprintf(n->why_not, sizeof n->why_not, "%s", not_a_namespace(kind));
        return;
    }
    n->is_nvme = true;
    n->poll_queues = place.poll_queues;
    n->transfer_max = place.transfer_max < UINT32_MAX ? (uint32_t)place.transfer_max : UINT32_MAX;
    open_devices(n, fd, S_ISCHR(st.st_mode), &place);
    struct nvme_admin admin;
    nvme_admin_attach(&admin, fd);
    nvme_namespace_identify(n, &admin);
}

int nvme_namespace_check(const struct nvme_namespace *n, struct err *e)
{
    if (!n || !n->is_nvme)
        return err_set(e, ERR_USAGE,
                       "passthrough is for whole NVMe namespaces (/dev/nvme0n1, /dev/ng0n1): %s",
                       n && n->why_not[0] ? n->why_not : "the target is none");
    return n->usable ? 0 : err_set(e, ERR_MACHINE, "%s", n->why_not);
}

void nvme_namespace_close(struct nvme_namespace *n)
{
    if (n->generic_fd >= 0)
        close(n->generic_fd);
    n->generic_fd = n->block_fd = -1;
    n->usable = n->writable = false;
}
