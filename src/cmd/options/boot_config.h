/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live image's configuration. Its keys are rows like those of command line options. They are
 * read from cupel.cfg on the data partition ("KEY = VALUE", '#' begins a comment) and from the
 * kernel's command line ("cupel.KEY=VALUE", quoted if it has blanks), which overrides the file. The
 * documented cupel.cfg on the stick is printed from the same rows (boot_config_write_template;
 * `cupel help cupel.cfg`).
 */
#ifndef CUPEL_CMD_OPTIONS_BOOT_CONFIG_H
#define CUPEL_CMD_OPTIONS_BOOT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "cmd/options/options.h"

/* Which stick's cupel.cfg is read, and on which stick reports are stored. */
enum boot_stick {
    BOOT_STICK_REPORTS, /* cupel.cfg is not read; reports are stored on a stick of this image */
    BOOT_STICK_OWN,     /* only the stick of this image from which the machine was started */
    BOOT_STICK_ANY      /* any stick */
};
enum boot_after { BOOT_AFTER_MENU, BOOT_AFTER_POWER_OFF, BOOT_AFTER_REBOOT };

struct boot_config {
    uint32_t countdown;   /* seconds until the qualification starts without a key press */
    int start;            /* 1: start after the countdown; 0: wait in the menu */
    int after;            /* enum boot_after */
    char preset[16];      /* preset of the qualification */
    double limit_seconds; /* time limit of each measurement */
    char devices[512];    /* names or serial numbers of disks, separated by blanks; "": all disks */
    char expect[64];      /* file of expectations on the data partition, or in the initrd */
    char command[1024];   /* cupel commands to run instead of the qualification, separated by ';' */
    char network[80];     /* "off", "dhcp", or ADDRESS/PREFIX[,GATEWAY] */
    char interface[16];
    char collector[512];      /* http://HOST[:PORT]/PATH/, or "" */
    double data_wait_seconds; /* maximum time to wait for the data partition */
    int stick;                /* enum boot_stick; only the kernel's command line can set it */
    char data_disk[64];       /* disk that may be the stick although it is no USB disk, or "any" */
    bool allow_unwritten;
    bool memory, processors; /* measure the memory; measure the processors */
    double burn_seconds;     /* duration of the burn-in test; 0: no test */
};

extern const struct option_row boot_config_rows[];

void boot_config_init(struct boot_config *c);

/*
 * Reads the text of a cupel.cfg: "KEY = VALUE" lines, '#' comments, LF or CR LF, with or without a
 * UTF-8 byte order mark. In keys, '-' and '_' are the same. An empty value means the default.
 * Messages use `name`: "cupel.cfg". Fails with ERR_USAGE: the message lists as many mistakes, with
 * line and column, as fit into it, and the number of the others. Lines without mistakes are used
 * nevertheless.
 */
int boot_config_read(struct boot_config *c, const char *text, size_t length, const char *name,
                     struct err *e);
/* Reads every cupel.KEY=VALUE of a kernel command line; NULL is an empty one. Fails as
   boot_config_read does. */
int boot_config_read_command_line(struct boot_config *c, const char *command_line, struct err *e);

/* Writes the cupel.cfg of a new stick: every key, commented out, with its help, default and
   limits. */
void boot_config_write_template(struct text *out);

#endif
