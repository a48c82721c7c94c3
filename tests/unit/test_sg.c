/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SCSI commands for requests, byte by byte, and the disk of a device node, on a made-up
   machine. tests/guest/guest_sg.c tests real disks. */
#include "check.h"
#include "tree.h"

#include <errno.h>
#include <sys/sysmacros.h>

#include "base/scsi/scsi.h"
#include "io/nvme/device_failures.h"
#include "io/scsi/scsi_io.h"
#include "io/target/internal.h"

#define TIB (UINT64_C(1) << 40)
#define KIB 1024u

static _Alignas(4096) unsigned char buffer[1 << 20];

static struct scsi_unit unit(void)
{
    return (struct scsi_unit){.usable = true,
                              .writable = true,
                              .fd = -1,
                              .blocks = 4 * TIB / 512,
                              .block_size = 512,
                              .transfer_max = 512 * KIB,
                              .unmap_max = 0x7fffff,
                              .write_same_max = 0xffff,
                              .forced_writes = true,
                              .timeout_ms = 30000};
}

static void check_command(const struct scsi_unit *u, const struct io_req *request, size_t length,
                          const uint8_t expected[])
{
    struct scsi_command c;
    int built = scsi_build(u, request, buffer, sizeof buffer, &c);
    CHECK_INT(built, 0);
    if (built)
        return;
    CHECK_INT(c.header.interface_id, 'S');
    CHECK_INT(c.header.cmd_len, length);
    CHECK_INT(c.header.timeout, u->timeout_ms);
    CHECK(c.header.cmdp == c.bytes && c.header.sbp == c.sense);
    for (size_t i = 0; i < sizeof c.bytes; i++)
        if (!check_that(c.bytes[i] == (i < length ? expected[i] : 0), __FILE__, __LINE__, "byte"))
            fprintf(stderr, "    byte %zu: %02x, expected %02x\n", i, c.bytes[i],
                    i < length ? expected[i] : 0);
}

#define BYTES(...)                                                                                 \
    sizeof((uint8_t[]){__VA_ARGS__}), (uint8_t[])                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* At 2 TiB the address needs 33 bits: the last block before that still has the short form. */
static void forms(void)
{
    struct scsi_unit u = unit();
    struct io_req r = {.offset = 0x12345678ull * 512, .length = 4096, .command = REQUEST_READ};
    check_command(&u, &r, BYTES(0x28, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0));
    r.command = REQUEST_WRITE;
    check_command(&u, &r, BYTES(0x2a, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0));
    r.command = REQUEST_WRITE_DURABLE;
    check_command(&u, &r, BYTES(0x2a, 8, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0));
    r.command = REQUEST_VERIFY;
    check_command(&u, &r, BYTES(0x2f, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 8, 0));

    r = (struct io_req){.offset = 2 * TIB - 4096, .length = 4096, .command = REQUEST_WRITE};
    check_command(&u, &r, BYTES(0x2a, 0, 0xff, 0xff, 0xff, 0xf8, 0, 0, 8, 0));
    r.offset += 512; /* the address of its last block is 2^32 */
    check_command(&u, &r, BYTES(0x8a, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf9, 0, 0, 0, 8, 0, 0));
    r.offset = 2 * TIB;
    check_command(&u, &r, BYTES(0x8a, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0));
    r.command = REQUEST_READ;
    check_command(&u, &r, BYTES(0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0));
    r.command = REQUEST_WRITE_DURABLE;
    check_command(&u, &r, BYTES(0x8a, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0));

    /* More than 65535 blocks need the long form, too. */
    r = (struct io_req){.length = 65535 * 512, .command = REQUEST_VERIFY};
    check_command(&u, &r, BYTES(0x2f, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0));
    r.length += 512;
    check_command(&u, &r, BYTES(0x8f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0));

    /* With blocks of 4096 bytes the address counts those. */
    u.block_size = 4096;
    u.blocks = 4 * TIB / 4096;
    r = (struct io_req){.offset = 3 * TIB, .length = 8192, .command = REQUEST_READ};
    check_command(&u, &r, BYTES(0x28, 0, 0x30, 0, 0, 0, 0, 0, 2, 0));
}

static void data_of_commands(void)
{
    const struct scsi_unit u = unit();
    struct scsi_command c;
    struct io_req r = {.offset = 8192, .length = 4096, .command = REQUEST_READ};
    CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), 0);
    CHECK(c.header.dxferp == buffer && c.header.dxfer_len == 4096);
    CHECK_INT(c.header.dxfer_direction, SG_DXFER_FROM_DEV);
    r.command = REQUEST_WRITE;
    CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), 0);
    CHECK(c.header.dxferp == buffer && c.header.dxfer_len == 4096);
    CHECK_INT(c.header.dxfer_direction, SG_DXFER_TO_DEV);
    r.command = REQUEST_WRITE_ZEROES;
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), 0);
    CHECK_INT(c.header.dxfer_len, 512);
    const unsigned char *zeros = c.header.dxferp;
    CHECK(zeros[0] == 0 && !memcmp(zeros, zeros + 1, 511));
    check_command(&u, &r, BYTES(0x41, 0, 0, 0, 0, 16, 0, 0, 8, 0));
    r.command = REQUEST_VERIFY;
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), 0);
    CHECK_INT(c.header.dxfer_direction, SG_DXFER_NONE);
    CHECK(!c.header.dxferp && !c.header.dxfer_len);
    r.command = REQUEST_FLUSH;
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), 0);
    CHECK_INT(c.header.dxfer_direction, SG_DXFER_NONE);
    check_command(&u, &r, BYTES(0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0));

    static const uint8_t range[] = {0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 1,
                                    0, 0,  0, 2,  0, 0, 0, 8, 0, 0, 0, 0};
    r = (struct io_req){.offset = 2 * TIB + 1024, .length = 4096, .command = REQUEST_TRIM};
    check_command(&u, &r, BYTES(0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0));
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), 0);
    CHECK_INT(c.header.dxfer_direction, SG_DXFER_TO_DEV);
    CHECK_INT(c.header.dxfer_len, sizeof range);
    CHECK(!memcmp(c.header.dxferp, range, sizeof range));
}

/* Commands that may not be sent are not built. */
static void never_built(void)
{
    const uint64_t size = 4 * TIB;
    static const struct {
        const char *name;
        struct io_req request;
    } cases[] = {
        {"no length", {.offset = 0, .length = 0}},
        {"half a block", {.offset = 0, .length = 256}},
        {"between blocks", {.offset = 256, .length = 512}},
        {"over the end", {.offset = 4 * TIB - 512, .length = 1024}},
        {"after the end", {.offset = 4 * TIB, .length = 512}},
        {"far after it", {.offset = UINT64_MAX - 511, .length = 512}},
        {"more than one command", {.offset = 0, .length = 512 * KIB + 512}},
    };
    struct scsi_command c;
    struct scsi_unit u = unit();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int write = 0; write < 2; write++) {
            struct io_req r = cases[i].request;
            r.command = write ? REQUEST_WRITE : REQUEST_READ;
            CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), -1);
        }
    struct io_req r = {.offset = size - 512, .length = 512, .command = REQUEST_READ};
    CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), 0);
    CHECK_INT(scsi_build(&u, &r, buffer, 256, &c), -1);
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), -1);
    static const uint8_t changes[] = {REQUEST_WRITE, REQUEST_WRITE_DURABLE, REQUEST_WRITE_ZEROES,
                                      REQUEST_TRIM,  REQUEST_FLUSH,         REQUEST_VERIFY};
    for (size_t i = 0; i < sizeof changes; i++) {
        r.command = changes[i];
        u = unit();
        CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), 0);
        u.writable = false;
        CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), -1);
        u = unit();
        u.usable = false;
        CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), -1);
    }
    u = unit();
    u.unmap_max = u.write_same_max = 0;
    u.forced_writes = false;
    for (size_t i = 0; i < sizeof changes; i++) {
        r.command = changes[i];
        bool has = changes[i] == REQUEST_WRITE || changes[i] == REQUEST_FLUSH ||
                   changes[i] == REQUEST_VERIFY;
        CHECK_INT(scsi_has_command(&u, changes[i]), has);
        CHECK_INT(scsi_build(&u, &r, buffer, sizeof buffer, &c), has ? 0 : -1);
    }
    CHECK(!scsi_has_command(&u, REQUEST_WRITE_UNCORRECTABLE));
    u = unit();
    u.unmap_max = 8;
    r = (struct io_req){.length = 4096, .command = REQUEST_TRIM};
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), 0);
    r.kind = 1; /* of two ranges */
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), -1);
    r = (struct io_req){.length = 4608, .command = REQUEST_TRIM};
    CHECK_INT(scsi_build(&u, &r, NULL, 0, &c), -1);
}

static void results(void)
{
    static uint8_t medium[18] = {0x70, 0, 3, [7] = 10, [12] = 0x11};
    const struct io_req r = {.length = 4096, .command = REQUEST_READ};
    struct io_statuses statuses = {0};
    char words[200];
    uint32_t bytes = 0;
    struct sg_io_hdr h = {.dxfer_len = 4096};
    CHECK_INT(scsi_result(&h, &r, &bytes, &statuses), 0);
    CHECK_INT(bytes, 4096);
    h.resid = 512;
    CHECK_INT(scsi_result(&h, &r, &bytes, &statuses), 0);
    CHECK_INT(bytes, 3584);
    h = (struct sg_io_hdr){.status = 2, .sbp = medium, .sb_len_wr = sizeof medium};
    CHECK_INT(scsi_result(&h, &r, &bytes, &statuses), ENODATA);
    CHECK_INT(bytes, 0);
    h = (struct sg_io_hdr){.host_status = 3};
    CHECK_INT(scsi_result(&h, &r, &bytes, &statuses), ETIMEDOUT);
    io_statuses_add(&statuses, 0x281); /* an NVMe status, which is not a SCSI status */
    CHECK_INT(io_statuses_total(&statuses), 3);
    CHECK_INT(io_statuses_of(&statuses, NVME_STATUS_MEDIA), 2);
    CHECK_INT(io_statuses_of(&statuses, NVME_STATUS_ABORTED), 1);
    CHECK_STR(io_statuses_words(&statuses, words, sizeof words),
              "1 x Unrecovered read error (medium error, 3h/11h/00h); "
              "1 x Timeout (host adapter, 03h); "
              "1 x Unrecovered Read Error (media and data integrity, 2h/81h)");
}

/* ---- the disk ---- */

#define PLACE "/sys/devices/pci0000:00/host0/target0:0:0/0:0:0:0"

/* sda with a partition, and sg0; sg1 is a tape, sg2 a disk that no driver has attached. */
static void make_machine(const struct tree *t)
{
    static const struct {
        const char *file, *text;
    } files[] = {
        {PLACE "/scsi_level", "6\n"},
        {PLACE "/type", "0\n"},
        {PLACE "/timeout", "30\n"},
        {PLACE "/block/sda/dev", "8:0\n"},
        {PLACE "/block/sda/size", "4194304\n"},
        {PLACE "/block/sda/queue/logical_block_size", "4096\n"},
        {PLACE "/block/sda/queue/max_hw_sectors_kb", "32767\n"},
        {PLACE "/block/sda/queue/max_segments", "126\n"},
        {PLACE "/block/sda/queue/discard_max_hw_bytes", "1073741824\n"},
        {PLACE "/block/sda/sda1/dev", "8:1\n"},
        {PLACE "/block/sda/sda1/partition", "1\n"},
        {PLACE "/scsi_generic/sg0/dev", "21:0\n"},
        {PLACE "/scsi_disk/0:0:0:0/cache_type", "write back\n"},
        {PLACE "/scsi_disk/0:0:0:0/FUA", "1\n"},
        {PLACE "/scsi_disk/0:0:0:0/max_write_same_blocks", "65535\n"},
        {PLACE "/scsi_disk/0:0:0:0/provisioning_mode", "unmap\n"},
        {"/sys/devices/other/scsi_level", "6\n"},
        {"/sys/devices/other/scsi_generic/sg2/dev", "21:2\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        tree_file(t, files[i].file, files[i].text);
    tree_folder(t, PLACE "/block/sda/holders");
    tree_folder(t, PLACE "/block/sda/sda1/holders");
    tree_link(t, PLACE "/block/sda/device", "../..");
    tree_link(t, PLACE "/scsi_generic/sg0/device", "../..");
    tree_link(t, "/sys/devices/other/scsi_generic/sg2/device", "../..");
#define NODE "../../devices/pci0000:00/host0/target0:0:0/0:0:0:0"
    tree_link(t, "/sys/dev/block/8:0", NODE "/block/sda");
    tree_link(t, "/sys/dev/block/8:1", NODE "/block/sda/sda1");
    tree_link(t, "/sys/dev/char/21:0", NODE "/scsi_generic/sg0");
    tree_link(t, "/sys/dev/char/21:2", "../../devices/other/scsi_generic/sg2");
    tree_file(t, "/proc/self/mountinfo", "");
    tree_folder(t, "/sys/block");
}

static void check_unusable(const struct tree *t, bool character, dev_t device, const char *why)
{
    struct scsi_unit u = SCSI_UNIT_NONE;
    struct err e = {0};
    scsi_unit_find(&u, t->folder, character, device);
    CHECK(!u.usable);
    CHECK_STR(u.why_not, why);
    CHECK_INT(scsi_unit_check(&u, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
}

static void finds(const struct tree *t)
{
    for (int generic = 0; generic < 2; generic++) {
        struct scsi_unit u = SCSI_UNIT_NONE;
        scsi_unit_find(&u, t->folder, generic, generic ? makedev(21, 0) : makedev(8, 0));
        CHECK_STR(u.why_not, "");
        CHECK(u.usable && !u.writable && u.generic == generic);
        CHECK_STR(u.block_name, "sda");
        CHECK_STR(u.generic_name, "sg0");
        CHECK(u.block_device == makedev(8, 0) && u.generic_device == makedev(21, 0));
        CHECK_INT(u.block_size, 4096);
        CHECK_INT(u.blocks, 4194304 / 8);
        CHECK_INT(u.transfer_max, 126 * 4096);
        CHECK_INT(u.unmap_max, 262144);
        CHECK_INT(u.write_same_max, 65535);
        CHECK_INT(u.timeout_ms, 30000);
        CHECK(u.write_cache && u.forced_writes);
        CHECK_STR(u.description, "sda, block 4096 B, at most 504 KiB per command, write cache on");
    }
    check_unusable(t, false, makedev(8, 1),
                   "it is a partition: a command would reach the whole disk");
    check_unusable(t, false, makedev(8, 16), "it is no SCSI disk");
    check_unusable(t, true, makedev(21, 2),
                   "no block device of this SCSI device is in sysfs, so it cannot be shown that "
                   "nothing uses it");
    check_unusable(t, true, makedev(1, 3), "it is no SCSI disk");
    tree_file(t, PLACE "/type", "5\n");
    check_unusable(t, true, makedev(21, 0), "it is no SCSI disk");
    tree_file(t, PLACE "/type", "0\n");
    tree_file(t, PLACE "/block/sda/size", "0\n");
    check_unusable(t, true, makedev(21, 0), "it has no capacity (no medium, or not ready)");
    tree_file(t, PLACE "/block/sda/size", "4194304\n");

    struct scsi_unit u = SCSI_UNIT_NONE;
    tree_file(t, PLACE "/scsi_disk/0:0:0:0/cache_type", "write through\n");
    tree_file(t, PLACE "/scsi_disk/0:0:0:0/provisioning_mode", "full\n");
    tree_file(t, PLACE "/scsi_disk/0:0:0:0/FUA", "0\n");
    scsi_unit_find(&u, t->folder, false, makedev(8, 0));
    CHECK(u.usable && !u.write_cache && !u.forced_writes && !u.unmap_max);
    /* without knowledge of the cache it is assumed to need a flush */
    tree_remove(t, PLACE "/scsi_disk");
    scsi_unit_find(&u, t->folder, false, makedev(8, 0));
    CHECK(u.usable && u.write_cache);
}

static void guards(const struct tree *t)
{
    static const char *const mounted[] = {"8:0", "8:1"};
    struct err e = {0};
    char name[64] = "", table[128];
    dev_t block = 0;
    CHECK_INT(target_guard_generic(t->folder, makedev(21, 0), "/dev/sg0", NULL, &block, name, &e),
              0);
    CHECK(block == makedev(8, 0));
    CHECK_STR(name, "sda");
    for (int i = 0; i < 2; i++) {
        snprintf(table, sizeof table, "36 1 %s / /srv rw - ext4 /dev/sda rw\n", mounted[i]);
        tree_file(t, "/proc/self/mountinfo", table);
        CHECK_INT(
            target_guard_generic(t->folder, makedev(21, 0), "/dev/sg0", NULL, &block, name, &e),
            -1);
        CHECK_INT(e.code, ERR_UNSAFE);
        CHECK(strstr(e.msg, "a mounted filesystem (/srv)") != NULL);
    }
    tree_file(t, "/proc/self/mountinfo", "");
    CHECK_INT(target_guard_generic(t->folder, makedev(21, 2), "/dev/sg2", NULL, &block, name, &e),
              -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_STR(e.msg, "/dev/sg2: no block device of this SCSI device is in sysfs, so it cannot be "
                     "shown that nothing uses it");
}

int main(void)
{
    struct tree t;
    forms();
    data_of_commands();
    never_built();
    results();
    tree_begin(&t);
    make_machine(&t);
    finds(&t);
    guards(&t);
    tree_end(&t);
    return check_result();
}
