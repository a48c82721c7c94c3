/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The link behind a SAS port: its phys together, against what is plugged in. A wide port has
 * several phys, which run side by side.
 */
#ifndef CUPEL_HW_SAS_LINK_H
#define CUPEL_HW_SAS_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "hw/prober.h"

/* "FOLDER/NAME"; false when it does not fit. */
bool sas_join(char *to, size_t size, const char *folder, const char *name);

/* The first name that starts so, or NULL. */
const char *sas_find_name(const struct sysroot_names *names, const char *prefix);

/*
 * Adds phys, the link facts, the sums of the phys' error counters, and of a drive its protocol and
 * bay to the node of a port. `names` is what the port's folder holds; `far_name` the one of them
 * that is plugged in: "end_device-0:0", or, when `is_expander`, "expander-0:0".
 */
void sas_add_link(struct probe *p, int node, const char *folder, const struct sysroot_names *names,
                  const char *far_name, bool is_expander);

#endif
