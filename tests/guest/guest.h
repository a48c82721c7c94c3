/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A test program that is process 1 of a virtual machine of its own (tests/e2e/qemu/lib.sh,
 * guest_test): the checks of the unit tests, on real kernel interfaces.
 *
 *     static void test(void) { CHECK(...); }
 *     int main(void) { return guest_run(test); }
 *
 * It mounts /proc, /sys and /dev, loads the modules that /test/modules lists (in that order, each
 * with the parameters behind it: the code under test is not needed for it), runs the test, prints
 * "guest: pass", "guest: fail" or "guest: skip" and switches off. Started anywhere else it does
 * nothing and says so (77).
 */
#ifndef TESTS_GUEST_GUEST_H
#define TESTS_GUEST_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/check.h"

static inline void guest_mount(const char *type, const char *at)
{
    (void)mkdir(at, 0755);
    if (mount(type, at, type, 0, NULL) != 0 && errno != EBUSY)
        printf("guest: cannot mount %s: %s\n", at, strerror(errno));
}

static inline void guest_sleep(long milliseconds)
{
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&pause, &pause) != 0 && errno == EINTR)
        continue;
}

/* Loads one module by its path, with parameters ("" for none). Returns 0, also if it is loaded
   already, or -errno. */
static inline int guest_insert(const char *path, const char *parameters)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int got = syscall(SYS_finit_module, fd, parameters, 0) == 0 || errno == EEXIST ? 0 : -errno;
    close(fd);
    return got;
}

static inline void guest_load_modules(void)
{
    FILE *list = fopen("/test/modules", "re");
    char path[512] = "/";
    if (list == NULL)
        return;
    while (fgets(path + 1, sizeof path - 1, list) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        char *parameters = path + strcspn(path, " ");
        if (*parameters)
            *parameters++ = '\0';
        int got = guest_insert(path, parameters);
        /* A module for a processor feature that is missing (crct10dif-pclmul) is not a fault. */
        if (got != 0 && got != -ENODEV)
            printf("guest: %s: %s\n", path, strerror(-got));
    }
    (void)fclose(list);
}

/* Waits until the file exists, for at most that long. */
static inline bool guest_wait_for(const char *path, long milliseconds)
{
    for (long waited = 0; access(path, F_OK) != 0; waited += 20) {
        if (waited >= milliseconds)
            return false;
        guest_sleep(20);
    }
    return true;
}

static inline int guest_run(void (*test)(void))
{
    if (getpid() != 1) {
        printf("this program is for a virtual machine of its own: tests/e2e/qemu_*.sh\n");
        return CHECK_SKIPPED;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    guest_mount("proc", "/proc");
    guest_mount("sysfs", "/sys");
    guest_mount("devtmpfs", "/dev");
    guest_mount("tmpfs", "/tmp");
    guest_load_modules();
    printf("guest: ready\n");
    test();
    int result = check_result();
    printf("guest: %s (%ld checks)\n",
           result == 0               ? "pass"
           : result == CHECK_SKIPPED ? "skip"
                                     : "fail",
           check_count);
    (void)fflush(NULL);
    sync();
    guest_sleep(100); /* until the serial line is empty */
    (void)reboot(RB_POWER_OFF);
    return result;
}

#endif
