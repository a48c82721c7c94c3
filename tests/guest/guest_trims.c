/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trims of NVMe namespaces, by Dataset Management commands of one range and of several, past the
 * block layer, and by discards through it. What became of the blocks tests/e2e/qemu_trims.sh looks
 * for in the files of the host.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "nvme_drives.h"

static int cupel_run(const char *rest)
{
    static char words[1024], *command[64];
    unsigned n = 0;
    int status = -1;
    (void)snprintf(words, sizeof words, "cupel run --overhead 0 %s", rest);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        command[n++] = word;
    command[n] = NULL;
    pid_t child = fork();
    if (child == 0) {
        execv("/cupel", command);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* `format` has one %s, for the device. */
static void on_drive(const char *serial, bool generic, int expected, const char *format)
{
    char name[64], path[80], words[512];
    CHECK(find_namespace(serial, "1", name));
    (void)snprintf(path, sizeof path, "/dev/%s", name);
    if (generic)
        (void)snprintf(path, sizeof path, "/dev/ng%s", name + strlen("nvme"));
    CHECK(guest_wait_for(path, 5000));
    /* the formats are those below */
    char *at = strstr(strcpy(words, format), "DEVICE");
    char rest[640];
    (void)snprintf(rest, sizeof rest, "%.*s%s%s", at ? (int)(at - words) : 0, words, path,
                   at ? at + strlen("DEVICE") : "");
    CHECK_INT(cupel_run(rest), expected);
}

/* fio's example uring-cmd-trim-multi-range, with a device that is there, and a time. */
static void test_job_file(void)
{
    char name[64];
    CHECK(find_namespace("example", "1", name));
    FILE *f = fopen("/tmp/trims.fio", "w");
    CHECK(f != NULL);
    (void)fprintf(f,
                  "[global]\nfilename=/dev/ng%s\nioengine=io_uring_cmd\ncmd_type=nvme\nsize=10M\n"
                  "iodepth=32\nthread=1\nstonewall=1\n\n[write_bs]\nbs=4096\nrw=randtrim\n"
                  "num_range=8\n\n[write_bssplit]\nbssplit=4k/10:64k/50:32k/40\nrw=trim\n"
                  "num_range=8\nruntime=2\n",
                  name + strlen("nvme"));
    CHECK(!fclose(f));
    CHECK_INT(cupel_run("/tmp/trims.fio --destroy"), 0);
}

/* The whole drive twice: half of the writes are zeroes; then only zeroes, and verified blocks. */
static void test_write_modes(void)
{
    on_drive("modes", true, 3,
             "DEVICE --ioengine nvme-uring --rw write --write_mode zeroes --runtime 1");
    on_drive(
        "modes", true, 0,
        "DEVICE --destroy --ioengine nvme-uring --iodepth 4 --rw write --bs 64k --runtime 3 --full"
        " --write_mode write/50:zeroes/50 --buffer_pattern 0xa5");
    on_drive("modes", false, 0,
             "DEVICE --destroy --ioengine nvme --rw write --bs 1m --size 8m --write_mode zeroes"
             " --runtime 2");
    on_drive("modes", true, 6,
             "DEVICE --destroy --ioengine nvme-uring --rw write --write_mode uncor --runtime 1");
    on_drive("modes", true, 6,
             "DEVICE --destroy --ioengine nvme-uring --rw write --write_mode verify --runtime 1");
    on_drive("modes", true, 2,
             "DEVICE --destroy --ioengine uring --rw write --write_mode zeroes --runtime 1");
}

static void test(void)
{
    (void)mkdir("/tmp", 0777);
    on_drive("ioctl", false, 3, "DEVICE --ioengine nvme --rw trim --runtime 1");
    on_drive(
        "ioctl", false, 0,
        "DEVICE --destroy --ioengine nvme --rw trim --bs 4k --offset 4m --size 4m --runtime 2");
    on_drive(
        "ring", true, 0,
        "DEVICE --destroy --ioengine nvme-uring --iodepth 8 --rw randtrim --bs 16k --num_range 8"
        " --offset 8m --size 4m --runtime 3");
    on_drive(
        "block", false, 0,
        "DEVICE --destroy --ioengine sync --rw trim --bs 64k --offset 1m --size 2m --runtime 2");
    on_drive("block", false, 0,
             "DEVICE --destroy --ioengine sync --rw trimwrite --bs 64k --offset 8m --size 2m"
             " --runtime 2 --buffer_pattern 0xa5");
    /* io_uring discards since Linux 6.12 */
    on_drive(
        "block", false, 0,
        "DEVICE --destroy --ioengine uring --iodepth 4 --rw trim --bs 64k --offset 12m --size 2m"
        " --runtime 2");
    test_job_file();
    test_write_modes();
}

int main(void)
{
    return guest_run(test);
}
