/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's command line without the parts that identify the machine. */
#ifndef CUPEL_HW_CAPTURE_COMMAND_LINE_H
#define CUPEL_HW_CAPTURE_COMMAND_LINE_H

#include "base/span.h"
#include "base/text.h"

#define COMMAND_LINE_HIDDEN "hidden" /* replaces a hidden part */

/*
 * Appends `line`, with "hidden" in place of everything that identifies the machine or its users.
 * This replaces the values of keys for addresses, names, users and passwords ("ip=hidden"), and the
 * word after options such as "--password". UUIDs, MAC addresses, WWNs and the name of the `host`
 * ("": not known) are replaced wherever they stand, as in "root=UUID=...", because what the machine
 * can do does not depend on them. Words and keys keep their order. Hiding a line again does not
 * change it.
 */
void command_line_hide(struct span line, const char *host, struct text *to);

#endif
