/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waiting for devices: parsing of the kernel's events, modules loaded for new devices, and when the
 * waiting ends. Events come through sockets of the test; sysfs is a tree.
 */
#include "check.h"
#include "tree.h"

#include <linux/netlink.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "appliance/stick/device_wait.h"
#include "appliance/stick/internal.h"
#include "base/text.h"

struct machine {
    struct tree t;
    struct modules *modules;
    struct device_wait settle;
    struct text inserted;
    int kernel; /* socket to which events are sent */
    char sys[TREE_PATH];
};

static int insert(void *context, const char *path, const char *parameters)
{
    struct machine *machine = context;
    (void)parameters;
    text_addf(&machine->inserted, "%s ", strrchr(path, '/') + 1);
    return 0;
}

static void begin(struct machine *m)
{
    int sockets[2];
    char folder[TREE_PATH];
    struct err e = {0};
    *m = (struct machine){0};
    tree_begin(&m->t);
    tree_file(&m->t, "/m/modules.dep", "k/nvme.ko:\nk/sd_mod.ko:\nk/xhci.ko:\n");
    tree_file(&m->t, "/m/modules.alias",
              "alias pci:n* nvme\nalias scsi:t-0x00* sd_mod\nalias pci:x* xhci\n");
    tree_file(&m->t, "/sys/bus/pci/devices/0000:00:01.0/modalias", "pci:nvme\n");
    tree_path(&m->t, m->sys, "/sys");
    if (modules_open(&m->modules, tree_path(&m->t, folder, "/m"), "", &e) != 0 ||
        socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0)
        tree_fail("cannot begin in", folder);
    modules_set_insert(m->modules, insert, m);
    m->kernel = sockets[1];
    m->settle = (struct device_wait){.fd = sockets[0], .walk = true, .sys = m->sys};
    text_add(&m->inserted, "");
}

static void end(struct machine *m)
{
    device_wait_close(&m->settle);
    close(m->kernel);
    modules_free(m->modules);
    text_free(&m->inserted);
    tree_end(&m->t);
}

static void sends_bytes(int fd, const char *message, size_t length)
{
    CHECK(send(fd, message, length, 0) == (ssize_t)length);
}

/* Sends the strings of a literal, each ended by '\0'. */
#define SENDS(fd, message) sends_bytes((fd), (message), sizeof(message) - 1)

static void messages(void)
{
    static struct uevent event;
    static char large[UEVENT_BYTES + 1000];
    int sockets[2];
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) == 0);
    CHECK_INT(uevent_receive(sockets[0], &event), UEVENT_NONE);
    SENDS(sockets[1], "add@/devices/pci0000:00/0000:00:01.0\0ACTION=add\0"
                      "DEVPATH=/devices/pci0000:00/0000:00:01.0\0SUBSYSTEM=pci\0"
                      "MODALIAS=pci:v00001B36\0MODALIASES=no\0SEQNUM=7\0");
    CHECK_INT(uevent_receive(sockets[0], &event), UEVENT_RECEIVED);
    CHECK_STR(event.action, "add");
    CHECK_STR(event.path, "/devices/pci0000:00/0000:00:01.0");
    CHECK_STR(event.subsystem, "pci");
    CHECK_STR(event.modalias, "pci:v00001B36");
    SENDS(sockets[1], "libudev\0ACTION=add\0");    /* udev's messages have no '@' */
    SENDS(sockets[1], "change@/x\0MODALIAS=y\0");  /* no action */
    SENDS(sockets[1], "remove@/x\0ACTION=remove"); /* no '\0' at the end */
    CHECK_INT(uevent_receive(sockets[0], &event), UEVENT_RECEIVED);
    CHECK_STR(event.action, "remove");
    CHECK_STR(event.modalias, "");
    memset(large, 'x', sizeof large);
    memcpy(large, "add@/y\0ACTION=add", 17);
    sends_bytes(sockets[1], large, sizeof large); /* cut at the buffer's end */
    CHECK_INT(uevent_receive(sockets[0], &event), UEVENT_RECEIVED);
    CHECK_INT(strlen(event.action), UEVENT_BYTES - 14);
    CHECK_INT(uevent_receive(sockets[0], &event), UEVENT_NONE);
    close(sockets[0]);
    CHECK_INT(uevent_receive(-1, &event), UEVENT_NONE);
    close(sockets[1]);
}

static void what_is_there_and_what_comes(void)
{
    struct machine m;
    begin(&m);
    SENDS(m.kernel, "add@/scsi\0ACTION=add\0DEVPATH=/scsi\0MODALIAS=scsi:t-0x00\0");
    SENDS(m.kernel, "change@/gone\0ACTION=change\0MODALIAS=pci:x1\0"); /* nothing came */
    SENDS(m.kernel, "change@/sda\0ACTION=change\0SUBSYSTEM=block\0");
    SENDS(m.kernel, "bind@/scsi\0ACTION=bind\0MODALIAS=scsi:t-0x00\0");
    unsigned took = device_wait_quiet(&m.settle, m.modules, 40, 5000);
    CHECK(took >= 40 && took < 4000);
    CHECK_STR(m.inserted.data, "sd_mod.ko nvme.ko ");
    CHECK_INT(m.settle.events, 2); /* one event came, and one of another size */
    CHECK(!m.settle.walk);
    SENDS(m.kernel, "remove@/scsi\0ACTION=remove\0MODALIAS=scsi:t-0x00\0");
    device_wait_quiet(&m.settle, m.modules, 0, 5000);
    CHECK_INT(m.settle.events, 3);

    took = device_wait_quiet(&m.settle, m.modules, 0, 5000);
    CHECK(took < 4000);
    tree_file(&m.t, "/sys/bus/pci/devices/0000:00:02.0/modalias", "pci:x1\n");
    /* without an event modules are not looked for again */
    device_wait_quiet(&m.settle, m.modules, 10, 5000);
    CHECK_STR(m.inserted.data, "sd_mod.ko nvme.ko ");
    SENDS(m.kernel, "add@/x\0ACTION=add\0MODALIAS=pci:x1\0");
    device_wait_quiet(&m.settle, m.modules, 10, 5000);
    CHECK_STR(m.inserted.data, "sd_mod.ko nvme.ko xhci.ko ");
    CHECK_INT(m.settle.events, 4);
    end(&m);
}

struct sender {
    int fd;
    unsigned times, pause_ms;
};

static void *send_now_and_then(void *argument)
{
    const struct sender *sender = argument;
    struct timespec pause = {.tv_nsec = (long)sender->pause_ms * 1000000};
    for (unsigned i = 0; i < sender->times; i++) {
        nanosleep(&pause, NULL);
        (void)send(sender->fd, "add@/x\0ACTION=add\0", 18, 0);
    }
    return NULL;
}

static void while_things_come(void)
{
    struct machine m;
    pthread_t thread;
    begin(&m);
    struct sender sender = {m.kernel, 10, 30};
    CHECK(pthread_create(&thread, NULL, send_now_and_then, &sender) == 0);
    unsigned took = device_wait_quiet(&m.settle, m.modules, 300, 20000);
    CHECK(took >= 550); /* ten times 30 ms, then the quiet time, with a margin for a busy machine */
    CHECK_INT(m.settle.events, 10);
    pthread_join(thread, NULL);

    sender = (struct sender){m.kernel, 15, 20};
    CHECK(pthread_create(&thread, NULL, send_now_and_then, &sender) == 0);
    took = device_wait_quiet(&m.settle, m.modules, 1000, 150); /* the limit holds whatever comes */
    CHECK(took >= 150 && took < 5000);
    pthread_join(thread, NULL);
    end(&m);
}

/* More events than the socket can hold: the devices are listed again. */
static void lost_events(void)
{
    struct machine m;
    struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = 1u << 20};
    int bytes = 2048, lossy = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_USERSOCK);
    int sender = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_USERSOCK);
    begin(&m);
    device_wait_quiet(&m.settle, m.modules, 0, 1000);
    CHECK_STR(m.inserted.data, "nvme.ko ");
    close(m.settle.fd);
    m.settle.fd = lossy;
    if (lossy < 0 || sender < 0 || bind(lossy, (struct sockaddr *)&group, sizeof group) != 0 ||
        setsockopt(lossy, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) != 0) {
        check_part_skipped("no netlink sockets to lose messages with");
        close(sender);
        end(&m);
        return;
    }
    for (int i = 0; i < 64; i++)
        (void)sendto(sender, "add@/x\0ACTION=add\0", 18, 0, (struct sockaddr *)&group,
                     sizeof group);
    tree_file(&m.t, "/sys/bus/pci/devices/0000:00:02.0/modalias", "pci:x1\n");
    device_wait_quiet(&m.settle, m.modules, 10, 5000);
    CHECK_STR(m.inserted.data, "nvme.ko xhci.ko ");
    CHECK(m.settle.events > 0 && m.settle.events < 64);
    CHECK(!m.settle.walk);
    close(sender);
    end(&m);
}

static void disks_that_are_awaited(void)
{
    struct tree t;
    char sys[TREE_PATH];
    tree_begin(&t);
    tree_path(&t, sys, "/sys");
    CHECK(!disks_awaited(sys));
    tree_file(&t, "/sys/bus/usb/drivers/usb-storage/new_id", "");
    tree_folder(&t, "/sys/bus/usb/drivers/usb-storage/module/holders");
    tree_folder(&t, "/sys/devices/usb1/1-1:1.0/ep_01");
    tree_link(&t, "/sys/bus/usb/drivers/usb-storage/1-1:1.0", "../../../../devices/usb1/1-1:1.0");
    CHECK(!disks_awaited(sys));
    tree_folder(&t, "/sys/devices/usb1/1-1:1.0/host6/scsi_host");
    CHECK(disks_awaited(sys)); /* not scanned */
    tree_folder(&t, "/sys/devices/usb1/1-1:1.0/host6/target6:0:0");
    CHECK(!disks_awaited(sys));

    tree_folder(&t, "/sys/bus/scsi/devices/host6");
    tree_file(&t, "/sys/bus/scsi/devices/6:0:0:0/type", "0\n");
    CHECK(!disks_awaited(sys)); /* no driver */
    tree_folder(&t, "/sys/bus/scsi/devices/6:0:0:0/driver");
    CHECK(disks_awaited(sys));
    tree_folder(&t, "/sys/bus/scsi/devices/6:0:0:0/block/sda");
    CHECK(!disks_awaited(sys));
    tree_folder(&t, "/sys/bus/scsi/devices/7:0:0:0/driver"); /* an enclosure */
    tree_file(&t, "/sys/bus/scsi/devices/7:0:0:0/type", "13\n");
    CHECK(!disks_awaited(sys));
    tree_file(&t, "/sys/bus/scsi/devices/7:0:0:0/type", "20\n");
    CHECK(disks_awaited(sys));
    tree_remove(&t, "/sys/bus/scsi");

    static const char *const starting[] = {"new\n", "resetting\n", "connecting"};
    static const char *const others[] = {"live\n", "dead\n", "deleting\n", "", "|\n", "ne\n"};
    for (size_t i = 0; i < 3; i++) {
        tree_file(&t, "/sys/class/nvme/nvme0/state", starting[i]);
        CHECK(disks_awaited(sys));
    }
    for (size_t i = 0; i < 6; i++) {
        tree_file(&t, "/sys/class/nvme/nvme0/state", others[i]);
        CHECK(!disks_awaited(sys));
    }
    tree_end(&t);
}

/* The time limit ends the wait if a disk never comes; otherwise the wait ends as soon as all disks
   are there. */
static void until_the_disk_is_there(void)
{
    struct machine m;
    begin(&m);
    tree_file(&m.t, "/sys/class/nvme/nvme0/state", "connecting\n");
    unsigned took = device_wait_quiet(&m.settle, m.modules, 10, 200);
    CHECK(took >= 200 && took < 5000);
    tree_file(&m.t, "/sys/class/nvme/nvme0/state", "live\n");
    took = device_wait_quiet(&m.settle, m.modules, 10, 20000);
    CHECK(took >= 10 && took < 10000);
    end(&m);
}

static void the_kernels_own(void)
{
    struct device_wait s;
    struct err e = {0};
    static struct uevent event;
    if (device_wait_open(&s, &e) != 0) {
        CHECK_INT(e.code, ERR_MACHINE);
        check_part_skipped(e.msg);
        return;
    }
    CHECK_STR(s.sys, "/sys");
    CHECK(s.walk && s.events == 0);
    CHECK(uevent_receive(s.fd, &event) != UEVENT_LOST); /* it does not block */
    device_wait_close(&s);
    CHECK_INT(s.fd, -1);
    device_wait_close(&s);
}

int main(void)
{
    messages();
    what_is_there_and_what_comes();
    while_things_come();
    lost_events();
    disks_that_are_awaited();
    until_the_disk_is_there();
    the_kernels_own();
    return check_result();
}
