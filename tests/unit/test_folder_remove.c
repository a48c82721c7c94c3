/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes a folder of the program with all its content and nothing else: the targets of links,
 * mounts in or over it, and folders that replace one during the removal are kept. With openat2,
 * with the mount numbers of statx, and with neither.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/folder_remove.h"

enum { ROUNDS = 25, FILES = 20 };

static char top[64];

static const char *in_top(const char *name)
{
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", top, name);
    return path;
}

static void put(const char *name)
{
    int fd = open(in_top(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    CHECK(fd >= 0 && write(fd, "kept", 4) == 4);
    close(fd);
}

static bool is_there(const char *name)
{
    struct stat st;
    return !lstat(in_top(name), &st);
}

/* own/: a file, a folder with folders and files, a link to another user's folder. */
static int make_own(void)
{
    char name[64];
    CHECK(!mkdir(in_top("own"), 0700));
    int fd = folder_open(in_top("own"));
    CHECK(!mkdir(in_top("own/a"), 0700) && !mkdir(in_top("own/a/b"), 0700));
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "own/a/b/%d", i);
        put(name);
    }
    put("own/a new\nline");
    CHECK(!symlink("../user", in_top("own/link")) && !mkfifo(in_top("own/fifo"), 0600));
    return fd;
}

static void make_user(void)
{
    CHECK(!mkdir(in_top("user"), 0755) && !mkdir(in_top("user/b"), 0755));
    put("user/file");
    put("user/b/0");
}

static bool user_is_whole(void)
{
    return is_there("user/file") && is_there("user/b/0");
}

/* ---- one at a time ---- */

static void test_removes_all(void)
{
    struct folder_left left;
    int fd = make_own();
    CHECK_INT(folder_remove(fd, in_top("own"), &left), 0);
    CHECK(!is_there("own") && user_is_whole());
    /* A folder that is already gone, and one that was never opened. */
    fd = make_own();
    CHECK(!rename(in_top("own"), in_top("moved")));
    CHECK_INT(folder_remove(fd, in_top("own"), &left), 0);
    CHECK(is_there("moved/a/b/0"));
    CHECK(!rename(in_top("moved"), in_top("own")));
    CHECK_INT(folder_remove(-1, in_top("own"), &left), 1);
    /* Another folder in its place. */
    fd = folder_open(in_top("own"));
    CHECK(!rename(in_top("own"), in_top("moved")) && !mkdir(in_top("own"), 0700));
    put("own/file");
    CHECK_INT(folder_remove(fd, in_top("own"), &left), 1);
    CHECK(is_there("own/file") && is_there("moved/a/b/0"));
    CHECK_INT(folder_remove(folder_open(in_top("own")), in_top("own"), &left), 0);
    CHECK_INT(folder_remove(folder_open(in_top("moved")), in_top("moved"), &left), 0);
    CHECK_INT(folder_open(in_top("own")), -1);
    CHECK(!symlink("user", in_top("own")));
    CHECK_INT(folder_open(in_top("own")), -1);
    CHECK(!unlink(in_top("own")) && user_is_whole());
}

static void bind_over(const char *from, const char *to)
{
    CHECK(!mount(in_top(from), in_top(to), NULL, MS_BIND, NULL));
}

static void test_mounts_stay(void)
{
    struct folder_left left;
    static const char *const places[] = {"own/a/b", "own/a", "own"};
    static const char *const firsts[] = {"a/b", "a", ""};
    for (size_t i = 0; i < 3; i++) {
        int fd = make_own();
        bind_over("user", places[i]);
        if (i == 1) { /* unlinkat would have noticed that as well, except in a race */
            errno = 0;
            CHECK_INT(folder_enter(fd, "a"), -1);
            CHECK_INT(errno, EXDEV);
        }
        CHECK_INT(folder_remove(fd, in_top("own"), &left), 1);
        CHECK_STR(left.first, firsts[i]);
        CHECK_INT(left.reason, EXDEV);
        CHECK(user_is_whole());
        CHECK(!umount2(in_top(places[i]), MNT_DETACH));
        CHECK(i == 2 || !is_there("own/fifo"));
        CHECK_INT(folder_remove(folder_open(in_top("own")), in_top("own"), &left), 0);
    }
    /* A file mounted over a file. */
    int fd = make_own();
    bind_over("user/file", "own/a/b/3");
    CHECK_INT(folder_remove(fd, in_top("own"), &left), 1);
    CHECK_STR(left.first, "a/b/3");
    CHECK(user_is_whole() && !is_there("own/a/b/4"));
    CHECK(!umount2(in_top("own/a/b/3"), MNT_DETACH));
    CHECK_INT(folder_remove(folder_open(in_top("own")), in_top("own"), &left), 0);
}

/* ---- changes during the removal ---- */

static _Noreturn void exchange(const char *folder)
{
    for (;;)
        syscall(SYS_renameat2, AT_FDCWD, in_top(folder), AT_FDCWD, in_top("own/link"),
                RENAME_EXCHANGE);
}

static void exchange_link(void)
{
    exchange("own/a");
}

static void exchange_inner_link(void)
{
    exchange("own/a/b");
}

static void exchange_mounts(void)
{
    for (;;) {
        mount(in_top("user"), in_top("own/a"), NULL, MS_BIND, NULL);
        umount2(in_top("own/a"), MNT_DETACH);
        mount(in_top("user/b"), in_top("own/a/b"), NULL, MS_BIND, NULL);
        umount2(in_top("own/a/b"), MNT_DETACH);
    }
}

static void test_exchanged(void exchanges(void))
{
    struct folder_left left;
    for (int i = 0; i < ROUNDS; i++) {
        int fd = make_own();
        pid_t child = fork();
        if (!child) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            exchanges();
        }
        if (i % 2)
            usleep(300);
        folder_remove(fd, in_top("own"), &left);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (!umount2(in_top("own/a"), MNT_DETACH) || !umount2(in_top("own/a/b"), MNT_DETACH))
            continue;
        if (!user_is_whole()) {
            CHECK(user_is_whole());
            return;
        }
        if (is_there("own"))
            CHECK_INT(folder_remove(folder_open(in_top("own")), in_top("own"), &left), 0);
    }
    CHECK(user_is_whole());
}

/* ---- without system calls ---- */

/* From here on the kernel rejects these system calls. */
static bool forbid(long first, long second)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)first, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)second, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void all_tests(void)
{
    test_removes_all();
    test_mounts_stay();
    test_exchanged(exchange_link);
    test_exchanged(exchange_inner_link);
    test_exchanged(exchange_mounts);
}

/* Without these calls, folders with content are kept, with the reason; files and empty folders are
   removed. */
static void without_means(void)
{
    struct folder_left left;
    int fd = make_own();
    CHECK_INT(folder_remove(fd, in_top("own"), &left), 1);
    CHECK_STR(left.first, "a");
    CHECK_INT(left.reason, EXDEV);
    CHECK(is_there("own/a/b/0") && !is_there("own/fifo") && user_is_whole());
}

/* Runs in a child process, whose failures are counted here. */
static void test_without(long first, long second, void tests(void))
{
    int status = -1;
    pid_t child = fork();
    if (!child) {
        if (!forbid(first, second))
            _exit(CHECK_SKIPPED);
        tests();
        _exit(check_failures ? 1 : 0);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHECK_SKIPPED)
        check_part_skipped("there are no filters of system calls");
    else
        CHECK_INT(status, 0);
}

int main(void)
{
    if (geteuid() || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
        printf("needs root and a mount namespace of its own\n");
        return CHECK_SKIPPED;
    }
    snprintf(top, sizeof top, "/tmp/cupel-test-XXXXXX");
    if (!mkdtemp(top))
        return 1;
    make_user();
    all_tests();
    if (check_is_emulated()) {
        check_part_skipped("an emulator's own system calls are not filtered");
    } else {
        test_without(SYS_openat2, SYS_openat2, all_tests);
        test_without(SYS_openat2, SYS_statx, without_means);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -rf --one-file-system %s", top);
    CHECK_INT(system(command), 0);
    return check_result();
}
