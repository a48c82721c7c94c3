/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SCSI commands past the block layer (--ioengine sg), on disks of virtio-scsi, whose files the host
 * compares afterwards (tests/e2e/qemu_sg.sh), and on scsi_debug, which fails as it is told.
 */
#include <dirent.h>
#include <scsi/sg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "nvme_drives.h"

#include "io/io.h"
#include "io/nvme/device_failures.h"
#include "io/scsi/scsi_io.h"

#define MIB (1u << 20)

struct disk {
    char name[64], block[80], generic[80];
};

/* Finds a disk by its model: the name that the host gave it, or "scsi_debug". */
static bool find_disk(const char *model, struct disk *to)
{
    for (int tries = 0; tries < 200; tries++, guest_sleep(50)) {
        DIR *d = opendir("/sys/block");
        bool found = false;
        for (struct dirent *entry; d && !found && (entry = readdir(d));) {
            char folder[300], text[64];
            (void)snprintf(folder, sizeof folder, "/sys/block/%.60s/device", entry->d_name);
            read_attribute(folder, "model", text);
            if (strcmp(text, model) != 0)
                continue;
            (void)snprintf(to->name, sizeof to->name, "%.60s", entry->d_name);
            (void)snprintf(to->block, sizeof to->block, "/dev/%.60s", entry->d_name);
            (void)snprintf(folder, sizeof folder, "/sys/block/%.60s/device/scsi_generic",
                           entry->d_name);
            DIR *g = opendir(folder);
            for (struct dirent *node; g && (node = readdir(g));)
                if (node->d_name[0] != '.') {
                    (void)snprintf(to->generic, sizeof to->generic, "/dev/%.60s", node->d_name);
                    found = true;
                }
            if (g)
                (void)closedir(g);
        }
        if (d)
            (void)closedir(d);
        if (found && guest_wait_for(to->block, 5000) && guest_wait_for(to->generic, 5000))
            return true;
    }
    CHECK_STR("no such disk", model);
    return false;
}

static void write_attribute(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    CHECK(f != NULL);
    if (f && (fputs(text, f) < 0 || fclose(f)))
        CHECK_STR("cannot be written", path);
}

/* Returns the exit status of the command, whose output goes to the serial line. */
static int cupel(char *words)
{
    char *command[64];
    unsigned n = 0;
    int status = -1;
    printf("guest: %s\n", words);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        command[n++] = word;
    command[n] = NULL;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execv("/cupel", command);
        _exit(127);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int cupel_run(const char *device, const char *rest)
{
    char words[1024];
    (void)snprintf(words, sizeof words, "cupel run %s --overhead 0 --realtime 0 %s", device, rest);
    return cupel(words);
}

/* ---- the bytes that are read and written ---- */

static bool holds(const struct disk *disk, uint64_t begin, uint64_t end, int pattern)
{
    unsigned char *data = aligned_alloc(4096, MIB);
    int fd = open(disk->block, O_RDONLY | O_DIRECT | O_CLOEXEC);
    bool good = fd >= 0 && data;
    for (uint64_t at = begin; good && at < end; at += MIB) {
        good = pread(fd, data, MIB, (off_t)at) == MIB;
        if (good && pattern < 0)
            good = holds_numbers(data, HOST_NUMBERS, at, MIB);
        else if (good)
            good = data[0] == pattern && !memcmp(data, data + 1, MIB - 1);
    }
    if (fd >= 0)
        close(fd);
    free(data);
    return good;
}

/* Each command writes to its own part of the disk, and nowhere else. */
static void bytes(void)
{
    struct disk disk = {0};
    if (!find_disk("plain", &disk))
        return;
    CHECK(holds(&disk, 0, 16 * MIB, -1));
#define WRITES "--destroy --runtime 500ms --preset quick --limit 20s "
    CHECK_INT(cupel_run(disk.generic, "--ioengine sg --rw write --runtime 300ms"), 3);
    CHECK_INT(cupel_run(disk.block, "--ioengine sg --rw write --runtime 300ms"), 3);
    CHECK(holds(&disk, 0, 16 * MIB, -1));
    CHECK_INT(cupel_run(disk.generic,
                        WRITES "--full --ioengine sg --iodepth 20 --rw write --bs 64k "
                               "--offset 2m --size 2m --buffer_pattern 0xa5"),
              0);
    CHECK_INT(cupel_run(disk.block, WRITES "--full --ioengine sg --rw write --bs 64k --offset 6m "
                                           "--size 1m --buffer_pattern 0x5a"),
              0);
    CHECK_INT(cupel_run(disk.generic, WRITES "--full --rw trim --bs 64k --offset 8m --size 1m"), 0);
    CHECK_INT(cupel_run(disk.generic,
                        WRITES "--full --ioengine sg --iodepth 4 --rw write --write_mode zeroes "
                               "--bs 64k --offset 10m --size 1m"),
              0);
    CHECK_INT(cupel_run(disk.generic, WRITES "--full --ioengine sg --iodepth 4 --rw write "
                                             "--write_mode verify --bs 64k --offset 11m --size 1m"),
              0);
    CHECK(holds(&disk, 0, 2 * MIB, -1));
    CHECK(holds(&disk, 2 * MIB, 4 * MIB, 0xa5));
    CHECK(holds(&disk, 4 * MIB, 6 * MIB, -1));
    CHECK(holds(&disk, 6 * MIB, 7 * MIB, 0x5a));
    CHECK(holds(&disk, 7 * MIB, 8 * MIB, -1));
    CHECK(holds(&disk, 8 * MIB, 9 * MIB, 0));
    CHECK(holds(&disk, 9 * MIB, 10 * MIB, -1));
    CHECK(holds(&disk, 10 * MIB, 11 * MIB, 0));
    CHECK(holds(&disk, 11 * MIB, 16 * MIB, -1));
}

/* Written data is read back, through the same commands and through the block layer. */
static void verified(void)
{
    static const char way[] = WRITES "--verify --rw randrw --bs 16k --ioengine sg ";
    struct disk disk = {0};
    char rest[256];
    if (!find_disk("verified", &disk))
        return;
    for (int i = 0; i < 4; i++) {
        (void)snprintf(rest, sizeof rest, "%s%s", way, i % 2 ? "--iodepth 24 --numjobs 2" : "");
        CHECK_INT(cupel_run(i < 2 ? disk.block : disk.generic, rest), 0);
    }
}

/* ---- what is refused ---- */

static void refused(void)
{
    struct disk disk = {0}, mounted = {0};
    if (!find_disk("plain", &disk) || !find_disk("mounted", &mounted))
        return;
    CHECK_INT(cupel_run(disk.generic, "--ioengine sync --runtime 300ms"), 2);
    CHECK_INT(cupel_run(disk.generic, "--ioengine nvme --runtime 300ms"), 2);
    CHECK_INT(cupel_run(disk.block, "--ioengine sg --direct 0 --runtime 300ms"), 2);
    CHECK_INT(cupel_run(disk.block, "--ioengine sg --bs 1m --runtime 300ms"), 6);
    CHECK_INT(cupel_run("/dev/null", "--ioengine sg --runtime 300ms"), 2);
    CHECK(mkdir("/tmp/there", 0755) == 0);
    CHECK_INT(mount(mounted.block, "/tmp/there", "vfat", 0, ""), 0);
    CHECK_INT(cupel_run(mounted.generic, "--destroy --ioengine sg --rw write --runtime 300ms"), 3);
    CHECK_INT(cupel_run(mounted.block, "--destroy --ioengine sg --rw write --runtime 300ms"), 3);
    CHECK_INT(umount("/tmp/there"), 0);
    CHECK_INT(cupel_run(mounted.generic, "--ioengine sg --iodepth 2 --runtime 300ms --preset quick "
                                         "--limit 20s --allow-unwritten"),
              0);
    /* another program holds the generic device open for writing */
    int fd = open(mounted.generic, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_INT(cupel_run(mounted.block, "--destroy --ioengine sg --rw write --runtime 300ms"), 3);
    close(fd);
    /* reserved for the time of the run */
    struct target t;
    if (open_target(&t, mounted.generic, true)) {
        CHECK(mount(mounted.block, "/tmp/there", "vfat", 0, "") && errno == EBUSY);
        target_close(&t);
    }
}

/* ---- errors ---- */

static struct clock test_clock;

/* Reads 4 KiB once at `block` (of 512 bytes), through the generic device or through the block
   device. Returns errno, and the device's own answer. */
static void read_fails(const struct disk *disk, bool generic, uint64_t block, int error,
                       const char *expected)
{
    struct target t;
    struct err e = {0};
    struct io_backend b = {0};
    struct io_done done = {.error = -1};
    struct io_req request = {.offset = block * 512, .length = 4096, .command = REQUEST_READ};
    char words[200];
    static _Alignas(4096) unsigned char buffers[4096];
    if (!open_target(&t, generic ? disk->generic : disk->block, false))
        return;
    struct io_setup setup = {.clock = &test_clock,
                             .fd = t.fd,
                             .direct = true,
                             .iodepth = 1,
                             .buffers = buffers,
                             .buffer_stride = 4096,
                             .scsi = &t.scsi};
    CHECK_INT(t.scsi.timeout_ms, 1000);
    int opened = io_sg.open(&b, &setup, &e);
    CHECK_STR(opened ? e.msg : "", "");
    /* the disk begins to fail after the target was opened */
    if (error == EIO && block == 0)
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/virtual_gb", generic ? "1\n" : "2\n");
    if (error == ETIMEDOUT) {
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/opts", "4\n");
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/every_nth", "1\n");
    }
    if (!opened) {
        int got = io_sg.submit(&b, &request, 1, &e);
        while (got >= 0 && !(got = io_sg.reap(&b, &done, 1, 1, &e)))
            continue;
        CHECK_INT(got, 1);
        CHECK_INT(done.error, error);
        CHECK_INT(done.bytes, error ? 0 : 4096);
        CHECK_STR(io_statuses_words(&b.statuses, words, sizeof words), expected);
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/every_nth", "0\n");
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/opts", "0\n");
        io_sg.close(&b);
    }
    target_close(&t);
}

/* START STOP UNIT, sent by the test; cupel never sends it. */
static void start_stop(const struct disk *disk, bool start)
{
    uint8_t bytes[6] = {0x1b, 0, 0, 0, start, 0}, sense[32];
    struct sg_io_hdr header = {.interface_id = 'S',
                               .dxfer_direction = SG_DXFER_NONE,
                               .cmd_len = sizeof bytes,
                               .mx_sb_len = sizeof sense,
                               .cmdp = bytes,
                               .sbp = sense,
                               .timeout = 10000};
    int fd = open(disk->generic, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 && !ioctl(fd, SG_IO, &header) && !header.status);
    close(fd);
}

static void errors(void)
{
    struct disk disk = {0};
    char path[200];
    if (!find_disk("scsi_debug", &disk))
        return;
    (void)snprintf(path, sizeof path, "/sys/block/%.60s/device/timeout", disk.name);
    write_attribute(path, "1\n");
    for (int generic = 0; generic < 2; generic++) {
        read_fails(&disk, generic, 16, 0, "");
        write_attribute("/sys/bus/pseudo/drivers/scsi_debug/opts", "2\n");
        read_fails(&disk, generic, 4656, ENODATA,
                   "1 x Unrecovered read error (medium error, 3h/11h/00h)");
        read_fails(&disk, generic, 0, EIO,
                   "1 x Capacity data has changed (unit attention, 6h/2ah/09h)");
        read_fails(&disk, generic, 16, ETIMEDOUT, "1 x Timeout (host adapter, 03h)");
        read_fails(&disk, generic, 16, 0, "");
    }
    /* and as a session reports them */
    write_attribute("/sys/bus/pseudo/drivers/scsi_debug/opts", "2\n");
    CHECK_INT(cupel_run(disk.generic, "--ioengine sg --rw read --allow-unwritten --offset 2m "
                                      "--size 1m --runtime 2s --iodepth 4"),
              4);
    write_attribute("/sys/bus/pseudo/drivers/scsi_debug/opts", "0\n");
    start_stop(&disk, false);
    CHECK_INT(cupel_run(disk.generic, "--allow-unwritten --runtime 300ms"), 4);
    start_stop(&disk, true);
    read_fails(&disk, true, 16, 0, "");
}

/* A drive's health data, and purging: drives that do not support these get no command. */
static void health_and_purges(void)
{
    static const char *const models[] = {"plain", "scsi_debug"};
    static const char *const methods[] = {"format", "sanitize", "crypto", "secure-erase"};
    char words[1024] = "cupel probe --format csv";
    CHECK_INT(cupel(words), 0);
    for (size_t i = 0; i < 2; i++) {
        struct disk disk = {0};
        char path[200];
        uint8_t page[128] = {0};
        if (!find_disk(models[i], &disk))
            return;
        (void)snprintf(path, sizeof path, "/sys/block/%.60s/device/vpd_pg80", disk.name);
        FILE *f = fopen(path, "re");
        CHECK(f && fread(page, 1, sizeof page - 1, f) > 4 && !fclose(f));
        for (size_t k = 0; k < 4; k++) {
            (void)snprintf(words, sizeof words,
                           "cupel accept %s --destroy-serial %s -o /tmp/%s-%s --stages purge "
                           "--purge %s",
                           disk.block, (const char *)page + 4, models[i], methods[k], methods[k]);
            CHECK_INT(cupel(words), k < 3 ? 6 : 4);
        }
    }
}

static void test(void)
{
    clock_calibrate(&test_clock, 20, false);
    bytes();
    verified();
    refused();
    health_and_purges();
    errors();
}

int main(void)
{
    return guest_run(test);
}
