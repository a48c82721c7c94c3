/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first steps of process 1: the kernel's filesystems, stdin to stderr, a quiet console. */
#include "init/process/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"

#define HOST_NAME "cupel"

/* In the order in which they can be mounted. */
static const struct filesystem {
    const char *type, *folder, *options;
    unsigned long flags;
    bool optional; /* a kernel may be built without it */
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

static int mount_one(const struct filesystem *f, struct err *e)
{
    /* Where the kernel itself makes the folder (below /sys), none can be made. */
    mkdir(f->folder, 0755);
    if (is_mount_point(f->folder) ||
        mount(f->type, f->folder, f->type, f->flags, f->options) == 0 || errno == EBUSY ||
        f->optional)
        return 0;
    return err_set(e, ERR_MACHINE, "cannot mount %s on %s: %s", f->type, f->folder,
                   strerror(errno));
}

/* The kernel opens no console for process 1 when /dev/console was not in the initrd. */
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

static void write_setting(const char *path, const char *value)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    write_all(fd, value, strlen(value), path, NULL);
    close(fd);
}

static void take_restart_key(void)
{
    sigset_t restart;
    sigemptyset(&restart);
    sigaddset(&restart, SIGINT);
    sigprocmask(SIG_BLOCK, &restart, NULL);
    reboot(RB_DISABLE_CAD);
}

static void name_host(void)
{
    struct utsname names;
    if (uname(&names) == 0 && (names.nodename[0] == '\0' || strcmp(names.nodename, "(none)") == 0))
        sethostname(HOST_NAME, strlen(HOST_NAME));
}

int system_mount(struct err *e)
{
    if (!system_is_ours())
        return err_set(e, ERR_MACHINE,
                       "this is not process 1 of the live image: nothing was mounted");
    umask(022);
    for (size_t i = 0; i < sizeof filesystems / sizeof *filesystems; i++)
        if (mount_one(&filesystems[i], e))
            return -1;
    open_standard_streams();
    /* Emergencies alone still go to the consoles. */
    write_setting("/proc/sys/kernel/printk", "1");
    take_restart_key();
    name_host();
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
    return text->failed ? err_set(e, ERR_MACHINE, "cannot keep /proc/cmdline: out of memory") : 0;
}
