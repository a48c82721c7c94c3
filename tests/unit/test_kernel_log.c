/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's log: who wrote a line, which device it is about, its time, and what remains of a
   flood of lines. The log is a file that grows below another root. */
#include "check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "hw/log/internal.h"
#include "hw/log/log_reader.h"

static struct sysroot root;
static struct log_reader reader;
static struct kernel_log found;
static char path[600];

static void begin(void)
{
    memset(&found, 0, sizeof found);
    log_reader_open(&reader, &root, 10, &found);
    snprintf(reader.names.names[0], sizeof reader.names.names[0], "nvme0n1");
    snprintf(reader.names.names[1], sizeof reader.names.names[1], "0000:01:00.0");
    snprintf(reader.names.names[2], sizeof reader.names.names[2], "sda");
    reader.names.count = 3;
}

static void append(const char *text)
{
    FILE *f = fopen(path, "a");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static void check_reading(void)
{
    append("4,1,1000000,-;nvme0n1: I/O error of before\n");
    begin();
    CHECK(!strcmp(found.state, KERNEL_LOG_READ));
    append("4,2,2000000,-;nvme0n1: I/O Cmd(0x2) @ LBA 8, I/O Error\x1b[31m<b>\n SUBSYSTEM=nvme\n");
    append("11,3,2000001,-,caller=T1;nvme0n1: I/O error by a program\nno line of the kernel's\n");
    log_reader_take(&reader, 10.5, &found, NULL, NULL);
    append("4,9,2500000,-;sdab: nothing\n6,10,2500000,-;nvme0n12: nothing\n");
    append("3,11,2500001,-;pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0");
    log_reader_take(&reader, 11, &found, NULL, NULL);
    CHECK(found.count == 2 && found.seen == 4 && found.lost == 5);
    append("\n6,12,2600000,-;sda1: reset\n5,13,2600000,-;audit: comm=\"sda I/O error\"\n");
    log_reader_take(&reader, 11.5, &found, NULL, NULL);
    log_reader_close(&reader);
    CHECK(found.count == 4 && found.seen == 7);
    CHECK(!found.lines[0].by_program && found.lines[0].of_target);
    CHECK(!strcmp(found.lines[0].kind, "I/O error"));
    CHECK(strstr(found.lines[0].text, "I/O Error\\x1b[31m<b>") != NULL);
    CHECK(found.lines[1].by_program && !kernel_line_warns(&found.lines[1]));
    CHECK(!strcmp(found.lines[2].kind, "PCIe error") && found.lines[2].of_target);
    CHECK(!strcmp(found.lines[3].kind, "reset"));
    /* Logged between the two readings; the lines so far narrow the time. */
    CHECK(found.lines[0].seconds >= 10 && found.lines[0].seconds <= 10.51);
    CHECK(found.lines[0].within <= 0.26);
    CHECK(found.lines[2].seconds - found.lines[2].within <= 11.01 &&
          found.lines[2].seconds + found.lines[2].within >= 10.5);
    /* Equal lines give way to others, and the list is again in the kernel's order. */
    CHECK(found.lines[0].number == 2 && found.lines[2].number == 11);
    struct kernel_log turned = found;
    turned.lines[0] = found.lines[3];
    turned.lines[3] = found.lines[0];
    kernel_log_sort(&turned);
    for (size_t i = 0; i < found.count; i++)
        CHECK(turned.lines[i].number == found.lines[i].number);
    char words[240];
    kernel_log_warning(&found, words, sizeof words);
    CHECK(strstr(words, "3 lines about the target") && strstr(words, "LBA 8"));
}

/* A flood of lines: about other devices, then from programs, then the one line that matters most.
 */
static void check_flood(void)
{
    char line[200];
    begin();
    for (int i = 0; i < 3000; i++) {
        snprintf(line, sizeof line, "4,%d,%d,-;I/O error, dev other%c%c, sector %d\n", i, i,
                 'a' + i % 26, 'a' + i / 26 % 26, i);
        append(line);
    }
    for (int i = 3000; i < 3100; i++) {
        snprintf(line, sizeof line, "12,%d,%d,-;sda: timeout %c%c\n", i, i, 'a' + i % 26,
                 'a' + i / 26 % 26);
        append(line);
    }
    append("3,3100,3100,-;blk_update_request: I/O error, dev sda, sector 1\n");
    log_reader_take(&reader, 10.5, &found, NULL, NULL);
    CHECK(found.seen >= LOG_READ_MAX && found.seen < 2 * LOG_READ_MAX);
    for (int i = 0; i < 10; i++)
        log_reader_take(&reader, 11 + i, &found, NULL, NULL);
    log_reader_close(&reader);
    size_t of_target = 0, by_programs = 0;
    uint64_t all = found.left_out;
    for (size_t i = 0; i < found.count; i++) {
        of_target += found.lines[i].of_target && !found.lines[i].by_program;
        by_programs += found.lines[i].by_program;
        all += found.lines[i].count;
    }
    CHECK(found.count == KERNEL_LINES_MAX && of_target == 1 && by_programs == 0);
    CHECK(found.seen == 3101 && found.lost == 0 && all == 3101);
}

static void check_alike(void)
{
    struct kernel_line l = {.count = 1, .kind = "I/O error", .text = "dev sda, sector 12 op 0x0"};
    memset(&found, 0, sizeof found);
    for (int i = 0; i < 5; i++) {
        l.seconds = l.last_seconds = i * 0.05;
        snprintf(l.text, sizeof l.text, "dev sda, sector %d op 0x%x", i * 1000, i);
        CHECK(kernel_log_keep(&found, &l) == 0);
    }
    CHECK(found.lines[0].count == 5 && !isnan(kernel_line_within(&found.lines[0], 0.06, 0.09)));
    l.seconds = l.last_seconds = 2;
    CHECK(kernel_log_keep(&found, &l) == 1);
    snprintf(l.text, sizeof l.text, "dev sdb, sector 1 op 0x0");
    CHECK(kernel_log_keep(&found, &l) == 2);
    CHECK(isnan(kernel_line_within(&found.lines[1], 0.3, 1.9)));
    l.within = 1.5; /* its time is only known to be within three seconds, so it has none */
    CHECK(isnan(kernel_line_within(&l, 1.9, 2.1)));
}

/* A line logged while nobody read has a time range that wide, and is not dated after the next
   reading that found nothing. */
static void check_pause(void)
{
    begin();
    log_reader_take(&reader, 10.5, &found, NULL, NULL);
    append("3,5000,9000000,-;nvme0n1: I/O error\n");
    log_reader_take(&reader, 70.5, &found, NULL, NULL);
    append("3,5001,90000000,-;nvme0n1: I/O error, dev nvme0n1\n");
    log_reader_take(&reader, 130.5, &found, NULL, NULL);
    log_reader_close(&reader);
    CHECK(found.count == 2);
    CHECK(found.lines[0].within > 29 && fabs(found.lines[0].seconds - 40.5) < 1);
    CHECK(isnan(kernel_line_within(&found.lines[0], 40, 41)));
    CHECK(found.lines[1].seconds - found.lines[1].within >= 70.4);
    CHECK(found.lines[1].seconds + found.lines[1].within <= 130.6);
}

static bool has_name(const struct log_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->names[i], name))
            return true;
    return false;
}

/* Names of all parts that the disk depends on, but not of parts that everything depends on. */
static void check_names(const char *folder)
{
    static const char *const folders[] = {
        "sys",
        "sys/dev",
        "sys/dev/block",
        "sys/devices",
        "sys/devices/pci0000:00",
        "sys/devices/pci0000:00/0000:00:1f.2",
        "sys/devices/pci0000:00/0000:00:1f.2/ata3",
        "sys/devices/pci0000:00/0000:00:1f.2/ata3/2:0:0:0",
        "sys/devices/pci0000:00/0000:00:1f.2/ata3/2:0:0:0/block",
        "sys/devices/pci0000:00/0000:00:1f.2/ata3/2:0:0:0/block/sda"};
    char at[600], end[100];
    struct log_names names = {0};
    const size_t count = sizeof folders / sizeof *folders;
    for (size_t i = 0; i < count; i++) {
        snprintf(at, sizeof at, "%s/%s", folder, folders[i]);
        CHECK(mkdir(at, 0700) == 0);
    }
    snprintf(at, sizeof at, "%s/sys/dev/block/8:0", folder);
    snprintf(end, sizeof end, "../../%s", folders[count - 1] + strlen("sys/"));
    CHECK(symlink(end, at) == 0);
    log_names_of_device(&names, &root, makedev(8, 0));
    CHECK(has_name(&names, "sda") && has_name(&names, "ata3") && has_name(&names, "2:0:0:0"));
    CHECK(has_name(&names, "0000:00:1f.2") && names.count == 4);
    log_names_of_device(&names, &root, makedev(8, 16));
    CHECK(names.count == 4);
    unlink(at);
    for (size_t i = count; i-- > 0;) {
        snprintf(at, sizeof at, "%s/%s", folder, folders[i]);
        rmdir(at);
    }
}

/* A captured tree may have a folder with that name. */
static void check_folder(void)
{
    CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
    memset(&found, 0, sizeof found);
    log_reader_open(&reader, &root, 0, &found);
    CHECK(reader.fd < 0 && strstr(found.state, "not read: /dev/kmsg: ") != NULL);
    CHECK(rmdir(path) == 0);
}

static void check_no_permission(void)
{
    struct sysroot nothing = {.prefix = "/nonexistent"};
    memset(&found, 0, sizeof found);
    log_reader_open(&reader, &nothing, 0, &found);
    log_reader_take(&reader, 1, &found, NULL, NULL);
    log_reader_close(&reader);
    CHECK(strstr(found.state, "not read: /dev/kmsg: ") != NULL && found.count == 0);
}

int main(void)
{
    char folder[] = "/tmp/cupel-kernel-log.XXXXXX", dev[64];
    struct err e;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(dev, sizeof dev, "%s/dev", folder);
    CHECK(mkdir(dev, 0700) == 0);
    snprintf(path, sizeof path, "%s/kmsg", dev);
    CHECK(sysroot_open(&root, folder, &e) == 0);
    check_reading();
    check_flood();
    check_alike();
    check_pause();
    check_names(folder);
    check_folder();
    check_no_permission();
    rmdir(dev);
    rmdir(folder);
    return check_result();
}
