/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Handles running processes: whether they can be recorded, their children, and their end. */
#include "program/observe/internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/file.h"

enum {
    /* PID_MAX_LIMIT of Linux: process numbers are below it */
    NUMBERS_MAX = 4 << 20,
    KERNEL_THREAD = 0x00200000, /* PF_KTHREAD of Linux */
    ENDS_AT_A_TIME = 8
};

/* Numbers of fields in /proc/PID/stat (proc_pid_stat(5)), counted from 1. */
enum { PARENT = 4, FLAGS = 9 };

struct process_status {
    char name[32];
    char state;
    pid_t parent;
    unsigned long flags;
};

/* Parses a line of /proc/PID/stat. The name is in parentheses and may contain parentheses itself.
 */
static bool parse_status(const char *line, struct process_status *s)
{
    const char *begin = strchr(line, '('), *end = strrchr(line, ')');
    if (!begin || !end)
        return false;
    snprintf(s->name, sizeof s->name, "%.*s", (int)(end - begin - 1), begin + 1);
    if (strlen(end) < 4)
        return false;
    s->state = end[2];
    long numbers[FLAGS - PARENT + 1]; /* some are below 0 */
    char *next = (char *)end + 3;
    for (size_t i = 0; i <= FLAGS - PARENT; i++) {
        const char *number = next;
        numbers[i] = strtol(number, &next, 10);
        if (next == number)
            return false;
    }
    s->parent = (pid_t)numbers[0];
    s->flags = (unsigned long)numbers[FLAGS - PARENT];
    return true;
}

static bool read_status(pid_t process, struct process_status *s)
{
    char path[48], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    return file_first_line(path, line, sizeof line) && parse_status(line, s);
}

/* Returns the number of the process to which this thread belongs; for the number of a process that
   is the number itself. 0: there is no such thread. */
static pid_t process_of_thread(pid_t number)
{
    char path[48], line[128];
    long process = 0;
    snprintf(path, sizeof path, "/proc/%d/status", number);
    FILE *f = fopen(path, "re");
    while (f && process == 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, "Tgid:", 5))
            process = strtol(line + 5, NULL, 10);
    if (f)
        fclose(f);
    return (pid_t)process;
}

static int check_process(pid_t number, struct process_status *s, struct err *e)
{
    if (number == getpid())
        return err_set(e, ERR_USAGE, "--pid: %d is cupel itself", number);
    if (kill(number, 0) && errno == ESRCH)
        return err_set(e, ERR_USAGE, "--pid: there is no process %d", number);
    pid_t process = process_of_thread(number);
    if (process == 0 || !read_status(number, s))
        return err_set(e, ERR_MACHINE,
                       "--pid: process %d may not be looked at: /proc does not show it", number);
    if (process != number)
        return err_set(e, ERR_USAGE, "--pid: %d is a thread of process %d: record that", number,
                       process);
    if (s->flags & KERNEL_THREAD)
        return err_set(e, ERR_USAGE,
                       "--pid: %d (%s) is a thread of the kernel and makes no calls: record a "
                       "device with --device",
                       number, s->name);
    if (s->state == 'Z' || s->state == 'X')
        return err_set(e, ERR_USAGE, "--pid: process %d (%s) has ended already", number, s->name);
    return 0;
}

static int hold_process(struct running *p, pid_t number, struct err *e)
{
    struct epoll_event end = {.events = EPOLLIN, .data.u32 = (uint32_t)p->count};
    int fd = (int)syscall(SYS_pidfd_open, number, 0);
    if (fd < 0 && errno == ESRCH)
        return err_set(e, ERR_USAGE, "--pid: process %d has just ended", number);
    if (fd < 0 || epoll_ctl(p->ended, EPOLL_CTL_ADD, fd, &end)) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return err_set(e, ERR_MACHINE, "--pid: the end of process %d cannot be waited for: %s",
                       number, strerror(reason));
    }
    p->descriptors[p->count++] = fd;
    p->alive++;
    return 0;
}

/* Finds the processes of the plan. ERR_USAGE names one that does not exist, a thread, a kernel
   thread or this process itself; ERR_MACHINE: the process may not be examined. */
static int find(struct recorder *r, struct err *e)
{
    struct running *p = &r->running;
    const struct recording_plan *plan = r->plan;
    *p = (struct running){.ended = epoll_create1(EPOLL_CLOEXEC),
                          .followed = calloc(NUMBERS_MAX / 8, 1)};
    if (p->ended < 0 || !p->followed)
        return err_set(e, ERR_MACHINE, "processes cannot be waited for: %s", strerror(errno));
    size_t used = 0;
    for (size_t i = 0; i < plan->process.count; i++) {
        struct process_status s = {0};
        pid_t number = plan->process.number[i];
        if (check_process(number, &s, e) || hold_process(p, number, e))
            return -1;
        if (used >= sizeof p->words)
            continue;
        int length = snprintf(p->words + used, sizeof p->words - used, "%s%d (%s)",
                              i > 0 ? ", " : "", number, s.name);
        used += length > 0 ? (size_t)length : 0;
    }
    return 0;
}

static bool is_followed(const struct running *p, pid_t number)
{
    return number > 0 && number < NUMBERS_MAX && (p->followed[number / 8] >> number % 8 & 1);
}

static int follow(struct running *p, pid_t number, struct io_calls *calls, struct err *e)
{
    if (io_calls_follow(calls, number, e))
        return -1;
    p->followed[number / 8] |= (unsigned char)(1 << number % 8);
    return 0;
}

/* Follows all processes whose parent is followed. Returns the number of new ones, or -1 with the
   error. */
static int follow_children(struct running *p, DIR *processes, struct io_calls *calls, struct err *e)
{
    int found = 0;
    const struct dirent *entry;
    rewinddir(processes);
    while ((entry = readdir(processes)) != NULL) {
        struct process_status s;
        long number = strtol(entry->d_name, NULL, 10);
        if (number <= 0 || number >= NUMBERS_MAX || number == getpid() ||
            is_followed(p, (pid_t)number) || !read_status((pid_t)number, &s) ||
            !is_followed(p, s.parent))
            continue;
        if (follow(p, (pid_t)number, calls, e))
            return -1;
        found++;
    }
    return found;
}

/* Returns true if all of the processes have ended. Does not wait. */
static bool have_ended(struct recorder *r)
{
    struct running *p = &r->running;
    struct epoll_event ends[ENDS_AT_A_TIME];
    int count;
    while (p->alive > 0 && (count = epoll_wait(p->ended, ends, ENDS_AT_A_TIME, 0)) > 0) {
        for (int i = 0; i < count; i++)
            epoll_ctl(p->ended, EPOLL_CTL_DEL, p->descriptors[ends[i].data.u32], NULL);
        p->alive -= (size_t)count;
    }
    return p->alive == 0;
}

/* Follows the processes and all their children. The kernel follows every child that a followed
   process makes from then on. Children that existed before are searched for, again and again until
   a search finds none. ERR_USAGE: all of the processes have ended by now. */
static int begin(struct recorder *r, struct err *e)
{
    struct running *p = &r->running;
    const struct recording_plan *plan = r->plan;
    struct io_calls *calls = r->io_calls;
    for (size_t i = 0; i < plan->process.count; i++)
        if (follow(p, plan->process.number[i], calls, e))
            return -1;
    DIR *processes = opendir("/proc");
    if (!processes)
        return err_set(e, ERR_MACHINE, "/proc: %s", strerror(errno));
    int found = 1;
    while (found > 0)
        found = follow_children(p, processes, calls, e);
    closedir(processes);
    if (found < 0)
        return -1;
    if (have_ended(r))
        return err_set(e, ERR_USAGE, "--pid: %s: ended before the recording began", p->words);
    return 0;
}

static void release(struct recorder *r)
{
    struct running *p = &r->running;
    while (p->count > 0)
        close(p->descriptors[--p->count]);
    if (p->ended >= 0)
        close(p->ended);
    free(p->followed);
    p->followed = NULL;
    p->ended = -1;
}

const struct recorded_kind recorded_processes = {
    .find = find, .begin = begin, .have_ended = have_ended, .release = release};
