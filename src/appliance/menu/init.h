/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The appliance: cupel as /init of a machine that was started from the stick or over the network.
 * It never returns to a shell, because there is none.
 */
#ifndef CUPEL_APPLIANCE_MENU_INIT_H
#define CUPEL_APPLIANCE_MENU_INIT_H

#include <stdbool.h>

/* Returns whether this is process 1, called as init, with its root in memory. In a container the
   root is not in memory. */
bool init_is_initial_process(const char *argv0);

/*
 * Starts the machine, reads cupel.cfg, counts down, qualifies, keeps the report, shows the menu,
 * switches off. If switching off fails, it waits for ever.
 */
_Noreturn void init_main(void);

#endif
