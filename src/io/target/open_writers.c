/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches /proc for programs that have a file open for writing: descriptors of every process and
 * thread, by their links in /proc; files registered in an io_uring; and shared mappings, through
 * which a program can write after it closed the descriptor.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/kernel_stat.h"
#include "base/span.h"
#include "io/target/internal.h"

/* PROCMAP_QUERY of Linux 6.11 (linux/fs.h), with which the kernel itself skips other mappings.
   Older headers lack it. */
struct mapping_query {
    uint64_t size, flags, address;
    uint64_t begin, end, vma_flags, page_size, offset, inode;
    uint32_t device_major, device_minor, name_size, build_id_size;
    uint64_t name_address, build_id_address;
};

#define MAPPING_QUERY _IOWR('f', 17, struct mapping_query)

enum { SHARED = 8, THIS_OR_NEXT = 16, OF_FILE = 32 };

struct mapping {
    uint64_t begin, end, inode;
    unsigned device_major, device_minor;
};

#define PF_KTHREAD 0x00200000u /* flag of a kernel thread, from the kernel's linux/sched.h */

/*
 * Stores the numbers of an open file, which its link in /proc leads to. It never waits for a
 * filesystem that does not answer: with AT_STATX_DONT_SYNC the kernel uses the type, inode and
 * numbers that it has, as these do not change.
 */
static bool open_file_look(int folder, const char *name, struct stat *st)
{
    struct kernel_statx x = {0};
    if (syscall(SYS_statx, folder, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
                STATX_TYPE | STATX_INO, &x))
        return false;
    *st = (struct stat){.st_mode = x.stx_mode,
                        .st_ino = x.stx_ino,
                        .st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
                        .st_rdev = makedev(x.stx_rdev_major, x.stx_rdev_minor)};
    return true;
}

static bool open_file_is_written(int folder, const char *name)
{
    struct stat link; /* the link in /proc, whose mode bits show how the file was opened */
    return !fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) && (link.st_mode & S_IWUSR);
}

/* The kernel shows a mapped file, and how it was opened, only to processes with
   CAP_CHECKPOINT_RESTORE. Without that capability the numbers in the table are compared, which on
   most filesystems are those of the regular file. */
static bool mapping_is_it(struct open_search *s, const char *process, const struct mapping *m)
{
    char path[96];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%.20s/map_files/%" PRIx64 "-%" PRIx64, process, m->begin,
             m->end);
    if (open_file_look(AT_FDCWD, path, &st))
        return s->is_it(s->context, &st) && open_file_is_written(AT_FDCWD, path);
    if (errno != EPERM && errno != EACCES)
        return false;
    s->unseen |= s->devices;
    st = (struct stat){.st_mode = S_IFREG,
                       .st_dev = makedev(m->device_major, m->device_minor),
                       .st_ino = m->inode};
    return s->is_it(s->context, &st);
}

/* Asks the kernel for the shared mappings of a process. Returns 1 if one of them is of the file
   that is searched for, 0 if none is, -1 if the kernel lacks this query. */
static int ask_kernel(struct open_search *s, const char *process, int fd)
{
    struct mapping_query q = {.size = sizeof q, .flags = SHARED | THIS_OR_NEXT | OF_FILE};
    while (!syscall(SYS_ioctl, fd, MAPPING_QUERY, &q)) {
        const struct mapping m = {q.begin, q.end, q.inode, q.device_major, q.device_minor};
        if (mapping_is_it(s, process, &m))
            return 1;
        q = (struct mapping_query){.size = sizeof q, .flags = q.flags, .address = m.end};
    }
    return errno == ENOTTY || errno == EINVAL ? -1 : 0;
}

/* Reads the table of mappings: lines such as "7f0c-7f0d rw-s 00000000 00:19 1234 /path". */
static bool read_table(struct open_search *s, const char *process, int fd)
{
    char line[PATH_MAX + 128], access[5];
    bool found = false;
    FILE *f = fdopen(dup(fd), "re");
    s->unseen |= !f;
    while (f && !found && fgets(line, sizeof line, f)) {
        struct mapping m;
        /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote these numbers */
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64, &m.begin, &m.end,
                       access, &m.device_major, &m.device_minor, &m.inode) == 6 &&
                access[3] == 's' && m.inode && mapping_is_it(s, process, &m);
    }
    if (f)
        fclose(f);
    return found;
}

/*
 * Returns true if a shared mapping of the process writes to the file. `process` is its number in
 * /proc.
 */
static bool open_mapping_writes(struct open_search *s, const char *process)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%.20s/maps", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        /* with one of these errors the process has ended */
        s->unseen |= errno != ENOENT && errno != ESRCH;
        return false;
    }
    int answer = ask_kernel(s, process, fd);
    bool found = answer < 0 ? read_table(s, process, fd) : answer;
    close(fd);
    return found;
}

/* Returns the number of the process to which a folder of /proc with this name belongs. */
static pid_t number_of(const char *name)
{
    return (pid_t)strtol(name, NULL, 10);
}

/* ---- files that an io_uring holds after their descriptors were closed ---- */

/* Returns true if a line such as " 3: /dev/sdb" names the file; the path is as the process sees it.
   The line does not show how the file was opened. */
static bool line_matches(const struct open_search *s, const char *process, char *line)
{
    char path[PATH_MAX], *name = strchr(line, ':');
    struct stat st;
    if (!name || name[1] != ' ' || name[2] != '/')
        return false;
    name[strcspn(name, "\n")] = '\0';
    return file_path(path, "/proc/%s/root%s", process, octal_unescape(name + 2)) &&
           open_file_look(AT_FDCWD, path, &st) && s->is_it(s->context, &st);
}

/* The kernel lists these files only if no thread is in the ring at that moment. *seen becomes true
   if it lists them. */
static bool ring_lists(const struct open_search *s, const char *process, const char *descriptor,
                       bool *seen)
{
    char path[PATH_MAX], line[PATH_MAX + 32];
    bool found = false, files = false;
    snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", process, descriptor);
    FILE *f = fopen(path, "re");
    *seen = !f && errno == ENOENT;
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, "UserFiles:", 10))
            files = *seen = true;
        else if (isalpha((unsigned char)line[0]))
            files = false;
        else if (files)
            found |= line_matches(s, process, line);
    }
    if (f)
        fclose(f);
    return found;
}

static bool ring_has(struct open_search *s, const char *process, const char *descriptor)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int attempt = 0; attempt < 100; attempt++) {
        bool seen;
        if (ring_lists(s, process, descriptor, &seen))
            return true;
        if (seen)
            return false;
        nanosleep(&pause, NULL);
    }
    s->unseen = true;
    return false;
}

/* ---- descriptors ---- */

static bool link_begins(int folder, const char *name, const char *text)
{
    char link[32];
    ssize_t length = readlinkat(folder, name, link, sizeof link);
    return length >= (ssize_t)strlen(text) && !strncmp(link, text, strlen(text));
}

/* `own` is true for this process, in which only the descriptors 0 to 2 count. */
static bool descriptor_writes(struct open_search *s, const char *process, int folder,
                              const char *name, bool own)
{
    struct stat st;
    char link[2];
    if (own && (name[1] || name[0] > '2'))
        return false;
    if (!open_file_look(folder, name, &st)) {
        /* If the link can be read, the refusal came from another user's FUSE filesystem, where the
           file that is searched for cannot be. */
        if (errno == EACCES || errno == EPERM)
            s->unseen |= readlinkat(folder, name, link, sizeof link) < 0 && errno != ENOENT;
        return false;
    }
    if (st.st_dev == s->anonymous)
        return link_begins(folder, name, "anon_inode:[io_uring]") && ring_has(s, process, name);
    return s->is_it(s->context, &st) && open_file_is_written(folder, name);
}

/* `process` is "12", or "12/task/14" for a thread. */
static bool table_writes(struct open_search *s, const char *process, bool own)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%s/fd", process);
    DIR *d = opendir(path);
    if (!d) {
        s->unseen |= errno != ENOENT && errno != ESRCH;
        return false;
    }
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(d));)
        if (entry->d_name[0] != '.')
            found = descriptor_writes(s, process, dirfd(d), entry->d_name, own);
    closedir(d);
    return found;
}

/* Returns true if the process's first thread has ended before the others. /proc then shows neither
   descriptors nor mappings for it, but the other threads still have them. */
static bool first_has_ended(const char *process)
{
    char path[PATH_MAX], link[2];
    snprintf(path, sizeof path, "/proc/%s/exe", process);
    return readlink(path, link, sizeof link) < 0 && errno == ENOENT;
}

/* Searches the descriptors of threads that have a separate table of descriptors. Threads usually
   share the table of the first thread. */
static bool threads_write(struct open_search *s, const char *process, bool own)
{
    char path[PATH_MAX], thread[80];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    /* 3 links mean a single thread: two are those of the folder itself */
    if (stat(path, &st) || st.st_nlink <= 3)
        return false;
    const bool all_mappings = first_has_ended(process);
    DIR *d = opendir(path);
    bool found = false;
    for (struct dirent *entry; d && !found && (entry = readdir(d));) {
        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, process) ||
            (s->own == getpid() &&
             !syscall(SYS_kcmp, number_of(process), number_of(entry->d_name), KCMP_FILES, 0, 0)))
            continue;
        snprintf(thread, sizeof thread, "%.20s/task/%.20s", process, entry->d_name);
        found =
            table_writes(s, thread, own) || (all_mappings && open_mapping_writes(s, entry->d_name));
    }
    if (d)
        closedir(d);
    return found;
}

/* ---- processes ---- */

static bool process_writes(struct open_search *s, const char *process)
{
    char path[PATH_MAX];
    bool own = number_of(process) == s->own, unseen = s->unseen;
    if (!table_writes(s, process, own) && !threads_write(s, process, own) &&
        (own || !open_mapping_writes(s, process))) {
        /* Some machines let nobody examine process 1. Process 1 starts other programs and is not a
           user's program, so it does not count as unseen. */
        if (!strcmp(process, "1"))
            s->unseen = unseen;
        return false;
    }
    s->process = number_of(process);
    snprintf(path, sizeof path, "/proc/%s/comm", process);
    if (!file_first_line(path, s->program, sizeof s->program))
        snprintf(s->program, sizeof s->program, "a program");
    return true;
}

/* Returns true if /proc shows all processes, which is so if it shows the kernel's threads. It shows
   neither in another PID namespace nor where it hides other users' processes. */
static bool shows_all(void)
{
    char line[512];
    const char *end =
        file_first_line("/proc/2/stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    for (int field = 0; end && field < 7; field++) /* the flags are the 7th field after the name */
        end = strchr(end + 1, ' ');
    return end && (strtoul(end, NULL, 10) & PF_KTHREAD);
}

/* Returns this process's number in /proc, which may be mounted from an outer PID namespace. */
static pid_t own_number(void)
{
    char link[24] = "";
    return readlink("/proc/self", link, sizeof link - 1) > 0 ? number_of(link) : 0;
}

static dev_t anonymous_files(void)
{
    struct stat st = {0};
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        st.st_dev = (dev_t)-1;
    if (fd >= 0)
        close(fd);
    return st.st_dev;
}

static enum writers look_once(struct open_search *s)
{
    bool found = false;
    s->unseen = !shows_all();
    DIR *d = opendir("/proc");
    for (struct dirent *entry; d && !found && (entry = readdir(d));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            found = process_writes(s, entry->d_name);
    s->unseen |= !d;
    if (d)
        closedir(d);
    return found ? SOME_WRITERS : s->unseen ? CANNOT_ASK : NO_WRITERS;
}

enum writers open_writers_find(struct open_search *s)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    s->anonymous = anonymous_files();
    s->own = own_number();
    enum writers answer = look_once(s);
    for (int i = 0; i < 10 && answer == SOME_WRITERS; i++) {
        nanosleep(&pause, NULL);
        answer = look_once(s);
    }
    return answer;
}
