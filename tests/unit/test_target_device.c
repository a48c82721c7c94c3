/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are block devices, on loop devices: what --destroy permits and what it does not. */
#include "check.h"

#include <errno.h>
#include <linux/blkpg.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/target/target.h"
#include "loop_device.h"

enum { MIB = 1 << 20 };

static char folder[64];

/* Makes an unnamed file of that many MiB in /tmp, full of random data or of holes. */
static int backing_file(unsigned mib, bool noise)
{
    static unsigned char data[MIB];
    int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)mib * MIB))
        return fd;
    for (unsigned i = 0; noise && i < mib; i++) {
        write_data_fill(data, sizeof data, i, 1);
        CHECK_INT(pwrite(fd, data, sizeof data, (off_t)i * MIB), MIB);
    }
    return fd;
}

static void check_refused(const struct target_request *request, enum err_code code,
                          const char *text)
{
    struct target t;
    struct err e = {0};
    CHECK_INT(target_open(&t, request, NULL, NULL, NULL, &e), -1);
    CHECK_INT(e.code, code);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
}

static void check_opens(const struct target_request *request, struct target *t)
{
    struct err e = {0};
    int status = -1;
    /* A program that looks for a free loop device opens each of them exclusively for a moment. */
    for (int i = 0; i < 40 && status; i++) {
        e = (struct err){0};
        status = target_open(t, request, NULL, NULL, NULL, &e);
        if (status && e.code == ERR_UNSAFE)
            usleep(50000);
    }
    CHECK_STR(e.msg, "");
    CHECK_INT(fcntl(t->fd, F_GETFL) & O_ACCMODE, request->write ? O_RDWR : O_RDONLY);
}

static void check_plain_device(void)
{
    struct loop_device l;
    struct target t;
    CHECK(loop_attach(&l, backing_file(4, true)));
    struct target_request request = {.path = l.path, .read = true, .direct = true};
    check_opens(&request, &t);
    CHECK_INT(t.kind, TARGET_BLOCK_DEVICE);
    CHECK_INT(t.size, 4 * MIB);
    CHECK_INT(t.logical_block, 512);
    CHECK_NEAR(t.unwritten_share, 0, 1e-12);
    CHECK(!*t.note && !t.made_by_us);
    target_close(&t);

    request.write = true;
    check_refused(&request, ERR_UNSAFE, "--destroy says that you mean it");
    request.overwrite = true;
    check_refused(&request, ERR_UNSAFE, "--destroy says that you mean it");
    request.destroy = true;
    check_opens(&request, &t);
    /* reserved for the time of the run */
    CHECK(open(l.path, O_RDWR | O_EXCL) < 0 && errno == EBUSY);
    check_refused(&request, ERR_UNSAFE, "the kernel says it is in use");
    target_close(&t);
    check_opens(&request, &t);
    target_close(&t);
    loop_detach(&l);
}

static void check_zeros(void)
{
    struct loop_device l;
    struct target t;
    CHECK(loop_attach(&l, backing_file(4, false)));
    struct target_request request = {.path = l.path, .read = true, .direct = true};
    check_refused(&request, ERR_UNSAFE, "100 % of it was never written");
    request.allow_unwritten = true;
    check_opens(&request, &t);
    CHECK_NEAR(t.unwritten_share, 1, 1e-12);
    CHECK(strstr(t.note, "never written") != NULL);
    target_close(&t);
    request =
        (struct target_request){.path = l.path, .write = true, .direct = true, .destroy = true};
    check_opens(&request, &t); /* for writes only, an empty device is accepted */
    target_close(&t);
    loop_detach(&l);
}

static bool make_filesystem(const char *device)
{
    char name[] = "mkfs.ext4", quiet[] = "-q", extended[] = "-E", no_discard[] = "nodiscard";
    char path[40];
    snprintf(path, sizeof path, "%s", device);
    char *arguments[] = {name, quiet, extended, no_discard, path, NULL};
    pid_t child;
    int status = -1;
    if (posix_spawnp(&child, name, NULL, NULL, arguments, environ))
        return false;
    return waitpid(child, &status, 0) == child && status == 0;
}

static void check_mounted(void)
{
    struct loop_device l;
    struct target t;
    char expected[256];
    CHECK(loop_attach(&l, backing_file(8, true)));
    struct target_request request = {
        .path = l.path, .read = true, .write = true, .direct = true, .destroy = true};
    if (!make_filesystem(l.path) || mount(l.path, folder, "ext4", 0, "")) {
        check_part_skipped("cannot make and mount a filesystem");
        loop_detach(&l);
        return;
    }
    snprintf(expected, sizeof expected,
             "%s: it holds a mounted filesystem (%s); --destroy will not override this", l.path,
             folder);
    check_refused(&request, ERR_UNSAFE, expected);
    request.write = false;
    check_opens(&request, &t); /* reading harms nothing */
    target_close(&t);

    CHECK_INT(mount(NULL, folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    char file[128];
    snprintf(file, sizeof file, "%s/new", folder);
    request = (struct target_request){.path = file, .read = true, .size = MIB};
    check_refused(&request, ERR_MACHINE, "read-only");
    CHECK_INT(umount(folder), 0);
    loop_detach(&l);
}

/* Adds a partition in the kernel; no table on the disk is needed for that. */
static bool add_partition(int fd, int number, long long begin, long long length)
{
    struct blkpg_partition p = {.start = begin, .length = length, .pno = number};
    struct blkpg_ioctl_arg request = {.op = BLKPG_ADD_PARTITION, .datalen = sizeof p, .data = &p};
    return !syscall(SYS_ioctl, fd, BLKPG, &request);
}

static void check_partitions(void)
{
    struct loop_device l;
    struct target t;
    struct stat st;
    char first[40], second[40];
    CHECK(loop_attach(&l, backing_file(16, true)));
    snprintf(first, sizeof first, "%sp1", l.path);
    snprintf(second, sizeof second, "%sp2", l.path);
    bool made = add_partition(l.fd, 1, MIB, 7 * MIB) && add_partition(l.fd, 2, 8 * MIB, 8 * MIB);
    for (int i = 0; made && i < 100 && (stat(first, &st) || stat(second, &st)); i++)
        usleep(20000); /* udev may have to make the names */
    if (!made || !make_filesystem(first) || mount(first, folder, "ext4", 0, "")) {
        check_part_skipped("cannot make and mount partitions");
        loop_detach(&l);
        return;
    }
    struct target_request request = {
        .path = l.path, .write = true, .direct = true, .destroy = true};
    check_refused(&request, ERR_UNSAFE, "p1 holds a mounted filesystem");
    request.path = first;
    check_refused(&request, ERR_UNSAFE, "it holds a mounted filesystem");
    request.path = second;
    check_opens(&request, &t);
    CHECK_INT(t.size, 8 * MIB);
    target_close(&t);
    CHECK_INT(umount(folder), 0);
    request.path = l.path;
    check_opens(&request, &t);
    target_close(&t);
    loop_detach(&l);
}

/* A filesystem of 8 MiB: files that do not fit are refused; a scratch file takes a quarter. */
static void check_small_filesystem(void)
{
    struct target t;
    if (mount("cupel-test", folder, "tmpfs", 0, "size=8m")) {
        check_part_skipped("cannot mount a tmpfs");
        return;
    }
    char file[128];
    snprintf(file, sizeof file, "%s/file", folder);
    struct target_request request = {.path = file, .read = true, .size = 16 * MIB};
    check_refused(&request, ERR_TARGET, "give a smaller --size");
    request = (struct target_request){.path = folder, .read = true};
    check_opens(&request, &t);
    CHECK_INT(t.size, 2 * MIB);
    CHECK(strstr(t.note, "a quarter of the free space") != NULL);
    target_close(&t);
    CHECK_INT(umount(folder), 0);
}

int main(void)
{
    struct loop_device l;
    snprintf(folder, sizeof folder, "/tmp/cupel-device-XXXXXX");
    if (geteuid() != 0 || !loop_attach(&l, backing_file(1, false))) {
        check_part_skipped("needs root and loop devices");
        return CHECK_SKIPPED;
    }
    loop_detach(&l);
    if (!mkdtemp(folder))
        return CHECK_SKIPPED;
    check_plain_device();
    check_zeros();
    check_mounted();
    check_partitions();
    check_small_filesystem();
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
