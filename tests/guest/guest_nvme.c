/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVMe namespaces as targets, and the nvme backend, on the drives of tests/e2e/qemu_nvme.sh: data,
 * splitting, layouts of metadata, statuses, and everything that must be refused.
 *
 * Longer than 500 lines because it is one program for one boot of an emulated machine.
 */
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "nvme_drives.h"

#include "io/device/block_device.h"
#include "io/io.h"
#include "io/nvme/device_failures.h"
#include "io/nvme/nvme_io.h"
#include "io/target/target.h"

enum { KIB = 1024, MIB = 1 << 20, STRIDE = 256 * KIB, BAD_BYTE = MIB };

#define OUR_NUMBERS 200000000000000u /* qemu_nvme.sh looks for them in plain.img */

static _Alignas(4096) unsigned char buffers[4 * STRIDE];
static struct clock clock_of_test;

struct paths {
    char block[64], generic[64];
};

/* Finds both devices of a namespace; the generic one through sysfs. */
static bool find(const char *serial, const char *nsid, struct paths *p)
{
    char name[64];
    struct stat st;
    struct nvme_place place;
    CHECK(find_namespace(serial, nsid, name));
    (void)snprintf(p->block, sizeof p->block, "/dev/%.58s", name);
    if (!guest_wait_for(p->block, 5000) || stat(p->block, &st))
        return false;
    CHECK_INT(nvme_place_of("", false, st.st_rdev, &place), NVME_PLACE_NAMESPACE);
    (void)snprintf(p->generic, sizeof p->generic, "/dev/%.58s", place.generic);
    return guest_wait_for(p->generic, 5000);
}

static void check_refused(const char *path, bool write, enum err_code code, const char *text)
{
    struct err e = {0};
    struct target t;
    struct target_request request = request_for(path, write);
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), -1);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
}

static bool open_with(const struct io_ops *ops, struct io_backend *b, struct io_setup *setup,
                      const struct target *t)
{
    struct err e = {0};
    *setup = (struct io_setup){.clock = &clock_of_test,
                               .fd = t->fd,
                               .direct = t->direct,
                               .iodepth = 4,
                               .buffers = buffers,
                               .buffer_stride = STRIDE,
                               .nvme = &t->nvme};
    *b = (struct io_backend){0};
    if (!ops->open(b, setup, &e))
        return true;
    CHECK_STR(e.msg, "");
    return false;
}

static bool open_backend(struct io_backend *b, struct io_setup *setup, const struct target *t)
{
    return open_with(&io_nvme, b, setup, t);
}

static struct io_done do_one(struct io_backend *b, enum request_command op, uint64_t offset,
                             uint32_t length)
{
    struct io_req request = {.offset = offset, .length = length, .slot = 1, .command = (uint8_t)op};
    struct io_done done = {.error = -1};
    struct err e = {0};
    CHECK_INT(b->ops->submit(b, &request, 1, &e), 1);
    CHECK_INT(b->ops->reap(b, &done, 1, 1, &e), 1);
    CHECK_INT(done.slot, 1);
    return done;
}

/* Reads of several lengths at several places return `first`'s numbers. */
static void check_reads(const struct target *t, uint64_t first)
{
    static const uint32_t lengths[] = {4 * KIB, 64 * KIB, 20 * KIB, STRIDE};
    struct io_backend b;
    struct io_setup setup;
    if (!open_backend(&b, &setup, t))
        return;
    for (unsigned i = 0; i < 12; i++) {
        uint32_t length = lengths[i % 4];
        if (length % t->logical_block)
            continue;
        uint64_t offset = i * (uint64_t)MIB / 4, most = t->size - length;
        offset = (offset < most ? offset : most) / t->logical_block * t->logical_block;
        memset(buffers + STRIDE, 0, length);
        struct io_done done = do_one(&b, REQUEST_READ, offset, length);
        CHECK_INT(done.error, 0);
        CHECK_INT(done.bytes, length);
        CHECK(done.t_cpl > done.t_sub);
        CHECK(holds_numbers(buffers + STRIDE, first, offset, length));
    }
    CHECK_INT(b.statuses.count, 0);
    CHECK(strstr(b.description, t->nvme.description) != NULL);
    b.ops->close(&b);
}

/* Writes this test's numbers to [begin, end) and reads them back. */
static void check_writes(const struct target *t, uint64_t begin, uint64_t end, uint32_t length)
{
    struct io_backend b;
    struct io_setup setup;
    if (!open_backend(&b, &setup, t))
        return;
    CHECK_INT(do_one(&b, REQUEST_READ, end, length).error,
              0); /* metadata that was read must not be written */
    for (uint64_t offset = begin; offset < end; offset += length) {
        fill_numbers(buffers + STRIDE, OUR_NUMBERS, offset, length);
        struct io_done done = do_one(&b, REQUEST_WRITE, offset, length);
        CHECK_INT(done.error, 0);
        CHECK_INT(done.bytes, length);
        memset(buffers + STRIDE, 0, length);
        done = do_one(&b, REQUEST_READ, offset, length);
        CHECK_INT(done.error, 0);
        CHECK(holds_numbers(buffers + STRIDE, OUR_NUMBERS, offset, length));
    }
    b.ops->close(&b);
}

/* ---- a plain drive: 16 MiB, 16 KiB for one command ---- */

static void plain_reads(const struct paths *p)
{
    struct target t;
    struct stat st;
    if (!open_target(&t, p->block, false))
        return;
    CHECK_INT(t.kind, TARGET_BLOCK_DEVICE);
    CHECK(t.nvme.is_nvme && t.nvme.usable && !t.nvme.writable);
    CHECK_STR(t.nvme.description,
              "namespace 1, LBA 512 B, at most 16 KiB per command, volatile write cache on");
    CHECK_STR(t.nvme.generic_path, p->generic);
    CHECK_INT(fcntl(t.nvme.generic_fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    CHECK_INT(t.nvme.blocks, 16 * MIB / 512);
    CHECK_INT(t.nvme.block_fd, t.fd);
    CHECK(!t.nvme.poll_queues);
    check_reads(&t, HOST_NUMBERS);
    target_close(&t);

    if (!open_target(&t, p->generic, false))
        return;
    CHECK_INT(t.kind, TARGET_GENERIC);
    CHECK_INT(t.size, 16 * MIB);
    CHECK_INT(t.logical_block, 512);
    CHECK(!stat(p->block, &st) && t.device == st.st_rdev);
    CHECK_INT(t.exclusive_fd, -1);
    CHECK_INT(t.nvme.block_fd, -1);
    CHECK_INT(fcntl(t.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    CHECK_NEAR(t.unwritten_share, 0, 1e-12);
    check_reads(&t, HOST_NUMBERS);
    target_close(&t);
}

/* A read-only target cannot write, although the kernel would let root. */
static void no_writes(const struct paths *p)
{
    struct target t;
    struct io_backend b;
    struct io_setup setup;
    for (int generic = 0; generic < 2; generic++) {
        if (!open_target(&t, generic ? p->generic : p->block, false) ||
            !open_backend(&b, &setup, &t))
            return;
        memset(buffers, 'x', sizeof buffers);
        CHECK_INT(do_one(&b, REQUEST_WRITE, 0, 4096).error, EINVAL);
        b.ops->close(&b);
        check_reads(&t, HOST_NUMBERS);
        target_close(&t);
    }
}

static void plain_writes(const struct paths *p)
{
    struct target t;
    static _Alignas(4096) unsigned char data[MIB];
    struct target_request request = request_for(p->generic, true);
    struct err e = {0};
    request.destroy = false;
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "--destroy says that you mean it") != NULL);

    if (!open_target(&t, p->generic, true))
        return;
    CHECK(t.exclusive_fd >= 0 && t.nvme.writable);
    CHECK_INT(fcntl(t.exclusive_fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    /* reserved for the time of the run */
    CHECK(open(p->block, O_RDWR | O_EXCL) < 0 && errno == EBUSY);
    check_writes(&t, 4 * MIB, 5 * MIB, 64 * KIB);
    target_close(&t);

    if (!open_target(&t, p->block, true))
        return;
    CHECK_INT(fcntl(t.nvme.generic_fd, F_GETFL) & O_ACCMODE, O_RDWR);
    check_refused(p->generic, true, ERR_UNSAFE, "the kernel says it is in use");
    check_writes(&t, 5 * MIB, 6 * MIB, 4 * KIB);
    target_close(&t);

    /* The block layer reads what passthrough wrote. */
    int fd = open(p->block, O_RDONLY | O_DIRECT | O_EXCL);
    CHECK(fd >= 0); /* no longer reserved */
    CHECK_INT(pread(fd, data, MIB, 4 * MIB), MIB);
    CHECK(holds_numbers(data, OUR_NUMBERS, 4 * MIB, MIB));
    CHECK_INT(pread(fd, data, MIB, 5 * MIB), MIB);
    CHECK(holds_numbers(data, OUR_NUMBERS, 5 * MIB, MIB));
    CHECK_INT(pread(fd, data, MIB, 6 * MIB), MIB);
    CHECK(holds_numbers(data, HOST_NUMBERS, 6 * MIB, MIB));
    check_refused(p->generic, true, ERR_UNSAFE, "the kernel says it is in use");
    close(fd);
}

/* Requests past the end are refused here; if the namespace is taken for larger than it is, the
   device refuses them. */
static void out_of_range(const struct paths *p)
{
    struct target t;
    struct io_backend b;
    struct io_setup setup;
    char words[200];
    if (!open_target(&t, p->block, false))
        return;
    struct nvme_namespace larger = t.nvme;
    larger.blocks *= 2;
    if (!open_backend(&b, &setup, &t))
        return;
    CHECK_INT(do_one(&b, REQUEST_READ, t.size, 4096).error, EINVAL);
    CHECK_INT(do_one(&b, REQUEST_READ, t.size - 2048, 4096).error, EINVAL);
    CHECK_INT(b.statuses.count, 0);
    b.ops->close(&b);

    struct nvme_device device = {.fd = t.nvme.generic_fd};
    struct io_statuses statuses = {0};
    struct io_req request = {.offset = t.size, .length = 4096};
    CHECK_INT(nvme_perform(&larger, nvme_send, &device, &request, buffers, STRIDE, NULL, &statuses),
              EREMOTEIO);
    CHECK_STR(io_statuses_words(&statuses, words, sizeof words),
              "1 x LBA Out of Range (generic, 0h/80h), do not retry");
    /* Without splitting, the kernel or the device refuses requests that are too large. */
    larger.transfer_max = 64 * KIB;
    request = (struct io_req){.length = 64 * KIB};
    CHECK_INT(nvme_perform(&larger, nvme_send, &device, &request, buffers, STRIDE, NULL, &statuses),
              EINVAL);
    CHECK(!device.old_kernel);
    target_close(&t);
}

/* From Linux 6.2 on, commands that change nothing only need permission to open the file. */
static bool anyone_may_pass(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;
    return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 2));
}

/* Without rights the answer says so, and the block device still works. */
static void without_rights(const struct paths *p)
{
    const bool may = anyone_may_pass();
    CHECK_INT(chmod(p->block, 0666), 0);
    CHECK_INT(chmod(p->generic, 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        struct target t;
        check_failures = 0;
        CHECK_INT(setresuid(65534, 65534, 65534), 0);
        if (open_target(&t, p->block, false)) {
            CHECK(t.nvme.is_nvme && t.nvme.usable == may);
            CHECK_STR(t.nvme.why_not, may ? "" : "passthrough is not permitted (CAP_SYS_ADMIN)");
            target_close(&t);
        }
        if (!may)
            check_refused(p->generic, false, ERR_MACHINE, "passthrough is not permitted");
        _exit(check_failures != 0);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    CHECK_INT(chmod(p->block, 0600), 0);
    CHECK_INT(chmod(p->generic, 0600), 0);
}

static void plain(void)
{
    struct paths p = {0};
    if (!find("plain", "1", &p))
        return;
    plain_reads(&p);
    no_writes(&p);
    plain_writes(&p);
    out_of_range(&p);
    without_rights(&p);
}

/* ---- in use ---- */

static void mounted(void)
{
    struct paths p = {0};
    struct target t;
    CHECK(mkdir("/tmp/there", 0755) == 0);
    if (!find("filesystem", "1", &p))
        return;
    CHECK_INT(mount(p.block, "/tmp/there", "vfat", 0, ""), 0);
    check_refused(p.generic, true, ERR_UNSAFE, "it holds a mounted filesystem (/tmp/there)");
    if (open_target(&t, p.generic, false)) /* reading harms nothing */
        target_close(&t);
    CHECK_INT(umount("/tmp/there"), 0);
    if (!open_target(&t, p.generic, true))
        return;
    CHECK(mount(p.block, "/tmp/there", "vfat", 0, "") && errno == EBUSY);
    target_close(&t);
    CHECK_INT(mount(p.block, "/tmp/there", "vfat", 0, ""), 0);
    CHECK_INT(umount("/tmp/there"), 0);
}

static void partitions(void)
{
    struct paths p = {0};
    struct target t;
    struct io_backend b = {0};
    struct err e = {0};
    char first[80];
    if (!find("parts", "1", &p))
        return;
    (void)snprintf(first, sizeof first, "%sp1", p.block);
    CHECK(guest_wait_for(first, 5000));
    for (int write = 0; write < 2; write++) {
        if (!open_target(&t, first, write))
            return;
        CHECK(!t.nvme.is_nvme && !t.nvme.usable && !t.nvme.writable);
        CHECK_INT(t.nvme.generic_fd, -1);
        CHECK(strstr(t.nvme.why_not, "it is a partition") != NULL);
        struct io_setup setup = {.fd = t.fd, .iodepth = 1, .nvme = &t.nvme};
        CHECK_INT(io_nvme.open(&b, &setup, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        if (write) /* the whole namespace is in use while its partition is */
            check_refused(p.generic, true, ERR_UNSAFE, "the kernel says it is in use");
        target_close(&t);
    }
    CHECK_INT(mount(first, "/tmp/there", "vfat", 0, ""), 0);
    check_refused(p.generic, true, ERR_UNSAFE, "p1 holds a mounted filesystem (/tmp/there)");
    CHECK_INT(umount("/tmp/there"), 0);
}

/* The controller's own device is not a namespace. */
static void controller(void)
{
    check_refused("/dev/nvme0", false, ERR_USAGE, "it is a character device");
    check_refused("/dev/nvme0", true, ERR_USAGE, "it is a character device");
}

/* ---- other formats ---- */

/* A command has at most 508 KiB where Linux joins 127 pages, as 6.1 does, and otherwise the drive's
   limit, 512 KiB. */
static void check_format(const char *nsid, const char *with_508, const char *with_512)
{
    struct paths p = {0};
    struct target t;
    if (!find("formats", nsid, &p) || !open_target(&t, p.generic, false))
        return;
    CHECK_STR(t.nvme.description, strstr(t.nvme.description, "508") ? with_508 : with_512);
    check_reads(&t, HOST_NUMBERS);
    target_close(&t);
    if (!open_target(&t, p.generic, true))
        return;
    check_writes(&t, MIB, 3 * (uint64_t)MIB / 2, 256 * KIB);
    target_close(&t);
}

/* Metadata that was read is not written elsewhere: qemu_nvme.sh checks for zeros beside the written
   data. */
static void check_metadata(void)
{
    struct paths p = {0};
    struct target t;
    struct io_backend b;
    struct io_setup setup;
    if (!find("formats", "1", &p) || !open_target(&t, p.generic, true))
        return;
    if (open_with(&io_nvme_uring, &b, &setup, &t)) {
        CHECK_INT(do_one(&b, REQUEST_READ, 6 * MIB, STRIDE).error, 0);
        fill_numbers(buffers + STRIDE, OUR_NUMBERS, 4 * MIB, STRIDE);
        CHECK_INT(do_one(&b, REQUEST_WRITE, 4 * MIB, STRIDE).error, 0);
        b.ops->close(&b);
        CHECK(b.flush.needed);
        CHECK_INT(b.flush.error, 0);
    }
    target_close(&t);
}

static void formats(void)
{
    struct paths p = {0};
    check_metadata();
#define FORMAT_1(kib)                                                                              \
    "namespace 1, LBA 512 B + 16 B of metadata, at most " kib                                      \
    " KiB per command, volatile write cache on"
#define FORMAT_4(kib)                                                                              \
    "namespace 4, LBA 4096 B, at most " kib " KiB per command, volatile write cache on"
    check_format("1", FORMAT_1("508"), FORMAT_1("512"));
    check_format("4", FORMAT_4("508"), FORMAT_4("512"));
    /* The host cannot make protection information, so the test writes first. */
    struct target t;
    if (find("formats", "2", &p) && open_target(&t, p.generic, true)) {
        CHECK_INT(t.nvme.protection, 1);
        check_writes(&t, 0, 2 * MIB, 256 * KIB);
        target_close(&t);
        static _Alignas(4096) unsigned char data[MIB];
        int fd = open(p.block, O_RDONLY | O_DIRECT);
        CHECK_INT(pread(fd, data, MIB, MIB), MIB); /* the kernel checks guard and reference tag */
        CHECK(holds_numbers(data, OUR_NUMBERS, MIB, MIB));
        close(fd);
    }
    if (find("formats", "3", &p))
        check_refused(p.generic, false, ERR_MACHINE, "extended LBAs");
    /* For LBAs larger than a page the kernel has no usable block device; passthrough works. */
    if (find("formats", "5", &p) && open_target(&t, p.generic, false)) {
        CHECK_INT(t.logical_block, 65536);
        CHECK_NEAR(t.unwritten_share, 0, 1e-12);
        check_reads(&t, HOST_NUMBERS);
        target_close(&t);
    }
}

/* ---- two paths to one namespace, and a private one beside it ---- */

static void multipath(void)
{
    struct paths p = {0};
    struct target t;
    if (find("shared", "1", &p) && open_target(&t, p.generic, true)) {
        CHECK(t.nvme.block_device == t.device && t.device != 0);
        CHECK(access("/sys/class/nvme-subsystem", F_OK) == 0);
        CHECK(open(p.block, O_RDWR | O_EXCL) < 0 && errno == EBUSY);
        check_writes(&t, MIB, 2 * MIB, 64 * KIB);
        target_close(&t);
        if (open_target(&t, p.block, false)) {
            CHECK(t.nvme.usable && t.nvme.generic_fd >= 0);
            target_close(&t);
        }
    }
    if (find("shared", "2", &p)) {
        if (open_target(&t, p.generic, true)) {
            CHECK_INT(t.nvme.nsid, 2);
            check_reads(&t, HOST_NUMBERS);
            target_close(&t);
        }
        int fd = open(p.block, O_RDONLY | O_EXCL);
        CHECK(fd >= 0);
        check_refused(p.generic, true, ERR_UNSAFE, "the kernel says it is in use");
        close(fd);
    }
}

/* ---- a sector that cannot be read ---- */

static void media_error(void)
{
    struct paths p = {0};
    struct target t;
    struct io_backend b;
    struct io_setup setup;
    char words[200];
    if (!find("bad", "1", &p) || !open_target(&t, p.block, false) || !open_backend(&b, &setup, &t))
        return;
    for (int i = 0; i < 3; i++) {
        struct io_done done = do_one(&b, REQUEST_READ, BAD_BYTE, 4096);
        CHECK_INT(done.error, ENODATA);
        CHECK_INT(done.bytes, 0);
    }
    CHECK_INT(do_one(&b, REQUEST_READ, BAD_BYTE + 4096, 4096).error, 0);
    CHECK(strstr(io_statuses_words(&b.statuses, words, sizeof words),
                 "3 x Unrecovered Read Error (media and data integrity, 2h/81h)") == words);
    CHECK_INT(io_statuses_of(&b.statuses, NVME_STATUS_MEDIA), 3);
    /* As the block layer words it. */
    CHECK(pread(t.fd, buffers, 4096, BAD_BYTE) < 0 && errno == ENODATA);
    b.ops->close(&b);
    target_close(&t);
}

static void test(void)
{
    clock_calibrate(&clock_of_test, 10, false);
    plain();
    mounted();
    partitions();
    controller();
    formats();
    multipath();
    media_error();
}

int main(void)
{
    return guest_run(test);
}
