/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel run --zonemode zbd on zoned devices: the kernel's null_blk and the ZNS namespace of
 * tests/e2e/qemu_zones.sh, whose zones are smaller inside than from one to the next. What became of
 * the zones is asked of the kernel, not of cupel.
 */
#include <linux/blkzoned.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "nvme_drives.h"

enum { ZONES_MAX = 512 };

struct seen {
    struct blk_zone_report head;
    struct blk_zone zone[ZONES_MAX];
};

static char *command[64];

static pid_t start_cupel(void)
{
    pid_t child = fork();
    if (child == 0) {
        execv("/cupel", command);
        _exit(127);
    }
    return child;
}

/* Returns the exit status of the command, whose output goes to the serial line. */
static int end_cupel(pid_t child)
{
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void set_command(const char *device, const char *rest)
{
    static char words[2048];
    unsigned n = 0;
    (void)snprintf(words, sizeof words,
                   "cupel run %s --zonemode zbd --destroy --seed 7 --overhead 0 %s", device, rest);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        command[n++] = word;
    command[n] = NULL;
}

static int cupel_run(const char *device, const char *rest)
{
    set_command(device, rest);
    return end_cupel(start_cupel());
}

static void report(const char *device, struct seen *s)
{
    int fd = open(device, O_RDONLY);
    memset(s, 0, sizeof *s);
    s->head.nr_zones = ZONES_MAX;
    CHECK(fd >= 0 && !syscall(SYS_ioctl, fd, BLKREPORTZONE, s));
    close(fd);
}

static void reset_all(const char *device)
{
    static struct seen s;
    int fd = open(device, O_RDWR);
    report(device, &s);
    const struct blk_zone *last = &s.zone[s.head.nr_zones - 1];
    for (unsigned i = 0; i < s.head.nr_zones; i++) {
        struct blk_zone_range range = {s.zone[i].start, s.zone[i].len};
        if (s.zone[i].type != BLK_ZONE_TYPE_CONVENTIONAL)
            CHECK(!syscall(SYS_ioctl, fd, BLKRESETZONE, &range));
    }
    printf("guest: %s has %u zones to sector %llu\n", device, s.head.nr_zones,
           (unsigned long long)(last->start + last->len));
    close(fd);
}

static bool is_partly_written(const struct blk_zone *z)
{
    return z->cond == BLK_ZONE_COND_IMP_OPEN || z->cond == BLK_ZONE_COND_EXP_OPEN ||
           z->cond == BLK_ZONE_COND_CLOSED;
}

/* Write pointers of empty zones do not move. */
static void finish_all(const char *device)
{
    static struct seen s;
    int fd = open(device, O_RDWR);
    report(device, &s);
    for (unsigned i = 0; i < s.head.nr_zones; i++) {
        struct blk_zone_range range = {s.zone[i].start, s.zone[i].len};
        if (is_partly_written(&s.zone[i]))
            CHECK(!syscall(SYS_ioctl, fd, BLKFINISHZONE, &range));
    }
    close(fd);
}

/* One that is full. */
static unsigned lonely_zone(const struct seen *s, unsigned first)
{
    while (first + 1 < s->head.nr_zones && s->zone[first].cond != BLK_ZONE_COND_FULL)
        first++;
    return first;
}

static uint64_t written_of(const struct blk_zone *z)
{
    if (z->type == BLK_ZONE_TYPE_CONVENTIONAL || z->cond == BLK_ZONE_COND_EMPTY)
        return 0;
    return z->cond == BLK_ZONE_COND_FULL ? z->capacity : z->wp - z->start;
}

static uint64_t written_in_all(const char *device)
{
    static struct seen s;
    uint64_t written = 0;
    report(device, &s);
    for (unsigned i = 0; i < s.head.nr_zones; i++)
        written += written_of(&s.zone[i]);
    return written;
}

/* Counts the zones in the kernel's report in [first, first + n) with that condition. */
static unsigned count_condition(const struct seen *s, unsigned first, unsigned n, int condition)
{
    unsigned count = 0;
    for (unsigned i = first; i < first + n; i++)
        count += s->zone[i].cond == condition;
    return count;
}

/* Bytes of the written part of zones [first, first + n) that are not the pattern 0xa5: of a full
   one as many blocks as it holds, for its rest was never written. */
static uint64_t wrong_bytes(const char *device, const struct seen *s, unsigned first, unsigned n,
                            uint64_t block)
{
    static unsigned char data[65536];
    uint64_t wrong = 0;
    int fd = open(device, O_RDONLY);
    CHECK(fd >= 0);
    for (unsigned i = first; i < first + n; i++) {
        uint64_t length = written_of(&s->zone[i]) * 512 / block * block,
                 at = s->zone[i].start * 512, step;
        for (uint64_t done = 0; done < length; done += step) {
            step = length - done < sizeof data ? length - done : sizeof data;
            CHECK(pread(fd, data, step, (off_t)(at + done)) == (ssize_t)step);
            for (uint64_t k = 0; k < step; k++)
                wrong += data[k] != 0xa5;
        }
    }
    close(fd);
    return wrong;
}

/* What a device of `limit` zones (0: none) that are written to at a time does; zones 0 to first - 1
   are conventional. */
static void test_device(const char *device, unsigned first, unsigned limit, bool keeps_data)
{
    static struct seen s;
    char words[512];
    unsigned zones, partly = 0;
    reset_all(device);
    report(device, &s);
    zones = s.head.nr_zones;
    const uint64_t zone_bytes = s.zone[first].len * 512;

    /* refusals */
    (void)snprintf(words, sizeof words, "--rw randread --runtime 1 --offset %llu",
                   (unsigned long long)(first * zone_bytes));
    CHECK_INT(cupel_run(device, words), 4); /* nothing is written */
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --offset 64k"), 2);
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --size 64k"), 2);
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --zonesize 64m"), 2);
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --bs 8m"), 2);
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --iodepth 2"), 2);
    CHECK_INT(cupel_run(device, "--rw write --runtime 1 --direct 0"), 2);
    if (limit)
        CHECK_INT(cupel_run(device, "--rw randwrite --runtime 1 --max_open_zones 100"), 2);
    report(device, &s);
    CHECK_INT(count_condition(&s, first, zones - first, BLK_ZONE_COND_EMPTY), zones - first);

    /* at random, all over: every zone is full, empty, or one of those that were open */
    (void)snprintf(words, sizeof words,
                   "--rw randwrite --bs 96k --numjobs 4 --runtime 1 --buffer_pattern 0xa5 --full%s",
                   limit ? "" : " --max_open_zones 9");
    CHECK_INT(cupel_run(device, words), 0);
    report(device, &s);
    for (unsigned i = first; i < zones; i++)
        partly += is_partly_written(&s.zone[i]);
    printf("guest: %u zones partly written, %u full\n", partly,
           count_condition(&s, first, zones - first, BLK_ZONE_COND_FULL));
    CHECK(partly > 0 && partly <= (limit ? limit : 9));
    CHECK(!keeps_data || !wrong_bytes(device, &s, first, zones - first, 96 << 10));

    /* reads of written data */
    (void)snprintf(words, sizeof words,
                   "--rw randread --bs 4k --numjobs 2 --iodepth 4 --runtime 1"
                   " --ioengine uring --offset %llu",
                   (unsigned long long)(first * zone_bytes));
    CHECK_INT(cupel_run(device, words), 0);

    /* what is open elsewhere leaves no room for others, where there is a limit */
    static struct seen after;
    (void)snprintf(
        words, sizeof words, "--rw write --bs 128k --runtime 1 --offset %llu --size %llu",
        (unsigned long long)(lonely_zone(&s, first) * zone_bytes), (unsigned long long)zone_bytes);
    if (limit && partly == limit)
        CHECK_INT(cupel_run(device, words), 6);
    finish_all(device);
    report(device, &s);

    /* a few zones again and again: resets within the region, the others stay as they are */
    (void)snprintf(words, sizeof words,
                   "--rw write --bs 128k --numjobs 2 --runtime 1 --offset %llu"
                   " --size %llu --buffer_pattern 0xa5",
                   (unsigned long long)((first + 2) * zone_bytes),
                   (unsigned long long)(4 * zone_bytes));
    CHECK_INT(cupel_run(device, words), 0);
    report(device, &after);
    for (unsigned i = first; i < zones; i++)
        CHECK((i >= first + 2 && i < first + 6) ||
              written_of(&s.zone[i]) == written_of(&after.zone[i]));
    CHECK(!keeps_data || !wrong_bytes(device, &after, first + 2, 4, 128 << 10));

    /* the garbage collection of fio's example */
    finish_all(device);
    (void)snprintf(words, sizeof words,
                   "--rw randwrite --bs 256k --runtime 1 --offset %llu --size %llu"
                   " --zone_reset_threshold 0.5 --zone_reset_frequency 0.125",
                   (unsigned long long)(first * zone_bytes), (unsigned long long)(8 * zone_bytes));
    CHECK_INT(cupel_run(device, words), 0);
    report(device, &after);
    uint64_t written = 0;
    for (unsigned i = first; i < first + 8; i++)
        written += written_of(&after.zone[i]) * 512;
    CHECK(written > 2 * zone_bytes && written < 8 * zone_bytes);

    /* killed in the middle, and once more */
    set_command(device, "--rw randwrite --bs 64k --numjobs 4 --runtime 60");
    written = written_in_all(device);
    pid_t child = start_cupel();
    for (int i = 0; i < 600 && written_in_all(device) == written; i++)
        guest_sleep(50);
    CHECK(written_in_all(device) != written);
    CHECK(!kill(child, SIGKILL));
    CHECK_INT(end_cupel(child), -SIGKILL);
    CHECK_INT(cupel_run(device, "--rw randrw --bs 64k --numjobs 4 --runtime 1"), 0);
}

/* fio's examples zbd-rand-write, zbd-seq-read and zbd-rand-write-zone-reset-gc, on this device. */
static void test_job_files(void)
{
    static const char *const jobs[] = {
        "[global]\nname=zbd-rand-write\ngroup_reporting\nrw=randwrite\nzonemode=zbd\nzonesize=4M\n"
        "max_open_zones=32\nbs=512K\ndirect=1\nnumjobs=16\ntime_based\nruntime=1\n[dev1]\n"
        "filename=/dev/nullb0\nioengine=psync\n",
        "[global]\nname=zbd-seq-read\nrw=read\nbs=4K\ndirect=1\nnumjobs=1\nzonemode=zbd\n"
        "zonesize=4M\nread_beyond_wp=0\n[dev1]\nfilename=/dev/nullb0\noffset=3z\nsize=160M\n"
        "ioengine=libaio\niodepth=4\nruntime=1\n",
        "[global]\nname=zbd-rand-write-gc\ngroup_reporting\nrw=randwrite\nzonemode=zbd\n"
        "zonesize=4M\nbs=1M\ndirect=1\ntime_based\nruntime=1\n[dev1]\nfilename=/dev/nullb0\n"
        "size=8z\noffset=24z\nioengine=psync\nzone_reset_threshold=0.7\n"
        "zone_reset_frequency=0.125\n"};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        FILE *f = fopen("/tmp/zbd.fio", "w");
        CHECK(f && fputs(jobs[i], f) >= 0 && !fclose(f));
        command[0] = "cupel";
        command[1] = "run";
        command[2] = "/tmp/zbd.fio";
        command[3] = "--overhead=0";
        command[4] = i == 1 ? NULL : "--destroy";
        command[5] = NULL;
        CHECK_INT(end_cupel(start_cupel()), 0);
    }
}

static void test(void)
{
    char name[64], path[80];
    (void)mkdir("/tmp", 0777);
    if (find_namespace("zns", "1", name)) {
        (void)snprintf(path, sizeof path, "/dev/%s", name);
        CHECK(guest_wait_for(path, 5000));
        test_device(path, 0, 6, true);
        /* not zoned; and a block larger than the 4 MiB that a zone holds */
        CHECK_INT(cupel_run(path, "--rw write --runtime 1 --bs 4m"), 2);
    } else
        CHECK(!"a ZNS namespace");
    CHECK(guest_wait_for("/dev/nullb0", 5000));
    test_device("/dev/nullb0", 3, 0, false);
    /* it has poll queues; what the kernel splits is not polled for: it would not come back */
    CHECK_INT(cupel_run("/dev/nullb0", "--rw randread --bs 256k --iodepth 16 --ioengine uring"
                                       " --runtime 1"),
              0);
    CHECK_INT(cupel_run("/dev/nullb0", "--rw randread --bs 256k --iodepth 16 --ioengine uring"
                                       " --iopoll on --runtime 1"),
              6);
    test_job_files();
}

int main(void)
{
    return guest_run(test);
}
