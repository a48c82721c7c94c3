/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loading modules: the order in which the kernel gets them, their parameters, and that none is
 * loaded twice. No module is really loaded: the calls are recorded, or use files that do not exist.
 */
#include "check.h"
#include "tree.h"

#include <poll.h>

#include "appliance/module/modules.h"
#include "base/text.h"

/* The inserted modules, "name.ko(parameters) ", and the kernel's simulated answers. */
struct record {
    struct text calls;
    const char *refused; /* the name of a file */
    int answer;
    char folder[TREE_PATH];
};

static int insert(void *context, const char *path, const char *parameters)
{
    struct record *record = context;
    const char *name = strrchr(path, '/') + 1;
    CHECK(strncmp(path, record->folder, strlen(record->folder)) == 0);
    if (parameters[0] != '\0')
        text_addf(&record->calls, "%s(%s) ", name, parameters);
    else
        text_addf(&record->calls, "%s ", name);
    return record->refused != NULL && strcmp(name, record->refused) == 0 ? record->answer : 0;
}

static struct modules *open_modules(const struct tree *t, const char *command_line)
{
    char folder[TREE_PATH];
    struct modules *m;
    struct err e = {0};
    if (modules_open(&m, tree_path(t, folder, "/m"), command_line, &e) != 0) {
        fprintf(stderr, "%s\n", e.msg);
        exit(EXIT_FAILURE);
    }
    return m;
}

static struct modules *open_recorded(const struct tree *t, const char *command_line,
                                     struct record *record)
{
    struct modules *m = open_modules(t, command_line);
    *record = (struct record){0};
    text_add(&record->calls, "");
    tree_path(t, record->folder, "/m/");
    modules_set_insert(m, insert, record);
    return m;
}

/* Checks the modules inserted since the last check. */
static void inserted(struct record *record, const char *expected)
{
    CHECK_STR(record->calls.data, expected);
    text_free(&record->calls);
    text_add(&record->calls, "");
}

static void counted(const struct modules *m, unsigned loaded, unsigned there, unsigned failed,
                    unsigned unneeded)
{
    struct modules_counts counts = modules_counts(m);
    CHECK_INT(counts.loaded, loaded);
    CHECK_INT(counts.there, there);
    CHECK_INT(counts.failed, failed);
    CHECK_INT(counts.unneeded, unneeded);
    CHECK_INT(counts.busy, 0);
}

static void failures_are(const struct modules *m, const char *expected)
{
    char text[1024];
    modules_failures(m, text, sizeof text);
    CHECK_STR(text, expected);
}

static void finish(struct modules *m, struct record *record)
{
    text_free(&record->calls);
    modules_free(m);
}

/* Writes depmod's format: all dependencies, the last one first. */
static void write_storage(const struct tree *t)
{
    tree_file(t, "/m/modules.dep",
              "k/nvme.ko: k/nvme-core.ko k/t10-pi.ko k/crc-t10dif.ko\n"
              "k/nvme-core.ko: k/t10-pi.ko k/crc-t10dif.ko\n"
              "k/t10-pi.ko: k/crc-t10dif.ko\n"
              "k/crc-t10dif.ko:\n"
              "k/crc-fast.ko:\n"
              "k/crc-slow.ko:\n"
              "k/usb-storage.ko.xz: k/usbcore.ko\n"
              "k/uas.ko: k/usb-storage.ko.xz k/usbcore.ko\n"
              "k/usbcore.ko:\n");
    tree_file(t, "/m/modules.builtin", "k/ext4.ko\n");
    tree_file(t, "/m/modules.softdep",
              "softdep crc_t10dif pre: crc-any\n"
              "softdep usbcore post: crc-slow nothing-of-that-name\n");
    tree_file(t, "/m/modules.alias",
              "alias pci:v*d*sv*sd*bc01sc08i02* nvme\n"
              "alias pci:v00001B36d00000010sv*sd*bc*sc*i* nvme\n"
              "alias usb:v*p*d*dc*dsc*dp*ic08isc06ip50in* usb-storage\n"
              "alias usb:v*p*d*dc*dsc*dp*ic08isc06ip62in* uas\n"
              "alias crc-any crc-fast\n"
              "alias crc-any crc-slow\n"
              "alias fs-ext4 ext4\n"
              "alias platform:gone not-there\n");
}

static void order(void)
{
    struct tree t;
    struct record record;
    tree_begin(&t);
    write_storage(&t);
    struct modules *m = open_recorded(&t, NULL, &record);
    CHECK_INT(modules_load(m, "nvme"), 0);
    inserted(&record, "crc-fast.ko crc-slow.ko crc-t10dif.ko t10-pi.ko nvme-core.ko nvme.ko ");
    CHECK_INT(modules_load(m, "nvme"), 0);
    CHECK_INT(modules_load(m, "nvme_core"), 0);
    CHECK_INT(modules_load(m, "nvme-core"), 0);
    inserted(&record, "");
    counted(m, 6, 0, 0, 0);
    CHECK_INT(modules_load(m, "usbcore"), 0); /* crc-slow is there */
    inserted(&record, "usbcore.ko ");
    failures_are(m, "");
    finish(m, &record);

    m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load(m, "usbcore"), 0); /* the parameter follows here */
    inserted(&record, "usbcore.ko crc-slow.ko ");
    CHECK_INT(modules_load(m, "crc-any"), 0); /* by an alias: all modules that have it */
    inserted(&record, "crc-fast.ko ");
    finish(m, &record);
    tree_end(&t);
}

static void devices(void)
{
    struct tree t;
    struct record record;
    tree_begin(&t);
    write_storage(&t);
    struct modules *m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load_for(m, "pci:v00001B36d00000010sv00001AF4sd00001100bc01sc08i02"), 2);
    inserted(&record, "crc-fast.ko crc-slow.ko crc-t10dif.ko t10-pi.ko nvme-core.ko nvme.ko ");
    CHECK_INT(modules_load_for(m, "pci:v00001B36d00000010sv00001AF4sd00001100bc01sc08i02"), 0);
    CHECK_INT(modules_load_for(m, "pci:v0000144Dd0000A808sv0000144Dsd0000A801bc01sc08i02"), 1);
    /* the image has the module's alias but not its file */
    CHECK_INT(modules_load_for(m, "platform:gone"), 1);
    CHECK_INT(modules_load_for(m, "acpi:PNP0C0C:"), 0);
    CHECK_INT(modules_load_for(m, ""), 0);
    inserted(&record, "");
    counted(m, 6, 0, 0, 0);

    tree_file(&t, "/sys/bus/usb/devices/1-1:1.0/modalias",
              "usb:v46F4p0001d0000dc00dsc00dp00ic08isc06ip62in00\n");
    tree_file(&t, "/sys/bus/usb/devices/1-1/uevent", "no modalias");
    tree_file(&t, "/sys/bus/acpi/devices/a/modalias", "acpi:PNP0A08:\nfs-ext4\n\n");
    tree_file(&t, "/sys/bus/acpi/devices/b/modalias", "");
    tree_file(&t, "/sys/bus/acpi/devices/.c/modalias", "crc-any");
    tree_file(&t, "/sys/bus/empty/uevent", "");
    tree_file(&t, "/sys/class/dmi/id/modalias", "dmi:svnX:\n");
    tree_file(&t, "/sys/devices/system/cpu/modalias", "cpu:type:x86,ven0000:feature:,0099\n");
    char sys[TREE_PATH];
    CHECK_INT(modules_load_for_devices(m, tree_path(&t, sys, "/sys"), NULL, NULL), 5);
    inserted(&record, "usbcore.ko usb-storage.ko.xz uas.ko ");
    CHECK_INT(modules_load_for_devices(m, sys, NULL, NULL), 0);
    tree_file(&t, "/sys/bus/acpi/devices/b/modalias", "acpi:NEW:\n");
    CHECK_INT(modules_load_for_devices(m, sys, NULL, NULL), 1);
    CHECK_INT(modules_load_for_devices(m, "/none", NULL, NULL), 0);
    inserted(&record, "");
    counted(m, 9, 1, 0, 0);
    finish(m, &record);
    tree_end(&t);
}

/* The USB hub driver comes first, so that hubs are scanned while other modules are loaded. */
static void usb_first(void)
{
    struct tree t;
    struct record record;
    char sys[TREE_PATH];
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep", "a.ko:\nxhci.ko:\n");
    tree_file(&t, "/m/modules.alias", "alias pci:*bc01* a\nalias pci:*bc0Csc03i30* xhci\n");
    for (int i = 0; i < 8; i++) {
        char path[64];
        snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:00:0%d.0/modalias", i);
        tree_filef(&t, path, i == 3 ? "pci:v%dbc0Csc03i30\n" : "pci:v%dbc01sc06i01\n", i);
    }
    struct modules *m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load_for_devices(m, tree_path(&t, sys, "/sys"), NULL, NULL), 8);
    inserted(&record, "xhci.ko a.ko ");
    finish(m, &record);
    tree_end(&t);
}

static void parameters_and_blacklists(void)
{
    struct tree t;
    struct record record;
    tree_begin(&t);
    write_storage(&t);
    struct modules *m =
        open_recorded(&t,
                      "quiet nvme.poll_queues=2 usb-storage.delay_use=0 nvme_core.io_timeout=5 "
                      "usb_storage.quirks=\"a b\" nvme.x module_blacklist=crc-slow,t10_pi "
                      "modprobe.blacklist=usb-storage -- nvme.y=1",
                      &record);
    /* a dependency is on the list of modules that must not be loaded */
    CHECK_INT(modules_load(m, "nvme"), -EPERM);
    inserted(&record, "crc-fast.ko crc-t10dif.ko ");
    failures_are(m, "nvme: needs k/t10-pi.ko, which did not load\n");
    counted(m, 2, 0, 1, 0);
    CHECK_INT(modules_load_for(m, "usb:v46F4p0001d0000dc00dsc00dp00ic08isc06ip50in00"), 1);
    /* not loaded for a device, but when it is requested or needed by another module */
    inserted(&record, "");
    CHECK_INT(modules_load(m, "uas"), 0);
    inserted(&record, "usbcore.ko usb-storage.ko.xz(delay_use=0 quirks=\"a b\") uas.ko ");
    finish(m, &record);

    m = open_recorded(&t, "nvme.poll_queues=2 nvme_core.io_timeout=5 nvme.x", &record);
    CHECK_INT(modules_load(m, "nvme"), 0);
    inserted(&record, "crc-fast.ko crc-slow.ko crc-t10dif.ko t10-pi.ko "
                      "nvme-core.ko(io_timeout=5) nvme.ko(poll_queues=2 x) ");
    finish(m, &record);
    tree_end(&t);
}

static void what_is_there(void)
{
    struct tree t;
    struct record record;
    char path[TREE_PATH];
    tree_begin(&t);
    write_storage(&t);
    tree_file(
        &t, "/proc/modules",
        "nvme_core 1 2 nvme, Live 0x0\nt10_pi 1 0 - Live 0x0\nother 1 0 - Live 0x0\n\nusbcore");
    struct modules *m = open_recorded(&t, "", &record);
    modules_note_loaded(m, tree_path(&t, path, "/proc/modules"));
    counted(m, 0, 0, 0, 0); /* only requested modules are counted */
    CHECK_INT(modules_load(m, "ext4"), 0);
    CHECK_INT(modules_load(m, "fs-ext4"), 0);
    CHECK_INT(modules_load(m, "usbcore"), 0);
    inserted(&record, "");
    counted(m, 0, 2, 0, 0);
    record.refused = "crc-t10dif.ko"; /* another process loaded it first */
    record.answer = -EEXIST;
    CHECK_INT(modules_load(m, "nvme"), 0);
    inserted(&record, "crc-fast.ko crc-slow.ko crc-t10dif.ko nvme.ko ");
    counted(m, 3, 5, 0, 0);
    modules_note_loaded(m, tree_path(&t, path, "/proc/none"));
    finish(m, &record);
    tree_end(&t);
}

static void refused(void)
{
    struct tree t;
    struct record record;
    tree_begin(&t);
    write_storage(&t);
    struct modules *m = open_recorded(&t, "", &record);
    record.refused = "nvme-core.ko";
    record.answer = -ENOEXEC;
    CHECK_INT(modules_load(m, "nvme"), -ENOEXEC);
    inserted(&record, "crc-fast.ko crc-slow.ko crc-t10dif.ko t10-pi.ko nvme-core.ko ");
    CHECK_INT(modules_load(m, "nvme"), -ENOEXEC);
    inserted(&record, "");
    CHECK_INT(modules_load(m, "no-such-module"), -ENOENT);
    failures_are(m, "nvme_core: Exec format error\n"
                    "nvme: needs k/nvme-core.ko, which did not load\n"
                    "no-such-module: No such file or directory\n");
    counted(m, 4, 0, 3, 0);
    char part[60];
    modules_failures(m, part, sizeof part); /* whole lines */
    CHECK_STR(part, "nvme_core: Exec format error\n");
    modules_failures(m, part, 1);
    CHECK_STR(part, "");
    finish(m, &record);

    m = open_recorded(&t, "", &record);
    record.refused = "usb-storage.ko.xz"; /* there is no device for it, which is not a failure */
    record.answer = -ENODEV;
    CHECK_INT(modules_load(m, "uas"), -ENODEV);
    inserted(&record, "usbcore.ko usb-storage.ko.xz crc-slow.ko ");
    failures_are(m, "");
    counted(m, 2, 0, 0, 2);
    finish(m, &record);
    tree_end(&t);
}

static void damaged(void)
{
    struct tree t;
    struct record record;
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep",
              "a.ko: b.ko\nb.ko: a.ko\nself.ko: self.ko\nhole.ko: gone.ko\nsoft1.ko:\nsoft2.ko:\n");
    tree_file(&t, "/m/modules.softdep",
              "softdep soft1 pre: soft2 post: soft2 soft1\n"
              "softdep soft2 pre: soft1 post: soft1\n");
    struct modules *m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load(m, "a"), 0); /* each needs the other: one must come first */
    inserted(&record, "b.ko a.ko ");
    CHECK_INT(modules_load(m, "self"), 0);
    inserted(&record, "self.ko ");
    CHECK_INT(modules_load(m, "soft1"), 0);
    inserted(&record, "soft2.ko soft1.ko ");
    CHECK_INT(modules_load(m, "hole"), -ENOENT);
    inserted(&record, "");
    failures_are(m, "hole: needs gone.ko, which did not load\n");
    finish(m, &record);

    struct text chain = {0}; /* deeper than any kernel's dependencies */
    for (int i = 0; i < 3000; i++)
        text_addf(&chain, "m%d.ko: m%d.ko\n", i, i + 1);
    tree_file(&t, "/m/modules.dep", chain.data);
    m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load(m, "m0"), -ELOOP);
    inserted(&record, "");
    CHECK_INT(modules_load(m, "m2990"), -ENOENT);
    text_free(&chain);
    finish(m, &record);

    tree_remove(&t, "/m");
    m = open_recorded(&t, "", &record);
    CHECK_INT(modules_load(m, "a"), -ENOENT);
    CHECK_INT(modules_load_for(m, "pci:v1"), 0);
    finish(m, &record);
    tree_end(&t);
}

/* The threads and the real system call, with files that do not exist. */
static void missing_files(void)
{
    struct tree t;
    tree_begin(&t);
    tree_file(&t, "/m/modules.dep",
              "cupel-x.ko: cupel-lib.ko\ncupel-y.ko:\ncupel-z.ko: cupel-y.ko\ncupel-lib.ko:\n"
              "cupel-packed.ko.zst:\n");
    tree_file(&t, "/m/modules.alias",
              "alias pci:x cupel-x\nalias pci:y cupel-y\n"
              "alias pci:z cupel-z\nalias pci:p cupel-packed\n");
    struct modules *m = open_modules(&t, "");
    CHECK_INT(modules_load_for(m, "pci:x"), 1); /* a library module is inserted at once */
    CHECK_INT(modules_counts(m).failed, 2);
    failures_are(m, "cupel_lib: No such file or directory\n"
                    "cupel_x: needs cupel-lib.ko, which did not load\n");
    CHECK_INT(modules_load_for(m, "pci:z"), 1); /* waits for cupel-y, which has devices, too */
    CHECK_INT(modules_load_for(m, "pci:p"), 1);
    CHECK_INT(modules_counts(m).busy, 3);
    struct pollfd done = {.fd = modules_fd(m), .events = POLLIN};
    CHECK_INT(poll(&done, 1, 10000), 1);
    CHECK_INT(modules_finish(m, true), 2);
    CHECK_INT(modules_finish(m, true), 0);
    counted(m, 0, 0, 5, 0);
    modules_begin(m, "no-such-module"); /* is not waited for, but reported */
    modules_begin(m, "cupel-y");
    counted(m, 0, 0, 6, 0);
    char failures[512];
    modules_failures(m, failures, sizeof failures);
    CHECK(strstr(failures, "cupel_y: No such file or directory\n") != NULL);
    CHECK(strstr(failures, "cupel_z: needs cupel-y.ko, which did not load\n") != NULL);
    CHECK(strstr(failures, "cupel_packed: No such file or directory\n") != NULL);
    modules_free(m);
    tree_end(&t);
}

int main(void)
{
    order();
    devices();
    usb_first();
    parameters_and_blacklists();
    what_is_there();
    refused();
    damaged();
    missing_files();
    return check_result();
}
