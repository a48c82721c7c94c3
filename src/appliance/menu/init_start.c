/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the machine up to its drivers: mounts, consoles, modules, the stick. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"
#include "appliance/process/system.h"
#include "base/file/file.h"
#include "base/span.h"
#include "base/version.h"
#include "hw/sysroot/sysroot.h"

/* Modules that no device requests by its alias. The stick's filesystem, with the character sets of
   its names, is needed at once. Sensors of SATA disks and mainboards are needed before any
   measurement; all are tried, and most modules find no sensor. */
static const char *const stick_modules[] = {"vfat", "nls_cp437", "nls_ascii", NULL};
static const char *const sensor_modules[] = {
#ifdef __x86_64__
    "it87",      "w83627hf", /* Debian's kernel has these modules only for x86-64 */
#endif
    "drivetemp", "nct6775",  "nct6683", "f71882fg", "w83627ehf", "sch56xx_common", NULL};

enum { START_QUIET_MS = 50, START_MAX_MS = 400, SETTLE_QUIET_MS = 500, SETTLE_MAX_MS = 60000 };

static void read_machine(struct appliance *a)
{
    struct sysroot root;
    char vendor[64], product[80];
    if (sysroot_open(&root, NULL, NULL))
        return;
    sysroot_line(&root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor);
    sysroot_line(&root, "/sys/class/dmi/id/product_name", product, sizeof product);
    struct span v = span_trimmed(span_of(vendor)), p = span_trimmed(span_of(product));
    snprintf(a->machine, sizeof a->machine, "%.*s%s%.*s", (int)v.length, v.text,
             v.length && p.length ? " " : "", (int)p.length, p.text);
    if (!a->machine[0])
        snprintf(a->machine, sizeof a->machine, "a machine that does not say what it is");
}

static void open_modules(struct appliance *a, const struct utsname *kernel)
{
    char folder[sizeof kernel->release + 16];
    struct err e;
    snprintf(folder, sizeof folder, "/lib/modules/%s", kernel->release);
    if (device_wait_open(&a->settle, &e)) {
        init_problem(a, false, "devices that come later will not be seen: %s", e.msg);
        return;
    }
    if (modules_open(&a->modules, folder, a->command_line.data, &e)) {
        init_problem(a, false, "no drivers can be loaded: %s", e.msg);
        device_wait_close(&a->settle);
        a->modules = NULL;
    }
}

/* ---- the stick ---- */

/* Adds a note about a stick of another image to the qualification's page, because somebody may
   wonder why the configuration on that stick is not followed. */
static void report_stick_note(struct appliance *a)
{
    const struct data_partition *p = &a->data;
    if (p->note[0])
        console_print(a->console, "%s\n", p->note);
    if (p->foreign[0] && strcmp(p->foreign, a->foreign) != 0)
        init_problem(a, false,
                     "%s is a stick of another image (%s; this machine was started from %s): "
                     "nothing is read from it or written to it (cupel.stick=any permits it)",
                     p->foreign, p->foreign_image[0] ? p->foreign_image : "without an identifier",
                     a->image[0] ? a->image : "one without an identifier");
    snprintf(a->foreign, sizeof a->foreign, "%s", p->foreign);
}

static bool mount_stick(struct appliance *a)
{
    struct err e;
    a->stick_seen = true;
    if (data_partition_mount(&a->data, &e)) {
        if (!a->stick_failed)
            init_problem(a, false, "the stick (%s): %s", a->data.device, e.msg);
        a->stick_failed = true;
        return false;
    }
    console_print(a->console, "the stick's data partition: %s\n", a->data.device);
    init_read_config_of_stick(a);
    return true;
}

/* Looks for the stick, which may appear at any time, until it is there, and again after it was
   removed. Returns true when it appeared or was removed. */
static bool look_for_stick(struct appliance *a)
{
    /* Disks other than USB disks are considered once the waiting time for a stick is over. */
    bool waited = boot_seconds() - a->begin_seconds >= a->config.data_wait_seconds;
    bool permitted = !a->data.others && a->config.data_disk[0] && !a->data.found && waited;
    if (permitted)
        a->data.others = a->config.data_disk;
    /* Without the kernel's events it is not known whether something new has appeared. */
    bool same = a->modules && a->stick_looked && a->stick_event == a->settle.events;
    a->stick_looked = true;
    a->stick_event = a->settle.events;
    if (same && !permitted)
        return false;
    bool gone = false;
    if (a->data.mounted) {
        data_partition_look(&a->data, "/sys", "/dev");
        report_stick_note(a);
        if (!data_partition_has_gone(&a->data))
            return false;
        /* The stick was pulled: its device is no longer usable, even if another one appears. */
        console_print(a->console, "the stick (%s) has gone\n", a->data.device);
        data_partition_unmount(&a->data);
        a->stick_failed = false;
        gone = true;
    }
    bool found = data_partition_find(&a->data, "/sys", "/dev");
    report_stick_note(a);
    a->stick_failed = a->stick_failed && found;
    return (found && mount_stick(a)) || gone;
}

bool init_look_for_devices(struct appliance *a, unsigned quiet_ms, unsigned max_ms)
{
    if (!a->modules)
        return look_for_stick(a);
    unsigned before = a->settle.events;
    device_wait_quiet(&a->settle, a->modules, quiet_ms, max_ms);
    bool came = a->settle.events != before;
    return look_for_stick(a) || came;
}

int init_start(struct appliance *a, struct err *e)
{
    struct utsname kernel;
    if (system_mount(e) || console_open(&a->console, "/sys", "/dev", e))
        return -1;
    uname(&kernel);
    read_machine(a);
    console_print(a->console, "\ncupel %s, Linux %s, %s\n", cupel_version, kernel.release,
                  a->machine);
    if (system_command_line(&a->command_line, e))
        init_problem(a, false, "%s", e->msg);
    init_read_first_config(a);
    a->data.image = a->image;
    a->data.any = a->config.stick == BOOT_STICK_ANY;
    open_modules(a, &kernel);
    for (size_t i = 0; stick_modules[i] && a->modules; i++)
        modules_load(a->modules, stick_modules[i]);
    init_look_for_devices(a, START_QUIET_MS, START_MAX_MS);
    return 0;
}

static bool is_sensor(const char *line)
{
    for (size_t i = 0; sensor_modules[i]; i++) {
        size_t length = strlen(sensor_modules[i]);
        if (!strncmp(line, sensor_modules[i], length) && line[length] == ':')
            return true;
    }
    return false;
}

void init_settle(struct appliance *a)
{
    if (!a->modules || a->settled)
        return;
    a->settled = true;
    console_line(a->console, "Waiting until no more devices come.");
    for (size_t i = 0; sensor_modules[i] && a->modules; i++)
        modules_begin(a->modules, sensor_modules[i]);
    init_look_for_devices(a, SETTLE_QUIET_MS, SETTLE_MAX_MS);
    struct modules_counts counts = modules_counts(a->modules);
    console_print(a->console, "%u drivers loaded, %u there before, %u failed\n", counts.loaded,
                  counts.there, counts.failed);
    /* A device whose driver failed is not measured, so the failure is noted on the qualification's
       page. The failure of a driver that was only tried is not. */
    char failures[2048], *rest = NULL;
    modules_failures(a->modules, failures, sizeof failures);
    for (char *line = strtok_r(failures, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (is_sensor(line))
            console_print(a->console, "tried driver %s\n", line);
        else
            init_problem(a, false, "driver %s", line);
    }
}
