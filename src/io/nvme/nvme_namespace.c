/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the NVMe namespace to which a descriptor belongs, and its other device (block or generic),
   and reads its Identify data. The data are checked, because the lengths of all commands depend on
   them. */
#include "io/nvme/nvme_namespace.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/file/device_number.h"
#include "base/units.h"
#include "io/device/block_device.h"

/* The unit of MDTS is the controller's smallest page (CAP.MPSMIN). Linux supports only controllers
   for which that is 4096 bytes. */
#define CONTROLLER_PAGE  4096
#define COMMAND_LBAS_MAX 65536u  /* NLB has 16 bits, and 0 means one block */
#define TRANSFER_DEFAULT 131072u /* used if neither controller nor kernel has a limit */
#define PROTECTION_BYTES 8

/* Returns the number of the namespace (NSID), or 0. */
static uint32_t ask_nsid(int fd)
{
    long nsid = syscall(SYS_ioctl, fd, NVME_IOCTL_ID);
    return nsid > 0 ? (uint32_t)nsid : 0;
}

static const char *not_a_namespace(enum nvme_place_kind kind)
{
    switch (kind) {
    case NVME_PLACE_PARTITION:
        return "it is a partition: passthrough does not know where it begins, and would reach the "
               "whole namespace";
    case NVME_PLACE_UNSEEN:
        return "sysfs does not show it, so its kind is not known (is /sys mounted?)";
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
    n->block_device = place.block_device;
    if (*place.generic)
        snprintf(n->generic_path, sizeof n->generic_path, "/dev/%.58s", place.generic);
    if (S_ISCHR(st.st_mode)) {
        n->generic_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    } else {
        n->block_fd = fd;
        /* The generic device is opened with the access mode of the target's descriptor and no more:
           the rules for targets have decided that mode. */
        int flags = fcntl(fd, F_GETFL) & O_ACCMODE;
        if (*place.generic)
            n->generic_fd = device_number_open(place.generic, true, place.generic_device, flags);
        if (n->generic_fd >= 0 && ask_nsid(n->generic_fd) != n->nsid) {
            close(n->generic_fd); /* the generic device belongs to another namespace */
            n->generic_fd = -1;
        }
    }
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

/* ---- Identify ---- */

static int namespace_refuse(struct nvme_namespace *n, const char *reason)
{
    snprintf(n->why_not, sizeof n->why_not, "%s", reason);
    return -1;
}

static int namespace_refuse_status(struct nvme_namespace *n, const char *command,
                                   enum fact_status status)
{
    if (status == FACT_DENIED)
        return namespace_refuse(n, "passthrough is not permitted (CAP_SYS_ADMIN)");
    snprintf(n->why_not, sizeof n->why_not, "the device does not answer %s", command);
    return -1;
}

static int namespace_read_format(struct nvme_namespace *n, const uint8_t *identify)
{
    /* The index of the LBA format in use. Its upper bits are valid only if the table has more than
       16 formats. */
    unsigned last = identify[25], index = identify[26] & 0xfu;
    if (last > 15)
        index |= (identify[26] >> 5 & 3u) << 4;
    bool there = index <= last && index < 64;
    uint32_t format = there ? load_le32(identify + 128 + 4 * (size_t)index) : 0;
    uint32_t power = format >> 16 & 0xff;
    n->blocks = load_le64(identify);
    if (!n->blocks)
        return namespace_refuse(n, "the namespace has no capacity");
    if (!there || power < 9 || power > 31 || n->blocks > UINT64_MAX >> power)
        return namespace_refuse(n, "Identify Namespace makes no sense: no such LBA format");
    n->block_size = 1u << power;
    n->metadata_size = format & 0xffff;
    n->metadata_extended = n->metadata_size && identify[26] & 0x10;
    n->protection = identify[29] & 7;
    if (n->protection > 3 || (n->protection && n->metadata_size < PROTECTION_BYTES))
        return namespace_refuse(
            n, "Identify Namespace makes no sense: protection information without room");
    if (n->protection && n->metadata_size != PROTECTION_BYTES)
        return namespace_refuse(
            n, "its LBA format has protection information in metadata of more than 8 "
               "bytes, which passthrough does not support");
    if (n->metadata_extended && !n->protection)
        return namespace_refuse(
            n, "its LBA format has metadata in one buffer with the data (extended LBAs), "
               "which passthrough does not support");
    return 0;
}

/* Sets transfer_max to the smallest of the limits, in whole LBAs and, if possible, in whole pages,
   so that each part of a request begins at a page of its buffer. */
static int namespace_limit_transfer(struct nvme_namespace *n)
{
    uint64_t max = n->transfer_max;
    if (n->mdts && (!max || n->mdts < max))
        max = n->mdts;
    if (!max)
        max = TRANSFER_DEFAULT;
    if (max > (uint64_t)COMMAND_LBAS_MAX * n->block_size)
        max = (uint64_t)COMMAND_LBAS_MAX * n->block_size;
    if (max > UINT32_MAX)
        max = UINT32_MAX;
    if (max >= CONTROLLER_PAGE)
        max -= max % CONTROLLER_PAGE;
    n->transfer_max = (uint32_t)(max - max % n->block_size);
    return n->transfer_max ? 0 : namespace_refuse(n, "one LBA is more than one command may move");
}

/* Writes "namespace 1, LBA 512 B, ...". */
static void describe_namespace(struct nvme_namespace *n)
{
    static const char *const caches[] = {
        [NVME_CACHE_UNKNOWN] = "volatile write cache not known",
        [NVME_CACHE_ABSENT] = "no volatile write cache",
        [NVME_CACHE_OFF] = "volatile write cache off",
        [NVME_CACHE_ON] = "volatile write cache on",
    };
    char max[UNITS_BUFFER], metadata[64] = "";
    if (n->protection)
        snprintf(metadata, sizeof metadata, " with protection information type %u", n->protection);
    else if (n->metadata_size)
        snprintf(metadata, sizeof metadata, " + %u B of metadata", n->metadata_size);
    snprintf(n->description, sizeof n->description,
             "namespace %u, LBA %u B%s, at most %s per command, %s", n->nsid, n->block_size,
             metadata, format_size(max, sizeof max, n->transfer_max), caches[n->write_cache]);
}

char *nvme_namespace_features(const struct nvme_namespace *n, char *to, size_t size)
{
    static const char *const deallocated[] = {
        [NVME_DEALLOCATED_UNKNOWN] = "what deallocated blocks read as is not reported",
        [NVME_DEALLOCATED_ZEROS] = "deallocated blocks read as zeros",
        [NVME_DEALLOCATED_ONES] = "deallocated blocks read as ones",
    };
    char atomic[UNITS_BUFFER];
    snprintf(to, size, "%s; %s; writes up to %s are whole or undone after a power failure",
             n->thin_provisioned ? "thin provisioned" : "not thin provisioned",
             deallocated[n->deallocated],
             format_size(atomic, sizeof atomic, (double)n->atomic_write));
    return to;
}

int nvme_namespace_identify(struct nvme_namespace *n, const struct nvme_admin *admin)
{
    static const enum nvme_deallocated deallocated[8] = {
        [1] = NVME_DEALLOCATED_ZEROS, [2] = NVME_DEALLOCATED_ONES};
    uint8_t controller[NVME_IDENTIFY_BYTES], identify[NVME_IDENTIFY_BYTES];
    n->usable = false;
    enum fact_status status =
        nvme_admin_send(admin, NVME_IDENTIFY_CONTROLLER, 0, controller, sizeof controller, NULL);
    if (status != FACT_OK)
        return namespace_refuse_status(n, "Identify Controller", status);
    status =
        nvme_admin_send(admin, NVME_IDENTIFY_NAMESPACE, n->nsid, identify, sizeof identify, NULL);
    if (status != FACT_OK)
        return namespace_refuse_status(n, "Identify Namespace", status);
    if (namespace_read_format(n, identify))
        return -1;
    unsigned power = controller[77];
    if (power > 31)
        return namespace_refuse(n,
                                "Identify Controller makes no sense: the largest transfer (MDTS)");
    n->mdts = power ? (uint64_t)CONTROLLER_PAGE << power : 0;
    if (namespace_limit_transfer(n))
        return -1;
    /* NVM Command Set Specification 1.0c, 4.1.5.1 (NSFEAT, DLFEAT, NAWUPF); NVM Express Base
       Specification 2.0c, 5.17.2.1 (AWUPF). In both, 0 means one LBA. */
    uint64_t atomic = load_le16(controller + 528), own = load_le16(identify + 36);
    if (identify[24] & 2 && own)
        atomic = own;
    n->optional = load_le16(controller + 520); /* ONCS, 5.17.2.1 */
    n->thin_provisioned = identify[24] & 1;
    n->deallocated = deallocated[identify[33] & 7];
    n->atomic_write = (atomic + 1) * n->block_size;
    uint32_t cache;
    if (!(controller[525] & 1))
        n->write_cache = NVME_CACHE_ABSENT;
    else if (nvme_admin_send(admin, NVME_VOLATILE_WRITE_CACHE, 0, NULL, 0, &cache) != FACT_OK)
        n->write_cache = NVME_CACHE_UNKNOWN;
    else
        n->write_cache = cache & 1 ? NVME_CACHE_ON : NVME_CACHE_OFF;
    describe_namespace(n);
    n->usable = true;
    n->why_not[0] = '\0';
    return 0;
}
