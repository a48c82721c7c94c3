/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are generic NVMe devices, on a made-up machine: the block device that is guarded,
   and other character devices, which are refused. tests/guest/guest_nvme.c tests a real device. */
#include "check.h"
#include "tree.h"

#include "io/target/internal.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define FOLDER "devices/pci0000:00/0000:00:04.0/nvme/nvme0"

static void add_device(const struct tree *t, const char *folder, const char *kind,
                       const char *number)
{
    char path[512], target[512];
    snprintf(path, sizeof path, "/sys/%s/dev", folder);
    tree_filef(t, path, "%s\n", number);
    snprintf(path, sizeof path, "/sys/dev/%s/%s", kind, number);
    snprintf(target, sizeof target, "../../%s", folder);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "/sys/%s/holders", folder);
    tree_folder(t, path);
}

/* nvme0n1 with a partition, and ng0n1 beside it; ng0n2 has no block device. */
static void make_machine(const struct tree *t)
{
    add_device(t, FOLDER "/nvme0n1", "block", "259:0");
    tree_link(t, "/sys/" FOLDER "/nvme0n1/device", "..");
    tree_link(t, "/sys/" FOLDER "/subsystem", "/sys/class/nvme");
    add_device(t, FOLDER "/nvme0n1/nvme0n1p1", "block", "259:1");
    tree_file(t, "/sys/" FOLDER "/nvme0n1/nvme0n1p1/partition", "1\n");
    add_device(t, FOLDER "/ng0n1", "char", "237:0");
    tree_link(t, "/sys/" FOLDER "/ng0n1/subsystem", "/sys/class/nvme-generic");
    add_device(t, FOLDER "/ng0n2", "char", "237:1");
    tree_link(t, "/sys/" FOLDER "/ng0n2/subsystem", "/sys/class/nvme-generic");
    add_device(t, "block/dm-0", "block", "252:0");
}

static void check_free(const struct tree *t)
{
    struct err e = {0};
    char name[64] = "";
    dev_t block = 0;
    if (target_guard_generic(t->folder, makedev(237, 0), "/dev/ng0n1", NULL, &block, name, &e))
        CHECK_STR(e.msg, "");
    CHECK(block == makedev(259, 0));
    CHECK_STR(name, "nvme0n1");
}

static void check_refused(const struct tree *t, unsigned minor_number, const char *message)
{
    struct err e = {0};
    char name[64];
    dev_t block;
    CHECK_INT(target_guard_generic(t->folder, makedev(237, minor_number), "/dev/ng0n1", NULL,
                                   &block, name, &e),
              -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    CHECK_STR(e.msg, message);
}

static void guards(const struct tree *t)
{
    tree_file(t, "/proc/self/mountinfo", "20 1 0:5 / /proc rw - proc proc rw\n");
    check_free(t);
    check_refused(t, 1,
                  "/dev/ng0n1: no block device of this namespace is in sysfs, so it cannot be "
                  "shown that nothing uses it");
    check_refused(t, 9, "/dev/ng0n1: sysfs does not show it as an NVMe namespace");
    tree_file(t, "/proc/self/mountinfo", "36 1 259:0 / /srv rw - ext4 /dev/nvme0n1 rw\n");
    check_refused(t, 0,
                  "/dev/ng0n1: it holds a mounted filesystem (/srv); --destroy will not override "
                  "this");
    tree_file(t, "/proc/self/mountinfo", "36 1 259:1 / /boot rw - ext4 /dev/nvme0n1p1 rw\n");
    check_refused(t, 0,
                  "/dev/ng0n1: its partition nvme0n1p1 holds a mounted filesystem (/boot); "
                  "--destroy will not override this");
    tree_file(t, "/proc/self/mountinfo", "");
    tree_link(t, "/sys/" FOLDER "/nvme0n1/nvme0n1p1/holders/dm-0",
              "../../../../../../../../block/"
              "dm-0");
    check_refused(t, 0,
                  "/dev/ng0n1: dm-0 is built on it (device mapper, LVM, md or the like); --destroy "
                  "will not override this");
    tree_remove(t, "/sys/" FOLDER "/nvme0n1/nvme0n1p1/holders/dm-0");
    check_free(t);
    tree_remove(t, "/sys/" FOLDER "/nvme0n1/holders");
    struct err e = {0};
    char name[64];
    dev_t block;
    CHECK_INT(
        target_guard_generic(t->folder, makedev(237, 0), "/dev/ng0n1", NULL, &block, name, &e),
        -1); /* a device that cannot be looked up counts as in use */
    CHECK_INT(e.code, ERR_UNSAFE);
}

static void other_devices(void)
{
    static const char *const paths[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (int write = 0; write < 2; write++) {
            struct target_request request = {
                .path = paths[i], .read = !write, .write = write, .direct = true, .destroy = true};
            struct target t;
            struct err e = {0};
            CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), -1);
            CHECK_INT(e.code, ERR_USAGE);
            CHECK(strstr(e.msg, "it is a character device; give a regular file") != NULL);
            CHECK(strstr(e.msg, "/dev/ngXnY") != NULL);
            CHECK(t.fd == -1 && t.exclusive_fd == -1 && t.nvme.generic_fd == -1);
        }
    CHECK(!target_is_generic(makedev(1, 3)));
}

/* Without sysfs nothing can be told of a device, and that is said. In a process of its own, whose
   mounts nobody else sees. */
static void without_sysfs(void)
{
    pid_t child = fork();
    if (child == 0) {
        struct target_request request = {.path = "/dev/null", .read = true, .direct = true};
        struct nvme_namespace n;
        struct target t;
        struct err e = {0};
        check_failures = 0;
        if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("none", "/sys", "tmpfs", 0, NULL))
            _exit(CHECK_SKIPPED);
        CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, "sysfs does not show this character device") != NULL);
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        nvme_namespace_open(&n, fd);
        CHECK(strstr(n.why_not, "sysfs does not show it") != NULL);
        close(fd);
        _exit(check_failures != 0);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED)
        check_part_skipped("cannot hide /sys");
    else
        CHECK_INT(status, 0);
}

/* Devices that are not an NVMe namespace are recognised, with the reason. */
static void other_targets(void)
{
    struct target t;
    struct err e = {0};
    struct target_request request = {
        .path = "/tmp", .read = true, .size = 1 << 20, .allow_unwritten = true};
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK(!t.nvme.is_nvme && !t.nvme.usable);
    CHECK_INT(t.exclusive_fd, -1);
    target_close(&t);
    CHECK_INT(t.fd, -1);
}

int main(void)
{
    struct tree t;
    tree_begin(&t);
    make_machine(&t);
    guards(&t);
    tree_end(&t);
    other_devices();
    without_sysfs();
    other_targets();
    return check_result();
}
