/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Identify data says of a namespace, with made-up drives. */
#include "check.h"
#include "nvme_script.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/random.h"
#include "io/nvme/nvme_namespace.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

enum { KIB = 1024 };

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* ---- Identify ---- */

struct drive {
    uint8_t controller[NVME_IDENTIFY_BYTES], space[NVME_IDENTIFY_BYTES];
    int status[3]; /* results of the three commands */
    uint32_t cache;
    uint32_t kernel_max;
};

/* Returns a drive with MDTS of 2^5 pages, an active volatile write cache, 2^21 LBAs of 512 bytes.
 */
static struct drive ordinary(void)
{
    struct drive d = {.cache = 1, .kernel_max = 508 * KIB};
    d.controller[77] = 5;
    d.controller[525] = 1;
    put(d.space, 1 << 21, 8);
    put(d.space + 128, 9 << 16, 4);
    return d;
}

/* Identifies the drive; checks that every command up to the expected last one is sent. */
static int identify(struct nvme_namespace *n, const struct drive *d, size_t commands)
{
    const struct nvme_step steps[] = {
        {0x06, 0, 0x1, 4096, d->status[0], d->controller, 0},
        {0x06, 7, 0x0, 4096, d->status[1], d->space, 0},
        {0x0a, 0, 0x6, 0, d->status[2], NULL, d->cache},
    };
    size_t sent;
    struct nvme_script script = nvme_script(steps, commands, &sent);
    *n = NVME_NAMESPACE_NONE;
    n->nsid = 7;
    n->transfer_max = d->kernel_max;
    int status = nvme_namespace_identify(n, &script.admin);
    CHECK_INT(sent, commands);
    CHECK_INT(n->usable, status == 0);
    CHECK_INT(*n->why_not != '\0', status != 0);
    return status;
}

static void check_unusable(const struct drive *d, size_t commands, const char *why)
{
    struct nvme_namespace n;
    CHECK_INT(identify(&n, d, commands), -1);
    if (!strstr(n.why_not, why))
        CHECK_STR(n.why_not, why);
}

static void plain(void)
{
    struct drive d = ordinary();
    struct nvme_namespace n;
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.blocks, 1 << 21);
    CHECK_INT(n.block_size, 512);
    CHECK_INT(n.metadata_size, 0);
    CHECK_INT(n.protection, 0);
    CHECK_INT(n.mdts, 128 * KIB);
    CHECK_INT(n.transfer_max, 128 * KIB);
    CHECK_INT(n.write_cache, NVME_CACHE_ON);
    CHECK(!n.writable && !n.metadata_extended);
    CHECK_STR(n.description,
              "namespace 7, LBA 512 B, at most 128 KiB per command, volatile write cache on");

    d.cache = 0xfffffffe; /* bit 0 alone counts */
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.write_cache, NVME_CACHE_OFF);
    d.status[2] = -EACCES;
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.write_cache, NVME_CACHE_UNKNOWN);
    CHECK(strstr(n.description, "volatile write cache not known") != NULL);
    d.controller[525] = 0xfe;
    CHECK_INT(identify(&n, &d, 2), 0);
    CHECK_INT(n.write_cache, NVME_CACHE_ABSENT);
    CHECK(strstr(n.description, "no volatile write cache") != NULL);
}

static void check_features(const struct drive *d, uint64_t atomic, const char *words)
{
    struct nvme_namespace n;
    char text[160];
    CHECK_INT(identify(&n, d, 3), 0);
    CHECK_INT(n.atomic_write, atomic);
    CHECK_STR(nvme_namespace_features(&n, text, sizeof text), words);
}

static void features(void)
{
    struct drive d = ordinary();
    check_features(
        &d, 512,
        "not thin provisioned; what deallocated blocks read as is not reported; writes up "
        "to 512 B are whole or undone after a power failure");
    put(d.controller + 528, 7, 2); /* AWUPF counts from 0 */
    d.space[24] = 1;
    d.space[33] = 0x19;       /* zeros are read; the upper bits have other meanings */
    put(d.space + 36, 63, 2); /* NAWUPF is ignored without its bit */
    check_features(&d, 4096,
                   "thin provisioned; deallocated blocks read as zeros; writes up to 4 KiB are "
                   "whole or undone after a power failure");
    d.space[24] = 2;
    d.space[33] = 2;
    check_features(&d, 32768,
                   "not thin provisioned; deallocated blocks read as ones; writes up to 32 KiB "
                   "are whole or undone after a power failure");
    put(d.space + 36, 0, 2); /* the same as the controller's */
    d.space[33] = 3;         /* reserved */
    check_features(
        &d, 4096,
        "not thin provisioned; what deallocated blocks read as is not reported; writes up "
        "to 4 KiB are whole or undone after a power failure");
}

static void check_limit(unsigned mdts, uint32_t kernel, unsigned lba_power, uint32_t expected)
{
    struct drive d = ordinary();
    struct nvme_namespace n;
    d.controller[77] = (uint8_t)mdts;
    d.kernel_max = kernel;
    put(d.space + 128, lba_power << 16, 4);
    if (!expected) {
        check_unusable(&d, 2, "one LBA is more than one command may move");
        return;
    }
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.transfer_max, expected);
    CHECK_INT(n.mdts, mdts ? 4096ull << mdts : 0);
}

static void limits(void)
{
    check_limit(5, 508 * KIB, 9, 128 * KIB);
    check_limit(8, 508 * KIB, 9, 508 * KIB);
    check_limit(0, 508 * KIB, 9, 508 * KIB);
    check_limit(5, 0, 9, 128 * KIB);
    check_limit(0, 0, 9, 128 * KIB);               /* nothing is stated: a moderate limit */
    check_limit(0, 127 * KIB + 512, 9, 124 * KIB); /* whole pages */
    check_limit(0, 3 * KIB + 100, 9, 3 * KIB);     /* less than a page: whole LBAs */
    check_limit(31, 0xffffffff, 9, 65536 * 512);   /* NLB has 16 bits */
    check_limit(31, 0xffffffff, 20, 0xfff00000);   /* whole LBAs of 1 MiB, below 4 GiB */
    check_limit(1, 0, 13, 8 * KIB);
    check_limit(1, 0, 14, 0);
}

static void metadata(void)
{
    struct drive d = ordinary();
    struct nvme_namespace n;
    d.space[25] = 2;
    d.space[26] = 1;
    put(d.space + 132, 12 << 16 | 64, 4);
    put(d.space + 136, 9 << 16 | 8, 4);
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.block_size, 4096);
    CHECK_INT(n.metadata_size, 64);
    CHECK(strstr(n.description, "LBA 4096 B + 64 B of metadata,") != NULL);
    d.space[26] = 0x11;
    check_unusable(&d, 2, "extended LBAs");
    d.space[26] = 1;
    d.space[29] = 2;
    check_unusable(&d, 2, "protection information in metadata of more than 8 bytes");

    /* 8 bytes that the controller inserts and strips: both layouts are equivalent here. */
    for (uint8_t layout = 0; layout < 2; layout++) {
        d.space[26] = (uint8_t)(2 | layout << 4);
        d.space[29] = 0x09; /* type 1; bit 3: in the first bytes */
        CHECK_INT(identify(&n, &d, 3), 0);
        CHECK_INT(n.protection, 1);
        CHECK_INT(n.metadata_extended, layout);
        CHECK(strstr(n.description, "LBA 512 B with protection information type 1,") != NULL);
    }
    /* Extended LBAs with metadata of size 0 are like none. */
    d = ordinary();
    d.space[26] = 0x10;
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK(!n.metadata_extended);
    /* 18 formats, the last one in use: index 17 = upper bits 1, lower bits 1. */
    d.space[25] = 17;
    d.space[26] = 0x21;
    put(d.space + 128 + 4 * 17, 12 << 16, 4);
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.block_size, 4096);
}

static void unusable(void)
{
    struct drive d = ordinary();
    d.status[0] = -EACCES;
    check_unusable(&d, 1, "passthrough is not permitted (CAP_SYS_ADMIN)");
    d.status[0] = -EPERM;
    check_unusable(&d, 1, "passthrough is not permitted (CAP_SYS_ADMIN)");
    d.status[0] = 0x4002;
    check_unusable(&d, 1, "does not answer Identify Controller");
    d.status[0] = 0;
    d.status[1] = 0x400b;
    check_unusable(&d, 2, "does not answer Identify Namespace");

    d = ordinary();
    put(d.space, 0, 8);
    check_unusable(&d, 2, "no capacity");
    d = ordinary();
    d.space[26] = 1; /* beyond the table */
    check_unusable(&d, 2, "no such LBA format");
    d = ordinary();
    put(d.space + 128, 8 << 16, 4);
    check_unusable(&d, 2, "no such LBA format");
    put(d.space + 128, 32 << 16, 4);
    check_unusable(&d, 2, "no such LBA format");
    d = ordinary();
    put(d.space, UINT64_MAX, 8);
    check_unusable(&d, 2, "no such LBA format"); /* the size in bytes would exceed 64 bits */
    d = ordinary();
    d.space[29] = 1;
    check_unusable(&d, 2, "protection information without room");
    d = ordinary();
    d.controller[77] = 32;
    check_unusable(&d, 2, "MDTS");
    memset(d.controller, 0xff, sizeof d.controller);
    memset(d.space, 0xff, sizeof d.space);
    check_unusable(&d, 2, "makes no sense");
}

static int answer_noise(const struct nvme_admin *admin, struct nvme_passthru_cmd *command)
{
    (void)admin;
    static struct random random;
    if (!random.state)
        random_seed(&random, 4, 4);
    uint8_t *data = (uint8_t *)(uintptr_t)command->addr;
    for (uint32_t i = 0; i < command->data_len; i++)
        data[i] = (uint8_t)random_u64(&random);
    /* Mostly small values, where only small ones are valid. */
    if (command->data_len && command->cdw10 == 1)
        data[77] &= 31;
    if (command->data_len && command->cdw10 == 0) {
        data[7] = data[6] = 0;
        data[25] |= 0x3f;
        for (unsigned i = 130; i < 384; i += 4)
            data[i] &= 31;
    }
    command->result = (uint32_t)random_u64(&random);
    return 0;
}

/* For any identify data: a namespace that is accepted has valid values. */
static void noise(void)
{
    unsigned usable = 0;
    for (int i = 0; i < 20000; i++) {
        struct nvme_admin admin = {.submit = answer_noise, .opened = FACT_OK, .fd = -1};
        struct nvme_namespace n = NVME_NAMESPACE_NONE;
        n.nsid = 1;
        n.transfer_max = (uint32_t)i * 4096;
        if (nvme_namespace_identify(&n, &admin))
            continue;
        usable++;
        CHECK(n.blocks > 0 && n.block_size >= 512 && n.blocks <= UINT64_MAX / n.block_size);
        CHECK(n.transfer_max > 0 && n.transfer_max % n.block_size == 0);
        CHECK(n.transfer_max / n.block_size <= 65536);
        CHECK(!n.mdts || n.transfer_max <= n.mdts);
        CHECK(n.protection <= 3 && (!n.protection || n.metadata_size == 8));
        CHECK(!n.metadata_extended || n.protection);
        char text[160];
        CHECK(strlen(nvme_namespace_features(&n, text, sizeof text)) < sizeof text - 1);
    }
    CHECK(usable > 100);
}

/* The real system call, on files that are not a namespace. */
static void other_descriptors(void)
{
    static const char *const paths[] = {"/dev/null", "/dev/zero", "/tmp", "/proc/self/exe"};
    struct nvme_namespace n;
    struct err e = {0};
    for (size_t i = 0; i < COUNT(paths); i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        nvme_namespace_open(&n, fd);
        CHECK(!n.is_nvme && !n.usable);
        CHECK_INT(n.generic_fd, -1);
        CHECK_STR(n.why_not, "it is no NVMe namespace");
        CHECK_INT(nvme_namespace_check(&n, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        CHECK(strstr(e.msg, "whole NVMe namespaces") && strstr(e.msg, n.why_not));
        nvme_namespace_close(&n);
        CHECK(fcntl(fd, F_GETFD) >= 0); /* the caller still owns it */
        close(fd);
    }
    nvme_namespace_open(&n, -1);
    CHECK(!n.is_nvme);
    nvme_namespace_close(&n);
}

int main(void)
{
    plain();
    features();
    limits();
    metadata();
    unusable();
    noise();
    other_descriptors();
    return check_result();
}
