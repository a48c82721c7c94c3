/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's command line without what shows whose machine it is. */
#ifndef CUPEL_HW_CAPTURE_COMMAND_LINE_H
#define CUPEL_HW_CAPTURE_COMMAND_LINE_H

#include "base/span.h"
#include "base/text.h"

#define COMMAND_LINE_HIDDEN "hidden" /* stands where something was */

/*
 * Append `line`. Words stay in their order, and so do keys; hidden are the values of keys for
 * addresses, names, users and passwords ("ip=hidden"), after "--password" and the like the word
 * that follows, and everywhere UUIDs, MAC addresses, WWNs and the name of the `host` ("": not
 * known), of "root=UUID=..." too: what the machine can do does not depend on it. A line that went
 * through here once stays as it is.
 */
void command_line_hide(struct span line, const char *host, struct text *to);

#endif
