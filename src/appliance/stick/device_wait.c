/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits until the devices are there, and loads the modules that they need as soon as they appear.
 */
#include "appliance/stick/device_wait.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "appliance/process/milliseconds.h"
#include "appliance/stick/internal.h"
#include "base/file/file.h"

#define LOOK_AGAIN_MS 50 /* interval for checking incomplete disks: sysfs does not notify */

int device_wait_open(struct device_wait *s, struct err *e)
{
    *s = (struct device_wait){.fd = uevent_open(e), .walk = true, .sys = "/sys"};
    return s->fd >= 0 ? 0 : -1;
}

void device_wait_close(struct device_wait *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* Takes all waiting events. Returns whether a device appeared. */
static bool take_events(struct device_wait *s, struct modules *m)
{
    struct uevent event;
    enum uevent_status status;
    bool came = false;
    while ((status = uevent_receive(s->fd, &event)) != UEVENT_NONE) {
        if (status == UEVENT_LOST) {
            s->walk = true;
            s->events++;
            continue;
        }
        /* Counts devices that came or went, and disks that got another size. */
        s->events += strcmp(event.action, "add") == 0 || strcmp(event.action, "remove") == 0 ||
                     (strcmp(event.action, "change") == 0 && strcmp(event.subsystem, "block") == 0);
        /* A device came, or a driver took one: it may need modules, and further devices may
           follow. */
        if (strcmp(event.action, "add") != 0 && strcmp(event.action, "bind") != 0)
            continue;
        came = true;
        modules_load_for(m, event.modalias);
    }
    return came;
}

struct event_source {
    struct device_wait *wait;
    struct modules *modules;
};

static void take_events_meanwhile(void *context)
{
    const struct event_source *from = context;
    take_events(from->wait, from->modules);
}

unsigned device_wait_quiet(struct device_wait *s, struct modules *m, unsigned quiet_ms,
                           unsigned max_ms)
{
    uint64_t begin = now_ms(), last = begin, now;
    for (;;) {
        bool happened = take_events(s, m);
        if (s->walk) {
            s->walk = false;
            struct event_source events = {s, m};
            modules_load_for_devices(m, s->sys, take_events_meanwhile, &events);
            happened = true;
        }
        happened |= modules_finish(m, false) > 0;
        now = now_ms();
        if (happened)
            last = now;
        uint64_t quiet = now - last, left = begin + max_ms - now, ms = left;
        if (now - begin >= max_ms)
            break;
        bool busy = modules_counts(m).busy > 0;
        if (!busy && quiet < quiet_ms)
            ms = quiet_ms - quiet;
        else if (!busy && disks_awaited(s->sys))
            ms = LOOK_AGAIN_MS;
        else if (!busy)
            break;
        struct pollfd sources[] = {{.fd = s->fd, .events = POLLIN},
                                   {.fd = modules_fd(m), .events = POLLIN}};
        poll(sources, sizeof sources / sizeof *sources, (int)(ms < left ? ms : left));
    }
    return (unsigned)(now - begin);
}

/* ---- the kernel's events ---- */

#define KERNEL_GROUP  1 /* udev announces the events that it has handled to group 2 */
#define RECEIVE_BYTES (8 << 20)

int uevent_open(struct err *e)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    int bytes = RECEIVE_BYTES;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "cannot listen to the kernel's events: %s", strerror(errno));
    /* A buffer smaller than requested may lose events, which UEVENT_LOST reports. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    err_set(e, ERR_MACHINE, "cannot listen to the kernel's events: %s", strerror(errno));
    close(fd);
    return -1;
}

/* Parses a message, which ends with a '\0'. */
static bool uevent_parse(struct uevent *event, size_t length)
{
    const struct {
        const char *key, **value;
    } fields[] = {{"ACTION", &event->action},
                  {"DEVPATH", &event->path},
                  {"SUBSYSTEM", &event->subsystem},
                  {"MODALIAS", &event->modalias}};
    event->action = event->path = event->subsystem = event->modalias = "";
    const char *string = event->message, *end = event->message + length;
    if (strchr(string, '@') == NULL)
        return false;
    for (string += strlen(string) + 1; string < end; string += strlen(string) + 1) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            size_t key = strlen(fields[i].key);
            if (strncmp(string, fields[i].key, key) == 0 && string[key] == '=')
                *fields[i].value = string + key + 1;
        }
    }
    return event->action[0] != '\0';
}

enum uevent_status uevent_receive(int fd, struct uevent *event)
{
    for (;;) {
        ssize_t length = recv(fd, event->message, UEVENT_BYTES, MSG_DONTWAIT);
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return errno == ENOBUFS ? UEVENT_LOST : UEVENT_NONE;
        event->message[length] = '\0';
        if (uevent_parse(event, (size_t)length))
            return UEVENT_RECEIVED;
        if (length == 0)
            return UEVENT_NONE;
    }
}

/* ---- disks on their way ---- */

/* Returns whether `is` is true for any entry of the folder whose name begins with `prefix`. */
static bool any_entry(const char *folder, const char *prefix, bool (*is)(const char *path))
{
    char path[PATH_MAX];
    bool found = false;
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (!found && entries != NULL && (entry = readdir(entries)) != NULL) {
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            found = file_path(path, "%s/%s", folder, entry->d_name) && is(path);
    }
    if (entries != NULL)
        closedir(entries);
    return found;
}

static bool is_there(const char *path)
{
    (void)path;
    return true;
}

static bool host_without_target(const char *host)
{
    return !any_entry(host, "target", is_there);
}

static bool unscanned_interface(const char *interface)
{
    return any_entry(interface, "host", host_without_target);
}

static bool exists(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return file_path(path, "%s/%s", folder, name) && access(path, F_OK) == 0;
}

/* Returns whether the attribute's text, without the line's end, is one of `texts`
   ("new|resetting|"). */
static bool attribute_is_one_of(const char *folder, const char *name, const char *texts)
{
    char path[PATH_MAX], wanted[64], *text;
    if (!file_path(path, "%s/%s", folder, name) ||
        file_read_all(path, 4096, &text, NULL, NULL) != 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    int length = snprintf(wanted, sizeof wanted, "|%s|", text);
    free(text);
    return length < (int)sizeof wanted && strstr(texts, wanted) != NULL;
}

static bool unready_scsi_disk(const char *device)
{
    return exists(device, "driver") && !exists(device, "block") &&
           attribute_is_one_of(device, "type", "|0|7|20|"); /* disk, optical memory, zoned disk */
}

static bool unready_nvme_controller(const char *controller)
{
    return attribute_is_one_of(controller, "state", "|new|resetting|connecting|");
}

bool disks_awaited(const char *sys)
{
    static const struct {
        const char *folder;
        bool (*is)(const char *path);
    } places[] = {{"bus/usb/drivers/usb-storage", unscanned_interface},
                  {"bus/usb/drivers/uas", unscanned_interface},
                  {"bus/scsi/devices", unready_scsi_disk},
                  {"class/nvme", unready_nvme_controller}};
    char folder[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (file_path(folder, "%s/%s", sys, places[i].folder) &&
            any_entry(folder, "", places[i].is))
            return true;
    return false;
}
