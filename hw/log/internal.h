/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/log share. */
#ifndef CUPEL_HW_LOG_INTERNAL_H
#define CUPEL_HW_LOG_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/log/log_reader.h"

/* A line in the form of /dev/kmsg: "6,339,5140900,-;usb 1-1: ...". */
struct log_message {
    unsigned level;  /* 0 emergency ... 7 debug */
    bool by_program; /* its facility is not the kernel's, which programs cannot use */
    uint64_t number;
    double stamp; /* seconds on the kernel's local clock */
    const char *text;
};

/* Reads a line. False: it is not one. `line` is ended by '\0' and stays the caller's. */
bool log_message_parse(struct log_message *m, const char *line);

/* Determines the line's kind, severity, and escaped text. False: it does not matter here. */
bool log_message_classify(const struct log_message *m, const struct log_names *names,
                          struct kernel_line *to);

#endif
