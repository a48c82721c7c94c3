/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done to the contents of a file before they go into a capture: each appends to `to` what
 * may be known of `contents`. Lengths stay, but for lines that are left out.
 */
#ifndef CUPEL_HW_CAPTURE_CHANGE_H
#define CUPEL_HW_CAPTURE_CHANGE_H

#include "base/span.h"
#include "base/text.h"
#include "hw/capture_mask.h"

typedef void change_function(struct capture_mask *m, struct span contents, struct text *to);

change_function change_nothing;
change_function change_mask_all;          /* it is one identifier as a whole */
change_function change_mask_names;        /* also names that people gave, and WWNs */
change_function change_mask_mapper;       /* dm/uuid */
change_function change_mask_command_line; /* /proc/cmdline */
change_function change_mask_builder;      /* /proc/version */
change_function change_mask_mounts;       /* /proc/self/mountinfo */
change_function change_drop_lines;        /* lines "key=value", "key : value" with a private key */
change_function change_blank_device_serial; /* PCI configuration space */
change_function change_blank_identify_text; /* ATA IDENTIFY DEVICE in hexadecimal */
change_function change_blank_identify_page; /* the same in a SCSI page */

#endif
