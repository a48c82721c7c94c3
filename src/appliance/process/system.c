/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the first steps of process 1 (the kernel's filesystems, stdin to stderr, a quiet console),
   and its last steps: ending all processes, unmounting, power off. */
#include "appliance/process/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/mountinfo.h"

#define HOST_NAME "cupel"

/* Filesystems in the order in which they can be mounted. */
static const struct filesystem {
    const char *type, *folder, *options;
    unsigned long flags;
    bool optional; /* a kernel may lack this filesystem */
} filesystems[] = {
    {"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false},
    {"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false},
    {"devtmpfs", "/dev", "mode=0755", MS_NOSUID | MS_NOEXEC, false},
    {"devpts", "/dev/pts", "mode=0620,ptmxmode=0666", MS_NOSUID | MS_NOEXEC, true},
    {"tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV | MS_NOEXEC, false},
    {"tmpfs", "/tmp", "mode=1777", MS_NOSUID | MS_NODEV, false},
    {"debugfs", "/sys/kernel/debug", "mode=0700", MS_NOSUID | MS_NODEV | MS_NOEXEC, true},
    {"tracefs", "/sys/kernel/tracing", "mode=0700", MS_NOSUID | MS_NODEV | MS_NOEXEC, true},
    {"securityfs", "/sys/kernel/security", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, true},
};

bool system_is_ours(void)
{
    struct statfs root;
    return getpid() == 1 && statfs("/", &root) == 0 &&
           (root.f_type == RAMFS_MAGIC || root.f_type == TMPFS_MAGIC);
}

static bool is_mount_point(const char *folder)
{
    char parent[256];
    struct stat inside, outside;
    size_t length = strlen(folder);
    if (length + sizeof "/.." > sizeof parent)
        return false;
    memcpy(parent, folder, length);
    memcpy(parent + length, "/..", sizeof "/..");
    return stat(folder, &inside) == 0 && stat(parent, &outside) == 0 &&
           inside.st_dev != outside.st_dev;
}

/* Opens stdin to stderr, because the kernel opens no console for process 1 if the initrd has no
   /dev/console. */
static void open_standard_streams(void)
{
    int fd = open("/dev/console", O_RDWR | O_NOCTTY);
    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_NOCTTY);
    if (fd < 0)
        return;
    for (int stream = 0; stream <= 2; stream++)
        if (fd != stream)
            dup2(fd, stream);
    if (fd > 2)
        close(fd);
}

int system_mount(struct err *e)
{
    if (!system_is_ours())
        return err_set(e, ERR_MACHINE,
                       "this is not process 1 of the live image: nothing was mounted");
    umask(022);
    for (size_t i = 0; i < sizeof filesystems / sizeof *filesystems; i++) {
        const struct filesystem *f = &filesystems[i];
        /* Below /sys the kernel makes the folder itself, and mkdir fails. */
        mkdir(f->folder, 0755);
        if (!is_mount_point(f->folder) &&
            mount(f->type, f->folder, f->type, f->flags, f->options) != 0 && errno != EBUSY &&
            !f->optional)
            return err_set(e, ERR_MACHINE, "cannot mount %s on %s: %s", f->type, f->folder,
                           strerror(errno));
    }
    open_standard_streams();
    /* From here on only emergency messages appear on the consoles. */
    int fd = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        write_all(fd, "1", 1, "printk", NULL);
        close(fd);
    }
    /* Ctrl-Alt-Del comes as SIGINT, and is read as a key. */
    sigset_t restart;
    sigemptyset(&restart);
    sigaddset(&restart, SIGINT);
    sigprocmask(SIG_BLOCK, &restart, NULL);
    reboot(RB_DISABLE_CAD);
    struct utsname names;
    if (uname(&names) == 0 && (names.nodename[0] == '\0' || strcmp(names.nodename, "(none)") == 0))
        sethostname(HOST_NAME, strlen(HOST_NAME));
    return 0;
}

int system_command_line(struct text *text, struct err *e)
{
    char *line;
    size_t length;
    *text = (struct text){0};
    if (file_read_all("/proc/cmdline", (size_t)1 << 16, &line, &length, e)) {
        if (e)
            e->code = ERR_MACHINE;
        return -1;
    }
    while (length > 0 && line[length - 1] == '\n')
        length--;
    text_add_bytes(text, line, length);
    free(line);
    return text->failed ? err_no_memory(e, "the text of /proc/cmdline") : 0;
}

/* ---- the end of the machine ---- */

#define AFTER_TERM_MS 2000
#define AFTER_KILL_MS 1000
#define UNMOUNT_MS    30000 /* enough for a slow stick; a disk that never answers is abandoned */
#define MOUNTS_MAX    ((size_t)1 << 20)

/* Waits until no other process is left: kill(-1) does not reach process 1, all orphans become its
   children, and so it has no children left at the end. */
static void wait_for_all(unsigned max_ms)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000000};
    for (unsigned passed = 0; passed < max_ms; passed += 10) {
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (pid < 0 && errno == ECHILD)
            return;
        nanosleep(&pause, NULL);
    }
}

/* The last mount is unmounted first: it may lie inside the others. */
static void unmount_all(void *context, void *answer)
{
    char *lines;
    size_t length;
    (void)context;
    *(bool *)answer = true;
    if (file_read_all("/proc/self/mountinfo", MOUNTS_MAX, &lines, &length, NULL))
        return;
    while (length > 0) {
        lines[length - 1] = '\0';
        char *begin = memrchr(lines, '\n', length - 1);
        begin = begin ? begin + 1 : lines;
        struct mountinfo m;
        /* A filesystem that is still in use can at least be made read-only and consistent. */
        if (mountinfo_parse(begin, &m) && strcmp(m.point, "/") != 0 &&
            umount2(m.point, UMOUNT_NOFOLLOW) != 0)
            mount(NULL, m.point, NULL, MS_REMOUNT | MS_RDONLY, NULL);
        length = (size_t)(begin - lines);
    }
    free(lines);
}

int system_end(enum system_end how, struct err *e)
{
    static const unsigned commands[] = {[SYSTEM_POWER_OFF] = RB_POWER_OFF,
                                        [SYSTEM_REBOOT] = RB_AUTOBOOT,
                                        [SYSTEM_HALT] = RB_HALT_SYSTEM};
    if (!system_is_ours())
        return err_set(e, ERR_MACHINE,
                       "this is not process 1 of the live image: the machine is left on");
    fflush(NULL);
    kill(-1, SIGTERM);
    wait_for_all(AFTER_TERM_MS);
    kill(-1, SIGKILL);
    wait_for_all(AFTER_KILL_MS);
    /* Each filesystem is synced when it is unmounted; a sync of everything would wait for disks
       that nobody wrote to. */
    bool done;
    child_ask(unmount_all, NULL, &done, sizeof done, UNMOUNT_MS);
    reboot((int)commands[how]);
    return err_set(e, ERR_MACHINE, "the kernel refuses to switch off: %s", strerror(errno));
}
