/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's command line without the parts that identify the machine. */
#ifndef CUPEL_HW_CAPTURE_COMMAND_LINE_H
#define CUPEL_HW_CAPTURE_COMMAND_LINE_H

#include "base/span.h"
#include "base/text.h"

#define COMMAND_LINE_HIDDEN "hidden" /* replaces a hidden part */

/*
 * Appends `line`, with "hidden" in place of everything that identifies the machine or its users.
 * The values of keys for addresses, names, users and passwords are replaced ("ip=hidden"), and so
 * is the word after an option such as "--password". UUIDs, MAC addresses, WWNs and the name of the
 * `host` ("": not known) are replaced everywhere, as in "root=UUID=...", because the machine's
 * abilities do not depend on them. Words and keys keep their order. Hiding a line a second time
 * does not change it.
 */
void command_line_hide(struct span line, const char *host, struct text *to);

#endif
