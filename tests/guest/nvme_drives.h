/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVMe drives of a virtual machine: found by what the test called them, and what the host filled
 * them with (see drive() of tests/e2e/qemu/lib.sh). */
#ifndef TESTS_GUEST_NVME_DRIVES_H
#define TESTS_GUEST_NVME_DRIVES_H

#include <dirent.h>
#include <stdint.h>

#include "guest.h"

#include "io/target/target.h"

#define HOST_NUMBERS 100000000000000u /* the first of the host's numbers */

/* 16 bytes: `first` + offset / 16 and a line feed. */
static inline void put_number(unsigned char to[16], uint64_t first, uint64_t offset)
{
    uint64_t number = first + offset / 16;
    to[15] = '\n';
    for (int i = 14; i >= 0; i--, number /= 10)
        to[i] = (unsigned char)('0' + number % 10);
}

static inline void fill_numbers(unsigned char *to, uint64_t first, uint64_t offset, size_t length)
{
    for (size_t i = 0; i < length; i += 16)
        put_number(to + i, first, offset + i);
}

static inline bool holds_numbers(const unsigned char *data, uint64_t first, uint64_t offset,
                                 size_t length)
{
    unsigned char expected[16];
    for (size_t i = 0; i < length; i += 16) {
        put_number(expected, first, offset + i);
        if (memcmp(data + i, expected, 16) != 0)
            return false;
    }
    return true;
}

static inline void read_attribute(const char *folder, const char *name, char text[64])
{
    char path[400];
    *text = '\0';
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (!fgets(text, 64, f))
        *text = '\0';
    (void)fclose(f);
    text[strcspn(text, " \n")] = '\0';
}

/* Finds the name in /sys/block of a namespace: "nvme2n1". The order of names is not that of the
   command line. Returns false if it does not appear within five seconds. */
static inline bool find_namespace(const char *serial, const char *nsid, char name[64])
{
    for (int tries = 0; tries < 100; tries++) {
        DIR *d = opendir("/sys/block");
        bool found = false;
        for (struct dirent *entry; d && !found && (entry = readdir(d));) {
            char folder[300], text[64];
            if (strncmp(entry->d_name, "nvme", 4) != 0 || strchr(entry->d_name, 'c'))
                continue;
            (void)snprintf(folder, sizeof folder, "/sys/block/%s", entry->d_name);
            read_attribute(folder, "nsid", text);
            if (strcmp(text, nsid) != 0)
                continue;
            read_attribute(folder, "device/serial", text);
            found = !strcmp(text, serial);
            (void)snprintf(name, 64, "%.63s", entry->d_name);
        }
        if (d)
            (void)closedir(d);
        if (found)
            return true;
        guest_sleep(50);
    }
    *name = '\0';
    return false;
}

/* Opens a drive as a target: the whole drive, whatever it contains. */
static inline struct target_request request_for(const char *path, bool write)
{
    return (struct target_request){.path = path,
                                   .read = !write,
                                   .write = write,
                                   .direct = true,
                                   .destroy = write,
                                   .allow_unwritten = true,
                                   .seed = 1};
}

static inline bool open_target(struct target *t, const char *path, bool write)
{
    struct err e = {0};
    struct target_request request = request_for(path, write);
    if (!target_open(t, &request, NULL, NULL, NULL, &e))
        return true;
    CHECK_STR(e.msg, "");
    return false;
}

#endif
