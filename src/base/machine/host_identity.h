/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies this machine and its present boot. Timestamps of the same boot are from the same
   clocks. */
#ifndef CUPEL_BASE_MACHINE_HOST_IDENTITY_H
#define CUPEL_BASE_MACHINE_HOST_IDENTITY_H

#include <stdbool.h>

#define HOST_NAME_BYTES 256
#define HOST_BOOT_BYTES 16

struct host_identity {
    char name[HOST_NAME_BYTES];          /* the host's name; "": not known */
    unsigned char boot[HOST_BOOT_BYTES]; /* the 16 bytes of /proc/sys/kernel/random/boot_id */
    bool boot_known;
};

/* Reads the identity. `prefix` is put before the paths of /proc; "" for this machine. */
void host_identity_read(struct host_identity *h, const char *prefix);

#endif
