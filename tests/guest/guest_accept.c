/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel accept on an NVMe drive, over a power loss: tests/e2e/qemu_accept.sh switches the machine
 * off while the drive is written, and on again. The drive with the serial number "state" keeps the
 * state between the two.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "nvme_drives.h"

#define FOLDER "/state/kept"

/* Returns the exit status of the command; its output goes to the serial line. */
static int run_cupel(char *const arguments[])
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execv("/cupel", arguments);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CUPEL(...) run_cupel((char *[]){"cupel", "accept", __VA_ARGS__, NULL})

static bool mount_state(void)
{
    char name[64], path[80];
    if (!find_namespace("state", "1", name))
        return false;
    (void)snprintf(path, sizeof path, "/dev/%s", name);
    (void)mkdir("/state", 0755);
    return guest_wait_for(path, 5000) && !mount(path, "/state", "vfat", 0, NULL);
}

static void begin(char *path)
{
    /* Refusals: another serial number, none, a drive in use, stages that this drive does not
       support. */
    CHECK_INT(CUPEL(path, "--destroy-serial", "OTHER", "-o", "/state/no"), 3);
    CHECK_INT(CUPEL(path, "--destroy", "-o", "/state/no"), 3);
    CHECK_INT(CUPEL("state", "--destroy-serial", "state", "-o", "/state/no"), 3);
    CHECK(access("/state/no", F_OK) != 0);
    CHECK_INT(
        CUPEL(path, "--destroy-serial", "NEW-1", "-o", "/tmp/sanitized", "--purge", "sanitize"), 6);
    CHECK_INT(
        CUPEL(path, "--destroy-serial", "NEW-1", "-o", "/tmp/erased", "--purge", "secure-erase"),
        6);
    printf("guest: begins\n");
    CHECK_INT(CUPEL(path, "--destroy-serial", "NEW-1", "-o", FOLDER, "--purge", "format",
                    "--passes", "3"),
              0);
}

static void test(void)
{
    char name[64], path[80];
    CHECK(mount_state());
    bool again = !access(FOLDER, F_OK);
    if (find_namespace("NEW-1", "1", name)) {
        (void)snprintf(path, sizeof path, "/dev/%s", name);
        CHECK(guest_wait_for(path, 5000));
        if (!again)
            begin(path);
        else if (!access("/state/pull", F_OK)) /* the drive is pulled out during the work */
            CHECK_INT(
                CUPEL(path, "--destroy-serial", "NEW-1", "-o", "/tmp/pulled", "--passes", "3"), 4);
        else
            CHECK_INT(CUPEL("--resume", FOLDER), access("/state/resized", F_OK) ? 0 : 3);
    } else {
        CHECK(again);
        CHECK_INT(CUPEL("--resume", FOLDER), 4);
    }
    CHECK_INT(umount("/state"), 0);
}

int main(void)
{
    return guest_run(test);
}
