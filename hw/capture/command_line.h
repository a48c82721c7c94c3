/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's command line without the parts that identify the machine. */
#ifndef CUPEL_HW_CAPTURE_COMMAND_LINE_H
#define CUPEL_HW_CAPTURE_COMMAND_LINE_H

#include "base/span.h"
#include "base/text.h"

#define COMMAND_LINE_HIDDEN "hidden" /* replaces a hidden part */

/*
 * Append `line`. Words and keys keep their order. Hidden are the values of keys for addresses,
 * names, users and passwords ("ip=hidden"), the word after "--password" and the like, and
 * everywhere UUIDs, MAC addresses, WWNs and the name of the `host` ("": not known), also in
 * "root=UUID=...", because what the machine can do does not depend on them. A line that was hidden
 * before is not changed again.
 */
void command_line_hide(struct span line, const char *host, struct text *to);

#endif
