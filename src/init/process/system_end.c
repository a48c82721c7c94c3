/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of the machine: nothing runs, nothing is mounted, power off. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/octal_escape.h"
#include "init/process/child_question.h"
#include "init/process/system.h"

#define AFTER_TERM_MS 2000
#define AFTER_KILL_MS 1000
#define UNMOUNT_MS    30000 /* a stick that is slow, not a disk that never answers */
#define MOUNTS_MAX    ((size_t)1 << 20)

/* Process 1 is nobody's target of kill(-1). All orphans become its children: when it has none
   left, nothing runs any more. */
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

static void end_all_processes(void)
{
    kill(-1, SIGTERM);
    wait_for_all(AFTER_TERM_MS);
    kill(-1, SIGKILL);
    wait_for_all(AFTER_KILL_MS);
}

/* The fifth field of a line of mountinfo (proc(5)), unescaped in place; NULL for no such line. */
static char *mount_point(char *line)
{
    char *rest = NULL, *field = strtok_r(line, " ", &rest);
    for (int i = 0; i < 4 && field; i++)
        field = strtok_r(NULL, " ", &rest);
    return field ? octal_unescape(field) : NULL;
}

/* A filesystem that somebody still uses can at least be made whole. */
static void release(const char *folder)
{
    if (strcmp(folder, "/") == 0 || umount2(folder, UMOUNT_NOFOLLOW) == 0)
        return;
    mount(NULL, folder, NULL, MS_REMOUNT | MS_RDONLY, NULL);
}

/* The last mounted first: it may be inside the others. */
static void unmount_all(void)
{
    char *lines;
    size_t length;
    if (file_read_all("/proc/self/mountinfo", MOUNTS_MAX, &lines, &length, NULL))
        return;
    while (length > 0) {
        lines[length - 1] = '\0';
        char *begin = memrchr(lines, '\n', length - 1);
        begin = begin ? begin + 1 : lines;
        char *folder = mount_point(begin);
        if (folder)
            release(folder);
        length = (size_t)(begin - lines);
    }
    free(lines);
}

static void unmount_in_child(void *context, void *answer)
{
    (void)context;
    unmount_all();
    *(bool *)answer = true;
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
    end_all_processes();
    /* Each filesystem that is unmounted is made whole; a sync of everything waits for disks that
       nobody wrote to. */
    bool done;
    aside(unmount_in_child, NULL, &done, sizeof done, UNMOUNT_MS);
    reboot((int)commands[how]);
    return err_set(e, ERR_MACHINE, "the kernel refuses to switch off: %s", strerror(errno));
}
