/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two paths to one namespace that the kernel does not join (nvme_core.multipath=N): two block
 * devices for the same data. While one is in use the other must not be written.
 */
#include "nvme_drives.h"

static char block[4][64];

/* The namespaces of the shared drive, by any name. */
static unsigned find_both(void)
{
    unsigned count = 0;
    DIR *d = opendir("/sys/class/block");
    for (struct dirent *entry; d && count < 4 && (entry = readdir(d));) {
        char folder[300], serial[64];
        if (strncmp(entry->d_name, "nvme", 4) != 0)
            continue;
        (void)snprintf(folder, sizeof folder, "/sys/class/block/%s/device", entry->d_name);
        read_attribute(folder, "serial", serial);
        if (!strcmp(serial, "shared"))
            (void)snprintf(block[count++], sizeof block[0], "/dev/%.58s", entry->d_name);
    }
    if (d)
        (void)closedir(d);
    return count;
}

static bool opens(const char *path, struct err *e)
{
    struct target t;
    struct target_request request = request_for(path, true);
    *e = (struct err){0};
    if (target_open(&t, &request, NULL, NULL, NULL, e))
        return false;
    target_close(&t);
    return true;
}

static void test(void)
{
    struct err e;
    char generic[64];
    for (int i = 0; i < 100 && find_both() < 2; i++)
        guest_sleep(50);
    CHECK_INT(find_both(), 2);
    CHECK(guest_wait_for(block[0], 5000) && guest_wait_for(block[1], 5000));
    (void)snprintf(generic, sizeof generic, "/dev/ng%.50s", block[0] + strlen("/dev/nvme"));
    CHECK(mkdir("/tmp/there", 0755) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(opens(block[i], &e));
    CHECK_INT(mount(block[1], "/tmp/there", "vfat", 0, ""), 0);
    for (int i = 0; i < 2; i++) {
        CHECK(!opens(i ? generic : block[0], &e));
        CHECK_INT(e.code, ERR_UNSAFE);
        if (!strstr(e.msg, "another way to the same disk (its wwid is the same), holds a mounted "
                           "filesystem (/tmp/there)"))
            CHECK_STR(e.msg, "");
    }
    CHECK_INT(umount("/tmp/there"), 0);
    /* No table shows mounts in another namespace, or devices claimed by a program: the kernel
       refuses them. */
    int claim = open(block[1], O_RDONLY | O_EXCL | O_CLOEXEC);
    CHECK(claim >= 0);
    for (int i = 0; i < 2; i++) {
        CHECK(!opens(i ? generic : block[0], &e));
        CHECK_INT(e.code, ERR_UNSAFE);
        if (!strstr(e.msg, "another way to the same disk (its wwid is the same), is in use"))
            CHECK_STR(e.msg, "");
    }
    CHECK_INT(close(claim), 0);
    CHECK(opens(block[0], &e));
    CHECK(opens(generic, &e));
}

int main(void)
{
    return guest_run(test);
}
