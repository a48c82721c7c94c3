/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches /proc for programs that have something open for writing: descriptors of every process
   and thread, files that an io_uring keeps, and shared mappings. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/span.h"
#include "io/target/internal.h"

#define PF_KTHREAD 0x00200000u /* flag of a kernel thread, from the kernel's linux/sched.h */

/* The process number that a folder of /proc has as its name. */
static pid_t number_of(const char *name)
{
    return (pid_t)strtol(name, NULL, 10);
}

/* ---- files that an io_uring keeps when their descriptors are closed ---- */

/* Does a line such as "    3: /dev/sdb" name the file, as the process sees it? How it was opened is
   not shown. */
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

/* The kernel lists these files only while no thread is in the ring at that moment: *seen. */
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

/* `own`: this process, where only the descriptors that it was started with count. */
static bool descriptor_writes(struct open_search *s, const char *process, int folder,
                              const char *name, bool own)
{
    struct stat st;
    char link[2];
    if (own && (name[1] || name[0] > '2'))
        return false;
    if (!open_file_look(folder, name, &st)) {
        /* Once the link can be read only another user's FUSE refuses access, and nothing of ours is
           there. */
        if (errno == EACCES || errno == EPERM)
            s->unseen |= readlinkat(folder, name, link, sizeof link) < 0 && errno != ENOENT;
        return false;
    }
    if (st.st_dev == s->anonymous)
        return link_begins(folder, name, "anon_inode:[io_uring]") && ring_has(s, process, name);
    return s->is_it(s->context, &st) && open_file_is_written(folder, name);
}

/* `process`: "12", or for a thread "12/task/14". */
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

/* Has its first thread ended before the others? It then shows neither descriptors nor mappings, but
   the other threads still have them. */
static bool first_has_ended(const char *process)
{
    char path[PATH_MAX], link[2];
    snprintf(path, sizeof path, "/proc/%s/exe", process);
    return readlink(path, link, sizeof link) < 0 && errno == ENOENT;
}

/* Threads usually share the table of the first one; those are not looked at again. */
static bool threads_write(struct open_search *s, const char *process, bool own)
{
    char path[PATH_MAX], thread[80];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    if (stat(path, &st) || st.st_nlink <= 3) /* the folder itself, "..", and one thread */
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
        /* Some machines let nobody look into process 1, which starts other programs and is not a
           user's program itself: it does not count as unseen. */
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

/* Are all processes shown? They are where the kernel's own threads are shown: not in another
   namespace of processes, and not where /proc hides other users' processes. */
static bool shows_all(void)
{
    char line[512];
    const char *end =
        file_first_line("/proc/2/stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    for (int field = 0; end && field < 7; field++) /* the field of flags is the 7th after the
                                                      name */
        end = strchr(end + 1, ' ');
    return end && (strtoul(end, NULL, 10) & PF_KTHREAD);
}

/* This process's number in /proc, which may be mounted from a namespace around this one. */
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
