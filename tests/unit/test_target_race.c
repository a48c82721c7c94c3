/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another process repeatedly exchanges the target for another file while it is opened: the other
 * file is never written, extended or removed. It is a foreign file, a block device with a mounted
 * filesystem, or one without.
 */
#include "check.h"

#include <errno.h>
#include <linux/fs.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file/file_identity.h"
#include "io/target/target.h"
#include "loop_device.h"

enum { MIB = 1 << 20, SECONDS_EACH = 2, SECONDS_MAX = 60, BLOCK = 4096 };

static char folder[64], target[128], victim[128];

static void open_at_once(struct target *t, const struct target_request *request, int *status)
{
    struct err e = {0};
    *status = target_open(t, request, NULL, NULL, NULL, &e) ? (int)e.code : 0;
}

/* Exchanges the two names until it is killed. */
static pid_t start_exchanging(void)
{
    pid_t child = fork();
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        syscall(SYS_renameat2, AT_FDCWD, target, AT_FDCWD, victim, RENAME_EXCHANGE);
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the content of the other file ---- */

static unsigned char kept[2 * MIB], now_there[2 * MIB];

static void remember(int fd)
{
    CHECK_INT(pread(fd, kept, sizeof kept, 0), MIB);
}

/* Reads from the device itself, as the page cache may be another node's. */
static bool is_unchanged(int fd)
{
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return pread(fd, now_there, sizeof now_there, 0) == MIB && !memcmp(kept, now_there, MIB);
}

/* ---- the race ---- */

static void punch_hole(int target_path)
{
    int fd = file_reopen(target_path, "", O_RDWR);
    CHECK_INT(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, BLOCK, BLOCK), 0);
    close(fd);
}

/* Does what a run does: writes what it opened for writing, without further permission. */
static int run_once(bool write)
{
    static unsigned char noise[BLOCK] __attribute__((aligned(BLOCK)));
    struct target t;
    int status;
    struct target_request request = {.path = target, .read = !write, .write = write, .seed = 1};
    open_at_once(&t, &request, &status);
    if (status)
        return status;
    write_data_fill(noise, BLOCK, 0, 7);
    if (write)
        CHECK_INT(pwrite(t.fd, noise, BLOCK, 0), BLOCK);
    target_close(&t);
    return 0;
}

/* Reading fills holes in the target, which cupel made. On a busy machine runs are slow, so it
   continues until some runs met the target and some the other file. */
static void race(const char *what, int victim_fd)
{
    unsigned runs = 0, done = 0, lost = 0;
    int target_path = open(target, O_PATH | O_CLOEXEC);
    remember(victim_fd);
    pid_t child = start_exchanging();
    const double begin = seconds(), end = begin + SECONDS_EACH, last = begin + SECONDS_MAX;
    for (; lost < 3 && seconds() < (done > 0 && done < runs ? end : last); runs++) {
        punch_hole(target_path);
        done += run_once(runs % 2) == 0;
        lost += !is_unchanged(victim_fd);
    }
    stop(child);
    printf("%s: %u runs, %u opened, the victim was written %u times\n", what, runs, done, lost);
    CHECK_INT(lost, 0);
    CHECK(done > 0 && done < runs);
    close(target_path);
}

static void make_target(void)
{
    struct target t;
    int status;
    struct target_request make = {.path = target, .read = true, .size = MIB, .seed = 1};
    open_at_once(&t, &make, &status);
    CHECK_INT(status, 0);
    target_close(&t);
}

/* Whichever name it has now. */
static void remove_both(void)
{
    CHECK_INT(unlink(target), 0);
    CHECK_INT(unlink(victim), 0);
}

static void check_foreign_file(void)
{
    static unsigned char data[MIB];
    int fd = open(victim, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    memset(data, 'v', sizeof data);
    CHECK_INT(write(fd, data, sizeof data), MIB);
    close(fd);
    fd = open(victim, O_RDONLY | O_CLOEXEC); /* nobody else has it open for writing */
    make_target();
    race("a foreign file", fd);
    remove_both();
    close(fd);
}

/* ---- a file that cannot be completed ---- */

static void stop_filling(void *context, uint64_t done, uint64_t total)
{
    (void)total;
    volatile int *halt = context;
    *halt = done > 0;
}

/* The name that is to be removed may belong to another file by then. */
static void check_removal(void)
{
    unsigned lost = 0, runs = 0;
    pid_t child = start_exchanging();
    for (double end = seconds() + SECONDS_EACH; seconds() < end && !lost; runs++) {
        volatile int halt = 0;
        struct target t;
        struct err e = {0};
        struct stat st;
        struct target_request make = {.path = target, .read = true, .size = 16 * MIB, .seed = 1};
        int fd = open(victim, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        CHECK_INT(target_open(&t, &make, stop_filling, (void *)&halt, &halt, &e), -1);
        lost += fstat(fd, &st) || st.st_nlink == 0;
        close(fd);
        unlink(target);
        unlink(victim);
    }
    stop(child);
    printf("files that were not completed: %u, victims removed: %u\n", runs, lost);
    CHECK_INT(lost, 0);
    unlink(target);
    unlink(victim);
}

/* The method for filesystems without unnamed files. */
static void check_file_remove(void)
{
    unsigned lost = 0, left = 0, runs = 0;
    for (double end = seconds() + SECONDS_EACH; seconds() < end; runs++) {
        struct stat st;
        int own = open(target, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        int other = open(victim, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        pid_t child = start_exchanging();
        usleep(runs % 5 * 100);
        file_remove(own, AT_FDCWD, target);
        stop(child);
        lost += fstat(other, &st) || st.st_nlink == 0;
        left += !fstat(own, &st) && st.st_nlink > 0;
        close(own);
        close(other);
        unlink(target);
        unlink(victim);
    }
    printf("file_remove: %u times, %u victims removed, own file left %u times\n", runs, lost, left);
    CHECK_INT(lost, 0);
    CHECK(left < runs);
}

/* ---- block devices ---- */

static bool make_filesystem(const char *device)
{
    char name[] = "mkfs.ext4", quiet[] = "-q", no_journal[] = "-Onone", path[40];
    snprintf(path, sizeof path, "%s", device);
    char *arguments[] = {name, quiet, no_journal, path, NULL};
    pid_t child;
    int status = -1;
    return !posix_spawnp(&child, name, NULL, NULL, arguments, environ) &&
           waitpid(child, &status, 0) == child && status == 0;
}

/* A node of the loop device lies in the folder, as the victim. */
static void check_device(bool mounted)
{
    struct loop_device l;
    struct stat st;
    char mount_point[128];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    snprintf(mount_point, sizeof mount_point, "%s/mounted", folder);
    if (geteuid() != 0 || ftruncate(file, MIB) || !loop_attach(&l, file)) {
        check_part_skipped("needs root and loop devices");
        return;
    }
    CHECK_INT(mkdir(mount_point, 0700), 0);
    if (stat(l.path, &st) || mknod(victim, S_IFBLK | 0600, st.st_rdev) ||
        (mounted &&
         (!make_filesystem(l.path) || mount(l.path, mount_point, "ext4", MS_RDONLY, "")))) {
        check_part_skipped("cannot make a device node, or a filesystem on it");
    } else {
        make_target();
        race(mounted ? "a mounted device" : "a device", l.fd);
        if (mounted)
            CHECK_INT(umount(mount_point), 0);
        unlink(target);
    }
    unlink(victim);
    CHECK_INT(rmdir(mount_point), 0);
    loop_detach(&l);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/cupel-race-XXXXXX");
    if (!mkdtemp(folder))
        return CHECK_SKIPPED;
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    check_foreign_file();
    check_removal();
    check_file_remove();
    check_device(false);
    check_device(true);
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
