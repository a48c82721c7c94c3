/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What NVMe controllers are asked: the commands behind the facts, apart from where they are sent.
 * One thread per controller.
 */
#ifndef CUPEL_HW_NVME_H
#define CUPEL_HW_NVME_H

#include <stdbool.h>

#include "base/nvme_admin.h"
#include "hw/prober.h"

/* Facts of the controller's node from identify, health log and power state. */
void nvme_ask_controller(const struct nvme_admin *admin, struct inventory *v, int node);

/* Facts of the disks' nodes from identify of the controller's namespaces, each disk once. */
void nvme_ask_namespaces(const struct nvme_admin *admin, struct probe *p, const char *controller);

/* May the controller of this node be asked? Not below another root, not without permission of the
   user, not while it resets or is dead: a command would wait for it. */
bool nvme_may_ask(const struct probe *p, int node);

/* Is it the name of a controller, "nvme0"? */
bool nvme_is_controller(const char *name);

#endif
