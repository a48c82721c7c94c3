/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The value of one knob: a file that holds one word, or all words it takes with the one in force in
 * brackets ("none [mq-deadline] kyber"). Nothing here allocates, so that the keeper may call it.
 */
#ifndef CUPEL_HW_KNOB_VALUE_H
#define CUPEL_HW_KNOB_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fact.h"
#include "hw/sysroot.h"

#define KNOB_VALUE 64
#define KNOB_OFFER 512

/* The word in force. FACT_INVALID when it is not one word of a length that fits. */
enum fact_status knob_value_read(const struct sysroot *root, const char *path,
                                 char value[KNOB_VALUE]);

/* The words that a file names, one blank between them, without brackets. */
enum fact_status knob_value_offer(const struct sysroot *root, const char *path,
                                  char offer[KNOB_OFFER]);
bool knob_value_offered(const char *offer, const char *value);

/* Write and read back. 0, an errno, or KNOB_IGNORED: the kernel took it and did nothing. */
#define KNOB_IGNORED (-1)
int knob_value_write(const struct sysroot *root, const char *path, const char *value);

/* What a result of knob_value_write means, in words. */
const char *knob_value_problem(int result);

#endif
