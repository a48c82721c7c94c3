/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loop device for a test, on an unnamed file. The kernel detaches it when its last file
 * descriptor is closed, so that nothing is left however the test ends. Needs root.
 */
#ifndef TESTS_UNIT_LOOP_DEVICE_H
#define TESTS_UNIT_LOOP_DEVICE_H

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

struct loop_device {
    int fd;   /* keeps it attached; -1: no loop device */
    int file; /* what is behind it */
    char path[32];
};

static inline void loop_detach(struct loop_device *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->file >= 0)
        close(l->file);
    l->fd = l->file = -1;
}

/* Attaches `bytes` of `file`, and owns `file` from then on. Returns false if there is no loop
   device. */
static inline bool loop_attach(struct loop_device *l, int file)
{
    *l = (struct loop_device){.fd = -1, .file = file};
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0 || file < 0) {
        loop_detach(l);
        return false;
    }
    struct loop_config config = {.fd = (unsigned)file,
                                 .info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN};
    /* Between the two calls another program may take the free number. */
    for (int attempt = 0; attempt < 10; attempt++) {
        long number = syscall(SYS_ioctl, control, LOOP_CTL_GET_FREE);
        if (number < 0)
            break;
        snprintf(l->path, sizeof l->path, "/dev/loop%ld", number);
        l->fd = open(l->path, O_RDWR | O_CLOEXEC);
        if (l->fd < 0)
            break;
        if (!syscall(SYS_ioctl, l->fd, LOOP_CONFIGURE, &config)) {
            close(control);
            return true;
        }
        close(l->fd);
        l->fd = -1;
    }
    close(control);
    loop_detach(l);
    return false;
}

#endif
