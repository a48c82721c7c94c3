/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The appliance: what cupel does when it is /init of a machine that was started from the stick or
 * over the network. It never returns to a shell, for there is none.
 */
#ifndef CUPEL_CMD_APPLIANCE_INIT_H
#define CUPEL_CMD_APPLIANCE_INIT_H

#include <stdbool.h>

/* Is this process 1, called as init, with its root in memory? A container has none of the last. */
bool init_is_initial_process(const char *argv0);

/*
 * Start the machine, read cupel.cfg, count down, qualify, keep the report, show the menu, switch
 * off. When even that is refused it waits for ever.
 */
_Noreturn void init_main(void);

#endif
