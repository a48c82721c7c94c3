/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The monitor on a tree whose counters the test moves: every gauge compared with a calculation by
   hand. */
#include "check.h"
#include "tree.h"

#include <time.h>

#include "hw/monitor/monitor.h"
#include "hw/path/data_path.h"

static struct tree tree;
static struct inventory inventory;
static struct data_path path;

/* Changes a file's content without replacing the file, because the monitor keeps it open. */
static void becomes(const char *file, const char *text)
{
    char full[TREE_PATH];
    FILE *f = fopen(tree_path(&tree, full, file), "r+");
    if (!f) {
        tree_file(&tree, file, text);
        return;
    }
    CHECK(ftruncate(fileno(f), 0) == 0);
    fputs(text, f);
    fclose(f);
}

static void stat_is(int busy0, int idle0, int busy1, int idle1)
{
    char text[400];
    snprintf(text, sizeof text,
             "cpu  1 2 3 4 5 6 7 8\ncpu0 %d 0 0 %d 0 0 0 0 0 0\ncpu1 0 0 %d %d 0 0 0 0 0 0\n"
             "cpu2 50 0 0 50 0 0 0 0 0 0\nintr 1 2 3\n",
             busy0, idle0, busy1, idle1);
    becomes("/proc/stat", text);
}

static void disk_is(int read_sectors, int write_sectors, int ticks, int queue)
{
    char text[200];
    snprintf(text, sizeof text, "   10 0 %d 5 20 0 %d 6 1 %d %d 0 0 0 0 1 1\n", read_sectors,
             write_sectors, ticks, queue);
    becomes("/sys/class/block/sda/stat", text);
}

static void number_is(const char *file, long value)
{
    char text[40];
    snprintf(text, sizeof text, "%ld\n", value);
    becomes(file, text);
}

static const struct gauge *gauge_of(const struct monitor *m, const char *name, const char *key)
{
    for (size_t i = 0; i < m->gauge_count; i++)
        if (!strcmp(m->gauges[i].name, name) && !strcmp(m->gauges[i].key, key))
            return &m->gauges[i];
    fprintf(stderr, "  no gauge %s %s\n", name, key);
    CHECK(false);
    static const struct gauge none = {.low = NAN, .value = NAN, .high = NAN};
    return &none;
}

static void fill(void)
{
    stat_is(100, 100, 100, 100);
    disk_is(1000, 2000, 500, 800);
    number_is("/sys/class/net/eth0/statistics/rx_bytes", 1000);
    number_is("/sys/class/net/eth0/statistics/tx_bytes", 5000);
    becomes("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=100000\n"
                                     "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
    number_is("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", 2000000);
    number_is("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", 3000000);
    number_is("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", 3);
    number_is("/sys/devices/pci/0000:01:00.0/hwmon/hwmon0/temp1_input", 41850);
    tree_file(&tree, "/proc/interrupts",
              "           CPU0       CPU1\n"
              "  24:         10         20  PCI-MSI 5-edge      ahci[0000:00:1f.2]\n"
              "  25:          5          9  PCI-MSI 6-edge      sdb\n"
              "  26:       1000          2  PCI-MSI-0000:01:00.0  7-edge      eth0-rx-0\n"
              " NMI:          1          2  Non-maskable\n");
    tree_file(&tree, "/proc/irq/24/effective_affinity_list", "1\n");
    tree_file(&tree, "/proc/irq/26/effective_affinity_list", "2\n");

    int top = inventory_add_node(&inventory, NODE_MACHINE, "machine", NULL, INVENTORY_NONE);
    inventory_add_node(&inventory, NODE_CPU, "cpu", NULL, top);
    int card = inventory_add_node(&inventory, NODE_PCI_DEVICE, "0000:01:00.0",
                                  "/sys/devices/pci/0000:01:00.0", top);
    tree_folder(&tree, "/sys/bus/pci/devices/0000:01:00.0/msi_irqs");
    number_is("/sys/bus/pci/devices/0000:01:00.0/msi_irqs/26", 0);
    number_is("/sys/bus/pci/devices/0000:01:00.0/msi_irqs/27", 0);
    int chip = inventory_add_node(&inventory, NODE_SENSOR, "nvme-pci-0100",
                                  "/sys/devices/pci/0000:01:00.0/hwmon/hwmon0", card);
    inventory_addf(&inventory, chip, "temperature_max", "C", "", "80");
    inventory_addf(&inventory, chip, "temperature", "C",
                   "/sys/devices/pci/0000:01:00.0/hwmon/hwmon0/temp1_input", "41.85");
    int disk = inventory_add_node(&inventory, NODE_DISK, "sda", NULL, card);
    int net = inventory_add_node(&inventory, NODE_NETWORK, "eth0", NULL, card);
    const int nodes[] = {disk, net, card};
    for (size_t i = 0; i < 3; i++)
        path.parts[path.part_count++] = (struct data_path_part){.node = nodes[i]};
}

static void values(void)
{
    struct arena arena;
    struct err e = {0};
    struct monitor m;
    const int workers[] = {0, 1};
    const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC};
    CHECK_INT(arena_init(&arena, monitor_bytes() + 4096, &e), 0);
    struct monitor_request request = {&tree.root, &inventory, &path,  workers,
                                      2,          false,      clocks, NULL};
    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    monitor_sample(&m, 100);
    CHECK(isnan(gauge_of(&m, "cpu1", "workers")->value));
    CHECK(isnan(gauge_of(&m, "cpu0", "busy")->value));
    CHECK(isnan(gauge_of(&m, "sda", "read")->value));
    CHECK_NEAR(gauge_of(&m, "cpu", "frequency")->value, 2.5e9, 1e-12);
    CHECK_NEAR(gauge_of(&m, "cpu", "frequency")->low, 2e9, 1e-12);
    CHECK_NEAR(gauge_of(&m, "cpu", "frequency")->high, 3e9, 1e-12);
    CHECK_NEAR(gauge_of(&m, "nvme-pci-0100", "temperature")->value, 41.85, 1e-6);
    CHECK_NEAR(gauge_of(&m, "nvme-pci-0100", "temperature")->limit, 80, 1e-12);

    /* After 2 s: cpu0 150 of 200 jiffies, cpu1 20 of 200; sda 1500 of 2000 ms busy, 4000 ms of
       requests' time, 8192 sectors read (2097152 bytes/s), 4096 written. */
    stat_is(250, 150, 120, 280);
    disk_is(1000 + 8192, 2000 + 4096, 500 + 1500, 800 + 4000);
    number_is("/sys/class/net/eth0/statistics/rx_bytes", 1000 + 3000000);
    number_is("/sys/class/net/eth0/statistics/tx_bytes", 5000);
    becomes("/proc/pressure/memory", "some avg10=9.00 total=600000\n");
    number_is("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", 13);
    number_is("/sys/devices/pci/0000:01:00.0/hwmon/hwmon0/temp1_input", -5000);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 300000000}, NULL); /* temperatures */
    monitor_sample(&m, 102);
    CHECK_NEAR(gauge_of(&m, "cpu0", "busy")->value, 0.75, 1e-12);
    CHECK_NEAR(gauge_of(&m, "cpu1", "busy")->value, 0.10, 1e-12);
    CHECK(gauge_of(&m, "cpu0", "workers")->value > 0);        /* this thread worked, ... */
    CHECK(gauge_of(&m, "cpu1", "workers")->value > 0.6);      /* ... for 1.3 of 2 s */
    CHECK_NEAR(gauge_of(&m, "cpu2", "workers")->value, 0, 0); /* serves interrupts */
    CHECK_NEAR(gauge_of(&m, "sda", "busy")->value, 0.75, 1e-12);
    CHECK_NEAR(gauge_of(&m, "sda", "queue")->value, 2, 1e-12);
    CHECK_NEAR(gauge_of(&m, "sda", "read")->value, 2097152, 1e-12);
    CHECK_NEAR(gauge_of(&m, "sda", "write")->value, 1048576, 1e-12);
    CHECK_NEAR(gauge_of(&m, "eth0", "read")->value, 1.5e6, 1e-12);
    CHECK_NEAR(gauge_of(&m, "eth0", "write")->value, 0, 0);
    CHECK_NEAR(gauge_of(&m, "memory", "stalled")->value, 0.25, 1e-12);
    CHECK_NEAR(gauge_of(&m, "cpu", "throttled")->value, 5, 1e-12);
    CHECK_NEAR(gauge_of(&m, "nvme-pci-0100", "temperature")->value, -5, 1e-6);

    /* Too soon for the slow gauges, which keep their values; the others change. */
    disk_is(0, 0, 0, 0);
    number_is("/sys/class/net/eth0/statistics/rx_bytes", 1000 + 3000000 + 10);
    monitor_sample(&m, 102.01);
    CHECK_NEAR(gauge_of(&m, "sda", "read")->value, 2097152, 1e-12);
    CHECK_NEAR(gauge_of(&m, "eth0", "read")->value, 1000, 1e-6);
    /* A counter that decreased, or garbage, gives no value. */
    becomes("/proc/pressure/memory", "what is this\n");
    becomes("/proc/stat", "cpu0 9 9\ncpu99999999999 1 2 3 4\nxyz");
    monitor_sample(&m, 104);
    CHECK(isnan(gauge_of(&m, "sda", "read")->value));
    CHECK(isnan(gauge_of(&m, "memory", "stalled")->value));
    monitor_restart(&m);
    CHECK(isnan(gauge_of(&m, "cpu0", "busy")->value));
    monitor_close(&m);
    arena_free(&arena);
}

/* Passthrough is in no statistics: the target's own count of bytes is used, and its utilisation is
   unknown. */
static void passthrough(void)
{
    struct arena arena;
    struct err e = {0};
    struct monitor m;
    const int workers[] = {0, 1};
    struct monitor_request request = {&tree.root, &inventory, &path, workers, 2, true, NULL, NULL};
    CHECK_INT(arena_init(&arena, 3 * (monitor_bytes() + 4096), &e), 0);

    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    CHECK(!m.has_reported_disk); /* the disk is not the target */
    monitor_report(&m, 1, 2);
    CHECK(isnan(gauge_of(&m, "sda", "read")->value));
    monitor_close(&m);

    path.parts[0].is_target_device = true;
    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    CHECK(m.has_reported_disk);
    for (size_t i = 0; i < m.gauge_count; i++)
        CHECK(strcmp(m.gauges[i].name, "sda") != 0 || strcmp(m.gauges[i].unit, "bytes/s") == 0);
    monitor_sample(&m, 10);
    CHECK(isnan(gauge_of(&m, "sda", "read")->value));
    disk_is(8192, 8192, 500, 800);
    monitor_report(&m, 5000, 700);
    monitor_sample(&m, 12);
    CHECK_NEAR(gauge_of(&m, "sda", "read")->value, 5000, 0);
    CHECK_NEAR(gauge_of(&m, "sda", "write")->high, 700, 0);
    monitor_restart(&m);
    CHECK(isnan(gauge_of(&m, "sda", "write")->value));
    monitor_close(&m);

    number_is("/sys/class/block/sda/queue/iostats_passthrough", 1);
    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    CHECK(!m.has_reported_disk); /* this kernel counts passthrough like other I/O */
    monitor_sample(&m, 20);
    disk_is(8192 + 1000, 8192, 1500, 800);
    monitor_sample(&m, 22);
    CHECK_NEAR(gauge_of(&m, "sda", "read")->value, 256000, 1e-12);
    CHECK_NEAR(gauge_of(&m, "sda", "busy")->value, 0.5, 1e-12);
    monitor_close(&m);
    path.parts[0].is_target_device = false;
    arena_free(&arena);
}

static void interrupts(void)
{
    int cores[4];
    size_t count = interrupts_cores(&tree.root, &inventory, &path, cores, 4);
    CHECK_INT(count, 1);
    /* 26; 27 was never served, and 24 belongs to another device */
    CHECK_INT(count ? cores[0] : -1, 2);
}

/* No file exists: no gauge, and no failure. */
/* More disks than gauges: each disk without a gauge is counted. */
static void more_than_fit(void)
{
    enum { DISKS = 70, FIT = (MONITOR_GAUGES - 1) / 4 }; /* one gauge is for memory */
    struct monitor_request request = {.root = &tree.root, .inventory = &inventory, .path = &path};
    struct monitor m;
    struct arena arena;
    struct err e = {0};
    const size_t parts = path.part_count;
    for (int i = 0; i < DISKS; i++) {
        char name[32], file[80];
        snprintf(name, sizeof name, "many%d", i);
        snprintf(file, sizeof file, "/sys/class/block/%s/stat", name);
        tree_file(&tree, file, "1 0 8 0 1 0 8 0 0 1 1\n");
        path.parts[path.part_count++] = (struct data_path_part){
            .node = inventory_add_node(&inventory, NODE_DISK, name, NULL, INVENTORY_NONE)};
    }
    CHECK_INT(arena_init(&arena, monitor_bytes(), &e), 0);
    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    size_t watched = 0;
    for (size_t i = 0; i < m.gauge_count; i++)
        watched += !strncmp(m.gauges[i].name, "many", 4) && !strcmp(m.gauges[i].key, "busy");
    CHECK(watched > 0 && watched <= FIT);
    CHECK(m.left_out >= DISKS - watched);
    monitor_close(&m);
    arena_free(&arena);
    path.part_count = parts;
}

static void nothing(void)
{
    struct tree bare;
    struct arena arena;
    struct err e = {0};
    struct monitor m;
    const int workers[] = {-1, 100000};
    tree_begin(&bare);
    CHECK_INT(arena_init(&arena, monitor_bytes() + 4096, &e), 0);
    struct monitor_request request = {&bare.root, &inventory, &path, workers, 2, false, NULL, NULL};
    CHECK_INT(monitor_open(&m, &request, &arena, &e), 0);
    CHECK_INT(m.gauge_count, 0);
    monitor_sample(&m, 1);
    monitor_close(&m);
    arena_free(&arena);
    tree_end(&bare);
}

int main(void)
{
    tree_begin(&tree);
    fill();
    interrupts();
    values();
    more_than_fit();
    nothing();
    passthrough();
    inventory_free(&inventory);
    tree_end(&tree);
    return check_result();
}
