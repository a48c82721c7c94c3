/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live image's configuration: rows like those of command line options, read from cupel.cfg on
 * the data partition ("KEY = VALUE", '#' begins a comment) and from the kernel's command line
 * ("cupel.KEY=VALUE", quoted when it has blanks), which wins. The documented cupel.cfg on the stick
 * is printed from the same rows (boot_config_write_template; `cupel help cupel.cfg`).
 */
#ifndef CUPEL_CMD_OPTIONS_BOOT_CONFIG_H
#define CUPEL_CMD_OPTIONS_BOOT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/options/options.h"

/* Whose cupel.cfg is read, and where reports are kept. */
enum boot_stick {
    BOOT_STICK_REPORTS, /* no stick's; reports go to a stick of this image */
    BOOT_STICK_OWN,     /* of a stick of this image, which the machine was started from */
    BOOT_STICK_ANY      /* of any stick */
};
enum boot_after { BOOT_AFTER_MENU, BOOT_AFTER_POWER_OFF, BOOT_AFTER_REBOOT };

struct boot_config {
    uint32_t countdown;   /* seconds before the qualification begins by itself */
    int start;            /* 1: by itself after the countdown, 0: wait at the menu */
    int after;            /* enum boot_after */
    char preset[16];      /* of the qualification */
    double limit_seconds; /* of each measurement */
    char devices[512];    /* names or serial numbers, separated by blanks; "": all disks */
    char expect[64];      /* file on the data partition, or in the initrd */
    char command[1024];   /* cupel commands to run instead of the qualification, separated by ';' */
    char network[80];     /* off, dhcp, or ADDRESS/PREFIX[,GATEWAY] */
    char interface[16];
    char collector[512];      /* http://HOST[:PORT]/PATH/, or "" */
    double data_wait_seconds; /* how long the data partition is waited for */
    int stick;                /* enum boot_stick; a stick cannot set it */
    char data_disk[64];       /* a disk that may be the stick without being a USB disk, or "any" */
    bool allow_unwritten;
};

extern const struct option_row boot_config_rows[];

void boot_config_init(struct boot_config *c);

/*
 * Text as it stands in cupel.cfg: "KEY = VALUE" lines, '#' comments, LF or CR LF, a UTF-8 byte
 * order mark before it or none; in keys '-' and '_' are the same. An empty value is the default.
 * `name` is for messages: "cupel.cfg". ERR_USAGE names the first mistake with its line and column,
 * and how many more there are; every line that is right counts all the same.
 */
int boot_config_read(struct boot_config *c, const char *text, size_t length, const char *name,
                     struct err *e);
/* Reads every cupel.KEY=VALUE of a kernel command line. NULL is an empty line. Errors as above. */
int boot_config_read_command_line(struct boot_config *c, const char *command_line, struct err *e);

/* cupel.cfg as it stands on a new stick: every key with its help, default and limits, commented
   out. */
void boot_config_write_template(struct text *out);

#endif
