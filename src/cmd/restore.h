/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What killed sessions left changed. */
#ifndef CUPEL_CMD_RESTORE_H
#define CUPEL_CMD_RESTORE_H

/* One line on standard error when a session that was killed, and its keeper with it, left settings
   of this machine changed. One look into /run/cupel, which is seldom there. */
void restore_say_left(void);

#endif
