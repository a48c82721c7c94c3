/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel run --verify with NVMe commands: what both engines past the block layer write is read back
 * by their own commands through the character device, and through the block layer from the other.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "nvme_drives.h"

/* Returns the exit status of cupel run; its output goes to the serial line. */
static int run_cupel(char *target, char *engine, char *depth)
{
    int status = -1;
    char *arguments[] = {"cupel", "run",       target,  "--destroy",  "--verify", "--ioengine",
                         engine,  "--iodepth", depth,   "--rw",       "randrw",   "--numjobs",
                         "2",     "--bs",      "16k",   "--runtime",  "300ms",    "--limit",
                         "30s",   "--preset",  "quick", "--overhead", "0",        "--realtime",
                         "0",     NULL};
    pid_t child = fork();
    if (child == 0) {
        execv("/cupel", arguments);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_drive(const char *serial)
{
    char name[64], path[80], generic[80];
    if (!find_namespace(serial, "1", name)) {
        CHECK(false);
        return;
    }
    (void)snprintf(path, sizeof path, "/dev/%s", name);
    (void)snprintf(generic, sizeof generic, "/dev/ng%s", name + 4);
    CHECK(guest_wait_for(path, 5000) && guest_wait_for(generic, 5000));
    CHECK_INT(run_cupel(path, "uring", "8"), 0);
    CHECK_INT(run_cupel(path, "nvme-uring", "8"), 0);
    CHECK_INT(run_cupel(path, "nvme", "1"), 0);
    CHECK_INT(run_cupel(generic, "nvme-uring", "8"), 0);
    CHECK_INT(run_cupel(generic, "nvme", "1"), 0);
}

static void test(void)
{
    check_drive("plain");
    check_drive("small"); /* 16 KiB are several commands */
    check_drive("large");
}

int main(void)
{
    return guest_run(test);
}
