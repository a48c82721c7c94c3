/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's uevents, received and taken apart. */
#include "init/stick/internal.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP  1 /* 2 is where udev tells others what it has dealt with */
#define RECEIVE_BYTES (8 << 20)

int uevent_open(struct err *e)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    int bytes = RECEIVE_BYTES;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "cannot listen to the kernel's events: %s", strerror(errno));
    /* A smaller buffer than asked for is made good by UEVENT_LOST. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    err_set(e, ERR_MACHINE, "cannot listen to the kernel's events: %s", strerror(errno));
    close(fd);
    return -1;
}

static const char *value_of(const char *string, const char *key)
{
    size_t length = strlen(key);
    return strncmp(string, key, length) == 0 && string[length] == '=' ? string + length + 1 : NULL;
}

/* The message has a '\0' behind it. */
static bool take_apart(struct uevent *event, size_t length)
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
            const char *value = value_of(string, fields[i].key);
            if (value != NULL)
                *fields[i].value = value;
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
        if (take_apart(event, (size_t)length))
            return UEVENT_RECEIVED;
        if (length == 0)
            return UEVENT_NONE;
    }
}
