/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Process 1 on a real kernel: consoles on VGA and serial port, keys of both, the data partition of
   a USB stick, children, and the power switch. tests/e2e/qemu_process_1.sh presses the keys and
   looks at what was written. */
#include <signal.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "guest.h"

#include "appliance/console/console.h"
#include "appliance/process/system.h"
#include "appliance/stick/data_partition.h"
#include "base/file/file.h"

#define LONG_NAME "2026-11-20-A Board's long name, with blanks"

/* ---- what is mounted and set ---- */

static bool file_holds(const char *path, const char *text)
{
    char *data;
    if (file_read_all(path, (size_t)1 << 20, &data, NULL, NULL))
        return false;
    bool found = strstr(data, text) != NULL;
    free(data);
    return found;
}

static void test_system(void)
{
    static const char *const mounts[] = {" /proc rw,nosuid,nodev,noexec,relatime - proc ",
                                         " /dev rw,nosuid,noexec,relatime - devtmpfs ",
                                         " /dev/pts rw,",
                                         " /run rw,",
                                         " /tmp rw,",
                                         " /sys/kernel/debug rw,",
                                         " /sys/kernel/tracing ",
                                         " /sys/kernel/security "};
    struct err e = {0};
    struct text line;
    struct utsname names;
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++)
        if (!file_holds("/proc/self/mountinfo", mounts[i])) {
            printf("not mounted: %s\n", mounts[i]);
            CHECK(false);
        }
    CHECK_INT(system_mount(&e), 0);
    CHECK(file_holds("/proc/sys/kernel/printk", "1\t"));
    CHECK_INT(uname(&names), 0);
    CHECK_STR(names.nodename, "cupel");
    CHECK_INT(system_command_line(&line, &e), 0);
    CHECK(line.data && strstr(line.data, "console=tty0") != NULL);
    text_free(&line);
    for (int fd = 0; fd <= 2; fd++)
        CHECK(isatty(fd));
}

/* ---- consoles ---- */

static void test_screen(struct console *c)
{
    char screen[8192] = "";
    console_print(c, "on both consoles\n");
    int fd = open("/dev/vcs1", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, screen, sizeof screen - 1) > 0);
    close(fd);
    CHECK(strstr(screen, "on both consoles   ") != NULL);
}

/* The test presses them on both sides; q is the last. */
static void test_keys(struct console *c)
{
    static const int expected[] = {'a',
                                   'Z',
                                   CONSOLE_UP,
                                   CONSOLE_PAGE_DOWN,
                                   CONSOLE_ENTER,
                                   CONSOLE_BACKSPACE,
                                   CONSOLE_ESCAPE,
                                   CONSOLE_RESTART,
                                   CONSOLE_DOWN,
                                   CONSOLE_INTERRUPT,
                                   CONSOLE_ENTER,
                                   'q'};
    char line[32];
    console_print(c, "guest: keys\n");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int key = console_key(c, 30000);
        CHECK_INT(key, expected[i]);
        console_print(c, "guest: key %zu\n", i);
        if (key == 'q' || key == CONSOLE_NONE)
            break;
    }
    CHECK(console_read_line(c, "guest: line? ", line, sizeof line));
    CHECK_STR(line, "S3RIAL");
}

/* ---- the stick ---- */

static void test_stick(struct console *c, struct data_partition *p)
{
    struct err e = {0};
    /* An internal copy of the stick is there long before. */
    for (int i = 0; i < 100 && access("/dev/vdb1", F_OK); i++)
        guest_sleep(100);
    CHECK(access("/dev/vdb1", F_OK) == 0);
    for (int i = 0; i < 100 && !(data_partition_find(p, "/sys", "/dev") && p->note[0]); i++)
        guest_sleep(200);
    CHECK(p->found);
    CHECK_STR(p->device, "/dev/sda1");
    CHECK_STR(p->disk, "sda");
    CHECK_STR(p->note,
              "sdb1 is a data partition too and is not used: only one stick should be plugged");
    CHECK(data_partition_is_on(p, "sdb") && !data_partition_is_on(p, "vdb"));
    p->others = "any";
    CHECK(data_partition_find(p, "/sys", "/dev"));
    CHECK_STR(p->device, "/dev/sda1");
    CHECK(data_partition_is_on(p, "vdb") && !data_partition_is_on(p, "vda"));
    CHECK_INT(data_partition_mount(p, &e), 0);
    CHECK(file_holds("/data/cupel.cfg", "countdown = 3"));
    CHECK_INT(mkdir("/data/no", 0777), -1);
    CHECK_INT(errno, EROFS);

    if (data_partition_writable(p, true, &e))
        console_print(c, "%s\n", e.msg);
    CHECK_INT(mkdir("/data/" LONG_NAME, 0777), 0);
    CHECK_INT(write_file_over("/data/" LONG_NAME, "qualification.csv", "", "a,b\n", 4, &e), 0);
    int fd = open("/data/open", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    CHECK_INT(data_partition_writable(p, false, &e), -1);
    CHECK_STR(e.msg, "cannot make read-only /dev/sda1: a file there is open for writing");
    close(fd);
    CHECK_INT(data_partition_writable(p, false, &e), 0);
    CHECK_INT(unlink("/data/open"), -1);
    CHECK_INT(errno, EROFS);
    data_partition_unmount(p);
    CHECK(access("/data/cupel.cfg", F_OK) != 0);
    CHECK_INT(data_partition_mount(p, &e), 0);
}

/* The second stick was pulled in the middle of a report once: it is marked dirty. The third is
   write-protected. */
static void test_other_sticks(void)
{
    struct data_partition dirty = {.found = true, .device = "/dev/sdb1", .folder = "/second"};
    struct data_partition protected = {.found = true, .device = "/dev/vda", .folder = "/third"};
    struct err e = {0};
    CHECK_INT(data_partition_mount(&dirty, &e), 0);
    CHECK_INT(data_partition_writable(&dirty, true, &e), 0);
    CHECK_INT(write_file_over("/second", "later.txt", "", "kept\n", 5, &e), 0);
    data_partition_unmount(&dirty);
    CHECK_INT(data_partition_mount(&protected, &e), 0);
    CHECK_INT(data_partition_writable(&protected, true, &e), -1);
    CHECK_STR(e.msg, "cannot write to /dev/vda: the stick is write-protected");
    CHECK_INT(e.code, ERR_TARGET);
    data_partition_unmount(&protected);
}

/* ---- children ---- */

/* Its grandchildren leave its session; one ends before it and one after it. */
static int leave_orphans(void *context)
{
    (void)context;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            setsid();
            guest_sleep(i == 0 ? 50 : 400);
            _exit(1);
        }
    printf("orphans\n");
    guest_sleep(200);
    return 11;
}

static int say_no_more(void *context)
{
    (void)context;
    guest_sleep(500);
    return 12;
}

static void collect(void *sink, const char *text, size_t length)
{
    console_write(sink, text, length);
}

static void test_children(struct console *c)
{
    struct err e = {0};
    struct system_child child = {.function = leave_orphans, .output = collect, .sink = c};
    CHECK_INT(system_run(&child, &e), 11);
    child.function = say_no_more;
    CHECK_INT(system_run(&child, &e), 12);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_INT(errno, ECHILD);
}

/* It ignores SIGTERM and has a file on the stick open for writing: switching off must still work.
 */
static void leave_writer(void)
{
    if (fork() != 0)
        return;
    signal(SIGTERM, SIG_IGN);
    int fd = open("/data/unfinished.txt", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    write_all(fd, "begun\n", 6, "unfinished.txt", NULL);
    guest_sleep(60000);
    _exit(0);
}

int main(void)
{
    struct err e = {0};
    struct console *c;
    struct data_partition p = {.any = true};
    if (!system_is_ours()) {
        printf("this program is for a virtual machine of its own: tests/e2e/qemu_process_1.sh\n");
        return CHECK_SKIPPED;
    }
    CHECK_INT(system_mount(&e), 0);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    guest_load_modules();
    test_system();
    CHECK_INT(console_open(&c, "/sys", "/dev", &e), 0);
    test_screen(c);
    test_keys(c);
    test_stick(c, &p);
    test_other_sticks();
    test_children(c);
    CHECK_INT(data_partition_writable(&p, true, &e), 0);
    leave_writer();
    guest_sleep(300);
    console_print(c, "guest: %s (%ld checks)\n", check_result() == 0 ? "pass" : "fail",
                  check_count);
    console_close(c);
    CHECK_INT(system_end(SYSTEM_POWER_OFF, &e), 0);
    printf("guest: fail %s\n", e.msg);
    return 1;
}
