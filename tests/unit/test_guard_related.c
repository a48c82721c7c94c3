/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding who uses the data below a device, or shares it, on a made-up machine: loop devices on
 * devices and on files, device mapper and md. The cases are those of the table in guard.h.
 */
#include "guard_fixture.h"

#include <fcntl.h>
#include <linux/fs.h>

#define NO_OVERRIDE "; --destroy will not override this"
#define MIB         2048 /* sectors */

static char *files[2]; /* real files, used in the made-up machine */

static void make_link(const char *folder, const char *where, const char *name)
{
    char path[512], link[600], target[600];
    snprintf(path, sizeof path, "/sys/%s/%s", folder, where);
    make_folders(path);
    snprintf(path, sizeof path, "/sys/%s/%s/%s", folder, where, name);
    snprintf(target, sizeof target, "%s/sys/block/%s", root, name);
    CHECK_INT(symlink(target, below(path, link)), 0);
}

/* Adds a device that is found by its name, as the device below a loop device is. */
static void make_named(const char *name, const char *number)
{
    char folder[64], path[512], link[600], target[600];
    snprintf(folder, sizeof folder, "block/%s", name);
    make_device(folder, number);
    snprintf(path, sizeof path, "/sys/class/block/%s", name);
    snprintf(target, sizeof target, "../../block/%s", name);
    CHECK_INT(symlink(target, below(path, link)), 0);
}

static void make_partition(const char *disk, const char *name, const char *number)
{
    char folder[64], path[512], link[600], target[600];
    snprintf(folder, sizeof folder, "block/%s/%s", disk, name);
    make_device(folder, number);
    snprintf(path, sizeof path, "/sys/%s/partition", folder);
    write_file(path, "1\n");
    snprintf(path, sizeof path, "/sys/class/block/%s", name);
    snprintf(target, sizeof target, "../../%s", folder);
    CHECK_INT(symlink(target, below(path, link)), 0);
}

static void set_loop(const char *name, const char *backing, unsigned offset, unsigned sectors)
{
    char path[512], text[600];
    snprintf(path, sizeof path, "/sys/block/%s/loop", name);
    make_folders(path);
    snprintf(path, sizeof path, "/sys/block/%s/loop/backing_file", name);
    snprintf(text, sizeof text, "%s\n", backing);
    write_file(path, text);
    snprintf(path, sizeof path, "/sys/block/%s/loop/offset", name);
    snprintf(text, sizeof text, "%u\n", offset);
    write_file(path, text);
    snprintf(path, sizeof path, "/sys/block/%s/size", name);
    snprintf(text, sizeof text, "%u\n", sectors);
    write_file(path, text);
}

static void detach(const char *name)
{
    char path[512], full[600];
    snprintf(path, sizeof path, "/sys/block/%s/loop/backing_file", name);
    CHECK_INT(unlink(below(path, full)), 0);
}

static void mount_of(const char *number)
{
    char line[128];
    snprintf(line, sizeof line, "36 1 %s / /srv rw - ext4 /dev/x rw\n", number);
    mounts(line);
}

static void swap_on(const char *path)
{
    char text[700];
    snprintf(text, sizeof text, "Filename\tType\tSize\n%s file 4 0 -2\n", path);
    write_file("/proc/swaps", text);
}

/* Checks that a mount of `number` refuses `device`, with this in the message. */
static void check_mount_refuses(const char *number, unsigned major_number, unsigned minor_number,
                                const char *subject)
{
    char expected[256];
    mount_of(number);
    snprintf(expected, sizeof expected, "/dev/t: %s holds a mounted filesystem (/srv)" NO_OVERRIDE,
             subject);
    check_used(major_number, minor_number, "/dev/t", expected);
    mounts("");
    check_free(major_number, minor_number);
}

static void check_mount_allows(const char *number, unsigned major_number, unsigned minor_number)
{
    mount_of(number);
    check_free(major_number, minor_number);
    mounts("");
}

/*
 * sda with sda1 and sda2, sdb; loops 0 to 9; LVM on sdh: dm-5 and dm-6, dm-7 on dm-5; md1 of sdi
 * and sdj, where sdi has a partition.
 */
static void make_machine(void)
{
    static const char *const names[][2] = {
        {"sda", "8:0"},    {"sdb", "8:16"},   {"sdh", "8:112"}, {"sdi", "8:128"}, {"sdj", "8:144"},
        {"loop0", "7:0"},  {"loop1", "7:1"},  {"loop2", "7:2"}, {"loop3", "7:3"}, {"dm-5", "252:5"},
        {"dm-6", "252:6"}, {"dm-7", "252:7"}, {"md1", "9:1"},
    };
    make_folders("/sys/dev/block");
    make_folders("/sys/class/block");
    make_folders("/proc/self");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        make_named(names[i][0], names[i][1]);
    make_partition("sda", "sda1", "8:1");
    make_partition("sda", "sda2", "8:2");
    make_partition("sdi", "sdi1", "8:129");
    make_partition("loop1", "loop1p1", "259:1");
    make_link("block/sdh", "holders", "dm-5");
    make_link("block/sdh", "holders", "dm-6");
    make_link("block/dm-5", "holders", "dm-7");
    make_link("block/dm-5", "slaves", "sdh");
    make_link("block/dm-6", "slaves", "sdh");
    make_link("block/dm-7", "slaves", "dm-5");
    make_link("block/md1", "slaves", "sdi");
    make_link("block/md1", "slaves", "sdj");
    make_link("block/sdi", "holders", "md1");
    make_link("block/sdj", "holders", "md1");
    mounts("");
}

static void check_loop_on_device(void)
{
    set_loop("loop0", "/dev/sdb", 0, 8 * MIB);
    check_mount_refuses("8:16", 7, 0, "sdb, which it is built on,");
    check_used(8, 16, "/dev/sdb", "/dev/sdb: loop0 is built on it (a loop device)" NO_OVERRIDE);
    /* Loops on loops, to any depth, and their partitions. */
    set_loop("loop1", "/dev/loop0", 0, 8 * MIB);
    set_loop("loop2", "/dev/loop1", 0, 8 * MIB);
    check_mount_refuses("8:16", 7, 2, "sdb, which it is built on,");
    check_mount_refuses("7:0", 7, 2, "loop0, which it is built on,");
    check_mount_refuses("259:1", 7, 2, "loop1p1, of the disk it is built on,");
    detach("loop2");
    check_mount_refuses("8:16", 259, 1, "sdb, which it is built on,");
    check_used(7, 0, "/dev/loop0", "/dev/loop0: loop1 is built on it (a loop device)" NO_OVERRIDE);
    check_used(8, 16, "/dev/sdb", "/dev/sdb: loop0 is built on it (a loop device)" NO_OVERRIDE);
    /* Two on one device. */
    set_loop("loop1", "/dev/sdb", 0, 8 * MIB);
    mount_of("7:1");
    check_used(
        7, 0, "/dev/t",
        "/dev/t: loop1, which is built on it, holds a mounted filesystem (/srv)" NO_OVERRIDE);
    mounts("");
    check_used(7, 0, "/dev/t", "/dev/t: loop1 is built on it (a loop device)" NO_OVERRIDE);
    detach("loop1");
    /* A disk and its partitions. */
    set_loop("loop0", "/dev/sda", 0, 8 * MIB);
    check_mount_refuses("8:1", 7, 0, "sda1, of the disk it is built on,");
    check_used(8, 1, "/dev/sda1", "/dev/sda1: loop0 is built on it (a loop device)" NO_OVERRIDE);
    set_loop("loop0", "/dev/sda1", 0, 8 * MIB);
    check_mount_refuses("8:0", 7, 0, "sda, of the disk it is built on,");
    check_mount_allows("8:2", 7, 0); /* a neighbouring partition has other data */
    check_free(8, 2);
    detach("loop0");
}

static void check_loops_on_files(void)
{
    set_loop("loop0", "/one", 0, 8 * MIB);
    set_loop("loop1", "/one", 0, 8 * MIB);
    set_loop("loop2", "/two", 0, 8 * MIB);
    check_mount_refuses("7:1", 7, 0, "loop1, a loop device on the same file,");
    check_mount_refuses("259:1", 7, 0, "loop1p1, a loop device on the same file,");
    check_mount_allows("7:2", 7, 0);
    set_loop("loop3", "/dev/loop1", 0, 8 * MIB);
    check_used(7, 0, "/dev/t", "/dev/t: loop3 is built on it (a loop device)" NO_OVERRIDE);
    detach("loop3");
    /* Parts of one file that do not overlap. */
    set_loop("loop1", "/one", 8 * MIB * 512, 8 * MIB);
    check_mount_allows("7:1", 7, 0);
    set_loop("loop1", "/one", 8 * MIB * 512 - 512, 8 * MIB);
    check_mount_refuses("7:1", 7, 0, "loop1, a loop device on the same file,");
    /* The file of a loop device is used as swap. */
    swap_on(files[0]);
    check_used(7, 0, "/dev/t", "/dev/t: the file below it is in use as swap" NO_OVERRIDE);
    check_free(7, 2);
    write_file("/proc/swaps", "Filename\n");
    detach("loop0");
    detach("loop1");
    detach("loop2");
}

/* A file, and the devices whose data is in it. */
static void check_keeps_in_file(void)
{
    struct stat one, two;
    CHECK_INT(stat(files[0], &one) || stat(files[1], &two), 0);
    set_loop("loop1", "/one", 0, 8 * MIB);
    set_loop("loop3", "/dev/loop1", 0, 8 * MIB);
    CHECK(guard_keeps_in_file(root, makedev(7, 1), one.st_dev, one.st_ino));
    CHECK(guard_keeps_in_file(root, makedev(259, 1), one.st_dev, one.st_ino)); /* its partition */
    CHECK(guard_keeps_in_file(root, makedev(7, 3), one.st_dev, one.st_ino));
    CHECK(!guard_keeps_in_file(root, makedev(7, 1), two.st_dev, two.st_ino));
    CHECK(!guard_keeps_in_file(root, makedev(7, 2), one.st_dev, one.st_ino));
    detach("loop3");
    detach("loop1");
    CHECK(!guard_keeps_in_file(root, makedev(7, 1), one.st_dev, one.st_ino));
}

static void check_volumes(void)
{
    /* the volume of the root filesystem, beside an unused one */
    check_mount_allows("252:6", 252, 7);
    check_mount_refuses("252:5", 252, 7, "dm-5, which it is built on,");
    check_mount_refuses("8:112", 252, 7, "sdh, which it is built on,");
    set_loop("loop0", "/dev/sdh", 0, 8 * MIB);
    check_used(252, 6, "/dev/t", "/dev/t: loop0 is built on it (a loop device)" NO_OVERRIDE);
    /* A loop device on a volume: users of the volume count, its neighbours do not. */
    set_loop("loop0", "/dev/dm-6", 0, 8 * MIB);
    check_mount_refuses("252:6", 7, 0, "dm-6, which it is built on,");
    check_mount_allows("252:7", 7, 0);
    detach("loop0");
    check_mount_refuses("8:144", 9, 1, "sdj, which it is built on,");
    check_mount_refuses("8:129", 9, 1, "sdi1, of the disk it is built on,");
}

/* The backing file of the loop device is unknown: it may be that of any other loop device, or a
   device. */
static void check_unknown_backing(void)
{
    struct err e = {0};
    set_loop("loop3", "/gone (deleted)", 0, 8 * MIB);
    CHECK_INT(guard_unused(root, makedev(8, 16), "/dev/sdb", NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK(strstr(e.msg, "the backing file of loop3 cannot be read") != NULL);
    detach("loop3");
    check_free(8, 16);
}

/* ---- files ---- */

static void check_file_used(int fd, const char *text)
{
    struct err e = {0};
    CHECK_INT(guard_file_unused(root, fd, "f", false, NULL, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
}

static void check_file_free(int fd)
{
    struct err e = {0};
    if (guard_file_unused(root, fd, "f", false, NULL, &e))
        CHECK_STR(e.msg, "");
}

static void check_files(void)
{
    char path[600], away[600];
    int fd = open(files[0], O_RDONLY | O_CLOEXEC);
    check_file_free(fd);
    set_loop("loop0", "/two", 0, 8 * MIB);
    check_file_free(fd);
    set_loop("loop0", "/one", 0, 8 * MIB);
    check_file_used(fd, "f: the loop device loop0 lies on it");
    detach("loop0");
    swap_on(files[1]);
    check_file_free(fd);
    swap_on(files[0]);
    check_file_used(fd, "f: it is in use as swap");
    swap_on("/gone\\040(deleted)");
    check_file_free(fd);
    int nameless = open(root, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0)
        check_file_used(nameless, "f: it is in use as swap");
    close(nameless);
    write_file("/proc/swaps", "Filename\n");

    int writer = open(files[0], O_WRONLY | O_CLOEXEC),
        reader = open(files[0], O_RDONLY | O_CLOEXEC);
    check_file_used(fd, "f: another program has it open for writing");
    close(writer);
    check_file_free(fd);
    close(reader);

    CHECK_INT(unlink(below("/proc/swaps", path)), 0);
    check_file_free(fd); /* a kernel without swap */
    CHECK_INT(rename(below("/proc", path), below("/away", away)), 0);
    check_file_used(fd, "/proc/swaps cannot be read");
    CHECK_INT(rename(away, path), 0);
    CHECK_INT(rename(below("/sys", path), below("/away", away)), 0);
    check_file_used(fd, "/sys/block cannot be read");
    CHECK_INT(rename(away, path), 0);
    close(fd);
}

int main(void)
{
    char one[600], two[600];
    make_root();
    make_machine();
    write_file("/one", "1");
    write_file("/two", "2");
    files[0] = below("/one", one);
    files[1] = below("/two", two);
    check_loop_on_device();
    check_loops_on_files();
    check_keeps_in_file();
    check_volumes();
    check_unknown_backing();
    check_files();
    remove_root();
    return check_result();
}
