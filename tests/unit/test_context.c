/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's context out of captured trees: a server, a guest that tells nothing, ARM, garbage.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "hw/context.h"
#include "hw/mount.h"

static struct sysroot tree(const char *name)
{
    struct sysroot root;
    struct err e = {0};
    char folder[128];
    snprintf(folder, sizeof folder, "tests/fixtures/context-%s", name);
    CHECK_INT(sysroot_open(&root, folder, &e), 0);
    CHECK_STR(e.msg, "");
    return root;
}

static const struct fact *find(const struct facts *f, const char *node, const char *key)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->rows[i].node, node) && !strcmp(f->rows[i].key, key))
            return &f->rows[i];
    return NULL;
}

static void value_is(const struct facts *f, const char *node, const char *key, const char *value,
                     const char *unit)
{
    const struct fact *row = find(f, node, key);
    CHECK(row != NULL);
    if (!row) {
        fprintf(stderr, "  no fact %s %s\n", node, key);
        return;
    }
    CHECK_INT(row->status, FACT_OK);
    CHECK_STR(row->value, value);
    CHECK_STR(row->unit, unit);
    CHECK(row->source[0] == '/' || !strcmp(row->node, "load"));
}

static void status_is(const struct facts *f, const char *node, const char *key,
                      enum fact_status status)
{
    const struct fact *row = find(f, node, key);
    if (!row || row->status != status || row->value[0])
        fprintf(stderr, "  fact %s %s\n", node, key);
    CHECK(row != NULL);
    CHECK_INT(row ? row->status : FACT_OK, status);
    CHECK_STR(row ? row->value : NULL, "");
}

static void machine_of_server(void)
{
    static struct facts f;
    struct sysroot root = tree("server");
    context_machine(&root, &f);
    CHECK_INT(f.dropped, 0);
    value_is(&f, "machine", "kernel", "6.1.0-18-amd64", "");
    value_is(&f, "machine", "kernel_version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)",
             "");
    value_is(&f, "machine", "kernel_command_line",
             "BOOT_IMAGE=/boot/vmlinuz-6.1.0-18-amd64 root=/dev/mapper/vg0-root ro quiet", "");
    value_is(&f, "machine", "clocksource", "tsc", "");
    value_is(&f, "machine", "memory", "270097575936", "bytes");
    value_is(&f, "machine", "product", "Dell Inc. PowerEdge R7625", "");
    value_is(&f, "machine", "hypervisor", "none", "");
    value_is(&f, "cpu", "model", "AMD EPYC 9354 32-Core Processor", "");
    value_is(&f, "cpu", "online", "4", "");
    value_is(&f, "cpu", "smt_active", "yes", "");
    value_is(&f, "cpu", "governor", "performance on 3 of 4 processors", "");
    value_is(&f, "cpu", "frequency_driver", "amd-pstate-epp", "");
    value_is(&f, "cpu", "frequency_min", "1500000000", "Hz");
    value_is(&f, "cpu", "frequency_max", "3800000000", "Hz");
    value_is(&f, "cpu", "frequency", "3215000000", "Hz");
    value_is(&f, "mitigations", "spectre_v2",
             "Mitigation: Retpolines; IBPB: conditional; IBRS_FW; STIBP: always-on; RSB filling",
             "");
    value_is(&f, "mitigations", "spec_rstack_overflow", "Vulnerable: Safe RET, no microcode", "");
    value_is(&f, "mitigations", "not_affected", "3", "");
    CHECK(find(&f, "mitigations", "meltdown") == NULL);
}

static void disk_of_server(void)
{
    static struct facts f;
    struct sysroot root = tree("server");
    context_storage(&root, makedev(259, 1), "/boot/scratch/file", &f);
    value_is(&f, "storage", "device", "nvme0n1", "");
    value_is(&f, "nvme0n1", "model", "SAMSUNG MZQL23T8HCLS-00A07", "");
    value_is(&f, "nvme0n1", "vendor", "0x144d", "");
    value_is(&f, "nvme0n1", "firmware", "GDC5602Q", "");
    value_is(&f, "nvme0n1", "size", "3840755982336", "bytes");
    value_is(&f, "nvme0n1", "rotational", "no", "");
    value_is(&f, "nvme0n1", "scheduler", "none", "");
    value_is(&f, "nvme0n1", "nr_requests", "1023", "");
    status_is(&f, "nvme0n1", "queue_depth", FACT_ABSENT);
    value_is(&f, "nvme0n1", "write_cache", "write through", "");
    value_is(&f, "nvme0n1", "io_poll", "yes", "");
    value_is(&f, "nvme0n1", "logical_block_size", "512", "bytes");
    value_is(&f, "nvme0n1", "physical_block_size", "4096", "bytes");
    value_is(&f, "nvme0n1", "max_transfer", "131072", "bytes");
    value_is(&f, "nvme0n1", "zoned", "none", "");
    value_is(&f, "nvme0n1", "bus", "nvme", "");
    value_is(&f, "nvme0n1", "partition", "nvme0n1p1", "");
    value_is(&f, "nvme0n1", "partition_start", "1048576", "bytes");
    value_is(&f, "nvme0n1", "partition_size", "1073741824", "bytes");
    value_is(&f, "filesystem", "type", "ext4", "");
    value_is(&f, "filesystem", "device", "/dev/nvme0n1p1", "");
    value_is(&f, "filesystem", "mount_point", "/boot", "");
    value_is(&f, "filesystem", "mount_options", "rw,relatime", "");
    value_is(&f, "filesystem", "filesystem_options", "rw", "");

    f = (struct facts){0};
    context_storage(&root, makedev(259, 0), NULL, &f);
    value_is(&f, "storage", "device", "nvme0n1", "");
    CHECK(find(&f, "nvme0n1", "partition") == NULL);
    CHECK(find(&f, "nvme0n1", "composition") == NULL);
    CHECK(find(&f, "filesystem", "type") == NULL);
    f = (struct facts){0};
    context_storage(&root, makedev(259, 0), "/dev/nvme0n1", &f);
    CHECK(find(&f, "filesystem", "type") == NULL);
}

static void composed_devices(void)
{
    static struct facts f;
    struct sysroot root = tree("server");
    context_storage(&root, makedev(252, 0), "/var/lib/data", &f);
    value_is(&f, "dm-0", "composition", "device mapper LVM vg0-root on nvme0n1p2, sda1", "");
    value_is(&f, "dm-0", "scheduler", "none", "");
    status_is(&f, "dm-0", "model", FACT_ABSENT);
    value_is(&f, "filesystem", "mount_point", "/", "");
    context_storage(&root, makedev(9, 0), NULL, &f);
    value_is(&f, "md0", "composition", "md raid1 of sda1, sdb1", "");
    context_storage(&root, makedev(7, 0), NULL, &f);
    value_is(&f, "loop0", "composition", "loop device on /var/tmp/disk image.raw", "");
}

static void anonymous_devices(void)
{
    static struct facts f;
    struct sysroot root = tree("server");

    /* btrfs: the file's device number is in no list; the mount's source leads to the disk. */
    context_storage(&root, makedev(0, 77), "/srv/my data/deep/file", &f);
    value_is(&f, "filesystem", "type", "btrfs", "");
    value_is(&f, "filesystem", "mount_point", "/srv/my data", "");
    value_is(&f, "filesystem", "filesystem_options", "rw,ssd,space_cache=v2,subvol=/@", "");
    value_is(&f, "storage", "device", "nvme0n1", "");
    value_is(&f, "nvme0n1", "partition", "nvme0n1p2", "");

    f = (struct facts){0};
    context_storage(&root, makedev(0, 50), "/tmp/file", &f);
    value_is(&f, "filesystem", "type", "tmpfs", "");
    status_is(&f, "storage", "device", FACT_ABSENT);

    f = (struct facts){0};
    context_storage(&root, makedev(0, 51), "/mnt/nfs", &f);
    value_is(&f, "filesystem", "type", "nfs4", "");
    value_is(&f, "filesystem", "device", "server:/export", "");
    status_is(&f, "storage", "device", FACT_ABSENT);
}

static void mounts(void)
{
    struct sysroot root = tree("server");
    struct mount m;

    /* Two mounts on one point: the device decides, else the later one, which covers the other. */
    CHECK_INT(mount_find(&root, "/cover/x", makedev(8, 1), &m), FACT_OK);
    CHECK_STR(m.type, "ext4");
    CHECK_INT(mount_find(&root, "/cover/x", makedev(1, 1), &m), FACT_OK);
    CHECK_STR(m.type, "xfs");
    CHECK(m.device == makedev(259, 1));

    /* /cover is no prefix of /covered. */
    CHECK_INT(mount_find(&root, "/covered/x", makedev(252, 0), &m), FACT_OK);
    CHECK_STR(m.point, "/");
    CHECK_INT(mount_find(&root, "relative", makedev(252, 0), &m), FACT_ABSENT);
    dev_t device;
    CHECK(device_number_parse("259:1", &device) && device == makedev(259, 1));
    CHECK(device_number_parse("8:0\n", &device) && device == makedev(8, 0));
    CHECK(!device_number_parse("8", &device));
    CHECK(!device_number_parse("8:", &device));
    CHECK(!device_number_parse("8:-1", &device));
    CHECK(!device_number_parse("8:1x", &device));
    CHECK(!device_number_parse("99999999999:1", &device));
    struct sysroot none = tree("arm");
    CHECK_INT(mount_find(&none, "/x", makedev(8, 1), &m), FACT_ABSENT);
}

static void guest(void)
{
    static struct facts f;
    struct sysroot root = tree("guest");
    context_machine(&root, &f);
    context_storage(&root, makedev(0, 2), "/x", &f);
    value_is(&f, "machine", "kernel", "5.10.0", "");
    value_is(&f, "machine", "memory", "1048576", "bytes");
    value_is(&f, "machine", "hypervisor", "yes", "");
    value_is(&f, "cpu", "model", "Common KVM processor", "");
    value_is(&f, "cpu", "online", "2", "");
    status_is(&f, "cpu", "governor", FACT_ABSENT);
    status_is(&f, "cpu", "frequency", FACT_ABSENT);
    status_is(&f, "cpu", "smt_active", FACT_ABSENT);
    status_is(&f, "machine", "kernel_command_line", FACT_ABSENT);
    status_is(&f, "mitigations", "vulnerabilities", FACT_ABSENT);
    value_is(&f, "filesystem", "type", "rootfs", "");
    status_is(&f, "storage", "device", FACT_ABSENT);

    static struct facts arm;
    root = tree("arm");
    context_machine(&root, &arm);
    value_is(&arm, "cpu", "model", "ARM implementer 0x41 part 0xd0c", "");
    status_is(&arm, "machine", "hypervisor", FACT_ABSENT);
}

static void garbage(void)
{
    static struct facts f;
    struct sysroot root = tree("garbage");
    context_machine(&root, &f);
    status_is(&f, "machine", "kernel", FACT_INVALID);
    status_is(&f, "machine", "kernel_version", FACT_INVALID);
    status_is(&f, "machine", "kernel_command_line", FACT_INVALID);
    status_is(&f, "machine", "memory", FACT_INVALID);
    status_is(&f, "cpu", "model", FACT_ABSENT);
    status_is(&f, "cpu", "online", FACT_INVALID);
    status_is(&f, "cpu", "smt_active", FACT_INVALID);
    status_is(&f, "cpu", "governor", FACT_INVALID);
    status_is(&f, "cpu", "frequency_min", FACT_INVALID);
    status_is(&f, "cpu", "frequency_max", FACT_INVALID);
    status_is(&f, "mitigations", "vulnerabilities", FACT_INVALID);

    context_storage(&root, makedev(8, 0), "/x", &f);
    value_is(&f, "storage", "device", "8:0", "");
    status_is(&f, "8:0", "model", FACT_INVALID);
    status_is(&f, "8:0", "size", FACT_INVALID);
    status_is(&f, "8:0", "rotational", FACT_INVALID);
    status_is(&f, "8:0", "scheduler", FACT_INVALID);
    status_is(&f, "8:0", "nr_requests", FACT_INVALID);
    status_is(&f, "8:0", "write_cache", FACT_INVALID);
    value_is(&f, "8:0", "logical_block_size", "512", "bytes");
    value_is(&f, "8:0", "composition", "device mapper x", "");
    status_is(&f, "filesystem", "type", FACT_ABSENT);
    CHECK_INT(f.dropped, 0);
}

static void load(void)
{
    static struct facts f;
    struct load_sample before, after;
    struct sysroot root = tree("server"), later = tree("server-later");
    context_load(&root, &before);
    context_load(&later, &after);
    CHECK_INT(before.total_jiffies, 10000);
    CHECK_INT(before.busy_jiffies, 1600);
    CHECK_INT(before.steal_jiffies, 200);
    CHECK_INT(before.interrupts, 500000);
    CHECK_INT(before.context_switches, 900000);
    CHECK(before.load_average == 0.52);
    CHECK(before.frequency_mean_hz == 3.215e9);
    CHECK(after.frequency_mean_hz == 2.5e9);

    /* 150 of 1000 jiffies busy, 50 stolen, 800 idle. */
    context_load_facts(&before, &after, 10, &f);
    value_is(&f, "load", "processor_busy", "15.0", "%");
    value_is(&f, "load", "processor_stolen", "5.0", "%");
    value_is(&f, "load", "context_switches", "5000", "1/s");
    value_is(&f, "load", "interrupts", "2000", "1/s");
    value_is(&f, "load", "load_average_before", "0.52", "");
    value_is(&f, "load", "load_average_after", "1.25", "");
    value_is(&f, "load", "frequency_before", "3215000000", "Hz");
    value_is(&f, "load", "frequency_after", "2500000000", "Hz");

    /* Counters that run backwards, no time between, and a machine that tells nothing. */
    f = (struct facts){0};
    context_load_facts(&after, &before, 10, &f);
    status_is(&f, "load", "processor_busy", FACT_ABSENT);
    status_is(&f, "load", "interrupts", FACT_ABSENT);
    f = (struct facts){0};
    context_load_facts(&before, &after, 0, &f);
    status_is(&f, "load", "context_switches", FACT_ABSENT);
    struct sysroot empty = tree("garbage");
    context_load(&empty, &before);
    CHECK_INT(before.total_jiffies, 0);
    CHECK(isnan(before.load_average));
    CHECK(isnan(before.frequency_mean_hz));
    f = (struct facts){0};
    context_load_facts(&before, &before, 1, &f);
    for (size_t i = 0; i < f.count; i++)
        CHECK_INT(f.rows[i].status, FACT_ABSENT);
}

/* Whatever this machine is, it runs Linux and has processor time. */
static void this_machine(void)
{
    static struct facts f;
    struct sysroot root;
    struct load_sample sample;
    struct stat s;
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    context_machine(&root, &f);
    CHECK(facts_find(&f, "machine", "kernel") != NULL);
    CHECK(facts_find(&f, "machine", "memory") != NULL);
    CHECK_INT(stat("tests", &s), 0);
    context_storage(&root, s.st_dev, "tests", &f);
    CHECK(facts_find(&f, "filesystem", "type") != NULL);
    CHECK(facts_find(&f, "filesystem", "mount_point") != NULL);
    CHECK_INT(f.dropped, 0);
    context_load(&root, &sample);
    CHECK(sample.total_jiffies >= sample.busy_jiffies && sample.busy_jiffies > 0);
    CHECK(sample.load_average >= 0);
}

int main(void)
{
    machine_of_server();
    disk_of_server();
    composed_devices();
    anonymous_devices();
    mounts();
    guest();
    garbage();
    load();
    this_machine();
    return check_result();
}
