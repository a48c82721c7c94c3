/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sensors below a root, read by libsensors: chips, limits, their place in the tree, and chips that
   must be ignored. */
#include "inventory_checks.h"

#include "hw/sensor/internal.h"
#include <fcntl.h>
#include <sensors/error.h>
#include <sys/stat.h>

#define ROOT_VARIABLE "SENSORS_SYSFS_ROOT"
#define NVME          "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0"
#define DRIVE         "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"

/* Adds a chip "hwmonN" below its device, with the links that the kernel makes. */
static void chip(const struct tree *t, int number, const char *device, const char *bus,
                 const char *name)
{
    char path[300], target[300];
    snprintf(path, sizeof path, "%s/hwmon/hwmon%d/name", device, number);
    tree_filef(t, path, "%s\n", name);
    snprintf(path, sizeof path, "%s/hwmon/hwmon%d/device", device, number);
    snprintf(target, sizeof target, "../../..%s", strrchr(device, '/'));
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/hwmon/hwmon%d/subsystem", device, number);
    tree_link(t, path, "../../../../class/hwmon");
    snprintf(path, sizeof path, "/sys/class/hwmon/hwmon%d", number);
    snprintf(target, sizeof target, "../..%s/hwmon/hwmon%d", device + strlen("/sys"), number);
    tree_link(t, path, target);
    snprintf(path, sizeof path, "%s/subsystem", device);
    snprintf(target, sizeof target, "../../../bus/%s", bus);
    tree_link(t, path, target);
}

static void value(const struct tree *t, int number, const char *file, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "/sys/class/hwmon/hwmon%d/%s", number, file);
    tree_filef(t, path, "%s\n", text);
}

static int device_node(struct machine *m, enum node_kind kind, const char *name, const char *path)
{
    return inventory_add_node(&m->inventory, kind, name, path, probe_top(&m->probe));
}

/* Probes with stderr redirected to a file, and checks that libsensors printed nothing. */
static void look_quietly(struct machine *m)
{
    char path[] = "/tmp/cupel-test-sensors-XXXXXX";
    int file = mkstemp(path), before = dup(STDERR_FILENO);
    CHECK(file >= 0 && before >= 0 && dup2(file, STDERR_FILENO) >= 0);
    look_at_sensors(&m->probe);
    dup2(before, STDERR_FILENO);
    struct stat s;
    CHECK(!fstat(file, &s) && s.st_size == 0);
    close(file);
    close(before);
    unlink(path);
}

static void server(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    chip(t, 0, "/sys/devices/platform/coretemp.1", "platform", "coretemp");
    value(t, 0, "temp1_input", "61000");
    value(t, 0, "temp1_label", "Package id 1");
    value(t, 0, "temp1_max", "90000");
    value(t, 0, "temp1_crit", "100000");
    value(t, 0, "temp1_crit_alarm", "0");
    value(t, 0, "temp2_input", "70000"); /* hotter, but further below its limit */
    value(t, 0, "temp2_max", "105000");
    chip(t, 1, NVME, "nvme", "nvme");
    tree_link(t, NVME "/device", "../../../0000:01:00.0");
    tree_link(t, "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/subsystem", "../../../bus/pci");
    value(t, 1, "temp1_input", "45850");
    value(t, 1, "temp1_max", "81850");
    value(t, 1, "temp1_crit", "84850");
    value(t, 1, "temp2_input", "50000");
    value(t, 1, "temp2_max", "65261850"); /* reported by drives without that limit */
    chip(t, 2, DRIVE, "scsi", "drivetemp");
    tree_folder(t, DRIVE "/block/sda");
    value(t, 2, "temp1_input", "38000");
    chip(t, 10, "/sys/devices/platform/nct6775.656", "platform", "nct6798");
    value(t, 10, "fan1_input", "1204");
    value(t, 10, "fan1_label", "CPU fan");
    value(t, 10, "fan2_input", "0");
    value(t, 10, "fan2_fault", "1");
    value(t, 10, "fan3_input", "0");
    value(t, 10, "fan3_min", "300");
    value(t, 10, "fan3_alarm", "1");
    value(t, 10, "fan4_input", "900");
    value(t, 10, "fan4_min_alarm", "0");
    value(t, 10, "in0_input", "1024");
    value(t, 10, "power1_average", "65123456");
    value(t, 10, "power1_input", "70000000");
    value(t, 10, "power1_cap", "150000000");
    value(t, 10, "curr1_input", "12500");
    value(t, 10, "temp3_input", "-2000");
    value(t, 10, "temp3_alarm", "1");

    device_node(&m, NODE_CPU_PACKAGE, "package1", NULL);
    device_node(&m, NODE_NVME, "nvme0", NVME);
    device_node(&m, NODE_ATA_PORT, "ata1", "/sys/devices/pci0000:00/0000:00:17.0/ata1");
    device_node(&m, NODE_DISK, "sda", DRIVE "/block/sda");
    look_quietly(&m);

    VALUE_IS(&m, "machine", "sensors", "4", "");
    PARENT_IS(&m, "coretemp-isa-0001", "package1");
    VALUE_IS(&m, "coretemp-isa-0001", "temp1", "61", "C");
    VALUE_IS(&m, "coretemp-isa-0001", "temp1_label", "Package id 1", "");
    VALUE_IS(&m, "coretemp-isa-0001", "temp1_max", "90", "C");
    VALUE_IS(&m, "coretemp-isa-0001", "temp1_critical", "100", "C");
    VALUE_IS(&m, "coretemp-isa-0001", "temp1_alarm", "no", "");
    VALUE_IS(&m, "coretemp-isa-0001", "temperature", "61", "C");
    VALUE_IS(&m, "coretemp-isa-0001", "temperature_max", "90", "C");
    VALUE_IS(&m, "coretemp-isa-0001", "temperature_critical", "100", "C");
    CHECK_STR(fact_of(&m, "coretemp-isa-0001", "temperature")->source,
              "/sys/class/hwmon/hwmon0/temp1_input");
    PARENT_IS(&m, "nvme-pci-0100", "nvme0");
    VALUE_IS(&m, "nvme-pci-0100", "temp1", "45.85", "C");
    VALUE_IS(&m, "nvme-pci-0100", "temp2", "50", "C");
    NO_FACT(&m, "nvme-pci-0100", "temp2_max");
    VALUE_IS(&m, "nvme-pci-0100", "temperature", "45.85", "C");
    PARENT_IS(&m, "drivetemp-scsi-0-0", "sda");
    VALUE_IS(&m, "drivetemp-scsi-0-0", "temperature", "38", "C");
    NO_FACT(&m, "drivetemp-scsi-0-0", "temperature_max");
    PARENT_IS(&m, "nct6798-isa-0290", "machine");
    VALUE_IS(&m, "nct6798-isa-0290", "fan1", "1204", "rpm");
    VALUE_IS(&m, "nct6798-isa-0290", "fan1_label", "CPU fan", "");
    STATUS_IS(&m, "nct6798-isa-0290", "fan2", FACT_INVALID);
    NO_FACT(&m, "nct6798-isa-0290", "fan2_alarm");
    VALUE_IS(&m, "nct6798-isa-0290", "fan3", "0", "rpm");
    VALUE_IS(&m, "nct6798-isa-0290", "fan3_min", "300", "rpm");
    VALUE_IS(&m, "nct6798-isa-0290", "fan3_alarm", "yes", "");
    VALUE_IS(&m, "nct6798-isa-0290", "fan4_alarm", "no", "");
    VALUE_IS(&m, "nct6798-isa-0290", "in0", "1.024", "V");
    VALUE_IS(&m, "nct6798-isa-0290", "power1", "70", "W");
    VALUE_IS(&m, "nct6798-isa-0290", "power1_cap", "150", "W");
    VALUE_IS(&m, "nct6798-isa-0290", "curr1", "12.5", "A");
    VALUE_IS(&m, "nct6798-isa-0290", "temp3", "-2", "C");
    VALUE_IS(&m, "nct6798-isa-0290", "temp3_alarm", "yes", "");
    machine_end(&m);
}

static void garbage_and_denied(void)
{
    struct machine m;
    machine_begin(&m);
    const struct tree *t = &m.tree;
    chip(t, 0, "/sys/devices/platform/coretemp.0", "platform", "coretemp");
    value(t, 0, "temp1_input", "hot");
    value(t, 0, "temp2_input", "nan");
    value(t, 0, "temp3_input", "1e300");
    value(t, 0, "temp4_input", "40000");
    value(t, 0, "temp4_max", "0");
    value(t, 0, "temp4_fault", "1");
    value(t, 0, "temp5_input", "30000");
    value(t, 0, "temp6_input", "-999999");
    value(t, 0, "temp99999999999_input", "30000");
    tree_deny(t, "/sys/class/hwmon/hwmon0/temp5_input");
    tree_file(t, "/sys/class/hwmon/hwmon1/name", "virtual\x1b[2J\n"); /* without a device */
    value(t, 1, "temp1_input", "20000");
    tree_folder(t, "/sys/class/hwmon/hwmon2");
    look_quietly(&m);
    VALUE_IS(&m, "machine", "sensors", "2", "");
    STATUS_IS(&m, "coretemp-isa-0000", "temp1", FACT_INVALID);
    STATUS_IS(&m, "coretemp-isa-0000", "temp2", FACT_INVALID);
    STATUS_IS(&m, "coretemp-isa-0000", "temp3", FACT_INVALID);
    STATUS_IS(&m, "coretemp-isa-0000", "temp4", FACT_INVALID);
    NO_FACT(&m, "coretemp-isa-0000", "temp4_max");
    STATUS_IS(&m, "coretemp-isa-0000", "temp5", FACT_DENIED);
    STATUS_IS(&m, "coretemp-isa-0000", "temp6", FACT_INVALID);
    NO_FACT(&m, "coretemp-isa-0000", "temperature");
    VALUE_IS(&m, "virtual?[2J-virtual-0", "temperature", "20", "C");
    machine_end(&m);
}

/* ---- a capture keeps what the library needs to find the same chip again ---- */

static const char *const needed[] = {
    "/sys/class/hwmon/hwmon0/temp1_input",
    NVME "/hwmon/hwmon0/name",
    NVME "/hwmon/hwmon0/device",
    NVME "/subsystem",
    NVME "/device",
    "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/subsystem",
};
#define NEEDED (sizeof needed / sizeof *needed)

static void note_needed(void *context, const char *path)
{
    bool *seen = context;
    for (size_t i = 0; i < NEEDED; i++)
        seen[i] = seen[i] || !strcmp(path, needed[i]);
}

static void capture(void)
{
    struct machine m;
    bool seen[NEEDED] = {false};
    struct sysroot_watcher watcher = {.saw = note_needed, .context = seen};
    machine_begin(&m);
    chip(&m.tree, 0, NVME, "nvme", "nvme");
    tree_link(&m.tree, NVME "/device", "../../../0000:01:00.0");
    tree_link(&m.tree, "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/subsystem",
              "../../../bus/pci");
    value(&m.tree, 0, "temp1_input", "45850");
    m.tree.root.watcher = &watcher;
    look_quietly(&m);
    m.tree.root.watcher = NULL;
    VALUE_IS(&m, "nvme-pci-0100", "temperature", "45.85", "C");
    for (size_t i = 0; i < NEEDED; i++)
        CHECK(seen[i]);
    machine_end(&m);
}

/* ---- trees that would make libsensors itself hang or crash ---- */

static void refused(const char *what, const char *path, const char *target)
{
    struct machine m;
    machine_begin(&m);
    chip(&m.tree, 0, "/sys/devices/platform/coretemp.0", "platform", "coretemp");
    value(&m.tree, 0, "temp1_input", "20000");
    tree_remove(&m.tree, path);
    if (target) {
        tree_link(&m.tree, path, target);
    } else {
        char full[TREE_PATH];
        CHECK_INT(mkfifo(tree_path(&m.tree, full, path), 0644), 0);
    }
    look_quietly(&m);
    if (!fact_of(&m, "machine", "sensors") ||
        fact_of(&m, "machine", "sensors")->status != FACT_INVALID)
        fprintf(stderr, "not refused: %s\n", what);
    STATUS_IS(&m, "machine", "sensors", FACT_INVALID);
    machine_end(&m);
}

static void hostile(void)
{
    refused("a pipe for a name", "/sys/devices/platform/coretemp.0/hwmon/hwmon0/name", NULL);
    refused("a bus without a folder", "/sys/devices/platform/coretemp.0/subsystem", "platform");
    refused("a device that is itself", "/sys/devices/platform/coretemp.0/hwmon/hwmon0/device", ".");
}

/* ---- the process's state is the same afterwards ---- */

static void without_a_trace(void)
{
    struct machine m;
    machine_begin(&m);
    look_quietly(&m);
    STATUS_IS(&m, "machine", "sensors", FACT_ABSENT);
    CHECK(getenv(ROOT_VARIABLE) == NULL);

    machine_forget(&m);
    tree_folder(&m.tree, "/sys/class/hwmon");
    look_quietly(&m);
    STATUS_IS(&m, "machine", "sensors", FACT_ABSENT);
    CHECK(getenv(ROOT_VARIABLE) == NULL);

    machine_forget(&m);
    CHECK_INT(setenv(ROOT_VARIABLE, "/nowhere", 1), 0);
    chip(&m.tree, 0, "/sys/devices/platform/coretemp.0", "platform", "coretemp");
    value(&m.tree, 0, "temp1_input", "20000");
    int next = open("/dev/null", O_RDONLY);
    close(next);
    for (int i = 0; i < 3; i++) {
        machine_forget(&m);
        look_quietly(&m);
        VALUE_IS(&m, "coretemp-isa-0000", "temperature", "20", "C");
    }
    CHECK_STR(getenv(ROOT_VARIABLE), "/nowhere");
    int now = open("/dev/null", O_RDONLY);
    CHECK_INT(now, next); /* nothing was left open */
    close(now);
    machine_end(&m);
    unsetenv(ROOT_VARIABLE);
}

/* Old drivers have their files in the device's folder; here below a root that is a link. */
static void old_driver(void)
{
    struct machine m;
    char link[TREE_PATH];
    machine_begin(&m);
    const struct tree *t = &m.tree;
    tree_folder(t, "/sys/devices/platform/w83627hf.656/hwmon/hwmon0");
    tree_link(t, "/sys/class/hwmon/hwmon0", "../../devices/platform/w83627hf.656/hwmon/hwmon0");
    tree_link(t, "/sys/devices/platform/w83627hf.656/hwmon/hwmon0/device", "../../../w83627hf.656");
    tree_link(t, "/sys/devices/platform/w83627hf.656/subsystem", "../../../bus/platform");
    tree_file(t, "/sys/devices/platform/w83627hf.656/name", "w83627hf\n");
    tree_file(t, "/sys/devices/platform/w83627hf.656/temp1_input", "31000\n");
    tree_link(t, "/root", ".");
    snprintf(m.tree.root.prefix, sizeof m.tree.root.prefix, "%s", tree_path(t, link, "/root"));
    device_node(&m, NODE_OTHER, "super-io", "/sys/devices/platform/w83627hf.656");
    look_quietly(&m);
    VALUE_IS(&m, "w83627hf-isa-0290", "temperature", "31", "C");
    PARENT_IS(&m, "w83627hf-isa-0290", "super-io");
    machine_end(&m);
}

/* ---- failed allocations inside the library ---- */

static void run_out(void *context)
{
    ++*(int *)context;
    sensors_fatal_error("test", "Out of memory");
}

static void out_of_memory(void)
{
    struct machine m;
    int calls = 0;
    machine_begin(&m);
    chip(&m.tree, 0, "/sys/devices/platform/coretemp.0", "platform", "coretemp");
    value(&m.tree, 0, "temp1_input", "20000");
    void (*before)(const char *, const char *) = sensors_fatal_error;
    struct stat was, is;
    CHECK(!fstat(STDERR_FILENO, &was));
    CHECK_INT(sensor_library_use(&m.tree.root, run_out, &calls), SENSOR_LIBRARY_NO_MEMORY);
    CHECK_INT(calls, 1);
    CHECK(!fstat(STDERR_FILENO, &is) && is.st_ino == was.st_ino && is.st_dev == was.st_dev);
    CHECK(sensors_fatal_error == before);
    CHECK(getenv(ROOT_VARIABLE) == NULL);
    look_quietly(&m);
    VALUE_IS(&m, "coretemp-isa-0000", "temperature", "20", "C");
    machine_end(&m);
}

/* A root whose path is too long for the library. */
static void long_root(void)
{
    struct machine m;
    char folder[200];
    machine_begin(&m);
    snprintf(folder, sizeof folder, "/%0150d/sys/class/hwmon", 0);
    tree_folder(&m.tree, folder);
    snprintf(m.tree.root.prefix, sizeof m.tree.root.prefix, "%s/%0150d", m.tree.folder, 0);
    look_quietly(&m);
    STATUS_IS(&m, "machine", "sensors", FACT_INVALID);
    machine_end(&m);
}

/* Works on any machine: no crash, and the fact exists. */
static void live(void)
{
    struct sysroot here;
    struct inventory inventory = {0};
    struct probe probe = {.root = &here, .inventory = &inventory};
    CHECK_INT(sysroot_open(&here, NULL, NULL), 0);
    look_at_sensors(&probe);
    int top = inventory_find(&inventory, "machine");
    CHECK(inventory_fact(&inventory, top, "sensors") != NULL);
    CHECK(getenv(ROOT_VARIABLE) == NULL);
    inventory_free(&inventory);
}

int main(void)
{
    server();
    garbage_and_denied();
    capture();
    hostile();
    without_a_trace();
    old_driver();
    out_of_memory();
    long_root();
    live();
    return check_result();
}
