/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Identify makes of a namespace, and where sysfs has its devices, on made-up machines. */
#include "check.h"
#include "nvme_script.h"
#include "tree.h"

#include <sys/sysmacros.h>

#include "base/random.h"
#include "io/nvme_namespace.h"
#include "io/nvme_sysfs.h"

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
    int status[3]; /* of the three commands */
    uint32_t cache;
    uint32_t kernel_most;
};

/* MDTS of 2^5 pages, a volatile write cache that is on, 2^21 LBAs of 512 bytes. */
static struct drive ordinary(void)
{
    struct drive d = {.cache = 1, .kernel_most = 508 * KIB};
    d.controller[77] = 5;
    d.controller[525] = 1;
    put(d.space, 1 << 21, 8);
    put(d.space + 128, 9 << 16, 4);
    return d;
}

/* Ask the drive; every command up to the one that must be the last is sent. */
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
    n->transfer_most = d->kernel_most;
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
    CHECK_INT(n.transfer_most, 128 * KIB);
    CHECK_INT(n.write_cache, 1);
    CHECK(!n.writable && !n.metadata_extended);
    CHECK_STR(n.description,
              "namespace 7, LBA 512 B, at most 128 KiB per command, volatile write cache on");

    d.cache = 0xfffffffe; /* bit 0 alone counts */
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.write_cache, 0);
    d.status[2] = -EACCES;
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.write_cache, -1);
    CHECK(strstr(n.description, "volatile write cache not known") != NULL);
    d.controller[525] = 0xfe;
    CHECK_INT(identify(&n, &d, 2), 0);
    CHECK_INT(n.write_cache, -1);
    CHECK(strstr(n.description, "no volatile write cache") != NULL);
}

static void check_limit(unsigned mdts, uint32_t kernel, unsigned lba_power, uint32_t expected)
{
    struct drive d = ordinary();
    struct nvme_namespace n;
    d.controller[77] = (uint8_t)mdts;
    d.kernel_most = kernel;
    put(d.space + 128, lba_power << 16, 4);
    if (!expected) {
        check_unusable(&d, 2, "one LBA is more than one command may move");
        return;
    }
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK_INT(n.transfer_most, expected);
    CHECK_INT(n.mdts, mdts ? 4096ull << mdts : 0);
}

static void limits(void)
{
    check_limit(5, 508 * KIB, 9, 128 * KIB);
    check_limit(8, 508 * KIB, 9, 508 * KIB);
    check_limit(0, 508 * KIB, 9, 508 * KIB);
    check_limit(5, 0, 9, 128 * KIB);
    check_limit(0, 0, 9, 128 * KIB);               /* nobody says: modest */
    check_limit(0, 127 * KIB + 512, 9, 124 * KIB); /* whole pages */
    check_limit(0, 3 * KIB + 100, 9, 3 * KIB);     /* no page fits, whole LBAs */
    check_limit(31, 0xffffffff, 9, 65536 * 512);   /* NLB has 16 bits */
    check_limit(31, 0xffffffff, 20, 0xfff00000);   /* whole LBAs of 1 MiB below 4 GiB */
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

    /* 8 bytes that the controller makes and strips: both layouts are alike to us. */
    for (uint8_t layout = 0; layout < 2; layout++) {
        d.space[26] = (uint8_t)(2 | layout << 4);
        d.space[29] = 0x09; /* type 1; bit 3: first bytes */
        CHECK_INT(identify(&n, &d, 3), 0);
        CHECK_INT(n.protection, 1);
        CHECK_INT(n.metadata_extended, layout);
        CHECK(strstr(n.description, "LBA 512 B with protection information type 1,") != NULL);
    }
    /* Extended, with a size of 0, is nothing. */
    d = ordinary();
    d.space[26] = 0x10;
    CHECK_INT(identify(&n, &d, 3), 0);
    CHECK(!n.metadata_extended);
    /* 18 formats, the last in use: index 17 = upper bits 1, lower bits 1. */
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
    check_unusable(&d, 2, "no such LBA format"); /* bytes would not fit into 64 bits */
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
    /* Mostly small where only small values are sound. */
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

/* Whatever the drive says: what is usable is sound. */
static void noise(void)
{
    unsigned usable = 0;
    for (int i = 0; i < 20000; i++) {
        struct nvme_admin admin = {.submit = answer_noise, .opened = FACT_OK, .fd = -1};
        struct nvme_namespace n = NVME_NAMESPACE_NONE;
        n.nsid = 1;
        n.transfer_most = (uint32_t)i * 4096;
        if (nvme_namespace_identify(&n, &admin))
            continue;
        usable++;
        CHECK(n.blocks > 0 && n.block_size >= 512 && n.blocks <= UINT64_MAX / n.block_size);
        CHECK(n.transfer_most > 0 && n.transfer_most % n.block_size == 0);
        CHECK(n.transfer_most / n.block_size <= 65536);
        CHECK(!n.mdts || n.transfer_most <= n.mdts);
        CHECK(n.protection <= 3 && (!n.protection || n.metadata_size == 8));
        CHECK(!n.metadata_extended || n.protection);
    }
    CHECK(usable > 100);
}

/* ---- sysfs ---- */

/* A device's folder with its number, and the link by that number. `folder` is below /sys. */
static void add_device(const struct tree *t, const char *folder, const char *kind,
                       const char *number, const char *subsystem)
{
    char path[512], target[512];
    snprintf(path, sizeof path, "/sys/%s/dev", folder);
    tree_filef(t, path, "%s\n", number);
    snprintf(path, sizeof path, "/sys/dev/%s/%s", kind, number);
    snprintf(target, sizeof target, "../../%s", folder);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "/sys/%s/subsystem", folder);
    snprintf(target, sizeof target, "/sys/class/%s", subsystem);
    tree_link(t, path, target);
}

/* The block device of a namespace, whose device is the folder above. */
static void add_block(const struct tree *t, const char *above, const char *name, const char *number,
                      unsigned kib, unsigned segments, unsigned poll)
{
    char folder[256], path[512];
    snprintf(folder, sizeof folder, "%s/%s", above, name);
    add_device(t, folder, "block", number, "block");
    snprintf(path, sizeof path, "/sys/%s/device", folder);
    tree_link(t, path, "..");
    snprintf(path, sizeof path, "/sys/%s/queue/max_hw_sectors_kb", folder);
    tree_filef(t, path, "%u\n", kib);
    snprintf(path, sizeof path, "/sys/%s/queue/max_segments", folder);
    tree_filef(t, path, "%u\n", segments);
    snprintf(path, sizeof path, "/sys/%s/queue/io_poll", folder);
    tree_filef(t, path, "%u\n", poll);
}

static void add_generic(const struct tree *t, const char *above, const char *name,
                        const char *number)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s/%s", above, name);
    add_device(t, folder, "char", number, "nvme-generic");
}

static void add_partition(const struct tree *t, const char *disk, const char *name,
                          const char *number)
{
    char folder[256], path[512];
    snprintf(folder, sizeof folder, "%s/%s", disk, name);
    add_device(t, folder, "block", number, "block");
    snprintf(path, sizeof path, "/sys/%s/partition", folder);
    tree_file(t, path, "1\n");
}

#define CONTROLLER(number) "devices/pci0000:00/0000:00:0" number ".0/nvme/nvme" number
#define SUBSYSTEM          "devices/virtual/nvme-subsystem/nvme-subsys2"

/*
 * nvme0: namespaces 1 (with a partition) and 12. nvme1: its private namespace is nvme0n2 as a block
 * device, for the kernel counts subsystems there, and ng1n2. nvme2 and nvme3: two paths to one
 * namespace below its subsystem, nvme2n1. nvme4: a namespace that the kernel shows as generic only.
 * sda: no NVMe.
 */
static void make_machine(const struct tree *t)
{
    add_block(t, CONTROLLER("0"), "nvme0n1", "259:0", 128, 127, 1);
    add_generic(t, CONTROLLER("0"), "ng0n1", "237:0");
    add_partition(t, CONTROLLER("0") "/nvme0n1", "nvme0n1p1", "259:1");
    add_block(t, CONTROLLER("0"), "nvme0n12", "259:2", 2048, 127, 0);
    add_generic(t, CONTROLLER("0"), "ng0n12", "237:1");
    tree_link(t, "/sys/" CONTROLLER("0") "/subsystem", "/sys/class/nvme");

    add_block(t, CONTROLLER("1"), "nvme0n2", "259:3", 0, 0, 0);
    add_generic(t, CONTROLLER("1"), "ng1n2", "237:2");
    tree_link(t, "/sys/" CONTROLLER("1") "/subsystem", "/sys/class/nvme");

    add_block(t, SUBSYSTEM, "nvme2n1", "259:4", 512, 33, 0);
    add_generic(t, SUBSYSTEM, "ng2n1", "237:3");
    tree_link(t, "/sys/" SUBSYSTEM "/subsystem", "/sys/class/nvme-subsystem");
    tree_file(t, "/sys/" CONTROLLER("2") "/nvme2c2n1/hidden", "1\n");
    tree_file(t, "/sys/" CONTROLLER("3") "/nvme2c3n1/hidden", "1\n");

    add_generic(t, CONTROLLER("4"), "ng4n1", "237:4");
    tree_file(t, "/sys/" CONTROLLER("4") "/nvme4n1/hidden", "1\n");

    add_block(t, "devices/pci0000:00/ata1/host0/target0/0:0:0:0/block", "sda", "8:0", 512, 128, 0);
    add_partition(t, "devices/pci0000:00/ata1/host0/target0/0:0:0:0/block/sda", "sda1", "8:1");
    /* Named like one, but of another subsystem. */
    add_device(t, "devices/virtual/misc/ng9n1", "char", "10:200", "misc");
    add_block(t, "devices/virtual/other", "nvme9n1", "253:9", 512, 128, 0);
    tree_link(t, "/sys/devices/virtual/other/subsystem", "/sys/class/other");
}

static void check_place(const struct tree *t, bool character, dev_t device, const char *block,
                        const char *generic, uint64_t most, bool poll)
{
    struct nvme_place place;
    CHECK_INT(nvme_place_of(t->folder, character, device, &place), NVME_PLACE_NAMESPACE);
    CHECK_STR(place.block, block);
    CHECK_STR(place.generic, generic);
    CHECK_INT(place.transfer_most, most);
    CHECK_INT(place.poll_queues, poll);
    CHECK((character ? place.generic_device : place.block_device) == device);
}

static void places(const struct tree *t)
{
    struct nvme_place place;
    check_place(t, false, makedev(259, 0), "nvme0n1", "ng0n1", 128 * KIB, true);
    check_place(t, true, makedev(237, 0), "nvme0n1", "ng0n1", 128 * KIB, true);
    check_place(t, false, makedev(259, 2), "nvme0n12", "ng0n12", 508 * KIB, false);
    check_place(t, false, makedev(259, 3), "nvme0n2", "ng1n2", 0, false);
    check_place(t, true, makedev(237, 2), "nvme0n2", "ng1n2", 0, false);
    check_place(t, false, makedev(259, 4), "nvme2n1", "ng2n1", 132 * KIB, false);
    check_place(t, true, makedev(237, 4), "", "ng4n1", 0, false);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(259, 1), &place), NVME_PLACE_PARTITION);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(8, 0), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(8, 1), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(253, 9), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, false, makedev(99, 99), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, true, makedev(10, 200), &place), NVME_PLACE_OTHER);
    CHECK_INT(nvme_place_of(t->folder, true, makedev(259, 0), &place), NVME_PLACE_OTHER);
}

static void block_devices(const struct tree *t)
{
    static const struct {
        unsigned generic;
        const char *name;
        unsigned block;
    } pairs[] = {{0, "nvme0n1", 0}, {1, "nvme0n12", 2}, {2, "nvme0n2", 3}, {3, "nvme2n1", 4}};
    struct err e = {0};
    char name[64];
    dev_t block;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        CHECK_INT(nvme_block_device_of(t->folder, makedev(237, pairs[i].generic), &block, name, &e),
                  0);
        CHECK(block == makedev(259, pairs[i].block));
        CHECK_STR(name, pairs[i].name);
    }
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 4), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "no block device of this namespace") != NULL);
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 77), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_INT(nvme_block_device_of(t->folder, makedev(10, 200), &block, name, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);

    /* A link that leads to another device than its number says. */
    tree_remove(t, "/sys/dev/char/237:0");
    tree_link(t, "/sys/dev/char/237:0", "../../" CONTROLLER("0") "/ng0n12");
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 0), &block, name, &e), -1);
    tree_file(t, "/sys/" CONTROLLER("0") "/nvme0n12/dev", "garbage\n");
    CHECK_INT(nvme_block_device_of(t->folder, makedev(237, 1), &block, name, &e), -1);
    CHECK(strstr(e.msg, "no block device of this namespace") != NULL);
}

/* The real way, to what is no namespace. */
static void other_descriptors(void)
{
    static const char *const paths[] = {"/dev/null", "/dev/zero", "/tmp", "/proc/self/exe"};
    struct nvme_namespace n;
    for (size_t i = 0; i < COUNT(paths); i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        nvme_namespace_open(&n, fd);
        CHECK(!n.is_nvme && !n.usable);
        CHECK_INT(n.generic_fd, -1);
        CHECK_STR(n.why_not, "it is no NVMe namespace");
        nvme_namespace_close(&n);
        CHECK(fcntl(fd, F_GETFD) >= 0); /* it stays the caller's */
        close(fd);
    }
    nvme_namespace_open(&n, -1);
    CHECK(!n.is_nvme);
    nvme_namespace_close(&n);
}

int main(void)
{
    struct tree t;
    plain();
    limits();
    metadata();
    unusable();
    noise();
    tree_begin(&t);
    make_machine(&t);
    places(&t);
    block_devices(&t);
    tree_end(&t);
    other_descriptors();
    return check_result();
}
