/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop devices that are set up, and where each keeps its bytes: a stretch of a file, or of
 * another block device. The kernel does not count a loop device as a user (holder) of its backing
 * device, and lets several of them share one file.
 */
#ifndef CUPEL_IO_LOOPS_H
#define CUPEL_IO_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum loop_backing { LOOP_ON_FILE, LOOP_ON_DEVICE, LOOP_UNKNOWN };

struct loop {
    dev_t device;
    char name[32];
    enum loop_backing kind;
    dev_t backing;       /* the device that it lies on, or the filesystem of the file */
    ino_t inode;         /* of the file */
    uint64_t begin, end; /* the stretch of it, in bytes */
};

struct loops {
    struct loop *rows;
    size_t count;
};

/*
 * All of them, from sysfs below `root`. The kernel's answer (LOOP_GET_STATUS64) says which file it
 * is; without permission for that the path in sysfs is looked up, and LOOP_UNKNOWN is one whose
 * path leads nowhere, as that of a removed file. The caller frees it with loops_free, always. False
 * when sysfs cannot be read or there is no memory.
 */
bool loops_read(const char *root, struct loops *l);
void loops_free(struct loops *l);

/* True when both lie on the same file or device, and their stretches of it meet. */
bool loops_overlap(const struct loop *a, const struct loop *b);

#endif
